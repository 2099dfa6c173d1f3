import type { TerminalInfo } from "../../contract/workspace/channel.ts";
import type { RecordedTerminal } from "../../contract/workspace/recorded-terminal.ts";
import type { Channel } from "../channel/channel.ts";
import type { LiveWorkspace } from "../live-workspace.ts";
import { conversationKey } from "../names.ts";
import type { Records } from "./records.ts";

const MOST_CHARS = 200_000;
const MOST_TERMINALS = 10;
/** Read before the recorded part and dropped afterwards: a secret that is cut in two is not found. */
const CONTEXT_CHARS = 100_000;
/** While a call runs, output that is lost with the container is at most this old. */
const BUSY_EVERY_MS = 60_000;

interface Parts {
  readonly records: Pick<Records, "terminals" | "recordTerminals">;
  readonly redact: (text: string) => string;
}

/** Records what terminals show, so that people can read it while the workspace sleeps or when it is lost. */
export class TerminalRecorder {
  readonly #parts: Parts;
  readonly #last = new WeakMap<LiveWorkspace, { readonly at: number; readonly shown: string }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the terminals may show more than is recorded. */
  isDue(live: LiveWorkspace): boolean {
    const at = this.#last.get(live)?.at ?? Number.NEGATIVE_INFINITY;
    return live.isBusy ? Date.now() - at > BUSY_EVERY_MS : live.lastUsedAt >= at;
  }

  /** Does not wake the workspace, and does not count as a use of it. */
  async record(key: string, live: LiveWorkspace): Promise<void> {
    if (!live.link.isOpen) return;
    const at = Date.now();
    const channel = await live.channel();
    const { conversation } = await channel.request("state", {});
    // The server's word is not trusted with the files of another conversation.
    if (conversation === null || conversationKey(conversation) !== key) return;
    const { terminals } = await channel.request("terminals", {});
    const shown = terminals.map(({ created, end_index }) => `${created} ${end_index}`).join();
    if (this.#last.get(live)?.shown !== shown) await this.#write(channel, conversation, terminals);
    this.#last.set(live, { at, shown });
  }

  async #write(channel: Channel, conversation: string, open: readonly TerminalInfo[]) {
    const { records, redact } = this.#parts;
    const recorded = new Map(
      (await records.terminals(conversation)).map((one) => [one.session_id, one]),
    );
    for (const terminal of open) {
      const output = redact(await readOutput(channel, conversation, terminal.session_id));
      const known = recorded.get(terminal.session_id);
      recorded.delete(terminal.session_id); // the terminals that are open stand last
      recorded.set(terminal.session_id, withOutput(known, terminal, output));
    }
    await records.recordTerminals(conversation, [...recorded.values()].slice(-MOST_TERMINALS));
  }
}

async function readOutput(channel: Channel, conversation: string, session_id: string) {
  const isOwn = session_id === conversation;
  const { history } = await channel.call({
    tool: "terminal_operations",
    args: { operation: "get_history", session_id },
    meta: {
      "deckhand/conversation": conversation,
      ...(isOwn ? {} : { "deckhand/terminal": { name: session_id, directory: "." } }),
    },
  });
  return typeof history === "string" ? history.slice(-(MOST_CHARS + CONTEXT_CHARS)) : "";
}

/** The newest shell's output whole, and as much as fits of those before it. */
function withOutput(
  known: RecordedTerminal | undefined,
  { session_id, working_directory, rows, cols, created }: TerminalInfo,
  output: string,
): RecordedTerminal {
  const before = (known?.shells ?? []).filter((shell) => shell.created !== created);
  const shells: RecordedTerminal["shells"] = [];
  let room = MOST_CHARS;
  for (const shell of [...before, { created, output }].toReversed()) {
    const kept = lastLines(shell.output, room);
    room -= kept.length;
    if (kept !== "") shells.unshift({ created: shell.created, output: kept });
  }
  return { session_id, working_directory, rows, cols, shells };
}

function lastLines(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text;
  const end = mostChars === 0 ? "" : text.slice(-mostChars);
  return end.slice(end.indexOf("\n") + 1);
}
