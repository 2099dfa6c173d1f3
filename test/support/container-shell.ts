import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

/**
 * Runs scripts in a container one after the other, outside of its terminals and with a clean environment. One
 * `docker exec` serves them all, because starting one takes longer than most scripts.
 */
export class ContainerShell implements Disposable {
  readonly #shell: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();

  /** In /workspace. */
  constructor(container: string, user: "agent" | "root" = "agent") {
    const [id, home] = user === "root" ? ["0:0", "/root"] : ["1000:1000", "/home/agent"];
    const place = ["-u", id, "-w", "/workspace", "-e", `HOME=${home}`];
    this.#shell = spawn("docker", ["exec", "-i", ...place, container, "bash", "-p"]);
    this.#lines = createInterface(this.#shell.stdout)[Symbol.asyncIterator]();
  }

  /** The script's standard output. Throws when the script fails. */
  run(script: string): Promise<string> {
    const result = this.#last.then(() => this.#runNow(script));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #runNow(script: string): Promise<string> {
    const end = `end-${randomUUID()}`;
    const encoded = Buffer.from(script).toString("base64");
    this.#shell.stdin.write(
      `bash -p -c "$(base64 -d <<< ${encoded})" 2> /dev/null < /dev/null; printf '\\n%s %s\\n' ${end} $?\n`,
    );
    const output: string[] = [];
    for (;;) {
      const { value: line, done } = await this.#lines.next();
      if (done) throw new Error("The container's shell has ended.");
      if (line.startsWith(end)) {
        if (line !== `${end} 0`)
          throw new Error(`The script ended with ${line.slice(end.length)}.`);
        return output.join("\n").trim();
      }
      output.push(line);
    }
  }

  [Symbol.dispose](): void {
    this.#shell.stdin.end();
    this.#shell.kill();
  }
}
