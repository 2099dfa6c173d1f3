import { startedWords } from "../launchers.ts";
import { type Call, type Inspector, writesOutputs } from "../rule.ts";
import { literalWord, readable, type Word } from "../word.ts";
import {
  actsOnServed,
  doingOf,
  endsEverywhere,
  endsServed,
  endsSomething,
  verbOnKind,
  verbsAmong,
} from "./client-verbs.ts";
import { judgeSql } from "./databases.ts";
import { actsElsewhere, asksAndSends, emptiesDatabase, isLogin, isProduction } from "./places.ts";
import { hasDeletingOption } from "./queues.ts";
import { printedTexts } from "./upstream.ts";
import { OUTWARD } from "./verbs.ts";

/** Verbs that mean the same in nearly every program that has them. */
const PUBLISHES = /^(?:publish|unpublish|yank)$/;
/** `cloud-nuke`, `db-purge`: named after what they do. */
const ENDS_BY_NAME = /(?:^|[-_])(?:nuke|purge|destroy|terminate)(?:$|[-_])/;
/** Verbs of clients alone: what works on files here has no use for them. */
const REACHES_OUT =
  /^(?:[\w-]+:)*(?:deploy|apply|upload|push|release|trigger|reboot|rollback|promote|failover|switchover|takeover|grant|revoke|invite|enroll|provision|send|produce|notify|broadcast|tweet|post|share|declare|resolve|close|reopen|ack|acknowledge|escalate|approve|submit|transfer|drain|cordon|evict|suspend|ssh|scp|sftp|port-forward|login|signin|gh-deploy)(?:-[\w-]+)?$/;
/** An option that has a program do what it otherwise only tries. */
const FOR_REAL = /^--(?:execute|no-dry-?run|really|for-real|commit-changes)$/;
/** `acmectl`, `acmecloud`: named after what they control. */
const CONTROLS = /(?:ctl|adm|-admin|-client|cloud)$/;
/** `launchdarkly-cli`: named after whose client it is. Many that work here have such names, too. */
const IS_CLIENT = /-cli$/;
/** Alone in front of a name these remove something, and with an option that forbids questions for good. */
const REMOVES = /^(?:rm|remove|drop|del|dismiss|wipe|erase|reset)$/;
const INSISTS =
  /^(?:-[a-zA-Z]*f[a-zA-Z]*|-y|--(?:force|yes|no-?prompt|auto-approve|all|purge|confirm|no-input))$/;
/** What something that runs elsewhere is made of, or whom it is for. */
const SERVED_OPTION =
  /^--(?:image|replicas|namespace|plan|instance-type|machine-type|email|subject|channel|priority|assignee|ssh|context|recipient|amount|currency|severity|runtime-env)(?:=|$)/;
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
  if (written.includes("/") && args.some(isProduction) && OUTWARD.test(program))
    asksAndSends(`${program} probably acts in production`, inspect);
  // A file of the workspace may have any verb; what it does stays in the workspace.
  if (written.includes("/") || args.some(({ shape }) => /^--(?:dry-?run|help)$/.test(shape)))
    return;
  if (args.some(isLogin) || logsIn(args))
    asksAndSends("hands a program the login of another machine", inspect);
  const verbs = verbsAmong(args.filter((_, index) => !isMachineOfOption(args, index)));
  const first = verbs.slice(0, 3);
  actsElsewhere({ program, args }, inspect);
  judgeSql(call, inspect);
  const deletes = hasDeletingOption(args) || first.some(endsEverywhere);
  const onKind = startedWords(call) ? undefined : verbOnKind(verbs);
  const removes = REMOVES.test(verbs[0] ?? "");
  const isGone =
    deletes ||
    verbs[0] === "uninstall" ||
    endsServed(verbs) ||
    (args.length > 0 && ENDS_BY_NAME.test(program)) ||
    endsSomething(onKind === undefined ? [] : [onKind]) ||
    (removes && args.some(({ shape }) => INSISTS.test(shape)));
  if (isGone) inspect.phrase(`${program} permanently deletes or stops something`);
  else if (removes && verbs.length > 1) inspect.click(`${program} removes something`);
  if (first.some((verb) => PUBLISHES.test(verb))) inspect.phrase(`${program} publishes`);
  if (
    args.some(({ shape }) => FOR_REAL.test(shape)) &&
    doingOf(verbs, { mayWork: true }) !== "works"
  )
    inspect.click(`${program} may act outside the sandbox`);
  if (CONTROLS.test(program) || args.some(namesMachine) || args.some(isProduction))
    judgeClient(call, verbs, inspect);
  else if (
    reachesOut(first) ||
    actsOnServed(verbs) ||
    onKind !== undefined ||
    ((IS_CLIENT.test(program) || args.some(({ shape }) => SERVED_OPTION.test(shape))) &&
      doingOf(verbs, { mayWork: true }) === "acts")
  )
    inspect.click(`${program} ${verbs[0]} may act outside the sandbox`);
}

/** `--server db1`: the machine is no verb. */
function isMachineOfOption(args: readonly Word[], index: number): boolean {
  return (
    MACHINE.exec(args[index - 1]?.shape ?? "")?.[1] === undefined &&
    MACHINE.test(args[index - 1]?.shape ?? "")
  );
}

function isVerb(word: string | undefined): boolean {
  return /^@|^[a-z]+(?:[-:][a-z]+)*$/.test(word ?? "");
}

/** What controls another machine asks for everything that is not known to look or to work here. */
function judgeClient({ program, args }: Call, verbs: readonly string[], inspect: Inspector): void {
  const words = verbs.slice(0, 4);
  if (endsSomething(words)) inspect.phrase(`${program} permanently deletes or stops something`);
  const doing = doingOf(words, { mayWork: true });
  const acts = isVerb(words[0]) ? doing !== "looks" && doing !== "works" : doing === "acts";
  if (acts || args.some(({ shape }) => ACTS_BY_OPTION.test(shape)))
    asksAndSends(`${program} ${words[0] ?? ""} acts on another machine`, inspect);
}

/** `--alter='add column'`, `--disable`: a verb that is written as an option. */
const ACTS_BY_OPTION =
  /^--(?:execute|alter|enable|disable|restart|promote|failover|restore|apply|update|create)(?:=|$)/;

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
