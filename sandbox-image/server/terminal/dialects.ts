import { join } from "node:path";
import type { Shell } from "../../../src/contract/workspace/shell.ts";
import type { ServerSettings } from "../settings.ts";

/** How a terminal starts one kind of shell and has it run a command. */
export interface Dialect {
  /** Of the shell, its own name first. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Files in the terminal's directory that have to be there when the shell starts. */
  readonly files: Readonly<Record<string, string>>;
  /** Brings the integration in by keyboard, for a shell whose own files have taken it away. */
  readonly sourceLine: string;
  /** The content of the file `run`, and the keystrokes that have the shell run it. */
  prepare(command: string, directory: string | undefined): RunFile;
}

interface RunFile {
  readonly text: string;
  readonly keystrokes: string;
  /** The content of the file `enter`: the directory for this command, or nothing. */
  readonly enter?: string;
}

/** End of line, then discard all of it: whatever stood half typed at the prompt goes. */
const CLEAR_LINE = "\x05\x15";
/** No key sends it; the integrations of zsh and fish bind it. */
const RUN_KEY = "\x1b[27;33;133~";

export function dialectOf(shell: Shell, settings: ServerSettings, directory: string): Dialect {
  const integration = (name: Shell) => join(settings.integrationDir, `shell-integration.${name}`);
  const source = (name: Shell) => `. ${integration(name)} ${directory}`;
  // A bash inside of any shell finds the integration by this variable.
  const nested = { PROMPT_COMMAND: `\${__deckhand_hook:-${source("bash")}}` };
  if (shell === "zsh") return zsh(source("zsh"), { directory, nested });
  if (shell === "fish") return fish(source("fish"), { directory, nested });
  return bash(source("bash"), { directory, nested });
}

interface Place {
  readonly directory: string;
  readonly nested: Readonly<Record<string, string>>;
}

function bash(source: string, { directory, nested }: Place): Dialect {
  return {
    args: ["bash", "-il"],
    environment: nested,
    files: {},
    sourceLine: ` ${source}\r`,
    prepare: (command, wanted) => ({
      text: script(command, wanted, {
        reload: `{ builtin declare -F __deckhand_done >/dev/null || ${source}; } 2>/dev/null`,
        keep: 'builtin history -s -- "$__deckhand_text"',
      }),
      keystrokes: `${CLEAR_LINE} builtin eval "$(<${join(directory, "run")})"\r`,
    }),
  };
}

function zsh(source: string, { directory, nested }: Place): Dialect {
  return {
    args: ["zsh", "-il"],
    environment: { ...nested, ZDOTDIR: directory },
    files: { ".zshenv": `${source}\n` },
    sourceLine: ` ${source}\r`,
    prepare: (command, wanted) => ({
      text: script(command, wanted, {
        reload: `{ (( $+functions[__deckhand_done] )) || ${source}; } 2>/dev/null`,
        keep: 'builtin print -sr -- "$__deckhand_text"',
      }),
      keystrokes: RUN_KEY,
    }),
  };
}

function fish(source: string, { nested }: Place): Dialect {
  return {
    args: ["fish", "-il", "--init-command", source],
    environment: nested,
    files: {},
    sourceLine: ` ${source}\r`,
    prepare: (command, wanted) => ({
      text: command,
      enter: wanted ?? "",
      keystrokes: RUN_KEY,
    }),
  };
}

/**
 * A command is evaluated at top level, so that `cd`, `export` and `declare` last, and as a whole, so that an open quote
 * is an error and not a wait.
 */
function script(
  command: string,
  directory: string | undefined,
  { reload, keep }: { readonly reload: string; readonly keep: string },
): string {
  const enter = directory === undefined ? "" : `__deckhand_enter ${quote(directory)}`;
  return [
    reload,
    `{ __deckhand_text=${quote(command)}; ${keep}; } 2>/dev/null`,
    `{ builtin printf '\\e]133;S;%s\\a' "$__deckhand_nonce"; } 2>/dev/null`,
    enter && `${enter} || __deckhand_text='__deckhand_status 1'`,
    '{ __deckhand_status "$__deckhand_last"; } 2>/dev/null',
    'builtin eval -- "$__deckhand_text"',
    // A simple command: after an open quote inside eval, bash would stumble over a brace here.
    "__deckhand_done $? 2>/dev/null",
  ].join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
