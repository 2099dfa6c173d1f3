import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { StoreSettings } from "../../src/store/settings.ts";

const program = fileURLToPath(new URL("store-program.ts", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: what the program tells depends on its job.
type Fact = Record<string, any>;

/** Another process that does one job on a store; see store-program.ts. */
export interface StoreProcess {
  /** What it told, as it comes. */
  readonly facts: AsyncGenerator<Fact>;
  /** One line on its standard input. */
  say(line: string): void;
  /** Says that there will be no more lines. */
  hangUp(): void;
  /** SIGKILL. */
  kill(): void;
  readonly ended: Promise<unknown>;
}

export function startStoreProcess(
  settings: StoreSettings,
  job: string,
  name: string,
  through: readonly string[] = [],
): StoreProcess {
  const [command = "", ...args] = [...through, process.execPath, program];
  const child = spawn(command, [...args, JSON.stringify(settings), job, name], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  return {
    // The iterator is made at once: lines that come before there is one are lost.
    facts: parsed(createInterface({ input: child.stdout })[Symbol.asyncIterator]()),
    say: (line) => child.stdin.write(`${line}\n`),
    hangUp: () => child.stdin.end(),
    kill: () => child.kill("SIGKILL"),
    ended: once(child, "exit"),
  };
}

async function* parsed(lines: AsyncIterableIterator<string>) {
  for await (const line of lines) yield JSON.parse(line) as Fact;
}
