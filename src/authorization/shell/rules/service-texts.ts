import type { Call, Inspector } from "../rule.ts";
import { readable } from "../word.ts";

/** Words of protocols after which a service has lost its data: memcached, Redis, ZooKeeper, message queues. */
const EMPTIES =
  /(?<![a-z0-9-])(?:flush_?all|flushdb|deleteall|purge_queue|delete_queue)(?![\w-])|\bchangetype:\s*delete\b/i;

/** Statements after which data is gone: also a deletion without a condition. */
const DROPS =
  /\bdrop\s+(?:[a-z]+\s+){1,2}[\w"`[$*]+|\btruncate\b|\bdelete\s+from\s+[\w."]+\s*(?:;|$)|\.drop(?:Database)?\s*\(|\.deleteMany\s*\(\s*\{\s*\}|\.remove\s*\(\s*\{\s*\}/i;

/** Whether data is gone after a statement. */
export function dropsData(statement: string): boolean {
  return DROPS.test(withoutQuoted(statement));
}

export function withoutQuoted(text: string): string {
  return text.replaceAll(/'[^']*'/g, "''");
}

/** Whether a text that a service gets makes it lose its data; inside quotes a statement is only a value. */
function emptiesService(text: string): boolean {
  return EMPTIES.test(text) || dropsData(text);
}

/** The same for a whole command that hands a service some of its text, in whatever quotes. */
export function mayEmptyService(command: string): boolean {
  return EMPTIES.test(command) || DROPS.test(command);
}

/** A client hands its words, its input and what is printed into it to its service. */
export function judgeSentTexts({ args, input }: Call, inspect: Inspector): void {
  const words = [input, ...input.upstream.map((call) => call.input)].flatMap(
    ({ text }) => text ?? [],
  );
  const printed = input.upstream.flatMap((call) => call.args);
  if ([...args, ...words, ...printed].some(({ shape }) => emptiesService(readable(shape))))
    inspect.phrase("has a service delete its data");
}
