import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { Owner } from "../processes/census.ts";
import { type Supervised, startSupervised } from "../processes/supervised.ts";
import type { ServerSettings } from "../settings.ts";
import type { Bounded } from "./clean.ts";
import { Collector } from "./collector.ts";
import { createDecoder } from "./decode.ts";

const MOST_RUNNING = 32;
const MOST_FINISHED = 64;

export interface BackgroundCommand {
  readonly id: string;
  readonly conversation: string;
  readonly command: string;
  readonly pid: number;
  readonly run: Supervised;
  /** What it printed so far, cleaned and bounded. */
  output: () => Bounded;
  exitCode: number | null;
  /** Something that it started may still run after the command itself has ended. */
  isGone: boolean;
}

/** The commands that were started with isBackground. */
export class BackgroundCommands {
  readonly #settings: ServerSettings;
  readonly #commands = new Map<string, BackgroundCommand>();
  #count = 0;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
  }

  async start(conversation: string, command: string, cwd: string): Promise<BackgroundCommand> {
    if (this.running.length >= MOST_RUNNING) throw tooMany(this.running);
    const id = `bg-${++this.#count}`;
    const collector = new Collector();
    const decoder = createDecoder("utf8");
    const onBytes = (bytes: Buffer) => collector.push(decoder.decode(bytes));
    const run = await startSupervised(this.#settings, { command, cwd, onBytes });
    const started: BackgroundCommand = {
      id,
      conversation,
      command,
      pid: run.commandPid,
      run,
      output: () => collector.result(),
      exitCode: null,
      isGone: false,
    };
    this.#commands.set(id, started);
    void this.#watch(started);
    return started;
  }

  /** Commands of which something still runs. */
  get running(): BackgroundCommand[] {
    return [...this.#commands.values()].filter(({ isGone }) => !isGone);
  }

  get owners(): Owner[] {
    return this.running.map(({ id, run }) => ({ id, pid: run.pid }));
  }

  get(conversation: string, id: string): BackgroundCommand {
    const command = this.#commands.get(id);
    if (command?.conversation === conversation) return command;
    const known = [...this.#commands.values()].filter((each) => each.conversation === conversation);
    const ids = known.map((each) => each.id).join(", ") || "none";
    throw new ToolError(
      "executionFailed",
      `No background command "${id}". Known ones: ${ids}. run_command with isBackground gives the id.`,
    );
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.running.map(({ run }) => run.stop()));
  }

  async killAll(): Promise<void> {
    await Promise.all(this.running.map(({ run }) => run.kill()));
  }

  async #watch(command: BackgroundCommand): Promise<void> {
    command.exitCode = await command.run.ended;
    await command.run.gone;
    command.isGone = true;
    const output = command.output();
    command.output = () => output;
    const finished = [...this.#commands.values()].filter(({ isGone }) => isGone);
    for (const old of finished.slice(0, -MOST_FINISHED)) this.#commands.delete(old.id);
  }
}

function tooMany(running: readonly BackgroundCommand[]): ToolError {
  const some = running
    .slice(0, 5)
    .map(({ id, command }) => `${id} (${command.slice(0, 40)})`)
    .join(", ");
  return new ToolError(
    "executionFailed",
    `${MOST_RUNNING} background commands are already running, e.g. ${some}. Stop one (kill its pid), then try again.`,
  );
}
