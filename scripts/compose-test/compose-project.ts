import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { listed, readInstance, removeInstance } from "../lib/leftovers.ts";
import { root } from "../lib/project.mjs";
import { until } from "./until.ts";

const run = promisify(execFile);
const OUTPUT_BYTES = 16 * 1024 * 1024;
/** The 10 seconds in which running turns are handed over, and what compose itself takes. */
const MOST_STOP_SECONDS = 12;

export interface ProjectOptions {
  /** The command words of Docker Compose. */
  readonly command: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/** docker-compose.yml under a name of its own, with nothing left of it in the end. */
export class ComposeProject implements AsyncDisposable {
  readonly name = `deckhand-compose-${randomBytes(3).toString("hex")}`;
  readonly directory = mkdtempSync(join(tmpdir(), `${this.name}-`));
  readonly #options: ProjectOptions;
  readonly #envFile = join(this.directory, "env");
  readonly #before = namelessVolumes();
  #instance: string | undefined;

  constructor(options: ProjectOptions) {
    this.#options = options;
    const settings = { ...options.settings, DECKHAND_ENV_FILE: this.#envFile };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(this.#envFile, lines.join(""), { mode: 0o600 });
  }

  /** Resolves with what compose printed. `more`: another file over docker-compose.yml. */
  async compose(args: readonly string[], { more }: { more?: string } = {}): Promise<string> {
    const { command } = this.#options;
    const [program = "", ...words] = command;
    const files = [join(root, "docker-compose.yml"), ...(more ? [more] : [])];
    const all = [
      ...words,
      ...["--project-name", this.name, "--env-file", this.#envFile],
      ...files.flatMap((file) => ["--file", file]),
      ...args,
    ];
    const { stdout, stderr } = await run(program, all, { cwd: root, maxBuffer: OUTPUT_BYTES });
    return stdout + stderr;
  }

  async isHealthy(...services: string[]): Promise<void> {
    for (const service of services) {
      let last = "";
      const check = async () => {
        last = await this.inspect(service, "{{.State.Health.Status}}");
        return last === "healthy";
      };
      await until(`${service} is healthy`, check, () => last);
    }
  }

  /** Not by the engine: it would not start again what it was told to end. */
  async kill(service: string): Promise<void> {
    const started = () => this.inspect(service, "{{.State.StartedAt}}");
    const before = await started();
    const pid = Number(await this.inspect(service, "{{.State.Pid}}"));
    if (!(pid > 1)) throw new Error(`${service} does not run.`);
    process.kill(pid, "SIGKILL");
    await until(`${service} is started again`, async () => (await started()) !== before);
  }

  async runIn(service: string, script: string): Promise<string> {
    return docker("exec", await this.#container(service), "sh", "-c", script);
  }

  async inspect(service: string, format: string): Promise<string> {
    return docker("inspect", "--format", format, await this.#container(service));
  }

  /** From here on the bot's workspaces go with the project. */
  async readInstance(): Promise<void> {
    this.#instance = readInstance(await this.runIn("bot", "cat /data/instance.json"));
  }

  /** Throws unless the workspaces of the bot's threads run in containers of the image. */
  async hasWorkspacesOf(image: string): Promise<void> {
    const own = ["--filter", `label=deckhand.instance=${this.#instance}`, "--format", "{{.Names}}"];
    const names = (await listed("ps", ...own)).filter((name) => !name.includes("-pool-"));
    const images = await listed("inspect", "--format", "{{.Image}}", ...names);
    const wanted = await docker("image", "inspect", "--format", "{{.Id}}", image);
    if (images.some((one) => one !== wanted))
      throw new Error(`The workspaces are of ${images.join(", ")} and not of ${wanted}.`);
  }

  /** Stops the bot, removes everything, and throws where something is left. Resolves with the seconds of the stop. */
  async leave(): Promise<number> {
    const from = performance.now();
    await this.compose(["stop", "bot"]);
    const seconds = (performance.now() - from) / 1000;
    if (seconds > MOST_STOP_SECONDS) throw new Error(`The bot took ${seconds} s to stop.`);
    const code = await this.inspect("bot", "{{.State.ExitCode}}");
    if (code !== "0") throw new Error(`The bot ended with ${code}.`);
    await this.#remove();
    const left = await this.#leftovers();
    if (left.length > 0) throw new Error(`Left behind: ${left.join(" ")}`);
    return seconds;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Without its settings all of it is gone already.
    if (existsSync(this.#envFile)) await this.#remove();
  }

  async #remove(): Promise<void> {
    await this.compose(["down", "--volumes", "--remove-orphans"]).catch(console.error);
    if (this.#instance !== undefined) await removeInstance(this.#instance);
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #container(service: string): Promise<string> {
    const labels = [`project=${this.name}`, `service=${service}`];
    const filters = labels.flatMap((label) => ["--filter", `label=com.docker.compose.${label}`]);
    const [id] = await listed("ps", "--all", "--quiet", ...filters);
    if (!id) throw new Error(`There is no container of ${service}.`);
    return id;
  }

  async #leftovers(): Promise<string[]> {
    const project = ["--quiet", "--filter", `label=com.docker.compose.project=${this.name}`];
    const instance = ["--quiet", "--filter", `label=deckhand.instance=${this.#instance}`];
    const found = await Promise.all([
      listed("ps", "--all", ...project),
      listed("volume", "ls", ...project),
      listed("network", "ls", ...project),
      listed("ps", "--all", ...instance),
      listed("volume", "ls", ...instance),
    ]);
    const before = await this.#before;
    const nameless = (await namelessVolumes()).filter((volume) => !before.includes(volume));
    return [...found.flat(), ...nameless];
  }
}

/** Volumes that no one uses and that an image asked for: they carry no label of their project. */
async function namelessVolumes(): Promise<string[]> {
  const unused = await listed("volume", "ls", "--quiet", "--filter", "dangling=true");
  return unused.filter((name) => /^[0-9a-f]{64}$/.test(name));
}

async function docker(...args: string[]): Promise<string> {
  return (await run("docker", args)).stdout.trim();
}
