import { createApp } from "./app.ts";
import type { Model } from "./contract/model.ts";

const { stdout, stderr } = process;
/** How long a model's server may take to say whether it knows us. */
const CHECK_MS = 15_000;

try {
  await using app = await createApp({ env: process.env, write: (line) => stderr.write(line) });
  // Whoever reads below that it is there may end it.
  const told = untilTold();
  if (!app.core.model) {
    stdout.write(
      "No model is set up (OPENAI_API_KEY or OPENAI_BASE_URL): Deckhand does what you command directly.\n",
    );
  }
  if (app.config.slack) stdout.write("Deckhand listens on Slack.\n");
  if (app.config.discord) stdout.write("Deckhand listens on Discord.\n");
  if (app.web) stdout.write(`Deckhand is ready. Open ${app.web.address}\n`);
  void checkModel(app.core.model);
  await told;
  stdout.write("Deckhand stops. Workspaces and what runs in them stay.\n");
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** A key or a model name that will not do is better known now than with the first question. */
async function checkModel(model: Model | undefined): Promise<void> {
  try {
    const problem = await model?.check(AbortSignal.timeout(CHECK_MS));
    if (problem) stderr.write(`${problem.message}\n`);
  } catch {
    // It takes its time. Whoever asks it something is told what comes of it.
  }
}

/** Resolves when somebody ends the bot; a second signal ends it at once. */
function untilTold(): Promise<void> {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  return new Promise((resolve) => {
    const told = () => {
      for (const signal of signals) process.off(signal, told);
      resolve();
    };
    for (const signal of signals) process.on(signal, told);
  });
}
