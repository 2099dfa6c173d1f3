import { createApp } from "./app.ts";

const { stdout, stderr } = process;

try {
  await using app = await createApp({ env: process.env, write: (line) => stderr.write(line) });
  if (!app.core.model) {
    stdout.write(
      "No model is set up (OPENAI_API_KEY or OPENAI_BASE_URL): Deckhand does what you command directly.\n",
    );
  }
  if (app.web) stdout.write(`Deckhand is ready. Open ${app.web.address}\n`);
  await untilTold();
  stdout.write("Deckhand stops. Workspaces and what runs in them stay.\n");
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** Resolves when somebody ends the bot; a second signal ends it at once. */
function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => resolve());
  });
}
