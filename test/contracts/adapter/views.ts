import type { TodoList } from "../../../src/contract/conversation/todo.ts";
import type { Approval } from "../../../src/contract/permission/approval.ts";
import type { View, ViewButton, ViewKind } from "../../../src/contract/platform/view.ts";

const AT = "2026-11-16T12:00:00.000Z";
export const BUTTON: ViewButton = { action: "verb:todos", label: "Todos" };
export const FORM_BUTTON: ViewButton = {
  action: "answer:abc:typed",
  label: "Answer",
  form: { title: "Your answer", field: { label: "Answer", isLong: true }, submit: "Send" },
};

export function todoList(titles: readonly string[]): TodoList {
  const items = titles.map((title, index) => ({
    id: index + 1,
    title,
    description: "",
    status: index === 0 ? ("in-progress" as const) : ("not-started" as const),
    createdAt: AT,
    updatedAt: AT,
  }));
  return { conversation: "c", items, createdAt: AT, updatedAt: AT };
}

/** One word of ours in every field that holds words. The guard's own are printable ASCII, as the guard makes them. */
export function approvalOf(word: string, guardWord: string): Approval {
  const effect = {
    operation: "terminal_operations.run_command",
    risk: "click" as const,
    reasons: [`It writes ${guardWord}`],
    runsAs: "agent" as const,
    command: `echo ${guardWord}`,
    workingDirectory: "/workspace",
    paths: [
      {
        path: "/workspace/src/a.ts",
        access: "write",
        exists: true,
        outside: false,
        sensitive: false,
      },
    ],
    diffs: [{ path: "/workspace/src/a.ts", diff: `-old\n+${guardWord}` }],
    params: [{ name: "timeout", value: guardWord }],
    notes: [],
    approversNeeded: 1,
    buttons: [],
  };
  return {
    id: "a1",
    callId: "call-1",
    askedAt: AT,
    votes: [],
    wrongPhrases: {},
    digest: "d",
    risk: "click",
    reason: "r",
    effect,
    call: {
      operation: effect.operation,
      params: {},
      workingDirectory: null,
      identity: "agent",
      paths: [],
      contents: [],
      schema: "s",
      conversation: "c",
      requester: null,
      policy: "p",
    },
    ...(word === "" ? {} : { decision: { choice: "deny", by: ["u"], at: AT, reason: word } }),
  };
}

/** A view of each kind with this text wherever it can stand, and what of it people must be able to read. */
export function viewsWith(word: string): Record<ViewKind, View> {
  const buttons = [{ ...BUTTON, label: word.slice(0, 40) || "x" }];
  return {
    reply: { kind: "reply", text: `Look: ${word} end`, isFinal: true, footer: `cost ${word}` },
    activity: {
      kind: "activity",
      lines: [
        { callId: "1", title: `Reading ${word}`, details: [word], status: "running", output: word },
        { callId: "2", title: word, details: [], status: "error", parent: word },
      ],
      status: "working",
      buttons,
    },
    todoBoard: { kind: "todoBoard", todos: todoList([`First ${word}`, word]), buttons },
    approval: {
      kind: "approval",
      approval: approvalOf(word, "guarded"),
      requester: `Asker ${word}`,
      decidedBy: word,
      buttons,
    },
    question: {
      kind: "question",
      prompt: `Which ${word}?`,
      context: word,
      asker: word,
      operation: "file_operations.delete_file",
      answer: { text: word, by: word, at: AT },
      buttons,
    },
    terminal: {
      kind: "terminal",
      title: `npm test ${word}`,
      text: `out ${word}`,
      hiddenLines: 3,
      buttons,
    },
    diff: { kind: "diff", title: `Changes ${word}`, diff: `-a\n+b ${word}`, buttons },
    notice: { kind: "notice", level: "warning", text: `Beware ${word}`, buttons },
    picker: {
      kind: "picker",
      title: `Choose ${word}`,
      options: [{ action: "verb:pick:1", label: `One ${word.slice(0, 30)}`, detail: word }],
    },
  };
}

/** Plain views, and the words of each that everybody must be able to read. */
export const SAMPLES: Readonly<Record<ViewKind, { view: View; essential: readonly string[] }>> = {
  reply: {
    view: { kind: "reply", text: "The answer is 42.", isFinal: true, footer: "gpt-5 · 3 s" },
    essential: ["The answer is 42.", "gpt-5 · 3 s"],
  },
  activity: {
    view: {
      kind: "activity",
      lines: [
        { callId: "1", title: "Reading file: notes.md", details: ["12 lines"], status: "success" },
        {
          callId: "2",
          title: "Running: npm test",
          details: [],
          status: "running",
          output: "3 of 9",
        },
      ],
      status: "working",
      buttons: [BUTTON],
    },
    essential: ["Reading file: notes.md", "Running: npm test", "3 of 9"],
  },
  todoBoard: {
    view: {
      kind: "todoBoard",
      todos: todoList(["Find the bug", "Fix the bug"]),
      buttons: [BUTTON],
    },
    essential: ["Find the bug", "Fix the bug", "0/2"],
  },
  approval: {
    view: {
      kind: "approval",
      approval: approvalOf("", "built.txt"),
      requester: "Ada",
      buttons: [{ action: "approve:a1:once", label: "Approve once", style: "primary" }],
    },
    essential: [
      "Asked by Ada",
      "echo built.txt",
      "+built.txt",
      "It writes built.txt",
      "Ada",
      "src/a.ts",
    ],
  },
  question: {
    view: {
      kind: "question",
      prompt: "Which branch?",
      context: "There are two.",
      operation: "file_operations.delete_file",
      buttons: [FORM_BUTTON],
    },
    essential: [
      "Which branch?",
      "There are two.",
      "file_operations.delete_file",
      "Waiting for your response",
    ],
  },
  terminal: {
    view: { kind: "terminal", title: "npm test", text: "all good\n$", hiddenLines: 7, buttons: [] },
    essential: ["npm test", "all good", "7"],
  },
  diff: {
    view: { kind: "diff", title: "Changes", diff: "-old line\n+new line", buttons: [] },
    essential: ["Changes", "-old line", "+new line"],
  },
  notice: {
    view: { kind: "notice", level: "error", text: "Docker is away." },
    essential: ["Docker is away."],
  },
  picker: {
    view: {
      kind: "picker",
      title: "Choose a thread",
      options: [
        { action: "verb:pick:1", label: "One" },
        { action: "verb:pick:2", label: "Two", detail: "older" },
      ],
    },
    essential: ["Choose a thread"],
  },
};

/** What models, tools and people can write, and what must not happen because of it. */
export const HOSTILE: Readonly<Record<string, string>> = {
  "a call to everybody": "@everyone @here @channel",
  "Slack's markup": "<!channel> <!here> <@U0123ABC> <!subteam^S123> <#C123>",
  "Discord's mentions": "<@123456789> <@!123456789> <@&123456789> <#123456789>",
  "a link that would be fetched": "https://evil.example/?leak=secret",
  "a link behind another text":
    "[your bank](https://evil.example) <https://evil.example|your bank>",
  "an image": "![x](https://evil.example/pixel.png)",
  "a fence that ends early": "``` @everyone https://evil.example ```",
  "an open back quote": "` https://evil.example ` @here",
  "HTML and scripts":
    '<script>alert(1)</script><img src=x onerror="alert(1)"><a href="javascript:alert(1)">a</a>',
  "words turned round": "\u202egpj.exe \u2066x\u2069 a\u200bb @every\u200bone \ufeff",
  "terminal escapes": "\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u0000 \r over",
  "broken characters": "\ud800 a \udfff",
};
