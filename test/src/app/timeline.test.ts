import { afterEach, describe, expect, it, vi } from "vitest";
import { timelineOf } from "../../../src/app/timeline.ts";
import type { AuditEntry } from "../../../src/contract/audit.ts";
import { type AuditLab, auditLab } from "../../support/audit.ts";

const THREAD = "web:0123456789";
const DIGEST = "ab12".repeat(16);
const common = { actor: "web:ada", conversation: THREAD };
const run = { operation: "terminal_operations.run_command", target: "Running: id", digest: DIGEST };
const states = ["Queued"];

const call = (callId: string, more: object = {}) =>
  ({ kind: "call", ...common, callId, ...run, states, ...more }) as AuditEntry;
const finished = (callId: string, more: object = {}) =>
  call(callId, { decision: "allowed", outcome: "success", ...more });

const asked = (callId: string): AuditEntry => ({
  ...{ kind: "approval.asked", ...common, callId, ...run, target: "id" },
  ...{ approval: `of ${callId}`, risk: "click", reason: "uses root" },
});
const decided = (callId: string, decision: string): AuditEntry => ({
  ...{ kind: "approval.decided", ...common, callId, ...run, target: "id" },
  ...{ approval: `of ${callId}`, decision },
});

async function timeline(lab: AuditLab, page: { limit: number; before?: number } = { limit: 50 }) {
  const namesIn = async () => (key: string) => (key === "web:ada" ? "Ada" : key);
  return timelineOf({ audit: lab.audit, namesIn }, THREAD, page);
}

async function recorded(lab: AuditLab, entries: readonly AuditEntry[]) {
  for (const entry of entries) await lab.audit.record(entry);
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the history of a thread", () => {
  it("has each call once, by what became of it", async () => {
    await using lab = await auditLab();
    await recorded(lab, [
      call("a"),
      call("a", { decision: "allowed" }),
      finished("a"),
      call("b", { decision: "allowed" }),
      finished("b", { outcome: "failure", operation: "x.y", target: "Creating file: a.md" }),
      call("c", { decision: "denied", reason: "not here" }),
    ]);
    expect(await timeline(lab)).toMatchObject([
      { what: "$ id", detail: "denied, not here", tone: "bad", who: "Ada" },
      { what: "Creating file: a.md", detail: "failed", tone: "bad" },
      { what: "$ id", detail: "succeeded", tone: "plain" },
    ]);
  });

  it("shows a call that is under way", async () => {
    await using lab = await auditLab();
    await recorded(lab, [call("a"), call("a", { decision: "allowed" })]);
    expect(await timeline(lab)).toMatchObject([{ what: "$ id", tone: "plain" }]);
  });

  it("shows what waits for people, and who decided it, but not the permission in between", async () => {
    await using lab = await auditLab();
    const grant = { grant: "g", operation: run.operation, scope: `call ${DIGEST}` };
    await recorded(lab, [call("a", { decision: "ask" }), asked("a")]);
    expect(await timeline(lab)).toMatchObject([
      { what: "Approval needed for $ id", detail: "uses root", tone: "waiting" },
    ]);
    await recorded(lab, [
      decided("a", "once"),
      { kind: "grant.created", ...common, ...grant, oneTime: true },
      { kind: "grant.used", ...common, ...run, grant: "g" },
      finished("a", { approvers: ["web:ada"], as: "root" }),
      call("b", { decision: "ask" }),
      asked("b"),
      decided("b", "deny"),
      call("b", { decision: "ask" }),
    ]);
    expect(await timeline(lab)).toMatchObject([
      { what: "Denied: $ id", tone: "bad" },
      { what: "Approval needed for $ id", tone: "plain" },
      { what: "$ id", detail: "approved by Ada, as root, succeeded" },
      { what: "Approved once: $ id", tone: "plain" },
      { what: "Approval needed for $ id", tone: "plain" },
    ]);
  });

  it("shows a permission that lasts", async () => {
    await using lab = await auditLab();
    const expiresAt = "2026-11-18T14:05:00.000Z";
    const grant = { grant: "g", operation: run.operation, scope: "program npm", expiresAt };
    await recorded(lab, [{ kind: "grant.created", ...common, ...grant, oneTime: false }]);
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-18T14:00:00.000Z") });
    expect(await timeline(lab)).toMatchObject([{ detail: "until 14:05 UTC" }]);
    vi.setSystemTime(new Date("2026-11-17T14:00:00.000Z"));
    expect(await timeline(lab)).toMatchObject([{ detail: "until 14:05 UTC on 18 Nov 2026" }]);
  });

  it("pages are full until the last, and have each call once between them", async () => {
    await using lab = await auditLab();
    const ids = Array.from({ length: 25 }, (_, index) => `call-${index}`);
    const sentence = (id: string) => ({ target: `Running: ${id}` });
    await recorded(
      lab,
      ids.flatMap((id) => [
        call(id, sentence(id)),
        call(id, { ...sentence(id), decision: "allowed" }),
        finished(id, sentence(id)),
      ]),
    );
    const pages: string[][] = [];
    for (let before: number | undefined; pages.length < 4; ) {
      const page = await timeline(lab, { limit: 10, ...(before && { before }) });
      pages.push(page.map(({ what }) => what.slice(2)));
      before = page.at(-1)?.number ?? 1;
    }
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5, 0]);
    expect(pages.flat()).toEqual(ids.toReversed());
  });
});
