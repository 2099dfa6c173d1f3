import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createApp } from "./app.ts";
import type { Model } from "./contract/model.ts";
import { notifySystemd, watchdogEveryMs } from "./lib/notify-systemd.ts";
import { isForOperators, OperatorError } from "./lib/operator-error.ts";

const { stdout, stderr } = process;
/** How long a model's server may take to say whether it knows us. */
const CHECK_MS = 15_000;
/** Of the 10 seconds that a stop may take. What has not been handed over by then the next start takes up, as after a crash. */
const DRAIN_MS = 9_000;

const HELP = `Deckhand, a chat-ops agent for Slack and Discord.

  npm start                  starts the bot; without settings it serves a web chat on this machine
  npm start -- --help        this text
  npm start -- --version     its version

Settings are environment variables, listed in docs/settings.md. LOG_LEVEL=debug logs more, LOG_FORMAT=json logs one object per line.
`;

try {
  const { help, version } = optionsIn(process.argv.slice(2));
  if (help) stdout.write(HELP);
  else if (version) stdout.write(`${ownVersion()}\n`);
  else await run();
} catch (error) {
  const { message = String(error), stack = message } = error instanceof Error ? error : {};
  stderr.write(`${isForOperators(error) ? message : stack}\n`);
  process.exitCode = 1;
}

function optionsIn(args: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({ args: [...args], options: { help: flag, version: flag } }).values;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${why}\n\n${HELP.trimEnd()}`, { cause: error });
  }
}

function ownVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return String((JSON.parse(text) as { version?: unknown }).version);
}

async function run(): Promise<void> {
  await using app = await createApp({ env: process.env, write: (line) => stderr.write(line) });
  // Once the lines below are read, it may be ended at any time.
  const ended = untilEnded();
  if (!app.core.model) {
    stdout.write(
      "No model is set up (OPENAI_API_KEY or OPENAI_BASE_URL): running explicit commands only.\n",
    );
  }
  for (const { title } of app.config.platforms) stdout.write(`Connected to ${title}.\n`);
  if (app.web) stdout.write(`Deckhand is ready. Open ${app.web.address}\n`);
  void checkModel(app.core.model);
  void tellSystemd("READY=1");
  const everyMs = watchdogEveryMs(process.env);
  if (everyMs) setInterval(() => void tellSystemd("WATCHDOG=1"), everyMs).unref();
  await ended;
  app.drain();
  void tellSystemd("STOPPING=1");
  stdout.write("Deckhand is stopping. Workspaces keep running.\n");
  setTimeout(endNow, DRAIN_MS).unref();
}

function endNow(): never {
  stderr.write("Some work was not handed over in time. The next start continues it.\n");
  process.exit(1);
}

async function tellSystemd(state: string): Promise<void> {
  try {
    await notifySystemd(state, process.env);
  } catch (error) {
    stderr.write(`systemd-notify failed: ${error instanceof Error ? error.message : error}\n`);
  }
}

/** A key or a model name that will not do is better known now than with the first question. */
async function checkModel(model: Model | undefined): Promise<void> {
  try {
    const problem = await model?.check(AbortSignal.timeout(CHECK_MS));
    if (problem) stderr.write(`${problem.message}\n`);
  } catch {
    // It takes its time. The first question will show whether it answers.
  }
}

/** Resolves at the first signal that ends the bot; a second one ends it at once. */
function untilEnded(): Promise<void> {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  return new Promise((resolve) => {
    const end = () => {
      for (const signal of signals) process.off(signal, end);
      resolve();
    };
    for (const signal of signals) process.on(signal, end);
  });
}
