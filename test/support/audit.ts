import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createAudit } from "../../src/audit/audit.ts";
import type { Audit, AuditEntry } from "../../src/contract/audit.ts";
import type { Store } from "../../src/contract/store.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { openStore } from "../../src/store/open-store.ts";
import { makeDataDirectory } from "./data-directory.ts";

export interface AuditLab extends AsyncDisposable {
  readonly directory: string;
  readonly file: string;
  readonly store: Store;
  readonly audit: Audit & AsyncDisposable;
}

/** An audit in a database file of its own. */
export async function auditLab(secrets: Readonly<Record<string, string>> = {}): Promise<AuditLab> {
  const directory = makeDataDirectory("audit");
  const file = join(directory, "deckhand.sqlite");
  const store = await openStore({ kind: "sqlite", file });
  return {
    directory,
    file,
    store,
    audit: createAudit({ store, redactor: createRedactor({ secrets }) }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

/** The n-th of a series of entries of different kinds. */
export function sampleEntry(index: number): AuditEntry {
  const conversation = `web:thread-${index % 3}`;
  const actor = `web:user-${index % 5}`;
  const digest = index.toString(16).padStart(64, "0");
  const kinds: readonly AuditEntry[] = [
    {
      kind: "call",
      actor,
      conversation,
      callId: `call-${index}`,
      operation: "file_operations.create_file",
      target: `Creating file: /etc/größe-${index} 😀`,
      digest,
      states: ["Queued", "Validating", "CheckingAuth", "Executing", "DirectExecution"],
      decision: "allowed",
      how: "grant",
      approvers: ["web:owner"],
    },
    {
      kind: "approval.asked",
      actor,
      conversation,
      operation: "x.y",
      approval: `a${index}`,
      risk: "phrase",
      reason: "asks",
    },
    {
      kind: "setting.changed",
      actor,
      setting: "maxIterations",
      from: index,
      to: { deep: [1.5, null, true] },
    },
    { kind: "role.refused", actor, conversation, act: "approve", reason: "You are a guest." },
    {
      kind: "plan",
      actor,
      conversation,
      execution: `e${index}`,
      event: "PLAN_GENERATED",
      severity: "info",
    },
  ];
  return kinds[index % kinds.length] as AuditEntry;
}
