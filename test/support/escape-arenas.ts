import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import Docker from "dockerode";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { docker } from "./engine.ts";
import { type Arena, shellWord } from "./escape.ts";
import { IMAGE } from "./run-in-image.ts";

const ATTACK_SECONDS = 20;

/** One bash that stays, because starting one through the engine takes longer than most attempts. */
class Shell {
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #heard = "";
  #changed: () => void = () => {};
  #turn: Promise<unknown> = Promise.resolve();

  constructor(container: string, user: number) {
    this.#args = ["exec", "-i", "-u", `${user}`, "-w", "/workspace", container, "bash"];
  }

  /** One after the other. */
  run = (script: string): Promise<string> => {
    const result = this.#turn.then(() => this.#take(script));
    this.#turn = result;
    return result;
  };

  close(): void {
    this.#child?.kill("SIGKILL");
  }

  async #take(script: string): Promise<string> {
    const output = (await this.#try(script)) ?? (await this.#try(script));
    if (output === undefined) throw new Error(`no shell for: ${script}`);
    return output;
  }

  /** Undefined when the shell went down, with its container. */
  async #try(script: string): Promise<string | undefined> {
    const child = this.#child ?? this.#start();
    const mark = randomUUID();
    this.#heard = "";
    const text = `timeout ${ATTACK_SECONDS} bash -c ${shellWord(script)} < /dev/null 2>&1`;
    child.stdin?.write(`${text}\necho ${mark}\n`);
    while (this.#child && !this.#heard.includes(mark)) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
    const [output = "", ...rest] = this.#heard.split(mark);
    return rest.length > 0 ? output : undefined;
  }

  #start(): ChildProcess {
    const child = spawn("docker", this.#args, { stdio: ["pipe", "pipe", "ignore"] });
    this.#child = child;
    child.stdin.on("error", () => {}); // the container was stopped: the next script starts another shell
    child.stdout.on("data", (chunk: Buffer) => {
      this.#heard += chunk.toString("utf8");
      this.#changed();
    });
    child.on("close", () => {
      this.#child = undefined;
      this.#changed();
    });
    return child;
  }
}

/** A real workspace; what it runs, it runs as every command of a thread does. */
export async function workspaceArena(
  workspace: Workspace,
  container: string,
  neighbour?: Arena,
): Promise<Arena> {
  const bus = await new Docker().getContainer(container).attach({ stream: true, stdout: true });
  const said: Buffer[] = [];
  bus.on("data", (chunk: Buffer) => said.push(chunk));
  bus.on("error", () => {}); // the container was stopped
  const root = new Shell(container, 0);
  return {
    kind: "workspace",
    container,
    run: async (script, { signal } = {}) => {
      const mark = randomUUID();
      const text = `cd /workspace; echo ${mark}; timeout ${ATTACK_SECONDS} bash -c ${shellWord(script)} < /dev/null 2>&1`;
      const args = { operation: "run_command", command: text, timeout: ATTACK_SECONDS + 5 };
      const call = { id: randomUUID(), tool: "terminal_operations", args };
      const result = await workspace.call(call, signal ? { signal } : {});
      const output = String(result.output ?? "");
      // An attempt that never began would look like one that failed.
      if (!(signal || output.includes(mark))) throw new Error(`not run: ${JSON.stringify(result)}`);
      return output;
    },
    call: async (tool, args, { id = randomUUID() } = {}) => {
      const result = await workspace.call({ id, tool, args: { ...args } });
      const served = result.kind !== "toolNotFound" && result.outcome !== "unknown";
      if (!served) throw new Error(`not served: ${JSON.stringify(result)}`);
      return result;
    },
    look: root.run,
    said: async () => Buffer.concat(said).toString("utf8"),
    close: () => {
      root.close();
      (bus as Duplex).destroy();
    },
    ...(neighbour ? { neighbour } : {}),
  };
}

export interface Control extends AsyncDisposable {
  readonly arena: Arena;
}

/** Supervisor and worker of the workspace's own server, both started as root. */
const CARELESS_SERVER = [
  "python3",
  "-c",
  `import fcntl, os, socket, subprocess
def hand_over(fd, number):
    # A copy far away first: dup2 onto the same number would leave it closed at exec.
    os.dup2(fcntl.fcntl(fd, fcntl.F_DUPFD, 20), number)
ours, theirs = socket.socketpair()
health = socket.socket(socket.AF_UNIX)
health.bind("/tmp/health-%d" % os.getpid())
health.listen()
worker = subprocess.Popen(["/opt/deckhand/node", "/opt/deckhand/worker.js"], stdin=theirs, stdout=theirs)
theirs.send(b'{"worker":%d,"launcher":%d}\\n' % (worker.pid, os.getpid()))
link, health = ours.detach(), health.detach()
far = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (link, health)]
for number, name in ((3, "a"), (4, "b")):
    hand_over(os.open("/tmp/ledger." + name, os.O_RDWR | os.O_CREAT), number)
for number, fd in ((5, far[0]), (6, far[1])):
    os.dup2(fd, number)
os.execv("/opt/deckhand/node", ["/opt/deckhand/node", "/opt/deckhand/supervisor.js"])`,
];

/** A container of the same image without our hardening: its workload is root, or the user given. */
export async function startControl(
  options: readonly string[],
  { user = 0, server = CARELESS_SERVER } = {},
): Promise<Control> {
  const container = `deckhand-escape-control-${randomUUID().slice(0, 8)}`;
  const fixed = ["--detach", "--init", "--name", container, "--label", "deckhand.test=escape"];
  await docker("run", ...fixed, ...options, IMAGE, "sleep", "600");
  const client = await LineClient.start(["exec", "-i", "-u", "0", container, ...server]);
  const shells = new Map([0, 1000].map((id) => [id, new Shell(container, id)]));
  const root = new Shell(container, 0);
  const run: Arena["run"] = async (script, { user: who = user, signal } = {}) => {
    const running = shells.get(who)?.run(script) ?? "";
    signal?.addEventListener("abort", () => void root.run("pkill -KILL -x timeout; true"));
    return running;
  };
  const own = {
    kind: "control" as const,
    container,
    run,
    call: client.call,
    look: root.run,
    said: async () => `${await docker("logs", container)}\n${client.heard.join("\n")}`,
  };
  return {
    arena: { ...own, neighbour: own },
    [Symbol.asyncDispose]: async () => {
      client.close();
      for (const shell of [...shells.values(), root]) shell.close();
      await docker("rm", "--force", "--volumes", container);
    },
  };
}

/** Speaks MCP with a server that runs in the control. */
class LineClient {
  readonly heard: string[] = [];
  readonly #waiting = new Map<string, (result: OperationResult) => void>();
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(args: readonly string[]): Promise<LineClient> {
    const child = spawn("docker", args, { stdio: ["pipe", "pipe", "ignore"] });
    const client = new LineClient(child);
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => client.#receive(line));
    const clientInfo = { name: "control", version: "0" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    client.#send({ id: "first", method: "initialize", params });
    await once(lines, "line");
    client.#send({ method: "notifications/initialized" });
    return client;
  }

  call = async (
    tool: string,
    args: object,
    { id = randomUUID() as string } = {},
  ): Promise<OperationResult> => {
    const request = randomUUID();
    const params = { name: tool, arguments: args, _meta: { "deckhand/call": id } };
    const answer = new Promise<OperationResult>((resolve) => this.#waiting.set(request, resolve));
    this.#send({ id: request, method: "tools/call", params });
    return answer;
  };

  close(): void {
    this.#child.stdin?.end();
    this.#child.kill("SIGKILL");
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #receive(line: string): void {
    this.heard.push(line);
    const { id, result } = parse(line);
    if (id === undefined) return;
    const failed = { success: false, message: line };
    this.#waiting.get(id)?.(result?.structuredContent ?? failed);
  }
}

interface Response {
  readonly id?: string;
  readonly result?: { readonly structuredContent?: OperationResult };
}

function parse(line: string): Response {
  try {
    return JSON.parse(line) as Response;
  } catch {
    return {}; // an attempt wrote on the server's output
  }
}
