import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { RING_LIMIT_CHARS } from "../../../src/contract/tools/terminal-operations.ts";
import type { TerminalInfo } from "../../../src/contract/workspace/channel.ts";
import type { Shell } from "../../../src/contract/workspace/shell.ts";
import { family, killAll, signal, stopAll, type Victims } from "../processes/stop.ts";
import { identity, type ProcessEntry, readTable } from "../processes/table.ts";
import type { ServerSettings } from "../settings.ts";
import { createDecoder, type Decoder, type Encoding } from "./decode.ts";
import { Flow } from "./flow.ts";
import { MarkCheck } from "./mark-check.ts";
import { MarkParser } from "./marks.ts";
import { Pty, type SpawnPty } from "./pty.ts";
import { Ring } from "./ring.ts";
import { Screen } from "./screen.ts";
import { type Run, ShellState } from "./shell-state.ts";
import { ShellFiles } from "./trigger.ts";

const ROWS = 24;
const COLS = 80;
/** Until then the environment should have brought the shell integration in. */
const SOURCE_AFTER_MS = 700;
const START_LIMIT_MS = 5000;

export interface TerminalOptions {
  readonly spawn: SpawnPty;
  readonly number: number;
  readonly directory: string;
  readonly encoding?: Encoding;
  readonly shell?: Shell;
}

/** A login shell on a PTY, with its history. */
export class Terminal {
  readonly ttyName: string;
  readonly encoding: Encoding;
  readonly shellName: Shell;
  /** Where it was opened; the shell itself may be elsewhere by now. */
  readonly directory: string;
  readonly created = new Date().toISOString();
  readonly ring = new Ring(RING_LIMIT_CHARS);
  readonly shell = new ShellState(this.ring);
  readonly screen = new Screen(this.ring, ROWS, COLS);
  readonly flow: Flow;
  readonly #files: ShellFiles;
  readonly #decoder: Decoder;
  readonly #marks: MarkParser;
  readonly #check: MarkCheck;
  readonly #pty: Pty;
  #isClosing = false;

  constructor(settings: ServerSettings, options: TerminalOptions) {
    const { spawn, number, directory, encoding = "utf8", shell = "bash" } = options;
    const nonces = { own: randomHex(), nested: randomHex() };
    this.ttyName = `tty${number}`;
    this.directory = directory;
    this.encoding = encoding;
    this.shellName = shell;
    this.#files = new ShellFiles(settings, {
      name: `t${number}`,
      shell,
      nestedNonce: nonces.nested,
    });
    this.#decoder = createDecoder(encoding);
    this.#check = new MarkCheck(() => this.pid, this.shell);
    this.#marks = new MarkParser(nonces, this.#check);
    this.#pty = new Pty(settings, {
      spawn,
      program: settings.terminalShells[shell],
      args: this.#files.dialect.args,
      cwd: directory,
      env: this.#files.dialect.environment,
      nonce: nonces.own,
      rows: ROWS,
      cols: COLS,
      onBytes: (bytes) => this.#receive(bytes),
      onExit: (exitCode) => this.#exit(exitCode),
    });
    this.flow = new Flow(this.ring, this.#pty);
  }

  get pid(): number {
    return this.#pty.pid;
  }

  get hasExited(): boolean {
    return this.shell.phase === "exited";
  }

  /** Somebody closes it; whatever runs in it does not end by itself. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Whether commands now run in a shell that was started inside the terminal's own. */
  get isNested(): boolean {
    return (this.shell.shellPid ?? this.pid) !== this.pid;
  }

  /** Where the shell stands now, as it told at its last prompt: the kernel shows it to no other process. */
  get currentDirectory(): string {
    const told = this.shell.directory ?? this.directory;
    try {
      return realpathSync.native(told);
    } catch {
      return told; // deleted meanwhile
    }
  }

  /** Resolves with whether the shell came to its first prompt. */
  async ready(): Promise<boolean> {
    const hasStarted = () => this.shell.phase !== "starting";
    if (!(await this.shell.until(hasStarted, SOURCE_AFTER_MS))) {
      this.#pty.write(this.#files.dialect.sourceLine);
      await this.shell.until(hasStarted, START_LIMIT_MS);
    }
    return hasStarted() && !this.hasExited;
  }

  write(text: string): void {
    this.shell.typedInto();
    this.#pty.write(text);
  }

  /** Types a command at the prompt. The history shows the command itself, not what was typed for it. */
  start(run: Run, directory?: string): void {
    const keystrokes = this.#files.prepare(run.command, {
      directory,
      isNested: this.isNested,
    });
    this.shell.begin(run);
    this.#pty.write(keystrokes);
  }

  resize(rows: number, cols: number): void {
    this.screen.resize(rows, cols);
    this.#pty.resize(rows, cols);
  }

  /** What ran elsewhere is written above the prompt, as if it had been run here. */
  annotate(text: string): void {
    const lines = text.replace(/\r?\n/g, "\r\n").replace(/(\r\n)?$/, "\r\n");
    const { prompt } = this.shell;
    this.shell.insert(prompt ? `\r\x1b[K${lines}` : `\r\n${lines}`);
    this.flow.grown();
  }

  /** Ctrl-C, to whoever is in the foreground. By signal: keystrokes may be stuck behind unread ones. */
  interrupt(): void {
    const foreground = readTable().get(this.pid)?.foreground ?? -1;
    if (foreground > 1) signal(-foreground, "SIGINT");
  }

  /** Everything that runs in it, as of now. */
  identities(): Set<string> {
    return new Set(readTable().descendants(this.pid).map(identity));
  }

  /** Everything that runs in it besides the spared ones. */
  victims(spared: ReadonlySet<string>): Victims {
    return family(this.pid, { spared });
  }

  /** SIGTERM, a moment later SIGKILL, to the shell and all that runs in it. */
  close(): Promise<void> {
    return this.#end(stopAll);
  }

  /** SIGKILL at once. */
  kill(): Promise<void> {
    return this.#end(killAll);
  }

  info(sessionId: string): TerminalInfo {
    const { phase, exitCode } = this.shell;
    return {
      session_id: sessionId,
      tty_name: this.ttyName,
      pid: this.pid,
      created: this.created,
      working_directory: this.currentDirectory,
      state: STATES[phase],
      shell: this.shellName,
      exit_code: exitCode,
      rows: this.screen.rows,
      cols: this.screen.cols,
      end_index: this.ring.end,
    };
  }

  #receive(bytes: Buffer): void {
    this.#marks.push(this.#decoder.decode(bytes));
    this.flow.grown();
  }

  #exit(exitCode: number): void {
    this.#marks.push(this.#decoder.end());
    this.#marks.end();
    this.#check.end();
    this.shell.exited(exitCode);
    this.flow.end();
  }

  async #end(stop: (victims: Victims) => Promise<ProcessEntry[]>): Promise<void> {
    this.#isClosing = true;
    // A follower that is behind must not keep the terminal waiting while it is closed.
    this.flow.end();
    // After the shell's end its pid may be somebody else's.
    if (!this.hasExited) await stop(family(this.pid, { withItself: true }));
    await this.shell.until(() => this.hasExited, 1000);
    this.#files.remove();
  }
}

/** From the kernel itself: loading node:crypto for 16 bytes would cost every workspace 8 ms at its start. */
function randomHex(): string {
  const source = openSync("/dev/urandom", "r");
  const bytes = Buffer.alloc(16);
  readSync(source, bytes);
  closeSync(source);
  return bytes.toString("hex");
}

const STATES = { starting: "busy", prompt: "idle", busy: "busy", exited: "exited" } as const;
