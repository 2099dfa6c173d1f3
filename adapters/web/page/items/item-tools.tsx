import { useState } from "preact/hooks";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { Item, ItemContent } from "../../protocol.ts";
import { copyText } from "../parts/clipboard.ts";
import { FormDialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import type { Actions } from "../state/actions.ts";
import { sentence } from "../state/api.ts";
import { fragmentOf } from "../state/place.ts";

const COPIED_MS = 1_500;

interface ItemProps {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly item: Item;
}

/** Copies a link that leads here. */
export function CopyLink({ actions, thread, item }: ItemProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    const link = `${location.origin}/${fragmentOf(thread, item.id)}`;
    if (!(await copyText(link))) return actions.say(`Copy this link by hand: ${link}`);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button
      type="button"
      class="quiet icon-only tiny"
      title={isCopied ? "Link copied" : "Copy link"}
      aria-label={isCopied ? "Link copied" : "Copy a link to this"}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? "check" : "link"} />
    </button>
  );
}

/** What one can do with what one has said oneself. */
export function OwnTools({
  actions,
  thread,
  item,
  content,
}: ItemProps & { readonly content: Extract<ItemContent, { kind: "message" }> }) {
  const [doing, setDoing] = useState<"editing" | "deleting">();
  const edit = async (text: string) => {
    if (text.trim() === "") return "A message cannot be empty. You can delete it instead.";
    const problem = await refusalOf(() => actions.api.edit(thread, item.id, text));
    if (problem === undefined) setDoing(undefined);
    return problem;
  };
  const remove = async () => {
    const problem = await refusalOf(() => actions.api.remove(thread, item.id));
    if (problem !== undefined) actions.say(problem);
    setDoing(undefined);
  };
  if (doing === "deleting") {
    return (
      <span class="tools sure">
        Delete it for everyone?
        <button type="button" class="small danger" onClick={() => void remove()}>
          Delete
        </button>
        <button type="button" class="small" onClick={() => setDoing(undefined)}>
          Keep
        </button>
      </span>
    );
  }
  return (
    <span class="tools">
      {!content.isCommand && (
        <button
          type="button"
          class="quiet icon-only tiny"
          title="Edit"
          aria-label="Edit this message"
          aria-haspopup="dialog"
          onClick={() => setDoing("editing")}
        >
          <Icon name="pencil" />
        </button>
      )}
      <button
        type="button"
        class="quiet icon-only tiny"
        title="Delete"
        aria-label="Delete this message"
        onClick={() => setDoing("deleting")}
      >
        <Icon name="trash" />
      </button>
      <CopyLink actions={actions} thread={thread} item={item} />
      {doing === "editing" && (
        <FormDialog
          form={{
            title: "Edit your message",
            field: { label: "Your message", isLong: true },
            submit: "Save",
          }}
          initial={content.text}
          onSubmit={edit}
          onClose={() => setDoing(undefined)}
        />
      )}
    </span>
  );
}

/** Why it was not taken; undefined when it was. */
async function refusalOf(
  work: () => Promise<{ readonly outcome: string; readonly reason?: string }>,
): Promise<string | undefined> {
  try {
    const { outcome, reason } = await work();
    return outcome === "ignored" ? reason : undefined;
  } catch (error) {
    return sentence(error);
  }
}
