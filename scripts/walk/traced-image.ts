import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import type { RanFunction } from "./coverage.ts";

const run = promisify(execFile);
const docker = (args: readonly string[]) => run("docker", args, { maxBuffer: 256 * 1024 * 1024 });
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAMS = ["supervisor", "worker", "one-call"];
const BANNER =
  'require = ((builtin) => (id) => id.startsWith("@lydell/") ? ' +
  'process.getBuiltinModule("node:module").createRequire("/opt/deckhand/worker.js")(id) : builtin(id))(require);';
const DOCKERFILE = `FROM deckhand-sandbox
LABEL deckhand.walk=${process.pid}
COPY supervisor.js worker.js one-call.js prepare /opt/deckhand/
RUN cd /opt/deckhand && sh prepare snapshot && rm prepare
`;

/** The workspace's image with a server that notes which of its functions run. Gone when it is disposed of. */
export class TracedImage implements AsyncDisposable {
  readonly tag = `deckhand-walk-${process.pid}`;
  readonly #bundles = new Map<string, string>();

  static async build(): Promise<TracedImage> {
    const image = new TracedImage();
    const directory = await mkdtemp(join(tmpdir(), "deckhand-walk-"));
    try {
      await image.#bundle(directory);
      await writeFile(join(directory, "Dockerfile"), DOCKERFILE);
      await copyFile(join(ROOT, "sandbox-image/prepare"), join(directory, "prepare"));
      await docker(["build", "--quiet", "--tag", image.tag, directory]);
    } finally {
      await rm(directory, { recursive: true });
    }
    return image;
  }

  /** The container that was made of it; empty while there is none. */
  async container(): Promise<string> {
    const { stdout } = await docker(["ps", "-a", "-q", "--filter", `ancestor=${this.tag}`]);
    return stdout.trim();
  }

  /** What ran before counts no more. */
  async forget(container: string): Promise<void> {
    await docker(["exec", "-u", "0", container, "sh", "-c", "rm -f /tmp/walk-*"]);
  }

  /** What the container's servers ran, in the order in which it was noticed. */
  async ran(container: string): Promise<RanFunction[]> {
    const read = ["exec", "-u", "0", container, "sh", "-c", "cat /tmp/walk-*"];
    const { stdout } = await docker(read);
    const notes = stdout.trim().split("\n").map(asNote);
    return notes.sort((one, other) => one.atMs - other.atMs).flatMap(({ ran }) => ran);
  }

  /** The source file of a function, from the comment that esbuild sets in front of each module. */
  fileOf({ url, offset }: RanFunction): string | undefined {
    const text = this.#bundles.get(url);
    return text
      ?.slice(0, offset)
      .match(/^\/\/ (\S+\.m?[jt]s)$/gm)
      ?.at(-1)
      ?.slice(3);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await docker(["image", "rm", this.tag]);
  }

  async #bundle(outdir: string): Promise<void> {
    await build({
      absWorkingDir: ROOT,
      entryPoints: PROGRAMS.map((name) => `sandbox-image/server/programs/${name}.ts`),
      outdir,
      bundle: true,
      platform: "node",
      target: "node24",
      format: "cjs",
      banner: { js: BANNER },
      plugins: [{ name: "traced", setup: tracedStart }],
    });
    for (const name of PROGRAMS) {
      const text = await readFile(join(outdir, `${name}.js`), "utf8");
      this.#bundles.set(`file:///opt/deckhand/${name}.js`, text);
    }
  }
}

function asNote(line: string): { readonly atMs: number; readonly ran: readonly RanFunction[] } {
  return JSON.parse(line);
}

function tracedStart({ onResolve }: Parameters<import("esbuild").Plugin["setup"]>[0]): void {
  onResolve({ filter: /^\.\/start\.ts$/ }, () => ({
    path: join(ROOT, "scripts/walk/traced-start.ts"),
  }));
}
