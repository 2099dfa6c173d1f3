/** How much a command may do: only read; write what the workspace's user may write; or something a human decides. */
export type Risk = "low" | "medium" | "high";

export interface Reason {
  readonly risk: Risk;
  readonly why: string;
  /** The part of the command that it is about. */
  readonly segment: string;
}

export interface CommandClass {
  readonly risk: Risk;
  /** sudo or doas stands somewhere in it. */
  readonly asksRoot: boolean;
  /** Every program and builtin that could run, as written and by its last name. Never too few for what runs unasked. */
  readonly programs: readonly string[];
  /** The worst first. */
  readonly reasons: readonly Reason[];
  /** Paths it writes, as far as the text tells them; absolute where the directory is known. */
  readonly writes: readonly string[];
  /** Why its text could not be read as bash reads it. Then `risk` is high and the lists may be incomplete. */
  readonly unparsed?: string;
  /** What a timed grant is for: "git commit". Absent when such a grant would cover more than was seen. */
  readonly grantKey?: string;
}

/** What the guard knows about the shell that a command is for. */
export interface ShellPlace {
  readonly workspaceDir: string;
  readonly homeDir: string;
  /** Where the shell stands; the workspace when left out. */
  readonly cwd?: string;
  /** The line is typed at a prompt: history expansion (`!!`) happens before anything else. */
  readonly typed?: boolean;
}

const RISKS: readonly Risk[] = ["low", "medium", "high"];

export function worst(one: Risk, other: Risk): Risk {
  return RISKS.indexOf(one) >= RISKS.indexOf(other) ? one : other;
}

export function worstFirst(reasons: readonly Reason[]): Reason[] {
  return [...reasons].sort((a, b) => RISKS.indexOf(b.risk) - RISKS.indexOf(a.risk));
}

/** Several commands that run one after another, as one. */
export function combined(classes: readonly CommandClass[]): CommandClass {
  const [only, ...others] = classes;
  if (only && others.length === 0) return only;
  const unparsed = classes.find((one) => one.unparsed !== undefined)?.unparsed;
  return {
    risk: classes.reduce<Risk>((risk, one) => worst(risk, one.risk), "low"),
    asksRoot: classes.some((one) => one.asksRoot),
    programs: [...new Set(classes.flatMap((one) => one.programs))],
    reasons: worstFirst(classes.flatMap((one) => one.reasons)),
    writes: [...new Set(classes.flatMap((one) => one.writes))],
    ...(unparsed === undefined ? {} : { unparsed }),
  };
}
