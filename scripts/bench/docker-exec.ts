import { type Duplex, PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import Dockerode from "dockerode";

/** The rival: what a bot does that starts a `docker exec` for every call. */
export class DockerExec {
  readonly #container: Dockerode.Container;

  private constructor(container: Dockerode.Container) {
    this.#container = container;
  }

  static async in(workspace: string): Promise<DockerExec> {
    const docker = new Dockerode();
    const filters = { label: [`deckhand.workspace=${workspace}`] };
    const [found] = await docker.listContainers({ filters });
    if (!found) throw new Error(`no container of workspace ${workspace}`);
    return new DockerExec(docker.getContainer(found.Id));
  }

  async run(command: string[]): Promise<string> {
    const exec = await this.#container.exec({ Cmd: command, User: "1000", AttachStdout: true });
    const stream = await exec.start({});
    let output = "";
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8", 8);
    });
    await finished(stream, { writable: false });
    return output;
  }

  /** A shell that stays, so that only what its commands take is measured. */
  async shell(): Promise<ExecShell> {
    const exec = await this.#container.exec({
      Cmd: ["sh"],
      User: "1000",
      WorkingDir: "/workspace",
      AttachStdin: true,
      AttachStdout: true,
    });
    return new ExecShell(await exec.start({ hijack: true, stdin: true }));
  }

  /** What the container's cgroup holds, less the file cache that the kernel gives back when asked. */
  async memoryBytes(): Promise<number> {
    const { memory_stats: memory } = await this.#container.stats({ stream: false });
    const stats = memory.stats as { total_inactive_file?: number; inactive_file: number };
    return memory.usage - (stats.total_inactive_file ?? stats.inactive_file);
  }
}

const END = "end-of-the-command";

/** One command after another over one exec. */
class ExecShell implements Disposable {
  readonly #stream: Duplex;
  readonly #output = new PassThrough();

  constructor(stream: Duplex) {
    this.#stream = stream;
    new Dockerode().modem.demuxStream(stream, this.#output, this.#output);
  }

  async run(command: string): Promise<string> {
    this.#stream.write(`${command}\necho ${END}\n`);
    let output = "";
    for await (const chunk of this.#output.iterator({ destroyOnReturn: false })) {
      output += (chunk as Buffer).toString();
      if (output.endsWith(`${END}\n`)) break;
    }
    return output.slice(0, -END.length - 1);
  }

  [Symbol.dispose](): void {
    this.#stream.destroy();
  }
}
