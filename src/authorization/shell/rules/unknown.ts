import { operandsOf } from "../options.ts";
import { type Call, type Inspector, writesOutputs } from "../rule.ts";
import { readable } from "../word.ts";
import { hasDeletingOption } from "./queues.ts";

/** Verbs that mean the same in nearly every program that has them. */
const PUBLISHES = /^(?:publish|unpublish|yank)$/;
const ENDS =
  /^(?:delete|deleteall|purge|destroy|terminate|undeploy|decommission|teardown)(?:[-_][\w-]+)?$/;
const ACTS = /^(?:deploy|apply|upload|push|release|uninstall)(?:-[\w-]+)?$/;

/** A program without a rule: its verb and the names of its options still tell something. */
export function judgeUnknown({ args, program, written }: Call, inspect: Inspector): void {
  writesOutputs(args, inspect);
  // A file of the workspace may have any verb; what it does stays in the workspace.
  if (written.includes("/") || args.some(({ shape }) => /^--(?:dry-?run|help)$/.test(shape)))
    return;
  const verbs = operandsOf(args)
    .slice(0, 3)
    .map(({ shape }) => readable(shape));
  if (hasDeletingOption(args)) inspect.phrase(`${program} deletes or stops something for good`);
  if (verbs.some((verb) => PUBLISHES.test(verb))) inspect.phrase(`${program} publishes`);
  if (verbs.some((verb) => ENDS.test(verb)))
    inspect.phrase(`${program} deletes or stops something for good`);
  if (ACTS.test(verbs[0] ?? ""))
    inspect.click(`${program} ${verbs[0]} may act outside the sandbox`);
}
