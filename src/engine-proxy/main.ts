import { readFileSync } from "node:fs";
import { createLog } from "../lib/log.ts";
import { startProxy } from "./proxy.ts";
import { readProxySettings } from "./settings.ts";

const { stdout, stderr } = process;

try {
  const settings = readProxySettings(process.env);
  const log = createLog({ write: (line) => stderr.write(line), redact: (text) => text });
  const seccomp = readFileSync(
    new URL("../../sandbox-image/seccomp.json", import.meta.url),
    "utf8",
  );
  const proxy = await startProxy({ settings, seccomp, log });
  stdout.write(`The engine proxy listens on ${settings.listenSocket}.\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void proxy[Symbol.asyncDispose]());
  }
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
