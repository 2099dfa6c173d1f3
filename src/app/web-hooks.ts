import { randomUUID } from "node:crypto";
import { basename } from "node:path/posix";
import {
  type Asker,
  type FollowTerminal,
  HookRefusedError,
  type WebHooks,
} from "../../adapters/web/hooks.ts";
import { type Act, actorKey, type Presence } from "../contract/platform/actor.ts";
import type { Redactor } from "../contract/redactor.ts";
import { type RecordedTerminal, recordedOutput } from "../contract/workspace/recorded-terminal.ts";
import type { Workspace, Workspaces } from "../contract/workspace/workspace.ts";
import { CommandRefusedError } from "../intake/commands/verb.ts";
import { listDirectory, readWhole } from "../intake/commands/workspace-files.ts";
import type { Core } from "./core.ts";
import { commandHelp } from "./help.ts";
import { followMasked } from "./live-terminal.ts";
import { timelineOf } from "./timeline.ts";

const LARGEST_BYTES = 64 * 1024 * 1024;
const ASLEEP = "The workspace is asleep. Wake it in the Files panel.";

interface HookParts {
  readonly core: Core;
  readonly workspaces: Workspaces | undefined;
  readonly redactor: Redactor;
}

/** What the web chat shows beside the conversation, each part to those who may see it. */
export function webHooks({ core, workspaces, redactor }: HookParts): WebHooks {
  const existing = (asker: Asker) => existingWorkspace(core, workspaces, asker);
  const isAsleep = async (asker: Asker) => {
    mayRead(core, asker);
    const state = (await summaryOf(workspaces, asker))?.state;
    return state !== undefined && state !== "running";
  };
  const recorded = async ({ thread }: Asker) => (await workspaces?.recordedTerminals(thread)) ?? [];
  /** What a panel shows goes to people, and so without secrets. */
  const panel = <Value>(show: () => Promise<Value>) =>
    refusing(redactor, async () => redactor.redactDeep(await show()));
  return {
    openForm: core.openForm,
    assertMay: (presence, kind) => assertMay(core, presence, { kind }),
    status: () =>
      core.model ? `Model: ${core.model.name}` : "No model is set up, so only commands work.",
    commands: commandHelp,
    terminal: {
      list: (asker) =>
        panel(async () => {
          if (await isAsleep(asker)) return (await recorded(asker)).map(sleepingTerminal);
          const workspace = await existing(asker);
          return (await workspace?.terminals())?.map(shownTerminal) ?? [];
        }),
      follow: async (asker, terminal, options) => {
        if (await isAsleep(asker)) {
          const known = (await recorded(asker)).find((one) => one.session_id === terminal);
          return showRecorded(redactor.redact(recordedOutput(known)), options);
        }
        const workspace = await existing(asker);
        if (workspace) await followMasked(workspace, redactor, terminal, options);
      },
      resize: (asker, terminal, size) =>
        refusing(redactor, async () => {
          const workspace = (await isAsleep(asker)) ? undefined : await existing(asker);
          const open = (await workspace?.terminals()) ?? [];
          if (!open.some(({ session_id }) => session_id === terminal))
            throw new HookRefusedError("This terminal does not exist. Reopen the terminal panel.");
          await workspace?.resize(terminal, size);
        }),
    },
    files: {
      list: (asker, path) =>
        panel(async () => {
          if (await isAsleep(asker)) return { isAsleep: true, entries: [] };
          const workspace = await existing(asker);
          return { isAsleep: false, entries: workspace ? await shownFiles(workspace, path) : [] };
        }),
      wake: (asker) =>
        refusing(redactor, async () => {
          await existing(asker);
        }),
      download: (asker, path) =>
        refusing(redactor, async () => {
          if (await isAsleep(asker)) throw new HookRefusedError(ASLEEP);
          const workspace = await existing(asker);
          if (!workspace) throw new HookRefusedError("This thread has no workspace yet.");
          const bytes = await readWhole(workspace, path, { mostBytes: LARGEST_BYTES });
          return { name: redactor.redact(basename(path)), bytes: await masked(redactor, bytes) };
        }),
    },
    timeline: (asker, page) =>
      panel(async () => {
        mayRead(core, asker);
        return timelineOf(core, asker.thread, page);
      }),
    settings: {
      read: (asker) =>
        panel(async () => {
          mayRead(core, asker);
          const entries = await core.settings.list(asker.thread);
          return entries.map(({ name, description, value }) => ({ name, description, value }));
        }),
      change: (asker, name, value) => panel(() => changeSetting(core, asker, name, String(value))),
    },
  };
}

function mayRead(core: Core, { presence }: Asker): void {
  assertMay(core, presence, { kind: "readThread" });
}

function assertMay({ authorization }: Core, { actor, place }: Presence, act: Act): void {
  const may = authorization.authorize(actor, act, place);
  if (!may.allowed) throw new HookRefusedError(may.reason);
}

/** Nobody gets a container by looking at a page. */
async function existingWorkspace(
  core: Core,
  workspaces: Workspaces | undefined,
  asker: Asker,
): Promise<Workspace | undefined> {
  mayRead(core, asker);
  const known = await summaryOf(workspaces, asker);
  return known ? core.openWorkspace(asker.thread, actorKey(asker.presence.actor)) : undefined;
}

async function summaryOf(workspaces: Workspaces | undefined, { thread }: Asker) {
  return (await workspaces?.list())?.find(({ conversation }) => conversation === thread);
}

async function changeSetting(
  { authorization, settings, audit }: Core,
  { presence, thread }: Asker,
  name: string,
  value: string,
): Promise<void> {
  const may = authorization.authorize(presence.actor, { kind: "changeSettings" }, presence.place);
  if (!may.allowed) throw new HookRefusedError(may.reason);
  await audit.record({
    kind: "setting.changed",
    actor: actorKey(presence.actor),
    conversation: thread,
    setting: name,
    to: value,
  });
  const changed = await settings.change(thread, name, value);
  if (changed.outcome === "refused") throw new HookRefusedError(changed.message);
}

type Terminal = Awaited<ReturnType<Workspace["terminals"]>>[number];

function shownTerminal({ session_id, working_directory, state, rows, cols }: Terminal) {
  return { id: session_id, title: working_directory, state, rows, cols };
}

function sleepingTerminal({ session_id, working_directory, rows, cols }: RecordedTerminal) {
  return { id: session_id, title: working_directory, state: "asleep" as const, rows, cols };
}

/** The whole at once: it does not grow. */
async function showRecorded(output: string, { fromIndex, onOutput }: FollowTerminal) {
  const text = output.slice(fromIndex);
  await onOutput({ fromIndex, text, nextIndex: fromIndex + text.length, ended: true });
}

async function shownFiles(workspace: Workspace, path: string) {
  const { entries } = await listDirectory(workspace, path || ".", randomUUID());
  return entries.map(({ name, isDirectory, size }) => ({
    name,
    path: path === "" || path === "." ? name : `${path}/${name}`,
    isDirectory,
    bytes: size ?? 0,
  }));
}

/** Says why something cannot be done, without secrets either. */
async function refusing<Value>(redactor: Redactor, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommandRefusedError || error instanceof HookRefusedError)) throw error;
    throw new HookRefusedError(redactor.redact(error.message), { cause: error });
  }
}

async function masked(redactor: Redactor, bytes: Uint8Array): Promise<Uint8Array> {
  const shown = await redactor.redactFile(bytes);
  if (shown) return shown;
  throw new HookRefusedError(
    "This binary file contains a secret from the bot's settings, which cannot be masked, so it is not shown.",
  );
}
