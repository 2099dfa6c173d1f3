import { randomUUID } from "node:crypto";
import { basename } from "node:path/posix";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { extract } from "tar-stream";
import { z } from "zod";
import { type Asker, HookRefusal, type WebHooks } from "../../adapters/web/hooks.ts";
import { describe } from "../audit/describe.ts";
import { actorKey } from "../contract/actor.ts";
import type { AuditRecord } from "../contract/audit.ts";
import type { Workspace, Workspaces } from "../contract/workspace.ts";
import { verbs } from "../intake/commands/verbs.ts";
import type { Core } from "./core.ts";

const LARGEST_BYTES = 64 * 1024 * 1024;

/** What the web chat shows beside the conversation, each part to those who may see it. */
export function webHooks(core: Core, workspaces: Workspaces | undefined): WebHooks {
  const existing = (asker: Asker) => existingWorkspace(core, workspaces, asker);
  return {
    status: () => core.model?.name ?? "No model is set up: commands work, questions do not.",
    commands: () =>
      verbs.flatMap(({ name, forms }) =>
        forms.map(({ usage, summary }) => ({ name, usage, summary })),
      ),
    terminal: {
      list: async (asker) => {
        const workspace = await existing(asker);
        return (await workspace?.terminals())?.map(shownTerminal) ?? [];
      },
      follow: async (asker, terminal, { fromIndex, signal, onOutput }) => {
        const workspace = await existing(asker);
        await workspace?.follow(terminal, {
          fromIndex,
          signal,
          onOutput: ({ from_index, output, ended = false }) =>
            onOutput({ fromIndex: from_index, text: output, ended }),
        });
      },
      resize: async (asker, terminal, size) => {
        await (await existing(asker))?.resize(terminal, size);
      },
    },
    files: {
      list: async (asker, path) => {
        const workspace = await existing(asker);
        return workspace ? listFiles(workspace, path) : [];
      },
      download: async (asker, path) => {
        const workspace = await existing(asker);
        if (!workspace) throw new HookRefusal("This thread has no workspace yet.");
        return { name: basename(path), bytes: await fileOf(workspace, path) };
      },
    },
    timeline: async (asker, page) => {
      mayRead(core, asker);
      const records = await core.audit.forConversation(asker.thread, page);
      return records.toReversed().map(shownRecord);
    },
    settings: {
      read: async (asker) => {
        mayRead(core, asker);
        const entries = await core.settings.list(asker.thread);
        return entries.map(({ name, description, value }) => ({ name, description, value }));
      },
      change: (asker, name, value) => changeSetting(core, asker, name, String(value)),
    },
  };
}

function mayRead({ authorization }: Core, { presence }: Asker): void {
  const may = authorization.authorize(presence.actor, { kind: "readThread" }, presence.place);
  if (!may.allowed) throw new HookRefusal(may.reason);
}

/** Nobody gets a container by looking at a page. */
async function existingWorkspace(
  core: Core,
  workspaces: Workspaces | undefined,
  asker: Asker,
): Promise<Workspace | undefined> {
  mayRead(core, asker);
  const known = (await workspaces?.list())?.some(
    ({ conversation }) => conversation === asker.thread,
  );
  return known ? core.openWorkspace(asker.thread) : undefined;
}

async function changeSetting(
  { authorization, settings, audit }: Core,
  { presence, thread }: Asker,
  name: string,
  value: string,
): Promise<void> {
  const may = authorization.authorize(presence.actor, { kind: "changeSettings" }, presence.place);
  if (!may.allowed) throw new HookRefusal(may.reason);
  await audit.record({
    kind: "setting.changed",
    actor: actorKey(presence.actor),
    conversation: thread,
    setting: name,
    to: value,
  });
  const changed = await settings.change(thread, name, value);
  if (changed.outcome === "refused") throw new HookRefusal(changed.message);
}

type Terminal = Awaited<ReturnType<Workspace["terminals"]>>[number];

function shownTerminal({ session_id, working_directory, state, rows, cols }: Terminal) {
  return { id: session_id, title: working_directory, state, rows, cols };
}

const TONES = { allowed: "plain", denied: "bad", ask: "waiting" } as const;

function shownRecord(record: AuditRecord) {
  const { number, at, entry } = record;
  const { actor, what, result } = describe(record);
  const failed = entry.kind === "call" && entry.outcome === "failure";
  const tone = entry.kind === "call" && entry.decision ? TONES[entry.decision] : "plain";
  return {
    number,
    at,
    who: actor,
    what,
    ...(result === "" ? {} : { detail: result }),
    tone: failed ? ("bad" as const) : tone,
  };
}

const Listed = z.object({
  entries: z.array(
    z.object({ name: z.string(), isDirectory: z.boolean(), size: z.number().nullable() }),
  ),
});

async function listFiles(workspace: Workspace, path: string) {
  const args = { operation: "list_dir", path: path || ".", limit: 1000 };
  const result = await workspace.call({ id: randomUUID(), tool: "file_operations", args });
  if (!result.success) throw new HookRefusal(result.message ?? "The directory cannot be read.");
  return Listed.parse(result).entries.map(({ name, isDirectory, size }) => ({
    name,
    path: path === "" || path === "." ? name : `${path}/${name}`,
    isDirectory,
    bytes: size ?? 0,
  }));
}

async function fileOf(workspace: Workspace, path: string): Promise<Uint8Array> {
  const archive = await workspace.download(path);
  const reader = extract();
  archive.on("error", (error) => reader.destroy(error));
  archive.pipe(reader);
  try {
    for await (const entry of reader) {
      const { type, size = 0 } = entry.header;
      if (type !== "file") throw new HookRefusal(`${path} is no file.`);
      if (size > LARGEST_BYTES) throw new HookRefusal(`${path} is too large: ${size} bytes.`);
      return await buffer(entry);
    }
  } finally {
    if (archive instanceof Readable) archive.destroy(); // Docker waits for a stream that nobody reads
  }
  throw new HookRefusal(`${path} is empty.`);
}
