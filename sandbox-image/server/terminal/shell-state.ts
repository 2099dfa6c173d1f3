import { cleanOutput } from "./clean.ts";
import type { Collector } from "./collector.ts";
import type { Mark, MarkSink } from "./marks.ts";
import type { Ring } from "./ring.ts";

export type Phase = "starting" | "prompt" | "busy" | "exited";

export interface LastCommand {
  readonly command: string;
  readonly timestamp: string;
  exitCode: number | null;
}

/** One command of run_command, while it runs. */
export interface Run {
  readonly command: string;
  readonly collector: Collector;
  started: boolean;
  exitCode: number | null;
}

/** What the shell of a terminal is doing, as its marks tell; puts its output into the history. */
export class ShellState implements MarkSink {
  readonly #ring: Ring;
  #phase: Phase = "starting";
  #exitCode: number | null = null;
  #shellPid: number | null = null;
  #prompts = 0;
  #promptFrom = 0;
  #promptTo = 0;
  #isTypedInto = false;
  #run: Run | null = null;
  #last: LastCommand | null = null;
  /** Where the terminal's shell and those inside it are, as they told. */
  readonly #directories = new Map<number, string>();
  readonly #waiters = new Set<() => void>();

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Of the shell itself, once it has exited. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  get last(): LastCommand | null {
    return this.#last;
  }

  /** The shell that stands at the prompt: the terminal's own, or one that was started inside it. */
  get shellPid(): number | null {
    return this.#shellPid;
  }

  /** Where the shell at the prompt is; undefined before its first prompt. */
  get directory(): string | undefined {
    return this.#shellPid === null ? undefined : this.#directories.get(this.#shellPid);
  }

  /** How many prompts have been shown. */
  get prompts(): number {
    return this.#prompts;
  }

  /** The prompt as it stands there now; empty while there is none. */
  get prompt(): string {
    return this.#phase === "prompt" ? this.#ring.slice(this.#promptFrom, this.#promptTo) : "";
  }

  /** Whether something was typed since the prompt appeared: half a line, or a line that is not complete. */
  get isTypedInto(): boolean {
    return this.#isTypedInto && this.#phase === "prompt";
  }

  typedInto(): void {
    this.#isTypedInto = true;
  }

  begin(run: Run): void {
    this.#run = run;
  }

  finish(run: Run): void {
    if (this.#run === run) this.#run = null;
  }

  text(text: string): void {
    const run = this.#run;
    // Between the keystrokes and the start stands their echo, which nobody wants to read.
    if (run && !run.started) return;
    this.#ring.append(text);
    if (run && run.exitCode === null) run.collector.push(text);
  }

  /** Writes above the prompt, which then stands there again. */
  insert(text: string): void {
    const { prompt } = this;
    this.#ring.append(text);
    if (!prompt) return;
    this.#promptFrom = this.#ring.end;
    this.#ring.append(prompt);
    this.#promptTo = this.#ring.end;
  }

  mark(mark: Mark): void {
    if (mark.kind === "prompt") this.#showsPrompt();
    else if (mark.kind === "typed") this.#startsTyped(mark.command);
    else if (mark.kind === "run") this.#startsRun();
    else if (mark.kind === "directory") this.#directories.set(mark.shellPid, mark.path);
    else this.#isDone(mark.exitCode, mark.shellPid);
    this.wake();
  }

  exited(exitCode: number): void {
    this.#phase = "exited";
    this.#exitCode = exitCode;
    if (this.#last) this.#last.exitCode ??= exitCode;
    this.wake();
  }

  /** Resolves with whether the condition came true in time; it is looked at whenever something happens. */
  until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
    if (condition()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const finish = (met: boolean) => {
        clearTimeout(timer);
        this.#waiters.delete(look);
        resolve(met);
      };
      const look = () => {
        if (condition()) finish(true);
      };
      const timer = setTimeout(() => finish(condition()), timeoutMs);
      this.#waiters.add(look);
    });
  }

  /** Lets everybody who waits look again, e.g. because a signal was aborted. */
  wake(): void {
    for (const look of [...this.#waiters]) look();
  }

  #showsPrompt(): void {
    this.#phase = "prompt";
    this.#prompts++;
    this.#promptTo = this.#ring.end;
    this.#isTypedInto = false;
  }

  #startsTyped(command?: string): void {
    if (this.#run) return;
    const line = this.#ring.slice(this.#promptTo);
    this.#starts(command ?? typedCommand(line));
  }

  #startsRun(): void {
    const run = this.#run;
    if (!run || run.started) return;
    this.#ring.append(`${run.command.replaceAll("\n", "\r\n> ")}\r\n`);
    run.started = true;
    this.#starts(run.command);
  }

  #starts(command: string): void {
    this.#phase = "busy";
    this.#last = { command, timestamp: new Date().toISOString(), exitCode: null };
  }

  #isDone(exitCode: number, shellPid: number): void {
    this.#promptFrom = this.#ring.end;
    this.#shellPid = shellPid;
    if (this.#phase !== "busy") return;
    if (this.#run) this.#run.exitCode ??= exitCode;
    if (this.#last) this.#last.exitCode ??= exitCode;
  }
}

/** The line as it stood on the screen. Where it wraps, readline writes a blank and goes back over it. */
function typedCommand(echo: string): string {
  return cleanOutput(echo.replace(/ \r(?!\n)/g, "")).trim();
}
