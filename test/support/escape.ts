import { randomUUID } from "node:crypto";
import Docker from "dockerode";
import type { OperationResult } from "../../src/contract/tools/operation.ts";

/** Where attempts run: a container without our hardening, or a real workspace. */
export interface Arena {
  readonly kind: "control" | "workspace";
  readonly container: string;
  /** What the workload can do: a bash script. Resolves with its output. */
  run(script: string, options?: { user?: number; signal?: AbortSignal }): Promise<string>;
  /** What the model can do: a call of a workspace's tool. */
  call(tool: string, args: object, options?: { id?: string }): Promise<OperationResult>;
  /** Root from outside the workload, through the engine. */
  look(script: string): Promise<string>;
  /** All that clients of the container's server were sent so far. */
  said?(): Promise<string>;
  close?(): void;
  /** Somebody else's thread: in a workspace of its own, or, in the control, in the same container. */
  readonly neighbour?: Arena;
}

/** Two words that nobody can guess; the secret's appearance in the evidence proves that an attempt succeeded. */
export interface Marks {
  readonly name: string;
  readonly secret: string;
}

type Step = string | ((arena: Arena, marks: Marks) => Promise<unknown>);

export interface Attempt {
  readonly title: string;
  readonly control?: string;
  /** Run by root from outside beforehand. In a script NAME and SECRET stand for the attempt's two words. */
  readonly plant?: Step;
  readonly attack: Step;
  /** The unhardened way to do the same, where our own tool cannot be had without its guards. */
  readonly attackInControl?: Step;
  /** From outside; succeeded when it shows the secret. Without it the attack's own answer is what must not show it. */
  readonly evidence?: Step;
  readonly cleanUp?: Step;
  /** Runs the control's attack as this user instead of root. */
  readonly controlUser?: number;
}

export interface AttemptClass {
  readonly name: string;
  readonly control: string;
  readonly attempts: readonly Attempt[];
  /** A second workspace and the bot are measured meanwhile. */
  readonly exhausts?: boolean;
}

/** Whether the attempt got what it wanted there. */
export async function succeeds(
  attempt: Attempt,
  arena: Arena,
  values: Readonly<Record<string, string>>,
): Promise<boolean> {
  const marks = { name: `n${randomUUID().slice(0, 12)}`, secret: `s${randomUUID().slice(0, 12)}` };
  const fill = (text: string) =>
    Object.entries({ ...values, ...wordsOf(marks) }).reduce(
      (filled, [word, value]) => filled.replaceAll(word, value),
      text,
    );
  const take = async (step: Step, run: (script: string) => Promise<unknown>) =>
    textOf(await (typeof step === "string" ? run(fill(step)) : step(arena, marks)));
  const look = (script: string) => arena.look(script);
  if (attempt.plant) await take(attempt.plant, look);
  const attack =
    arena.kind === "control" ? (attempt.attackInControl ?? attempt.attack) : attempt.attack;
  const user = attempt.controlUser;
  const answer = await take(attack, (script) =>
    arena.run(script, user === undefined ? {} : { user }),
  );
  const shown = attempt.evidence ? await take(attempt.evidence, look) : answer;
  if (attempt.cleanUp) await take(attempt.cleanUp, look);
  return shown.includes(marks.secret);
}

/** NAM[E] is the name as a pattern that does not find itself. */
function wordsOf({ name, secret }: Marks): Record<string, string> {
  return { NAME: name, SECRET: secret, "NAM[E]": `${name.slice(0, -1)}[${name.slice(-1)}]` };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Until the job in the background has ended, or become the process that stays. */
export const SETTLED = `for i in $(seq 40); do kill -0 $! 2> /dev/null || break
pgrep -f '^NAM[E] 30' > /dev/null && break; sleep 0.05; done`;

/** The kernel grants the condition: only then does a process of that name stay, and the engine sees it. */
export function granted(title: string, condition: string, more: Partial<Attempt> = {}): Attempt {
  return {
    title,
    attack: `(${condition} && exec -a NAME sleep 30) > /dev/null 2>&1 & ${SETTLED}`,
    ...REMAINS,
    ...more,
  };
}

/** The same for a program that starts the process itself. */
export const REMAINS: Pick<Attempt, "evidence" | "cleanUp"> = {
  evidence: async ({ container }, { name, secret }) => {
    return (await processesOf(container)).includes(`${name} 30`) ? secret : "";
  },
  cleanUp: "pkill -KILL -f 'NAM[E] 30'; true",
};

/** Command lines of all that runs in a container, as the engine sees it; a line per thread if asked. */
export async function processesOf(container: string, { threads = false } = {}): Promise<string[]> {
  const ps_args = threads ? "-eLo pid,args" : "-eo pid,args";
  const table: { Processes: string[][] } = await engine.getContainer(container).top({ ps_args });
  return table.Processes.map((columns) => columns.slice(1).join(" "));
}

const engine = new Docker();

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
