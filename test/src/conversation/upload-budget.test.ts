import { expect, it } from "vitest";
import { UploadLimitError } from "../../../src/contract/platform/upload-budget.ts";
import { StoredUploadBudget } from "../../../src/conversation/upload-budget.ts";
import { auditLab } from "../../support/audit.ts";

const MB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** Ten MB per hour, on a real store and with a clock that the test turns. */
async function budgetLab() {
  const lab = await auditLab();
  const clock = { now: Date.parse("2030-01-02T12:00:30Z") };
  const open = () =>
    new StoredUploadBudget({
      documents: lab.store.documents("uploads"),
      bytesPerHour: 10 * MB,
      now: () => clock.now,
    });
  return { clock, open, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() };
}

it("lets each person upload their share per hour, and says when there is room again", async () => {
  await using lab = await budgetLab();
  const budget = lab.open();
  await budget.take("web:ada", 6 * MB);
  lab.clock.now += HOUR_MS / 2;
  await budget.take("web:ada", 4 * MB);
  await expect(budget.take("web:ada", 1)).rejects.toThrow(
    "Each person can upload 10 MB per hour. Try again in 31 min, or ask the operator to raise UPLOAD_MB_PER_HOUR.",
  );
  await budget.take("web:bob", 10 * MB);
  lab.clock.now += 31 * 60_000;
  await budget.take("web:ada", 6 * MB);
  await expect(budget.take("web:ada", 1)).rejects.toThrow(UploadLimitError);
});

it("asks for a smaller file where one alone is more than the share", async () => {
  await using lab = await budgetLab();
  await expect(lab.open().take("web:ada", 11 * MB)).rejects.toThrow(/Send a smaller file/);
});

it("counts many at once together", async () => {
  await using lab = await budgetLab();
  const budget = lab.open();
  const taken = await Promise.allSettled(
    Array.from({ length: 50 }, () => budget.take("web:ada", MB)),
  );
  expect(taken.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
});

it("remembers over a restart, and takes back what did not come", async () => {
  await using lab = await budgetLab();
  await lab.open().take("web:ada", 10 * MB);
  const again = lab.open();
  await expect(again.take("web:ada", MB)).rejects.toThrow(UploadLimitError);
  await again.giveBack("web:ada", 2 * MB);
  await again.take("web:ada", 2 * MB);
});
