import type { Todo } from "../../../contract/conversation/todo.ts";
import { type DirectCall, writeArguments } from "../arguments.ts";
import { button, notice, type Verb } from "../verb.ts";
import { assertNoTurn } from "../workspace-access.ts";

interface Step {
  readonly about: string;
  readonly call: DirectCall;
}

/** Each is what a person could type, and really runs, also in a thread with todos and after an earlier tour. */
function stepsBeside(items: readonly Pick<Todo, "id" | "status">[]): Step[] {
  const id = Math.max(0, ...items.map((todo) => todo.id)) + 1;
  // At most one todo of a list is in progress.
  const status = items.some((todo) => todo.status === "in-progress")
    ? "not-started"
    : "in-progress";
  return [
    {
      about: "a plan, kept up to date in one message",
      call: {
        name: "todo_operations.add",
        arguments: { newTodos: [{ ...todo("Write a greeting"), status }, todo("Run it")] },
      },
    },
    ...WORK,
    {
      about: "the plan again, both done",
      call: {
        name: "todo_operations.update",
        arguments: {
          todoUpdates: [
            { id, status: "completed" },
            { id: id + 1, status: "completed" },
          ],
        },
      },
    },
    QUESTION,
  ];
}

const todo = (title: string) => ({ title, description: title });

const WORK: readonly Step[] = [
  {
    about: "a file in this thread's own workspace",
    call: {
      name: "file_operations.create_file",
      arguments: {
        filePath: "tour/hello.sh",
        content: 'echo "Hello from $(hostname)"\n',
        overwrite: true,
      },
    },
  },
  {
    about: "a command in this thread's terminal",
    call: {
      name: "terminal_operations.run_command",
      arguments: { command: "sh tour/hello.sh | tee tour/greeting.txt" },
    },
  },
];

const QUESTION: Step = {
  about: "a question for your approval: nothing goes on until you click",
  call: {
    name: "user_collaboration",
    arguments: {
      prompt: "This is what an approval looks like. May I create files here for five minutes?",
      authorize_operation: "file_operations.create_file",
    },
  },
};

export const tour: Verb = {
  name: "tour",
  forms: [
    {
      usage: "tour",
      summary: "a short demonstration; its calls really run",
      act: "command",
      run: async (deps, asked) => {
        await assertNoTurn(deps, asked);
        const { seq } = await deps.journal.read(asked.conversation);
        const list = await deps.todos.read(asked.conversation);
        const steps = stepsBeside(list?.items ?? []);
        return { announced: [intro(steps, seq)], calls: steps.map(({ call }) => call) };
      },
    },
  ],
};

function intro(steps: readonly Step[], seq: number) {
  const lines = steps.map(({ about, call }, index) => `${index + 1}. ${about}: \`${typed(call)}\``);
  const text = [
    "**Guided tour.** This is a script without a model, but every call really runs, and you could type each one yourself:",
    ...lines,
    // Without an empty line Markdown takes it for a part of the last point.
    "\nWhen it is done, look at what changed, and undo it:",
  ].join("\n");
  const since = ["since", String(seq)] as const;
  return notice(text, {
    buttons: [button("Show the changes", ["diff", ...since]), button("Undo …", ["undo", ...since])],
  });
}

/** As somebody would type it; what is long is left out. */
function typed({ name, arguments: args }: DirectCall): string {
  if (typeof args.command === "string") return `$ ${args.command}`;
  const whole = `${name} ${writeArguments(args)}`;
  return whole.length <= TYPED_CHARS ? whole : `${name} …`;
}

const TYPED_CHARS = 120;
