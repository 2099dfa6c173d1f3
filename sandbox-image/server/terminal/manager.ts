import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { Census, OutputPiece, TerminalInfo } from "../../../src/contract/workspace/channel.ts";
import type { Shell } from "../../../src/contract/workspace/shell.ts";
import { type Owner, takeCensus } from "../processes/census.ts";
import { commandLine, readTable } from "../processes/table.ts";
import type { ServerSettings } from "../settings.ts";
import { Annotations } from "./annotations.ts";
import { BackgroundCommands } from "./background.ts";
import type { Encoding } from "./decode.ts";
import type { Follow } from "./follower.ts";
import { loadPty } from "./pty.ts";
import { runInTerminal } from "./run-foreground.ts";
import { Terminal } from "./terminal.ts";

const REHEARSAL_MS = 5_000;

export interface Opened {
  readonly terminal: Terminal;
  /** The shell of the terminal whose place it took, where that was another one. */
  readonly replaced?: Shell;
  readonly status: "created" | "existing";
}

export interface OpenOptions {
  /** Absolute. Without one, an open terminal is good wherever it is, and a new one starts in the workspace. */
  readonly directory?: string;
  /** Absolute. Where a new one starts that was opened without a directory. */
  readonly startDirectory?: string | undefined;
  readonly encoding?: Encoding;
  /** Bash when left out. */
  readonly shell?: Shell | undefined;
}

/** All terminals of a workspace, one per conversation, and the background commands. */
export class TerminalManager {
  readonly background: BackgroundCommands;
  readonly #settings: ServerSettings;
  readonly #terminals = new Map<string, Terminal>();
  readonly #opening = new Map<string, Promise<Opened>>();
  readonly #annotations = new Annotations();
  #spare: Terminal | null = null;
  #warming: Promise<void> | null = null;
  #count = 0;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
    this.background = new BackgroundCommands(settings);
  }

  /** The conversation's terminal: the open one if it was opened in that directory and encoding, else a new one. */
  create(conversation: string, options: OpenOptions = {}): Promise<Opened> {
    const before = this.#opening.get(conversation) ?? Promise.resolve();
    // An earlier opening that failed is its own caller's business.
    const opening = before.catch(() => {}).then(() => this.#open(conversation, options));
    this.#opening.set(conversation, opening);
    return opening;
  }

  /** Opens a shell ahead of time, in the workspace's directory, for whoever needs one first. */
  prewarm(): Promise<void> {
    this.#warming ??= this.#warm();
    return this.#warming;
  }

  /** Opens a spare shell and runs a command in another one that it then closes: the first real command finds all code loaded. */
  async rehearse(): Promise<void> {
    await this.prewarm();
    const { workspaceDir } = this.#settings;
    const spawn = await loadPty();
    const terminal = new Terminal(this.#settings, { spawn, number: 0, directory: workspaceDir });
    try {
      const { signal } = new AbortController();
      const request = { command: ":", timeoutMs: REHEARSAL_MS, workspaceDir, signal };
      await runInTerminal(terminal, { ...request, progress: () => {} });
    } finally {
      await terminal.kill();
    }
  }

  /** Null when there is none; one whose shell has exited still has its history. */
  find(sessionId: string): Terminal | null {
    return this.#terminals.get(sessionId) ?? null;
  }

  get(sessionId: string): Terminal {
    const terminal = this.find(sessionId);
    if (terminal) return terminal;
    throw new ToolError(
      "executionFailed",
      `Terminal "${sessionId}" not found: it was closed or never opened. create_session opens it.`,
    );
  }

  /** Writes exactly these characters. */
  sendInput(sessionId: string, input: string): Terminal {
    const terminal = this.get(sessionId);
    if (terminal.hasExited) throw closed(terminal);
    terminal.write(input);
    return terminal;
  }

  resize(sessionId: string, size: { rows: number; cols: number }): void {
    const terminal = this.get(sessionId);
    if (terminal.hasExited) throw closed(terminal);
    terminal.resize(size.rows, size.cols);
  }

  /** Output from an index on; `dropped` characters of it are kept no more. */
  getOutput(sessionId: string, fromIndex: number) {
    const { ring } = this.get(sessionId);
    const from = Math.min(Math.max(fromIndex, ring.start), Math.max(ring.end, fromIndex));
    const dropped = Math.max(0, ring.start - fromIndex);
    return { output: ring.slice(from), from_index: from, end_index: ring.end, dropped };
  }

  getHistory(sessionId: string): string {
    const { ring } = this.get(sessionId);
    return ring.slice(ring.start);
  }

  list(): TerminalInfo[] {
    return [...this.#terminals].map(([id, terminal]) => terminal.info(id));
  }

  async close(sessionId: string): Promise<void> {
    const terminal = this.get(sessionId);
    this.#terminals.delete(sessionId);
    await terminal.close();
  }

  /** For shutting down: terminals, the spare one and background commands, SIGTERM first. */
  async closeAll(): Promise<void> {
    const terminals = this.#takeAll();
    await Promise.all([...terminals.map((each) => each.close()), this.background.stopAll()]);
  }

  /** SIGKILL for everything that its terminals and background commands run. */
  async killAll(): Promise<Census> {
    const terminals = this.#takeAll();
    await Promise.all([...terminals.map((each) => each.kill()), this.background.killAll()]);
    return this.census();
  }

  follow(sessionId: string, from: number, send: (piece: OutputPiece) => void): Follow {
    return this.get(sessionId).flow.follow(from, (piece) =>
      send({ session_id: sessionId, ...piece }),
    );
  }

  unfollow(sessionId: string): void {
    this.find(sessionId)?.flow.unfollow();
  }

  ack(sessionId: string, upToIndex: number): void {
    this.find(sessionId)?.flow.acknowledge(upToIndex);
  }

  /** Adds what ran elsewhere to the conversation's history, once per call, also before there is a terminal. */
  annotate(conversation: string, callId: string, text: string): void {
    if (this.#annotations.isKnown(callId)) return;
    const terminal = this.find(conversation);
    if (terminal && !terminal.hasExited) terminal.annotate(text);
    else this.#annotations.keep(conversation, text);
  }

  census(): Census {
    return takeCensus(this.owners, { wholeMachine: false });
  }

  get owners(): Owner[] {
    const terminals = [...this.#terminals].map(([id, { pid }]) => ({ id, pid }));
    const spare = this.#spare ? [{ id: "spare", pid: this.#spare.pid }] : [];
    return [...terminals, ...spare, ...this.background.owners];
  }

  async #open(
    conversation: string,
    { directory, startDirectory, encoding, shell = "bash" }: OpenOptions,
  ): Promise<Opened> {
    const old = this.find(conversation);
    const leaves = old && !old.hasExited && old.shellName !== shell ? old : undefined;
    if (leaves) assertIdle(leaves, shell);
    assertShell(this.#settings, shell);
    const isThere = old && (directory ?? old.directory) === old.directory;
    const isGood =
      isThere && !leaves && !old.hasExited && (encoding ?? old.encoding) === old.encoding;
    if (isGood) return { terminal: old, status: "existing" };
    const start =
      directory ?? leaves?.currentDirectory ?? startDirectory ?? this.#settings.workspaceDir;
    await assertDirectory(start);
    if (old) await this.close(conversation);
    await this.#warming?.catch(() => {}); // without a spare one, opening a terminal says what is wrong
    const terminal =
      this.#adoptSpare(start, encoding, shell) ?? (await this.#start(start, encoding, shell));
    this.#terminals.set(conversation, terminal);
    await terminal.ready();
    for (const text of this.#annotations.take(conversation)) terminal.annotate(text);
    return { terminal, status: "created", ...(leaves && { replaced: leaves.shellName }) };
  }

  #adoptSpare(directory: string, encoding: Encoding = "utf8", shell: Shell): Terminal | null {
    const spare = this.#spare;
    const isUsual = encoding === "utf8" && shell === "bash";
    if (!spare || spare.hasExited || !isUsual || directory !== spare.directory) return null;
    this.#spare = null;
    return spare;
  }

  async #warm(): Promise<void> {
    const spare = await this.#start(this.#settings.workspaceDir);
    this.#spare = spare;
    await spare.ready();
  }

  async #start(
    directory: string,
    encoding: Encoding = "utf8",
    shell: Shell = "bash",
  ): Promise<Terminal> {
    const spawn = await loadPty();
    const number = ++this.#count;
    return new Terminal(this.#settings, { spawn, number, directory, encoding, shell });
  }

  #takeAll(): Terminal[] {
    const all = [...this.#terminals.values(), ...(this.#spare ? [this.#spare] : [])];
    this.#terminals.clear();
    this.#spare = null;
    return all;
  }
}

export async function assertDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => null); // not there, or not to be seen
  if (found?.isDirectory()) return;
  const problem = found ? "is not a directory" : "does not exist";
  throw new ToolError(
    "executionFailed",
    `${path} ${problem}. Create it with create_directory, or omit working_directory.`,
  );
}

export function assertShell({ terminalShells }: ServerSettings, shell: Shell): void {
  if (existsSync(terminalShells[shell])) return;
  throw new ToolError(
    "executionFailed",
    `This image has no ${shell}. Say \`shell bash\` in the chat to use bash, or ask the operator to add ${shell} to the image.`,
  );
}

/** A terminal in which something runs keeps its shell: replacing it would end that. */
function assertIdle(terminal: Terminal, wanted: Shell): void {
  const { phase } = terminal.shell;
  const [running] = readTable().descendants(terminal.pid);
  if (phase !== "busy" && running === undefined) return;
  const what = running ? commandLine(running) : "a command";
  throw new ToolError(
    "executionFailed",
    `This thread now uses ${wanted}, but its ${terminal.shellName} terminal still runs \`${what}\`. Wait until that ends, ` +
      "end it by sending \\u0003 (Ctrl-C), or use close_session to start over.",
    { running: what },
  );
}

function closed(terminal: Terminal): ToolError {
  return new ToolError(
    "executionFailed",
    `This terminal is closed: its shell exited with code ${terminal.shell.exitCode}. ` +
      "run_command or create_session opens a new one.",
    { exitCode: terminal.shell.exitCode },
  );
}
