import { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../../../src/contract/operation.ts";
import { codeOf } from "../error-code.ts";
import type { ServerSettings } from "../settings.ts";

/** End of line, then discard all of it: whatever stood half typed at the prompt goes. */
const CLEAR_LINE = "\x05\x15";

/**
 * A directory of one terminal: how the server tells its shell things that the environment must not carry. Other
 * processes of the user can read it, so it holds nothing that makes a mark of the terminal's own shell.
 */
export class ShellFiles {
  readonly directory: string;
  readonly #integration: string;
  readonly #nestedNonce: string;

  constructor(settings: ServerSettings, name: string, nestedNonce: string) {
    this.directory = join(settings.scratchDir, name);
    this.#integration = settings.shellIntegration;
    this.#nestedNonce = nestedNonce;
    this.#lay("nested", `${nestedNonce}\n`);
  }

  /** Loads the integration at the first prompt of the login shell and of every shell below it. */
  get environment(): Record<string, string> {
    return { PROMPT_COMMAND: `\${__deckhand_hook:-${this.#source}}` };
  }

  /** The same by keyboard, for a shell whose own files set another PROMPT_COMMAND. */
  get sourceLine(): string {
    return ` ${this.#source}\r`;
  }

  get #source(): string {
    return `. ${this.#integration} ${this.directory}`;
  }

  /**
   * Lays a command down in a file and gives the keystrokes that run it. It is evaluated at top level, so
   * that `cd`, `export` and `declare` last, and as a whole, so that an open quote is an error and not a wait.
   */
  prepare(command: string, directory?: string): string {
    const enter = directory === undefined ? "" : `__deckhand_enter ${quote(directory)}`;
    const script = [
      `{ builtin declare -F __deckhand_done >/dev/null || ${this.#source}; } 2>/dev/null`,
      `{ __deckhand_text=${quote(command)}; builtin history -s -- "$__deckhand_text"; } 2>/dev/null`,
      `{ builtin printf '\\e]133;S;%s\\a' "$__deckhand_nonce"; } 2>/dev/null`,
      enter && `${enter} || __deckhand_text='__deckhand_status 1'`,
      '{ __deckhand_status "$__deckhand_last"; } 2>/dev/null',
      'builtin eval -- "$__deckhand_text"',
      // A simple command: after an open quote inside eval, bash would stumble over a brace here.
      "__deckhand_done $? 2>/dev/null",
    ];
    this.#lay("run", script.join("\n"));
    return `${CLEAR_LINE} builtin eval "$(<${join(this.directory, "run")})"\r`;
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
    : `${directory} cannot be written (${code}). Remove what stands in its way with delete_file`;
  const message = `No command can be started: ${why}, then try again.`;
  return new ToolError("executionFailed", message, {}, { cause });
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
