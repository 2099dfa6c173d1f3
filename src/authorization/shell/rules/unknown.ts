import { operandsOf } from "../options.ts";
import { type Call, type Inspector, writesOutputs } from "../rule.ts";
import { literalWord, readable, type Word } from "../word.ts";
import { actsElsewhere, asksAndSends, isLogin } from "./places.ts";
import { hasDeletingOption } from "./queues.ts";
import { printedTexts } from "./upstream.ts";

/** Verbs that mean the same in nearly every program that has them. */
const PUBLISHES = /^(?:publish|unpublish|yank)$/;
const ENDS =
  /^(?:[\w-]+:)*(?:delete|deleteall|purge|destroy|terminate|undeploy|decommission|deprovision|teardown|nuke)(?:[-_][\w-]+)?$/;
const ACTS =
  /^(?:[\w-]+:)*(?:deploy|apply|upload|push|release|trigger|reboot|rollback|promote|failover|grant|revoke|invite|enroll|provision|gh-deploy)(?:-[\w-]+)?$/;
/** `! COMMAND`, `\\! COMMAND`, `:!COMMAND`: prompts of many programs start another one this way. */
const ESCAPES_TO_SHELL = /^\s*[\\:.~]?!+\s*(\S.*)$/gm;

/** A program without a rule: its verb and the names of its options still tell something. */
export function judgeUnknown({ args, program, written, input }: Call, inspect: Inspector): void {
  writesOutputs(args, inspect);
  for (const text of printedTexts(input) ?? [])
    for (const [, code = ""] of text.matchAll(ESCAPES_TO_SHELL)) {
      inspect.hides("hands a program lines that start others");
      inspect.mayRun([literalWord(code.replaceAll(/^exec\s+|["']/g, ""))]);
    }
  for (const code of startedByOptions(args)) inspect.runsCode(code, "an option");
  // A file of the workspace may have any verb; what it does stays in the workspace.
  if (written.includes("/") || args.some(({ shape }) => /^--(?:dry-?run|help)$/.test(shape)))
    return;
  if (args.some(isLogin) || logsIn(args))
    asksAndSends("hands a program the login of another machine", inspect);
  const verbs = operandsOf(args)
    .slice(0, 3)
    .map(({ shape }) => readable(shape));
  actsElsewhere({ program, args }, inspect);
  if (hasDeletingOption(args)) inspect.phrase(`${program} permanently deletes or stops something`);
  if (verbs.some((verb) => PUBLISHES.test(verb))) inspect.phrase(`${program} publishes`);
  if (verbs.some((verb) => ENDS.test(verb)))
    inspect.phrase(`${program} permanently deletes or stops something`);
  if (ACTS.test(verbs[0] ?? ""))
    inspect.click(`${program} ${verbs[0]} may act outside the sandbox`);
}

const STARTS =
  /^--(?:editor|pager|shell|browser|viewer|opener|rsh|rsh-command|ssh|ssh-command|exec|on-[a-z]+|(?:pre|post)-?(?:hook|cmd|command|script|exec))(?:=(.+))?$/s;

/** `--pager 'ssh web1'`: the programs that such options name in nearly every program that has them. */
function startedByOptions(args: readonly Word[]): Word[] {
  return args.flatMap(({ text, shape }, index) => {
    const [option, attached] = STARTS.exec(shape) ?? [];
    if (option === undefined) return [];
    const next = args[index + 1];
    if (attached !== undefined) return [{ text, shape: attached }];
    return next && !next.shape.startsWith("-") ? [next] : [];
  });
}

/** `--host db1 --password x`: a secret, and a machine to hand it to. */
function logsIn(args: readonly Word[]): boolean {
  const has = (pattern: RegExp) => args.some(({ shape }) => pattern.test(shape));
  return (
    has(/^--(?:host|hostname|server|url|endpoint|address|target|remote)(?:=|$)/) &&
    has(/^--(?:password|passwd|pass|token|api-?key|access-token|auth-token|secret)(?:=|$)/)
  );
}
