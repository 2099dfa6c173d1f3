import { randomUUID } from "node:crypto";
import type { Arena, Attempt, AttemptClass, Marks } from "../../support/escape.ts";

const TERMINAL = "terminal_operations";
const PYTHON_LOOK = "import socket, sys";

function neighbourOf({ neighbour }: Arena): Arena {
  if (!neighbour) throw new Error("this arena has no neighbour");
  return neighbour;
}

const filled = (text: string, { name, secret }: Marks) =>
  text.replaceAll("NAME", name).replaceAll("SECRET", secret);

/** The other thread does something; this one tries to learn of it. */
function spies(title: string, theirs: string, attack: Attempt["attack"]): Attempt {
  return {
    title,
    plant: (arena, marks) => neighbourOf(arena).run(filled(theirs, marks)),
    attack,
  };
}

/** The other thread makes a call; this one asks for what came of it. */
function asks(
  title: string,
  theirs: (neighbour: Arena, marks: Marks) => Promise<unknown>,
  ours: (arena: Arena, marks: Marks, theirs: unknown) => Promise<unknown>,
): Attempt {
  return {
    title,
    attack: async (arena, marks) => ours(arena, marks, await theirs(neighbourOf(arena), marks)),
  };
}

const field = (value: unknown, name: string) =>
  String((value as Record<string, unknown> | undefined)?.[name] ?? "");
const openTerminal = async (neighbour: Arena, { secret }: Marks) => {
  const [head, tail] = [secret.slice(0, 5), secret.slice(5)];
  const command = `printf '%s%s\\n' ${head} ${tail}`;
  await neighbour.call(TERMINAL, { operation: "run_command", command });
  return neighbour.call(TERMINAL, { operation: "create_session" });
};
const BACKGROUND = "nohup bash -c 'exec -a SECRET sleep 20' > /dev/null 2>&1 &";

const attempts: Attempt[] = [
  spies("files in its workspace", "echo SECRET > /workspace/NAME", "cat /workspace/NAME"),
  spies("files in its home directory", "echo SECRET > /home/agent/NAME", "cat ~/NAME /home/*/NAME"),
  spies("its temporary files", "echo SECRET > /tmp/NAME", "cat /tmp/NAME"),
  spies("its shared memory", "echo SECRET > /dev/shm/NAME", "cat /dev/shm/NAME"),
  spies(
    "names of its files anywhere",
    "touch /tmp/SECRET",
    "find / -xdev -newermt '-60 seconds' 2> /dev/null; ls -R /tmp /dev/shm /workspace",
  ),
  spies("its processes", BACKGROUND, "ps -eo args; cat /proc/[0-9]*/cmdline | tr '\\0' ' '"),
  spies(
    "the environment of its processes",
    "nohup env NAME=SECRET sleep 20 > /dev/null 2>&1 &",
    "cat /proc/[0-9]*/environ 2> /dev/null | tr '\\0' '\\n'",
  ),
  spies(
    "the directory of its process",
    "mkdir /tmp/NAME; cd /tmp/NAME; echo SECRET > f; nohup sleep 20 > /dev/null 2>&1 &",
    "cat /proc/[0-9]*/cwd/f 2> /dev/null",
  ),
  spies(
    "its server on the loopback",
    "mkdir /tmp/NAME; cd /tmp/NAME; echo SECRET > f; (timeout 10 python3 -m http.server -b 127.0.0.1 7100 > /dev/null 2>&1 &); sleep 0.6",
    "curl -s -m 2 http://127.0.0.1:7100/f; true",
  ),
  spies(
    "its abstract socket",
    `(timeout 10 python3 -c '${PYTHON_LOOK}\ns = socket.socket(socket.AF_UNIX); s.bind("\\0deckhand-neighbour"); s.listen(1); c, _ = s.accept(); c.sendall(b"SECRET")' > /dev/null 2>&1 &); sleep 0.3`,
    `timeout 2 python3 -c '${PYTHON_LOOK}\ns = socket.socket(socket.AF_UNIX); s.connect("\\0deckhand-neighbour"); print(s.recv(100))'`,
  ),
  {
    title: "an end to its processes",
    plant: (arena, marks) =>
      neighbourOf(arena).run(filled(BACKGROUND.replace("SECRET", "NAME"), marks)),
    attack: "pkill -KILL -f NAM[E]; pkill -KILL -x sleep; true",
    evidence: async (arena, { name, secret }) => {
      const table = await neighbourOf(arena).look("ps -eo args");
      return table.includes(`${name} 20`) ? "" : secret;
    },
  },
  {
    title: "words on its terminal",
    plant: (arena, marks) => openTerminal(neighbourOf(arena), { ...marks, secret: "opened" }),
    attack:
      "for t in /dev/pts/[0-9]*; do [ $t = $(tty 2> /dev/null) ] || echo SECRET > $t; done; true",
    evidence: async (arena) => {
      const neighbour = neighbourOf(arena);
      const session = await neighbour.call(TERMINAL, { operation: "create_session" });
      const session_id = field(session, "session_id");
      await new Promise((resolve) => setTimeout(resolve, 150));
      return neighbour.call(TERMINAL, { operation: "get_history", session_id });
    },
  },
  asks("its terminal's history by session id", openTerminal, (arena, _marks, session) =>
    arena.call(TERMINAL, { operation: "get_history", session_id: field(session, "session_id") }),
  ),
  asks("its terminal's output by session id", openTerminal, (arena, _marks, session) =>
    arena.call(TERMINAL, {
      operation: "get_output",
      session_id: field(session, "session_id"),
      from_index: 0,
    }),
  ),
  asks("its terminal by conversation id", openTerminal, async (arena, _marks, session) => {
    const conversation_id = field(session, "session_id");
    const mine = await arena.call(TERMINAL, { operation: "create_session", conversation_id });
    const session_id = field(mine, "session_id");
    return arena.call(TERMINAL, { operation: "get_history", session_id });
  }),
  asks(
    "the result of its call by call id",
    async (neighbour, { name, secret }) => {
      const id = randomUUID();
      await neighbour.run(`echo ${secret} > /tmp/word-${name}`);
      await neighbour.call(TERMINAL, showsWord(name), { id });
      await neighbour.run(`rm /tmp/word-${name}`);
      return { id };
    },
    (arena, { name }, theirs) => arena.call(TERMINAL, showsWord(name), { id: field(theirs, "id") }),
  ),
  asks(
    "the output of its background command by id",
    (neighbour, { secret }) =>
      neighbour.call(TERMINAL, {
        operation: "run_command",
        command: `echo ${secret}; sleep 3`,
        isBackground: true,
      }),
    async (arena, _marks, theirs) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return arena.call(TERMINAL, { operation: "get_terminal_output", id: field(theirs, "id") });
    },
  ),
  asks(
    "the output of its task by label",
    (neighbour, { name, secret }) =>
      neighbour.call("build_and_version_control", {
        operation: "create_and_run_task",
        task: { label: name, type: "shell", command: `echo ${secret}` },
      }),
    (arena, { name }) =>
      arena.call("build_and_version_control", { operation: "get_task_output", label: name }),
  ),
  asks(
    "its latest searches",
    (neighbour, { secret }) =>
      neighbour.call("file_operations", { operation: "grep_search", query: secret }),
    (arena) => arena.call("file_operations", { operation: "get_search_results" }),
  ),
];

/** The same call, whoever makes it: once the file is gone only the ledger could tell what it answered. */
const showsWord = (name: string) => ({
  operation: "run_command",
  command: `cat /tmp/word-${name}`,
});

export const neighbours: AttemptClass = {
  name: "P-S9 another thread",
  control: "common",
  attempts,
};
