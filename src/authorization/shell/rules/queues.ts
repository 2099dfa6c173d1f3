import { operandsOf } from "../options.ts";
import { absoluteShapes, zoneOf } from "../paths.ts";
import { type Call, each, type Inspector, type Rules, writesOutputs } from "../rule.ts";
import { literalWord, readable, type Word } from "../word.ts";
import { printedTexts } from "./upstream.ts";

/** Queues, whose verbs are options, and SQLite, whose databases are files. */
export const queues: Rules = {
  ...Object.fromEntries(
    "topics consumer-groups configs acls console-consumer console-producer delete-records reassign-partitions leader-election get-offsets log-dirs broker-api-versions metadata-quorum producer-perf-test consumer-perf-test dump-log run-class streams-application-reset mirror-maker"
      .split(" ")
      .flatMap((name) => [`kafka-${name}`, `kafka-${name}.sh`])
      .map((name) => [name, kafka]),
  ),
  ...each("kcat kafkacat", ({ args }, inspect) => {
    if (args.some(({ shape }) => /^-[a-zA-Z]*[PT]/.test(shape)))
      sends("kcat sends messages", inspect);
    else inspect.notes("reads a queue");
  }),
  sqlite3: sqlite,
};

function sends(why: string, inspect: Inspector): void {
  inspect.sends();
  inspect.click(why);
}

function kafka({ args, program }: Call, inspect: Inspector): void {
  const has = (pattern: RegExp) => args.some(({ shape }) => pattern.test(shape));
  if (
    has(/^--(?:delete(?:-[\w-]+)?|remove)$/) ||
    /delete-records|application-reset/.test(program)
  ) {
    if (!has(/^--dry-run$/)) inspect.phrase(`${program} deletes`);
  } else if (
    has(/^--(?:alter|create|add|execute|reset-offsets)$/) ||
    /producer|leader|mirror/.test(program)
  ) {
    if (has(/^--dry-run$/) && !has(/^--execute$/)) inspect.notes("reads a queue");
    else sends(`${program} changes a queue`, inspect);
  } else inspect.notes("reads a queue");
}

/** Statements and commands that only look. */
const LOOKS =
  /^\s*(?:select|explain|with|values|pragma\s+\w+\s*(?:\(\s*\w+\s*\))?\s*;?\s*$|\.(?:tables|schema|indexes|indices|databases|dbinfo|headers?|mode|width|dump|show|help|quit|exit|nullvalue|separator|timer|stats|fullschema)\b)/i;
const CHANGES =
  /\b(?:insert|update|delete|drop|alter|create|replace|attach|vacuum|reindex|into)\b/i;
const EMPTIES = /\bdrop\s+(?:table|view|index|trigger)\b|\bdelete\s+from\s+[\w."]+\s*(?:;|$)/i;

function sqlite(call: Call, inspect: Inspector): void {
  inspect.notes("may change a database file");
  const { args, segment, input } = call;
  if (
    /\.(?:shell|system|load|import \||read\s*\|)|load_extension|writefile|edit\s*\(/i.test(segment)
  )
    inspect.hides("makes sqlite3 start another program");
  for (const [, path] of segment.matchAll(/\.(?:output|once|save|backup|excel)\s+([^\s'"|]+)/g))
    inspect.writes(literalWord(path ?? ""));
  writesOutputs(args, inspect);
  const [database, ...given] = operandsOf(dashedOnce(args), {
    valuedLong: ["cmd", "init", "separator"],
  });
  if (!database) return;
  const texts = [...given.map(({ shape }) => readable(shape)), ...(printedTexts(input) ?? [])];
  const isReadOnly = args.some(({ shape }) => /^--?readonly$/.test(shape));
  const attached = [...segment.matchAll(/\battach\s+(?:database\s+)?["']?([^\s"']+)/gi)].map(
    ([, path]) => literalWord(path ?? ""),
  );
  const looks = texts.length > 0 && texts.every((text) => LOOKS.test(text) && !CHANGES.test(text));
  if ((looks && !input.file) || isReadOnly) return;
  for (const path of [database, ...attached]) changesDatabase(path, texts, call, inspect);
}

/** In the workspace a checkpoint brings a database back; elsewhere nothing does. */
function changesDatabase(
  path: Word,
  texts: readonly string[],
  { directories }: Call,
  inspect: Inspector,
): void {
  if (/^:memory:$|^$/.test(path.shape)) return;
  inspect.mayWrite(path);
  const isOutside = absoluteShapes(path.shape, directories).some(
    (shape) => zoneOf(shape, inspect) === "outside",
  );
  if (isOutside && texts.some((text) => EMPTIES.test(text)))
    inspect.phrase("drops or empties data");
}

/** sqlite3 takes `-cmd` and `--cmd`. */
function dashedOnce(args: readonly Word[]): Word[] {
  return args.map(({ text, shape }) => ({ text, shape: shape.replace(/^-(?=\w{3})/, "--") }));
}

export function hasDeletingOption(args: readonly Word[]): boolean {
  return args.some(({ shape }) =>
    /^--(?:delete|purge|destroy|drop)(?:[-A-Z][\w-]*)?(?:=(?!false|no).*)?$/.test(shape),
  );
}
