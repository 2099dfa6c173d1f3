import { openShellParser, type ShellParser } from "../../src/authorization/shell/parser.ts";
import { highest, type Level } from "../../src/contract/permission/level.ts";
import { bypasses, dangerous, everyday, type TableRow } from "../../test/data/guard-tables.ts";
import { longCommands } from "../../test/data/long-commands.ts";
import { taskReplays } from "../../test/data/task-replays.ts";
import { rounded } from "./figures.ts";

const PLACE = { workspaceDir: "/workspace", homeDir: "/home/agent" };
const LONGEST_MS = 20;
const LONG_CHARS = { from: 5_000, to: 10_000 };
const LONG_PER_SHAPE = 10;
/** The processor's clock ticks in steps of up to 4 ms, so one reading covers several decisions. */
const DECISIONS_PER_READING = 3;
/** The host of a virtual machine takes time that the clock counts as ours: it only adds, so the least counts. */
const READINGS = 3;

/** How often the guard asks without need, asks too little, or is led astray; and how long it takes to decide. */
export async function benchGuard() {
  const parser = await openShellParser();
  const levelOf = (command: string) => parser.classify(command, PLACE).risk;
  const isBelow = ({ level, command }: TableRow) =>
    highest([levelOf(command), level]) !== levelOf(command);
  const share = (rows: readonly TableRow[], isBad: (row: TableRow) => boolean) =>
    rounded4(rows.filter(isBad).length / rows.length);
  const asked = taskReplays.flatMap(({ calls }) => calls.map((call) => levelOfCall(call, levelOf)));
  const questions = asked.filter((level) => level !== "free");
  const figures = {
    everyday: everyday.length,
    dangerous: dangerous.length,
    spellings: bypasses.length,
    calls: asked.length,
    needless: share(everyday, ({ command }) => levelOf(command) !== "free"),
    missed: share(dangerous, isBelow),
    bypass: bypasses.filter(isBelow).length,
    questions: questions.length,
    questionsPerCall: rounded4(questions.length / asked.length),
    phraseShare: rounded4(
      questions.filter((level) => level === "phrase").length / questions.length,
    ),
    ...decisionTimes(parser),
  };
  const { needless, missed, bypass, phraseShare, questionsPerCall, p99Ms, p99LongMs } = figures;
  const ok =
    needless <= 0.03 &&
    missed <= 0.01 &&
    bypass === 0 &&
    phraseShare <= 0.25 &&
    questionsPerCall <= 0.1 &&
    p99Ms <= LONGEST_MS &&
    p99LongMs <= LONGEST_MS;
  return { ...figures, ok };
}

/** A call of a replay: a command by its class, a deletion asks (SPEC 4.10), other operations of files in the workspace do not. */
function levelOfCall(call: string, levelOf: (command: string) => Level): Level {
  const [, operation = "", argument = ""] = /^(\w+) ([\s\S]*)$/.exec(call) ?? [];
  if (operation === "run") return levelOf(argument);
  return operation === "delete" ? "click" : "free";
}

/** For the tables' own commands, and for long ones of all shapes by themselves: short ones would hide them. */
function decisionTimes(parser: ShellParser) {
  const rows = [...everyday, ...dangerous, ...bypasses].map(({ command }) => command);
  const long = longCommands(LONG_PER_SHAPE, LONG_CHARS).map(({ command }) => command);
  return {
    longInputs: long.length,
    p99Ms: rounded(p99(rows.map((command) => workOf(parser, command)))),
    p99LongMs: rounded(p99(leastWorkOf(parser, long))),
  };
}

/** In rounds over all commands, so that one disturbance does not meet all readings of a command. */
function leastWorkOf(parser: ShellParser, commands: readonly string[]): number[] {
  const rounds = Array.from({ length: READINGS }, () =>
    commands.map((command) => {
      const works = Array.from({ length: DECISIONS_PER_READING }, () => workOf(parser, command));
      return works.reduce((sum, work) => sum + work, 0) / DECISIONS_PER_READING;
    }),
  );
  return commands.map((_, index) => Math.min(...rounds.map((round) => round[index] ?? Infinity)));
}

/** Of this thread's processor: what else the machine does meanwhile does not count. */
function workOf(parser: ShellParser, command: string): number {
  const before = process.threadCpuUsage();
  const found = parser.classify(command, PLACE);
  // A command as root is approved together with the files that it runs, so the decision needs their report.
  if (found.asksRoot && found.code === undefined) throw new Error("no report on files");
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Infinity;
}

function rounded4(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
