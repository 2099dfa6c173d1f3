import { operandsOf } from "../options.ts";
import type { Call, Rule } from "../rule.ts";
import { literalWord, readable } from "../word.ts";

/** Tools that exist to publish: their verbs do it, or they do it at once. */
export function publisher(verbs: string, { needs = "", unless = "" } = {}): Rule {
  const [publishing, needed, harmless] = [verbs, needs, unless].map(
    (names) => new Set(names.split(" ").filter((name) => name !== "")),
  );
  return ({ args, program }, inspect) => {
    inspect.notes(`${program} works on packages`);
    const words = args.map(({ shape }) => readable(shape));
    if (words.some((word) => harmless?.has(word) || /^--dry-?run$/.test(word))) return;
    const [verb = ""] = operandsOf(args).map(({ shape }) => readable(shape));
    const names = publishing?.size === 0 || publishing?.has(verb);
    const hasNeeded = needed?.size === 0 || words.some((word) => needed?.has(word));
    if (names && hasNeeded) inspect.phrase(`${program} publishes`);
  };
}

/** A publisher whose verbs also delete what was published: `crane delete IMAGE`, `regctl tag delete IMAGE`. */
export function registry(verbs: string): Rule {
  const publishes = publisher(verbs);
  return (call, inspect) => {
    const [verb, object] = operandsOf(call.args).map(({ shape }) => readable(shape));
    if (/^(?:inspect|ls|list|get|digest|manifest|config|history|ratelimit)$/.test(object ?? "")) {
      inspect.notes(`${call.program} looks at images`);
      return;
    }
    publishes(call, inspect);
    if (verb === "delete" || object === "delete") inspect.phrase(`${call.program} deletes images`);
  };
}

/** Build tools publish by one of their goals. */
export function buildTool(goals: RegExp): Rule {
  return ({ args, program }: Call, inspect) => {
    inspect.notes("builds the project");
    if (args.some(({ shape }) => goals.test(readable(shape))))
      inspect.phrase(`${program} publishes`);
    if (args.some(({ shape }) => /^(?:-I|--init-script)/.test(shape)) && /^gradle/.test(program))
      inspect.click("makes gradle run another script first");
    const [executable, words] = ["-Dexec.executable=", "-Dexec.args="].map((option) =>
      args.find(({ shape }) => shape.startsWith(option))?.shape.slice(option.length),
    );
    if (executable)
      inspect.runsCode(literalWord(`${executable} ${words ?? ""}`), "-Dexec.executable");
    inspect.mayRun(args);
  };
}
