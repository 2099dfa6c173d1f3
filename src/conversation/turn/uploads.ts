import { isUtf8 } from "node:buffer";
import { PassThrough } from "node:stream";
import { pack } from "tar-stream";
import type { Attachment } from "../../contract/platform/incoming.ts";
import type { OpenTurn } from "../../journal/conversation/state.ts";
import { plain } from "../../lib/text/write-markdown.ts";
import { slots } from "../shown/cards.ts";
import type { TurnScope } from "./turn-scope.ts";

const DIRECTORY = "uploads";
const MOST_BYTES = 25 * 1024 * 1024;
const NAME_CHARS = 100;

/** Brings what people have attached into the workspace, where the agent can read it. */
export async function saveUploads({ parts, run }: TurnScope, turn: OpenTurn): Promise<void> {
  const saved: string[] = [];
  const texts: string[] = [];
  const problems: string[] = [];
  const taken = new Set<string>();
  const attached = turn.unsaved.flatMap(({ author, attachments }) =>
    attachments.map((attachment) => ({ author, attachment })),
  );
  for (const { author, attachment } of attached) {
    // Somebody has stopped the turn: the rest is not needed any more.
    if (run.stop.signal.aborted) return;
    const name = freeName(attachment.name, taken);
    try {
      const bytes = await fetched(parts, run.conversation, { author, attachment });
      const workspace = await run.workspace();
      const archive = pack();
      archive.entry({ name }, Buffer.from(bytes));
      archive.finalize();
      await workspace.upload(archive.pipe(new PassThrough()), DIRECTORY);
      saved.push(`/workspace/${DIRECTORY}/${name} (${bytes.length} bytes)`);
      if (isText(bytes)) texts.push(`${DIRECTORY}/${name}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      problems.push(`The attached file ${name} is not in the workspace: ${why}`);
    }
  }
  if (problems.length > 0) {
    const view = {
      kind: "notice",
      level: "warning",
      text: problems.map(plain).join("\n"),
    } as const;
    parts.reply.show(run.conversation, slots.notice(turn.id, "uploads"), view);
  }
  const messages = turn.unsaved.map(({ event }) => event);
  await run.write(({ open }) =>
    open?.id === turn.id
      ? [{ kind: "uploads", data: { turn: turn.id, messages, saved, texts, problems } }]
      : [],
  );
}

function isText(bytes: Uint8Array): boolean {
  return bytes.length > 0 && isUtf8(bytes) && !bytes.includes(0);
}

async function fetched(
  { adapterOf, uploadBudget }: TurnScope["parts"],
  thread: string,
  { author, attachment }: { readonly author: string; readonly attachment: Attachment },
): Promise<Uint8Array> {
  if (attachment.bytes > MOST_BYTES) throw tooLarge();
  await uploadBudget.take(author, attachment.bytes);
  const bytes = await adapterOf(thread).fetchAttachment(thread, attachment);
  if (bytes.length > MOST_BYTES) throw tooLarge();
  const more = bytes.length - attachment.bytes;
  if (more > 0) await uploadBudget.take(author, more);
  return bytes;
}

function tooLarge(): Error {
  return new Error(`it is larger than ${MOST_BYTES / 1024 / 1024} MB.`);
}

/** A name that is nothing but a name, and no other file's. */
function freeName(given: string, taken: Set<string>): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  const plain = last.replace(/[^\p{L}\p{N}._ -]/gu, "_").replace(/^[.\s]+/, "");
  const name = plain.slice(-NAME_CHARS) || "file";
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${number}-${name}`;
  taken.add(free);
  return free;
}
