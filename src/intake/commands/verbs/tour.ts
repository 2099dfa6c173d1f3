import { type DirectCall, writeArguments } from "../arguments.ts";
import { button, notice, type Verb } from "../verb.ts";
import { assertNoTurn } from "../workspace-access.ts";

const todo = (id: number, title: string, status: string) => ({
  id,
  title,
  description: title,
  status,
});

/** Each is what anybody could type, and really runs. */
const STEPS: readonly { readonly about: string; readonly call: DirectCall }[] = [
  {
    about: "a plan, kept up to date in one message",
    call: {
      name: "todo_operations.write",
      arguments: {
        todoList: [todo(1, "Write a greeting", "in-progress"), todo(2, "Run it", "not-started")],
      },
    },
  },
  {
    about: "a file in this thread's own workspace",
    call: {
      name: "file_operations.create_file",
      arguments: { filePath: "tour/hello.sh", content: 'echo "Hello from $(hostname)"\n' },
    },
  },
  {
    about: "a command in this thread's terminal",
    call: {
      name: "terminal_operations.run_command",
      arguments: { command: "sh tour/hello.sh | tee tour/greeting.txt" },
    },
  },
  {
    about: "the plan again, both done",
    call: {
      name: "todo_operations.update",
      arguments: {
        todoUpdates: [
          { id: 1, status: "completed" },
          { id: 2, status: "completed" },
        ],
      },
    },
  },
  {
    about: "a question for your approval: nothing goes on until you click",
    call: {
      name: "user_collaboration",
      arguments: {
        prompt: "This is what an approval looks like. May I create files here for five minutes?",
        authorize_operation: "file_operations.create_file",
      },
    },
  },
];

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
        return { announced: [intro(seq)], calls: STEPS.map(({ call }) => call) };
      },
    },
  ],
};

function intro(seq: number) {
  const lines = STEPS.map(({ about, call }, index) => `${index + 1}. ${about}: \`${typed(call)}\``);
  const text = [
    "**Guided tour.** This is a script without a model, but every call really runs, and you could type each one yourself:",
    ...lines,
    "When it is done, look at what changed, and undo it:",
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
