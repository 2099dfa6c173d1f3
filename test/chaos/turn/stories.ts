import { call, calls, type Reply, say } from "../../support/model-server/replies.ts";

/** What happens in one thread while bots die: one mention, what the model does, and what people do. */
export interface Story {
  readonly name: string;
  readonly mention: (id: string) => string;
  readonly file?: boolean;
  /** What the model says, step by step. None: no model is asked. */
  readonly steps: (id: string) => readonly Reply[];
  /** The same for those that work for it, by the name that stands in their instructions: `[id:name]`. */
  readonly subagents?: (id: string) => Readonly<Record<string, readonly Reply[]>>;
  /** The button that is pressed on an approval card. */
  readonly press?: "Approve once" | "Deny";
  readonly answer?: "words" | "button";
  /** Said before the model answers for the n-th time, from 1. */
  readonly steer?: { readonly beforeStep: number; readonly text: (id: string) => string };
  /** Said once an effect can be seen. */
  readonly stopAfter?: (id: string) => string;
  /** Lines in the workspace's effects file: exactly these, each once. */
  readonly effects: (id: string) => readonly string[];
  /** Effects of which nobody can say: a stop may come before or after. */
  readonly maybe?: (id: string) => readonly string[];
  /** Must be read in the thread at the end, in one message each. */
  readonly sees: (id: string) => readonly string[];
  readonly approvals?: number;
  readonly questions?: number;
  /** How many of its todos there are at the end. */
  readonly todos?: number;
  /** A word that is answered at once, without a turn: with what, and which of its buttons is pressed first. */
  readonly verb?: { readonly answer: RegExp; readonly press?: string };
}

function verb(words: string, answer: RegExp, press?: string): Story {
  return {
    name: words,
    mention: () => words,
    steps: () => [],
    effects: () => [],
    sees: () => [],
    verb: { answer, ...(press === undefined ? {} : { press }) },
  };
}

/** Said where there may be no workspace yet: that is an answer, too. */
const NONE = "no workspace|No terminal|nothing to compare|Nothing";

const note = (line: string, file = "/workspace/effects") => `echo ${line} >> ${file}`;
const run = (command: string, more: object = {}) =>
  ["terminal_operations", { operation: "run_command", command, ...more }] as const;
const delegate = (id: string, part: string) =>
  [
    "run_subagent",
    { task: `${part} of ${id}`, instructions: `[${id}:${part}] do it`, enableTerminalAccess: true },
  ] as const;
const asRoot = (line: string) => `sudo sh -c '${note(line, "/srv/effects")}'`;

export const STORIES: readonly Story[] = [
  {
    name: "work",
    mention: (id) => `[${id}] do it all`,
    steps: (id) => [
      call("todo_operations", {
        operation: "add",
        newTodos: [{ title: `Do everything for ${id}`, description: "It is in the file." }],
      }),
      call("file_operations", {
        operation: "create_file",
        filePath: `${id}.txt`,
        content: "made once",
      }),
      call(...run(note(`${id}-foreground`))),
      call(...run(`sleep 0.2; ${note(`${id}-background`)}`, { isBackground: true })),
      call(...run(note(`${id}-after-steering`)), { text: `Nearly there with ${id}.` }),
      say(`Finished ${id}.`),
    ],
    steer: { beforeStep: 4, text: (id) => `and mind the gap, ${id}` },
    effects: (id) => [`${id}-foreground`, `${id}-background`, `${id}-after-steering`],
    sees: (id) => [`Finished ${id}.`],
    todos: 1,
  },
  {
    name: "approve",
    mention: (id) => `[${id}] do it outside`,
    steps: (id) => [call(...run(asRoot(`${id}-approved`))), say(`Finished ${id}.`)],
    press: "Approve once",
    effects: (id) => [`${id}-approved`],
    sees: (id) => [`Finished ${id}.`],
    approvals: 1,
  },
  {
    name: "deny",
    mention: (id) => `[${id}] try it outside`,
    steps: (id) => [call(...run(asRoot(`${id}-denied`))), say(`Left it, ${id}.`)],
    press: "Deny",
    effects: () => [],
    sees: (id) => [`Left it, ${id}.`],
    approvals: 1,
  },
  {
    name: "ask",
    mention: (id) => `[${id}] ask me`,
    steps: (id) => [
      call("user_collaboration", { prompt: `Which one for ${id}?\n1. this\n2. that` }),
      call(...run(note(`${id}-answered`))),
      say(`Finished ${id}.`),
    ],
    answer: "button",
    effects: (id) => [`${id}-answered`],
    sees: (id) => [`Finished ${id}.`],
    questions: 1,
  },
  {
    name: "ask in words",
    mention: (id) => `[${id}] ask me`,
    steps: (id) => [
      call("user_collaboration", { prompt: `What now with ${id}?` }),
      call(...run(note(`${id}-answered`))),
      say(`Finished ${id}.`),
    ],
    answer: "words",
    effects: (id) => [`${id}-answered`],
    sees: (id) => [`Finished ${id}.`],
    questions: 1,
  },
  {
    name: "two at once",
    mention: (id) => `[${id}] two things at once`,
    steps: (id) => [
      calls([
        run(note(`${id}-inside`)),
        [
          "file_operations",
          {
            operation: "create_file",
            filePath: `/srv/${id}.made`,
            content: `${id}-outside\n`,
          },
        ],
      ]),
      say(`Finished ${id}.`),
    ],
    press: "Approve once",
    effects: (id) => [`${id}-inside`, `${id}-outside`],
    sees: (id) => [`Finished ${id}.`],
    approvals: 1,
  },
  {
    name: "subagent",
    mention: (id) => `[${id}] let others do it`,
    steps: (id) => [
      calls([delegate(id, "outside"), delegate(id, "own")]),
      call(...run(`cat /workspace/.deckhand/subagents/*/${id}-notes >> /workspace/effects`)),
      say(`Finished ${id}.`),
    ],
    subagents: (id) => ({
      outside: [call(...run(note(`${id}-outside`))), say(`Wrote it for ${id}.`)],
      own: [
        call(...run(note(`${id}-own`, `${id}-notes`))),
        say(`It is in my directory for ${id}.`),
      ],
    }),
    press: "Approve once",
    effects: (id) => [`${id}-outside`, `${id}-own`],
    sees: (id) => [`Finished ${id}.`],
    approvals: 1,
  },
  {
    name: "direct",
    mention: (id) => `$ ${note(`${id}-direct`)} && echo wrote-${id}`,
    steps: () => [],
    effects: (id) => [`${id}-direct`],
    sees: (id) => [`wrote-${id}`],
  },
  {
    name: "stop",
    mention: (id) => `[${id}] take long`,
    steps: (id) => [call(...run(`${note(`${id}-begun`)}; sleep 600`)), say(`Never ${id}.`)],
    stopAfter: (id) => `${id}-begun`,
    effects: (id) => [`${id}-begun`],
    sees: () => [],
  },
  {
    name: "attach",
    mention: (id) => `[${id}] count what I attached`,
    file: true,
    steps: (id) => [
      call(...run(`cat uploads/${id}.txt >> /workspace/effects`)),
      say(`Finished ${id}.`),
    ],
    effects: (id) => [`${id}-attached`],
    sees: (id) => [`Finished ${id}.`],
  },
  verb("status", /Workspace/, "Todos"),
  verb("audit", new RegExp(`Audit, the last|${NONE}`)),
  verb("keep", new RegExp(`ept|${NONE}`)),
  verb("files get effects", new RegExp(`effects|${NONE}`)),
  verb("terminal resize 40 120", new RegExp(`40 rows|${NONE}`)),
  verb("terminal kill", new RegExp(`was stopped|${NONE}`)),
  // Not the last turn alone: what that changed depends on the stage.
  verb("undo since 0", new RegExp(`Undone|${NONE}`), "Undo all of this"),
  verb("reset", new RegExp(`was removed|${NONE}`), "Remove the workspace"),
];
