import { randomUUID } from "node:crypto";
import { docker } from "../../support/engine.ts";
import {
  type Arena,
  type Attempt,
  type AttemptClass,
  type Marks,
  REMAINS,
  SETTLED,
} from "../../support/escape.ts";
import { IMAGE } from "../../support/run-in-image.ts";

const SERVER = "S=$(pgrep -o MainThread)";

/** In two halves, so that only what was written as a whole is found in what the server's clients read. */
const halves = ({ secret }: Marks) => `${secret.slice(0, 5)} ${secret.slice(5)}`;

function forges(title: string, target: string, line = "%s%s"): Attempt {
  return {
    title,
    attack: (arena, marks) =>
      arena.run(`${SERVER}; printf '${line}\\n' ${halves(marks)} > ${target}`),
    evidence: async (arena) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return arena.said?.();
    },
  };
}

const writes = (title: string, path: string): Attempt => ({
  title,
  attack: `mkdir -p $(dirname ${path}); echo SECRET >> ${path}`,
  evidence: `cat ${path}`,
  cleanUp: `sed -i /SECRET/d ${path}`,
});

const inspected = (container: string) => docker("inspect", container);

/** A careless bot hands the model's arguments on to the engine: a container that is made and never started. */
async function carelessly(options: readonly string[]): Promise<string> {
  const name = `deckhand-escape-made-${randomUUID().slice(0, 8)}`;
  try {
    await docker("create", "--name", name, "--network", "none", ...options, IMAGE, "true");
    return await inspected(name);
  } finally {
    await docker("rm", "--force", name);
  }
}

/** Arguments beyond the schema, which would change how the container is made. */
function smuggles(
  title: string,
  options: (secret: string) => string[],
  extra: (secret: string) => object,
): Attempt {
  const shown = new Map<string, string>();
  return {
    title,
    attackInControl: async (_arena, { name, secret }) =>
      shown.set(name, await carelessly(options(secret))),
    attack: async (arena, { name, secret }) => {
      const operation = { operation: "run_command", command: "env; id; cat /proc/self/status" };
      const args = { ...operation, ...JSON.parse(JSON.stringify(extra(secret))) };
      const result = await arena.call("terminal_operations", args);
      shown.set(name, `${result.output}${await inspected(arena.container)}`);
    },
    evidence: async (_arena, { name }) => shown.get(name),
  };
}

const label = (secret: string) => ["--label", `x=${secret}`];
const environment = (secret: string) => ["--env", `X=${secret}`];
/** A key that only text can give; an object literal would set the prototype. */
const withProto = (value: object) => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`) as object;

const PLANTED = `cd /workspace
echo 'DECKHAND_IMAGE=SECRET' > .env; echo '//registry/:_authToken=SECRET' > .npmrc
echo '{"mcpServers":{"x":{"command":"sh","args":["-c","SECRET"]}}}' > .mcp.json
printf 'services:\\n  ws:\\n    environment: [X=SECRET]\\n' > docker-compose.yml
cp .env .npmrc .mcp.json docker-compose.yml /home/agent/`;

const attempts: Attempt[] = [
  forges(
    "an answer on process 1's output",
    "/proc/1/fd/1",
    '{"jsonrpc":"2.0","id":1,"result":{"x":"%s%s"}}',
  ),
  forges(
    "an answer on the server's output",
    "/proc/$S/fd/1",
    '{"jsonrpc":"2.0","id":1,"result":{"x":"%s%s"}}',
  ),
  forges(
    "a notification on the server's output",
    "/proc/$S/fd/1",
    '{"jsonrpc":"2.0","method":"deckhand/output","params":{"session_id":"x","from_index":0,"output":"%s%s"}}',
  ),
  {
    title: "the server's output taken by pidfd_getfd",
    attack: `(python3 -c 'import ctypes, os
libc = ctypes.CDLL(None)
p = libc.syscall(434, int(os.popen("pgrep -o MainThread").read()), 0)
if p < 0 or libc.syscall(438, p, 1, 0) < 0: os._exit(1)
os.execvp("sleep", ["NAME", "30"])') > /dev/null 2>&1 & ${SETTLED}`,
    ...REMAINS,
  },
  {
    title: "the server's memory read by another process",
    attack: `(python3 -c 'import ctypes, os
libc = ctypes.CDLL(None)
pid = int(os.popen("pgrep -o MainThread").read())
start = int(open("/proc/%d/maps" % pid).readline().split("-")[0], 16)
buffer = ctypes.create_string_buffer(16)
local = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 16)
remote = (ctypes.c_size_t * 2)(start, 16)
if libc.process_vm_readv(pid, local, 1, remote, 1, 0) != 16: os._exit(1)
os.execvp("sleep", ["NAME", "30"])') > /dev/null 2>&1 & ${SETTLED}`,
    ...REMAINS,
  },
  writes("a line in the ledger", "/var/lib/deckhand/ledger.a"),
  writes("a result of a root call", "/var/lib/deckhand/root-calls/NAME.result"),
  writes("a checkpoint's record", "/var/lib/deckhand/checkpoints/NAME"),
  writes("the marks of the shell", "/opt/deckhand/shell-integration.bash"),
  writes("a new program beside the server", "/opt/deckhand/NAME"),
  {
    title: "what the ledger holds",
    plant: "mkdir -p /var/lib/deckhand; echo SECRET > /var/lib/deckhand/NAME",
    attack: "cat /var/lib/deckhand/*",
    cleanUp: "rm -f /var/lib/deckhand/NAME",
  },
  {
    title: "an end to what runs as root",
    plant: "(exec -a NAME sleep 600) > /dev/null 2>&1 &",
    attack: "pkill -KILL -f NAM[E]; true",
    evidence: "ps -eo args | grep -q '^NAM[E] 600' || echo SECRET",
    cleanUp: "pkill -KILL -f 'NAM[E] 600'; true",
  },
  smuggles("a label among the arguments", label, (secret) => ({ Labels: { x: secret } })),
  smuggles("an environment among the arguments", environment, (secret) => ({
    env: { X: secret },
    Env: [`X=${secret}`],
  })),
  smuggles(
    "mounts among the arguments",
    (secret) => ["--tmpfs", `/${secret}`],
    (secret) => ({
      HostConfig: { Privileged: true, Tmpfs: { [`/${secret}`]: "" } },
    }),
  ),
  smuggles(
    "a network among the arguments",
    (secret) => ["--hostname", secret],
    (secret) => ({
      HostConfig: { NetworkMode: "host" },
      Hostname: secret,
    }),
  ),
  smuggles("a prototype's environment", environment, (secret) => withProto({ env: { X: secret } })),
  smuggles("a constructor's prototype", label, (secret) => ({
    constructor: { prototype: { Labels: { x: secret } } },
  })),
  smuggles("nested arguments of the protocol", label, (secret) => ({
    _meta: { "deckhand/conversation": secret, "deckhand/fence": 99 },
    params: { arguments: { Labels: { x: secret } } },
  })),
  smuggles(
    "a program for the container",
    (secret) => ["--entrypoint", secret],
    (secret) => ({
      Cmd: [secret],
      Entrypoint: [secret],
      Image: secret,
    }),
  ),
  {
    title: "root among the arguments",
    attack: (arena: Arena, { name }) =>
      arena.call("terminal_operations", {
        operation: "run_command",
        command: `touch ${name}`,
        as: "root",
        user: "0",
        User: "0:0",
      }),
    evidence: "[ $(stat -c %u /workspace/NAME) = 0 ] && echo SECRET",
  },
  {
    title: "settings for the bot planted in the workspace",
    attackInControl: async (arena, { name, secret }) => {
      await arena.run(PLANTED.replaceAll("SECRET", secret));
      const [variable = ""] = (await arena.look("cat /workspace/.env")).split("\n");
      return `${name} ${await carelessly(["--env", variable])}`;
    },
    attack: async (arena, { secret }) => {
      await arena.run(PLANTED.replaceAll("SECRET", secret));
      await docker("stop", "--time", "1", arena.container);
      await arena.run("true"); // the bot wakes it, with what it has read meanwhile
      return `${await inspected(arena.container)}${await arena.run("env")}`;
    },
  },
];

export const servers: AttemptClass = {
  name: "P-S8 the server, its ledger and the container's settings",
  control: "powerful",
  attempts,
};
