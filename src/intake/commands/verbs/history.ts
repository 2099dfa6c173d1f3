import type { ArchiveChunk, ArchivedMessage } from "../../../contract/conversation/archive.ts";
import { count } from "../../../contract/display.ts";
import { shownOutput, textFile } from "../../../conversation/shown/shown-output.ts";
import { clockTime } from "../../../lib/text/times.ts";
import { brief } from "../brief.ts";
import type { CommandDeps } from "../deps.ts";
import { type Answer, type Asked, button, saying, type Verb } from "../verb.ts";

/** Of each message that was found. */
const FOUND_CHARS = 300;

export const history: Verb = {
  name: "history",
  forms: [
    {
      usage: "history",
      summary: "earlier parts of this thread that were archived",
      act: "readThread",
      run: list,
    },
    {
      usage: "history search <words…>",
      summary: "search the archived parts",
      act: "readThread",
      run: search,
    },
    {
      usage: "history file",
      summary: "the whole history as a file",
      act: "readThread",
      run: whole,
    },
  ],
};

const NOTHING = "Nothing in this thread has been archived: the agent still sees all of it.";

async function list(deps: CommandDeps, { conversation }: Asked): Promise<Answer> {
  const chunks = await deps.archive.chunks(conversation);
  if (chunks.length === 0) return saying(NOTHING);
  const title = `History, ${count(chunks.length, "part")} that the agent looks up when it needs them`;
  return shownOutput(deps.redactor, chunks.map(headOf).join("\n\n"), {
    title,
    file: "history-parts.txt",
    buttons: [button("All as a file", ["history", "file"])],
  });
}

async function search(
  deps: CommandDeps,
  { conversation }: Asked,
  { words = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const chunks = await deps.archive.chunks(conversation);
  if (chunks.length === 0) return saying(NOTHING);
  const wanted = words.toLowerCase().split(/\s+/);
  const has = ({ text }: ArchivedMessage) => {
    const lower = text.toLowerCase();
    return wanted.every((word) => lower.includes(word));
  };
  const found = chunks.flatMap(({ messages }) => messages).filter(has);
  if (found.length === 0) return saying("No archived message matches. Try fewer words.");
  const shown = (one: ArchivedMessage) =>
    `${clockTime(one.at, deps.now())}  ${one.author}: ${brief(deps, around(one.text, wanted[0] ?? ""), FOUND_CHARS)}`;
  const title = `History, ${count(found.length, "message")} found`;
  return shownOutput(deps.redactor, found.map(shown).join("\n"), { title, file: "found.txt" });
}

async function whole({ archive, redactor }: CommandDeps, { conversation }: Asked): Promise<Answer> {
  const chunks = await archive.chunks(conversation);
  if (chunks.length === 0) return saying(NOTHING);
  const text = chunks.map((chunk) => `${headOf(chunk)}\n\n${bodyOf(chunk)}`).join("\n\n\n");
  const comment = `What was archived of this thread: ${count(chunks.length, "part")}.`;
  return { files: [textFile("history.txt", redactor.redact(text), comment)] };
}

function headOf({ from, to, summary, topics, messages }: ArchiveChunk): string {
  return [
    `${clockTime(from)} to ${clockTime(to)}, ${count(messages.length, "message")}`,
    summary,
    `Topics: ${topics.join(", ") || "none"}`,
  ].join("\n");
}

function bodyOf({ messages }: ArchiveChunk): string {
  return messages
    .map(({ at, author, text }) => `${clockTime(at)}  ${author}:\n${text}`)
    .join("\n\n");
}

/** The text from a little before a word on. */
function around(text: string, word: string): string {
  const place = text.toLowerCase().indexOf(word);
  return place > FOUND_CHARS / 2 ? `…${text.slice(place - FOUND_CHARS / 2)}` : text;
}
