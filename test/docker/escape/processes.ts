import {
  type Arena,
  type Attempt,
  type AttemptClass,
  type Marks,
  processesOf,
} from "../../support/escape.ts";
import { measured } from "../../support/escape-measure.ts";

const FORKS = 150;
const HANDLES = 400;

async function threadsNamed({ container }: Arena, { name }: Marks): Promise<number> {
  const lines = await processesOf(container, { threads: true });
  return lines.filter((line) => line.includes(name) && !line.startsWith("timeout")).length;
}

const fork = (title: string, attack: string) => measured(title, attack, threadsNamed, FORKS);
const python = (lines: string) =>
  `timeout LONG python3 -c '\nimport os, time, threading, mmap, ctypes\n${lines}' NAME`;

const forkAttempts: Attempt[] = [
  fork(
    "background jobs of a shell",
    "for i in $(seq 250); do (exec -a NAME sleep NAP) & done 2> /dev/null; sleep 1.5",
  ),
  fork(
    "a function that calls itself twice",
    "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) | f $(($1 - 1)) & fi; (exec -a NAME sleep NAP); }; f 7 2> /dev/null; sleep 1.5",
  ),
  fork(
    "sessions of their own, forked twice",
    "for i in $(seq 220); do (setsid bash -c '(exec -a NAME sleep NAP) &' &) ; done 2> /dev/null; sleep 2",
  ),
  fork(
    "fork in a loop",
    python(
      "for i in range(250):\n  try:\n    if os.fork() == 0: time.sleep(NAP); os._exit(0)\n  except OSError: time.sleep(0.01)\ntime.sleep(1)",
    ),
  ),
  fork(
    "threads",
    python(
      "def nap(): time.sleep(NAP)\nfor i in range(250):\n  try: threading.Thread(target=nap, daemon=True).start()\n  except RuntimeError: time.sleep(0.01)\ntime.sleep(1)",
    ),
  ),
  fork(
    "xargs with many at once",
    "seq 250 | xargs -P 250 -n 1 bash -c 'exec -a NAME sleep NAP' 2> /dev/null; true",
  ),
  fork(
    "make with many jobs",
    "printf 'all: $(shell seq -f n%%g 220)\\nn%%:\\n\\t@bash -c \"exec -a NAME sleep NAP\"\\n' > m-NAME; timeout LONG make -k -f m-NAME -j 250 > /dev/null 2>&1; true",
  ),
  fork(
    "children of node",
    'timeout LONG node -e \'const { spawn } = require("child_process"); for (let i = 0; i < 250; i++) spawn("sleep", ["NAP"], { argv0: "NAME", stdio: "ignore" }).on("error", () => {})\'',
  ),
  fork(
    "children that nobody waits for",
    python(
      "for i in range(250):\n  try:\n    if os.fork() == 0:\n      if os.fork() == 0: time.sleep(NAP)\n      os._exit(0)\n  except OSError: time.sleep(0.01)\ntime.sleep(1)",
    ),
  ),
];

/** Stays under its name, as the engine sees, once it holds that many. */
const handles = (title: string, each: string): Attempt =>
  measured(
    title,
    `timeout 4 python3 -c '\nimport os, socket, ctypes, resource, select, pty, time\nlibc = ctypes.CDLL(None)\ndef got(fd):\n  if fd < 0: os._exit(1)\n  return fd\nheld = []\nfor i in range(${HANDLES}): held.append(${each})\nif os.fork() == 0: os.execvp("sleep", ["NAME-held", "1"])\ntime.sleep(0.6)' ; true`,
    async ({ container }, { name }) =>
      (await processesOf(container)).includes(`${name}-held 1`) ? 1 : 0,
    1,
  );

const handleAttempts: Attempt[] = [
  handles("open files", 'open("/dev/null")'),
  handles("sockets", "socket.socket()"),
  handles("pipes", "os.pipe()"),
  handles("socket pairs", "socket.socketpair()"),
  handles("pollers", "select.epoll()"),
  handles("events", "got(libc.eventfd(0, 0))"),
  handles("files in memory", 'os.memfd_create("x")'),
  handles("copies of one descriptor", "os.dup(1)"),
  handles("timers", "got(libc.timerfd_create(1, 0))"),
  handles(
    "a limit that is raised first",
    `(i or resource.setrlimit(7, (${HANDLES * 4}, ${HANDLES * 4}))) or open("/dev/null")`,
  ),
  handles(
    "threads that wait",
    '__import__("threading").Thread(target=time.sleep, args=(2,), daemon=True).start()',
  ),
];

export const forks: AttemptClass = {
  name: "P-S5 fork bombs",
  control: "roomy",
  attempts: forkAttempts,
  exhausts: true,
};
export const openHandles: AttemptClass = {
  name: "P-S5 open files and threads",
  control: "roomy",
  attempts: handleAttempts,
  exhausts: true,
};
