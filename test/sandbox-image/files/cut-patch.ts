// A server that is killed in the middle of a patch: node cut-patch.ts DIRECTORY PATCH STEP
import fs, { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

const [top = "", patchContent = "", step = "0"] = process.argv.slice(2);
let left = Number(step);
for (const name of ["linkSync", "renameSync", "unlinkSync"] as const) {
  const real = fs[name] as (...args: unknown[]) => void;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      if (left === 0) process.kill(process.pid, "SIGKILL");
      left -= 1;
      real(...args);
    },
  });
}
syncBuiltinESMExports();

const { openLedger } = await import("./ledger-files.ts");
const { fileHandlers } = await import("../../../sandbox-image/server/files/handlers.ts");
const { settingsFor } = await import("./workspace.ts");

const handlers = fileHandlers(settingsFor(join(top, "workspace"), join(top, "home")), {
  exchangeLog: openLedger(top),
});
await handlers.apply_patch(
  { patchContent: readFileSync(patchContent, "utf8"), dry_run: false },
  {
    callId: "patch",
    conversation: "main",
    signal: new AbortController().signal,
    progress: () => {},
  },
);
