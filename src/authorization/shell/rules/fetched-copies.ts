import { operandsOf } from "../options.ts";
import type { Call, Inspector, Rule } from "../rule.ts";
import { isUnknown, literalWord } from "../word.ts";

/** The same rule, unless files are only fetched into the sandbox: `aws s3 cp s3://b/k .`, `docker cp web:/x .` */
export function orFetches(rule: Rule): Rule {
  return (call, inspect) => {
    if (!fetchesCopy(call, inspect)) rule(call, inspect);
  };
}

function fetchesCopy({ args, program }: Call, inspect: Inspector): boolean {
  const words = operandsOf(args, {
    valuedLong: ["profile", "region", "project", "exclude", "include", "endpoint-url", "transfers"],
  });
  const at = words.findIndex(({ shape }) => /^(?:cp|sync|copy|copyto|get|download)$/.test(shape));
  const before = words.slice(0, Math.max(at, 0)).map(({ shape }) => shape);
  if (at < 0 || !before.every((word) => /^(?:s3|storage)$/.test(word))) return false;
  if (args.some(({ shape }) => /^--?(?:delete|move|d$)/.test(shape))) return false;
  const [source, target = literalWord("."), ...others] = words.slice(at + 1);
  const remote = program === "mc" ? /^\w[\w-]*\/\w/ : /^(?:[a-z][a-z0-9]*:\/\/|[\w.-]+:)/;
  if (!source || others.length > 0 || !remote.test(source.shape)) return false;
  if (remote.test(target.shape) || isUnknown(target)) return false;
  inspect.notes(`${program} fetches files`);
  if (target.shape === "-") return true;
  inspect.touches(target);
  inspect.downloads(target.shape === "." ? undefined : target);
  return true;
}
