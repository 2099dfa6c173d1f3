import { afterEach } from "vitest";
import { reportWaits } from "./until.ts";

/** On a busy machine a test may reach its time limit before its wait does: it reports the wait all the same. */
afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  // The waits of concurrent tests are still theirs.
  const reports = await reportWaits({ abandon: !task.concurrent });
  if (reports.length > 0) throw new Error(`The test ended while it waited.\n${reports.join("\n")}`);
});
