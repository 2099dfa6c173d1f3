import { operandsOf } from "../options.ts";
import type { Rule } from "../rule.ts";
import { readable, type Word } from "../word.ts";
import { endsSomething, looksOnly } from "./client-verbs.ts";

/** Tools that act on machines, clusters and accounts elsewhere: only the named verbs pass unasked. */
export function outward({
  reads,
  works = "",
  ends = "",
  publishes = "",
  valued = "",
  valuedLong = [],
  nested = false,
}: Outward): Rule {
  const [reading, working, ending, publishing] = [reads, works, ends, publishes].map(listed);
  return ({ args, program }, inspect) => {
    const words = operandsOf(args, { valued, valuedLong }).map(({ shape }) => readable(shape));
    if (words.length === 0 && args.every(({ shape }) => /^-+(?:v|version|h|help|V)$/.test(shape)))
      return;
    const all = operandsOf(args).map(({ shape }) => readable(shape));
    const text = words.join(" ");
    const begins = (verb: string) => text === verb || text.startsWith(`${verb} `);
    const does = `${program} ${words.slice(0, 2).join(" ")}`;
    if (publishing?.some(begins)) inspect.phrase(`${does} publishes`);
    if (ending?.some(begins) || (endsSomething(all) && !reading?.some(begins)))
      inspect.phrase(`${does} permanently deletes or stops something`);
    if (scalesToZero(args) && !working?.some(begins)) inspect.phrase(`${does} scales to zero`);
    if (reading?.some(begins)) return;
    if (nested && !endsSomething(words) && looksOnly(words)) {
      inspect.notes(`${does} talks to another machine`);
      return;
    }
    if (args.some(isDryRun)) return;
    if (working?.some(begins)) inspect.notes(`${program} works in the sandbox`);
    else {
      inspect.sends();
      inspect.click(`${does} acts outside the sandbox`);
    }
  };
}

/** It only says what it would do. */
export function isDryRun({ shape }: Word): boolean {
  return /^--(?:dry-?run(?:=(?:client|server|true))?|check|preview|plan|syntax-check|list-(?:tasks|hosts|tags))$/.test(
    shape,
  );
}

interface Outward {
  readonly reads: string | readonly string[];
  readonly works?: string | readonly string[];
  /** Delete, destroy or stop for good: a phrase. */
  readonly ends?: string | readonly string[];
  readonly publishes?: string | readonly string[];
  readonly valued?: string;
  readonly valuedLong?: readonly string[];
  /** A kind of thing may stand before the verb. */
  readonly nested?: boolean;
}

function listed(names: string | readonly string[]): readonly string[] {
  return typeof names === "string" ? names.split(" ").filter(Boolean) : names;
}

/** `replicas: 0`, `replicaCount=0`, `"path": "/spec/replicas", "value": 0`. */
const REPLICAS_ZERO =
  /\breplica(?:s|count)["']?\s*[:=]\s*0(?!\d|\.)|\/replicas["'],\s*["']value["']\s*:\s*0(?!\d)/i;

export function scalesToZero(args: readonly Word[]): boolean {
  const texts = args.map(({ shape }) => readable(shape));
  return (
    texts.some(
      (text, index) =>
        /^--(?:desired-count|desired-capacity|replicas|max-size|min-instances|max-instances|max|size|num-nodes|new-capacity|node-count|count|instances|scale|desired-size|nodes)(?:=0)?$/.test(
          text,
        ) &&
        (text.endsWith("=0") || texts[index + 1] === "0"),
    ) ||
    texts.includes("--delete") ||
    texts.some((text) => REPLICAS_ZERO.test(text)) ||
    // heroku ps:scale web=0, fly scale count 0, docker service scale web=0, docker compose up --scale web=0
    (texts.some((text) => /(?:^|:|--)(?:scale|resize)$/.test(text)) &&
      texts.some((text) => /^(?:0|[\w./-]+=0)$/.test(text)))
  );
}
