import { operandsOf } from "../options.ts";
import { type Call, type Inspector, writesOutputs } from "../rule.ts";
import { literalWord, readable, type Word } from "../word.ts";
import { doingOf, endsSomething, verbsAmong } from "./client-verbs.ts";
import { actsElsewhere, asksAndSends, emptiesDatabase, isLogin } from "./places.ts";
import { hasDeletingOption } from "./queues.ts";
import { printedTexts } from "./upstream.ts";

/** Verbs that mean the same in nearly every program that has them. */
const PUBLISHES = /^(?:publish|unpublish|yank)$/;
const ENDS =
  /^(?:[\w-]+:)*(?:delete|deleteall|purge|destroy|terminate|undeploy|decommission|deprovision|teardown|nuke)(?:[-_][\w-]+)?$/;
/** Verbs of clients alone: what works on files here has no use for them. */
const REACHES_OUT =
  /^(?:[\w-]+:)*(?:deploy|apply|upload|push|release|trigger|reboot|rollback|promote|failover|grant|revoke|invite|enroll|provision|send|notify|broadcast|tweet|post|share|resolve|close|reopen|ack|acknowledge|escalate|approve|submit|transfer|drain|cordon|evict|suspend|login|signin|gh-deploy)(?:-[\w-]+)?$/;
/** `acmectl`, `acmecloud`: named after what they control. */
const CONTROLS = /(?:ctl|adm|-admin|cloud)$/;
/** `! COMMAND`, `\\! COMMAND`, `:!COMMAND`: prompts of many programs start another one this way. */
const ESCAPES_TO_SHELL = /^\s*[\\:.~]?!+\s*(\S.*)$/gm;

/** A program without a rule: its verb and the names of its options still tell something. */
export function judgeUnknown(call: Call, inspect: Inspector): void {
  const { args, program, written, input } = call;
  writesOutputs(args, inspect);
  for (const text of printedTexts(input) ?? [])
    for (const [, code = ""] of text.matchAll(ESCAPES_TO_SHELL)) {
      inspect.hides("hands a program lines that start others");
      inspect.mayRun([literalWord(code.replaceAll(/^exec\s+|["']/g, ""))]);
    }
  for (const code of startedByOptions(args)) inspect.runsCode(code, "an option");
  emptiesDatabase(call, inspect);
  // A file of the workspace may have any verb; what it does stays in the workspace.
  if (written.includes("/") || args.some(({ shape }) => /^--(?:dry-?run|help)$/.test(shape)))
    return;
  if (args.some(isLogin) || logsIn(args))
    asksAndSends("hands a program the login of another machine", inspect);
  const verbs = operandsOf(args)
    .slice(0, 3)
    .map(({ shape }) => readable(shape));
  actsElsewhere({ program, args }, inspect);
  if (hasDeletingOption(args)) inspect.phrase(`${program} deletes or stops something for good`);
  if (verbs.some((verb) => PUBLISHES.test(verb))) inspect.phrase(`${program} publishes`);
  if (verbs.some((verb) => ENDS.test(verb)))
    inspect.phrase(`${program} deletes or stops something for good`);
  if (isVerb(verbs[0]) && (CONTROLS.test(program) || args.some(namesMachine)))
    judgeClient({ program, args }, inspect);
  else if (reachesOut(verbs)) inspect.click(`${program} ${verbs[0]} may act outside the sandbox`);
}

function isVerb(word: string | undefined): boolean {
  return /^[a-z]+(?:[-:][a-z]+)*$/.test(word ?? "");
}

/** What controls another machine asks for everything that is not known to look or to work here. */
function judgeClient({ program, args }: Pick<Call, "program" | "args">, inspect: Inspector): void {
  const words = verbsAmong(args).slice(0, 4);
  if (endsSomething(words)) inspect.phrase(`${program} deletes or stops something for good`);
  const doing = doingOf(words, { mayWork: true });
  if (doing !== "looks" && doing !== "works")
    asksAndSends(`${program} ${words[0]} acts on another machine`, inspect);
}

/** `alert close`, `git push`: the kind of thing may stand before the verb; behind another verb there is none. */
function reachesOut(verbs: readonly string[]): boolean {
  const telling = verbs.find(
    (verb) =>
      REACHES_OUT.test(verb) || /looks|works/.test(doingOf([verb], { mayWork: true }) ?? ""),
  );
  return REACHES_OUT.test(telling ?? "");
}

/** `--server db1`, `--cluster prod`: an option of clients, whose value does not name this machine. */
function namesMachine({ shape }: Word, index: number, args: readonly Word[]): boolean {
  const [option, attached] = MACHINE.exec(shape) ?? [];
  if (option === undefined) return false;
  const value = readable(attached ?? args[index + 1]?.shape ?? "");
  return !/^$|^-|^(?:[a-z]+:\/\/)?(?:localhost|127\.|0\.0\.0\.0|\[?::)/.test(value);
}

const MACHINE =
  /^--(?:host(?:name)?|server(?:-url)?|endpoint(?:-url)?|api-(?:url|endpoint|server)|address|remote|cluster(?:-(?:name|id))?|kube-?config|kube-?context|region|zone|account(?:-id)?|subscription|resource-group|tenant(?:-id)?|org(?:anization)?|bootstrap-servers?|brokers?|bucket|instance-id|(?:db|database)-url)(?:=(.*))?$/s;

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
