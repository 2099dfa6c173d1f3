import { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { Shell } from "../../../src/contract/workspace/shell.ts";
import { codeOf } from "../error-code.ts";
import type { ServerSettings } from "../settings.ts";
import { type Dialect, dialectOf } from "./dialects.ts";

interface ShellFileOptions {
  readonly name: string;
  readonly shell: Shell;
  readonly nestedNonce: string;
}

interface PrepareOptions {
  readonly directory: string | undefined;
  /** The prompt is that of a bash inside the terminal's own shell. */
  readonly isNested: boolean;
}

/**
 * A directory of one terminal: how the server tells its shell things that the environment must not carry. Other
 * processes of the user can read it, so it holds nothing that makes a mark of the terminal's own shell.
 */
export class ShellFiles {
  readonly directory: string;
  readonly #settings: ServerSettings;
  readonly #dialect: Dialect;
  readonly #nestedNonce: string;

  constructor(settings: ServerSettings, { name, shell, nestedNonce }: ShellFileOptions) {
    this.directory = join(settings.scratchDir, name);
    this.#settings = settings;
    this.#dialect = dialectOf(shell, settings, this.directory);
    this.#nestedNonce = nestedNonce;
    this.#lay("nested", `${nestedNonce}\n`);
    for (const [file, text] of Object.entries(this.#dialect.files)) this.#lay(file, text);
  }

  get dialect(): Dialect {
    return this.#dialect;
  }

  /** Lays a command down in a file and gives the keystrokes that run it, in the terminal's own shell or a bash inside it. */
  prepare(command: string, { directory, isNested }: PrepareOptions): string {
    const dialect = isNested ? dialectOf("bash", this.#settings, this.directory) : this.#dialect;
    const { text, enter, keystrokes } = dialect.prepare(command, directory);
    if (enter !== undefined) this.#lay("enter", enter);
    this.#lay("run", text);
    return keystrokes;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** The workload can take the directory away; then it is made anew. Throws a ToolError that says what keeps it from that. */
  #lay(name: string, text: string): void {
    try {
      this.#write(name, text);
    } catch {
      try {
        for (const path of [dirname(this.directory), this.directory]) makeOwn(path);
        this.#write("nested", `${this.#nestedNonce}\n`);
        this.#write(name, text);
      } catch (error) {
        throw noShellFiles(this.directory, error);
      }
    }
  }

  #write(name: string, text: string): void {
    const path = join(this.directory, name);
    try {
      writeFileSync(path, text, { mode: 0o600 });
    } catch (error) {
      // What is left of a file that did not fit would be run in part.
      rmSync(path, { recursive: true, force: true });
      throw error;
    }
  }
}

/** A directory that this user can enter, whatever is there now. */
function makeOwn(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) rmSync(path);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}

const FULL = new Set(["ENOSPC", "EDQUOT"]);

function noShellFiles(directory: string, cause: unknown): ToolError {
  const code = codeOf(cause);
  const why = FULL.has(code)
    ? `${dirname(dirname(directory))} is full. Delete files there with delete_file`
    : `${directory} cannot be written (${code}). Delete what is in its way with delete_file`;
  const message = `No command can be started: ${why}, then try again.`;
  return new ToolError("executionFailed", message, {}, { cause });
}
