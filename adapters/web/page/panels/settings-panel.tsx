import { useState } from "preact/hooks";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { SettingShown } from "../../protocol.ts";
import type { Actions } from "../state/actions.ts";
import { usePart } from "../state/state.ts";
import { useFetched } from "../state/use-fetched.ts";

const THEMES = [
  { value: "", label: "Same as the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

export function SettingsPanel({
  actions,
  thread,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId | undefined;
}) {
  const isOffered = usePart(actions.store, (state) => state.abilities.settings);
  return (
    <div class="panel-body">
      {thread && isOffered && (
        <>
          <h3>This thread</h3>
          <ThreadSettings key={thread} actions={actions} thread={thread} />
        </>
      )}
      <h3>This browser</h3>
      <Theme />
    </div>
  );
}

function ThreadSettings({
  actions,
  thread,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
}) {
  const { value, problem, again } = useFetched(() => actions.api.settings(thread), thread);
  const change = async (name: string, next: SettingShown["value"]) => {
    await actions.attempt(() => actions.api.changeSetting(thread, name, next));
    again();
  };
  return (
    <>
      {problem && <p class="problem">{problem}</p>}
      {value?.map((setting) => (
        <Setting
          key={`${setting.name} ${setting.value}`}
          setting={setting}
          onChange={(next) => void change(setting.name, next)}
        />
      ))}
    </>
  );
}

function Setting({
  setting,
  onChange,
}: {
  readonly setting: SettingShown;
  readonly onChange: (value: SettingShown["value"]) => void;
}) {
  const { name, description, value } = setting;
  const id = `setting-${name}`;
  if (typeof value === "boolean") {
    return (
      <label class="setting switch">
        <span>{description}</span>
        <input
          type="checkbox"
          role="switch"
          checked={value}
          aria-checked={value}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      </label>
    );
  }
  const changed = (event: { readonly currentTarget: HTMLInputElement }) => {
    const { value: typed } = event.currentTarget;
    onChange(typeof value === "number" ? Number(typed) : typed);
  };
  return (
    <div class="setting">
      <label for={id}>{description}</label>
      {typeof value === "number" ? (
        <input id={id} type="number" value={value} onChange={changed} />
      ) : (
        <input id={id} type="text" value={value} onChange={changed} />
      )}
    </div>
  );
}

function Theme() {
  const [theme, setTheme] = useState(document.documentElement.dataset.theme ?? "");
  const choose = (next: string) => {
    setTheme(next);
    localStorage.setItem("deckhand.theme", next);
    if (next) document.documentElement.dataset.theme = next;
    else delete document.documentElement.dataset.theme;
  };
  return (
    <fieldset class="setting">
      <legend>Appearance</legend>
      <div class="choices">
        {THEMES.map(({ value, label }) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              checked={theme === value}
              onChange={() => choose(value)}
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
