import { highest, type Level } from "../../contract/permission/level.ts";
import type { Shell } from "../../contract/workspace/shell.ts";
import type { CodeReport } from "./code-report.ts";
import type { SeenHost, SeenRemote } from "./seen-host.ts";

export interface Reason {
  readonly risk: Level;
  readonly why: string;
  /** The part of the command that it is about. */
  readonly segment: string;
}

export interface CommandClass {
  readonly risk: Level;
  /** sudo or doas stands somewhere in it. */
  readonly asksRoot: boolean;
  /** Every program and builtin that could run, as written and by its last name. Never too few for what runs unasked. */
  readonly programs: readonly string[];
  /** The worst first. */
  readonly reasons: readonly Reason[];
  /** Paths it writes, as far as the text tells them; absolute where the directory is known. */
  readonly writes: readonly string[];
  /** It removes or overwrites work of the workspace, which only a checkpoint brings back. */
  readonly discards: boolean;
  /** The files that it executes; absent for what is typed into a terminal. */
  readonly code?: CodeReport;
  /** Why its text could not be read as bash reads it. Then `risk` is at least click and the lists may be incomplete. */
  readonly unparsed?: string;
  /** What a timed grant is for: "git commit". Absent when such a grant would cover more than was seen. */
  readonly grantKey?: string;
  /** It may reach other machines, so that a timed grant covers these very words alone. */
  readonly mayRepeat?: boolean;
  /** Hosts that it names, in its own spelling. */
  readonly hosts?: readonly SeenHost[];
  /** Remotes of repositories that it reaches by their names. */
  readonly remotes?: readonly SeenRemote[];
  /** It is one call of a program, without redirections and variables. */
  readonly isOneCall?: boolean;
}

/** What the guard knows about the shell that a command is for. */
export interface ShellPlace {
  readonly workspaceDir: string;
  readonly homeDir: string;
  /** Where the shell stands; the workspace when left out. */
  readonly cwd?: string;
  /** The line is typed at a prompt: history expansion (`!!`) happens before anything else. */
  readonly typed?: boolean;
  /** The shell that reads it; bash when left out. */
  readonly shell?: Shell;
  /** Some host is open to what runs there, so that data and requests can leave. */
  readonly isOnline?: boolean;
}

const LEVELS: readonly Level[] = ["free", "click", "phrase"];

export function worstFirst(reasons: readonly Reason[]): Reason[] {
  return [...reasons].sort((a, b) => LEVELS.indexOf(b.risk) - LEVELS.indexOf(a.risk));
}

/** Several commands that run one after another, as one. */
export function combined(classes: readonly CommandClass[]): CommandClass {
  const [only, ...others] = classes;
  if (only && others.length === 0) return only;
  const unparsed = classes.find((one) => one.unparsed !== undefined)?.unparsed;
  return {
    risk: highest(classes.map((one) => one.risk)),
    asksRoot: classes.some((one) => one.asksRoot),
    programs: [...new Set(classes.flatMap((one) => one.programs))],
    reasons: worstFirst(classes.flatMap((one) => one.reasons)),
    writes: [...new Set(classes.flatMap((one) => one.writes))],
    discards: classes.some((one) => one.discards),
    hosts: classes.flatMap((one) => one.hosts ?? []),
    remotes: classes.flatMap((one) => one.remotes ?? []),
    ...(unparsed === undefined ? {} : { unparsed }),
  };
}
