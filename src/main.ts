import { createApp } from "./app.ts";
import { runConsole } from "./console.ts";

const { stdin, stdout, stderr } = process;
const warn = (message: string) => stderr.write(`${message}\n`);

try {
  await using app = await createApp({ env: process.env, warn });
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => stdin.destroy());
  }
  await runConsole({ workspaces: app.workspaces, input: stdin, output: stdout });
} catch (error) {
  warn(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
