import { describe, expect, it } from "vitest";
import { modelStep } from "../../../src/agent/step.ts";
import { createAudit } from "../../../src/audit/audit.ts";
import { exported } from "../../../src/audit/export.ts";
import { printable } from "../../../src/authorization/printable.ts";
import type { Approval } from "../../../src/contract/permission/approval.ts";
import type { FileShare, View, ViewKind } from "../../../src/contract/platform/view.ts";
import type { Redactor } from "../../../src/contract/redactor.ts";
import { Journal } from "../../../src/journal/journal.ts";
import { createLog } from "../../../src/lib/log.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createReply } from "../../../src/reply/reply.ts";
import { approvalOf } from "../../contracts/adapter/views.ts";
import { auditLab } from "../../support/audit.ts";
import {
  type Canary,
  canaries,
  ENCODINGS,
  everyEncoding,
  leaked,
  NO_REDACTOR,
} from "../../support/canaries.ts";
import { openMemoryAdapter } from "../../support/memory-adapter.ts";
import { MemoryPlatform } from "../../support/memory-platform.ts";
import { say } from "../../support/model-server/replies.ts";
import { startModelServer } from "../../support/model-server.ts";
import { modelAt } from "../../support/model-step.ts";
import { isThorough } from "../../support/thorough.ts";

const CANARIES = canaries(200);
/** With every change five of each look. */
const TRIED = isThorough ? CANARIES : CANARIES.slice(0, 30);
const redactor = createRedactor({
  secrets: Object.fromEntries(CANARIES.map(({ name, value }) => [name, value])),
});

/** A place where secrets can leave: given what every text field holds, it answers everything that has come out. */
type Sink = (redactor: Redactor, texts: readonly string[][]) => Promise<string[][]>;

/** Everything that people see is posted to a platform which takes it as it comes. */
function platform(show: (text: string, texts: readonly string[]) => View | FileShare): Sink {
  return async (redactor, all) => {
    const { adapter, platform, people } = openMemoryAdapter(
      new MemoryPlatform({ replyChars: 1e6 }),
      { takesAnyWords: true },
    );
    await using lab = await auditLab();
    await using reply = createReply({
      journal: new Journal(lab.store),
      notices: lab.store.documents("unreadable"),
      adapterOf: () => adapter,
      redactor,
      log: () => undefined,
      leastEditGapMs: 0,
    });
    const output: string[][] = [];
    for (const texts of all) {
      const thread = await people.newThread();
      const shown = show(texts.join("\n"), texts);
      if ("bytes" in shown) reply.share(thread, "slot", shown);
      else reply.show(thread, "slot", shown);
      await reply.flush(thread);
      const posts = platform.posts(thread);
      const files = posts.flatMap((post) => post.files.map(({ bytes }) => decode(bytes)));
      output.push([
        ...files,
        ...posts.flatMap(({ text, view }) => [text, JSON.stringify(view ?? null)]),
      ]);
    }
    return output;
  };
}

const decode = (bytes: Uint8Array) =>
  new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-8").decode(bytes);
const button = (label: string) => ({ action: "verb:help", label });

const VIEWS: Readonly<Record<ViewKind, (text: string, texts: readonly string[]) => View>> = {
  reply: (text) => ({ kind: "reply", text, isFinal: true, footer: text }),
  activity: (text, texts) => ({
    kind: "activity",
    lines: texts.map((title, index) => ({
      callId: "c",
      title,
      details: [title],
      status: "running",
      ...(index === 0 ? { output: text } : {}),
    })),
    status: "working",
    buttons: [button("Stop")],
  }),
  todoBoard: (text, texts) => ({
    kind: "todoBoard",
    todos: {
      conversation: "c",
      items: texts.map((title, index) => ({
        id: index + 1,
        title,
        description: index === 0 ? text : title,
        status: "blocked",
        blockedReason: title,
        createdAt: "",
        updatedAt: "",
      })),
      createdAt: "",
      updatedAt: "",
    },
    buttons: texts.map(button),
  }),
  approval: (text, texts) => ({
    kind: "approval",
    approval: approvalWith(text),
    requester: text,
    decidedBy: text,
    buttons: texts.map(button),
  }),
  question: (text, texts) => ({
    kind: "question",
    prompt: text,
    context: text,
    asker: text,
    answer: { text, by: text, at: "" },
    buttons: texts.map(button),
  }),
  terminal: (text) => ({ kind: "terminal", title: text, text, hiddenLines: 0, buttons: [] }),
  diff: (text) => ({ kind: "diff", title: text, diff: text, buttons: [] }),
  notice: (text) => ({ kind: "notice", level: "info", text }),
  picker: (text, texts) => ({
    kind: "picker",
    title: text,
    options: texts.map((label) => ({ action: "a", label, detail: label })),
  }),
};

/** What the guard has put on the card, and the very call that waits. */
function approvalWith(text: string): Approval {
  const approval = approvalOf(text, printable(text));
  return { ...approval, call: { ...approval.call, params: { command: text } } };
}

const file = (name: string, bytes: Uint8Array, comment: string): FileShare => ({
  name,
  mimeType: "text/plain",
  bytes,
  comment,
});

/** What is to be read of a request: its JSON as it was sent, and the JSON that the arguments of calls are. */
function model(wire: "chat" | "responses"): Sink {
  return async (redactor, all) => {
    await using server = await startModelServer();
    server.script(() => say("Well."));
    const maker = { model: modelAt(server, { api: wire }), redactor };
    const output: string[][] = [];
    for (const texts of all) {
      const text = texts.join("\n");
      const origin = { wire, model: server.model } as const;
      const request = {
        system: text,
        items: [
          { type: "user", text, author: text },
          { type: "assistant", text, origin },
          {
            type: "call",
            callId: "call_1",
            name: "read_file",
            arguments: JSON.stringify({ path: text, nested: { texts } }),
          },
          { type: "result", callId: "call_1", text },
          { type: "user", text, quoted: true },
          { type: "reminder", text },
        ] as const,
        tools: [
          {
            name: "read_file",
            description: texts[0] ?? "",
            parameters: { type: "object", properties: { path: { type: "string", title: text } } },
          },
        ],
        signal: new AbortController().signal,
      };
      await modelStep(maker, request, { onText: () => undefined, onRetry: () => undefined });
      const sent = server.requests.at(-1)?.text ?? "";
      const calls = [...sent.matchAll(/"arguments":("(?:[^"\\]|\\.)*")/g)];
      output.push([sent, ...calls.map(([, args = ""]) => JSON.parse(args) as string)]);
    }
    expect(server.problems).toEqual([]);
    return output;
  };
}

function log(format: "text" | "json"): Sink {
  return async ({ redact }, all) =>
    all.map((texts) => {
      const lines: string[] = [];
      const write = createLog({ write: (line) => lines.push(line), redact, format });
      const text = texts.join("\n");
      write("error", text, { text, nested: { texts }, error: new Error(text, { cause: text }) });
      return lines;
    });
}

const audit: Sink = async (redactor, all) => {
  await using lab = await auditLab();
  const own = createAudit({ store: lab.store, redactor });
  const entries = all.flatMap((texts, index) =>
    texts.map((text) => ({ conversation: `c${index}`, message: text, details: { text } })),
  );
  await Promise.all(
    entries.map((entry) => own.record({ kind: "security.notice", actor: "bot", ...entry })),
  );
  const lines = await Array.fromAsync(exported(lab.store, {}));
  const records = lines.slice(0, -1).map((line) => ({ line, ...JSON.parse(line) }));
  const byConversation = Map.groupBy(records, ({ entry }) => entry.conversation);
  return all.map((_, index) => byConversation.get(`c${index}`)?.map(({ line }) => line) ?? []);
};

const SINKS: Readonly<Record<string, Sink>> = {
  ...Object.fromEntries(
    Object.entries(VIEWS).map(([kind, show]) => [`${kind} view`, platform(show)]),
  ),
  "reply that is still written": platform((text) => ({
    kind: "reply",
    text: `${text} and `,
    isFinal: false,
  })),
  "shared file": platform((text) => file("file.txt", new TextEncoder().encode(text), text)),
  "file of UTF-16": platform((text) => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    return file("file.txt", bytes, text);
  }),
  "request over chat": model("chat"),
  "request over responses": model("responses"),
  "log as text": log("text"),
  "log as JSON": log("json"),
  "audit and its export": audit,
};

describe.each(Object.entries(SINKS))("the %s", (name, sink) => {
  it("P-X1 lets no secret through, in any encoding", async () => {
    const output = await sink(redactor, TRIED.map(everyEncoding));
    const found = TRIED.flatMap((canary, index) =>
      leaked(output[index] ?? [], canary).map((encoded) => `${canary.name}: ${encoded}`),
    );
    expect(output).toHaveLength(TRIED.length);
    expect(found).toEqual([]);
  });

  it("would let every encoding through without the redactor", async () => {
    const few = CANARIES.slice(0, 6);
    const output = await sink(NO_REDACTOR, few.map(everyEncoding));
    const missed = few.flatMap((canary, index) => missing(canary, output[index] ?? [], name));
    expect(missed).toEqual([]);
  });
});

/** Encodings that a sink changes beyond recognition by itself are no leak of it: terminal sequences in a log line. */
function missing(canary: Canary, output: readonly string[], sink: string): string[] {
  const there = new Set(leaked(output, canary));
  return Object.entries(ENCODINGS)
    .filter(([, encode]) => !there.has(encode(canary.value)))
    .map(([encoding]) => `${sink}: ${encoding}`);
}
