import { CallInspector, type Reader } from "./call-inspector.ts";
import { executedOperands } from "./code-uses.ts";
import type { ShellPlace } from "./command-class.ts";
import { holdsEnvironment } from "./environment-copies.ts";
import { grantReachOf } from "./grant-reach.ts";
import { startedWords } from "./launchers.ts";
import { absoluteShapes, zoneOf } from "./paths.ts";
import { isLocal } from "./program-names.ts";
import { ruleFor } from "./programs.ts";
import type { Call, Inspector } from "./rule.ts";
import { changesProduction } from "./rules/places.ts";
import { judgeUnknown } from "./rules/unknown.ts";
import { fromEnvironment } from "./rules/upstream.ts";
import { readsWholeHome, showsCredentials } from "./secrets.ts";
import { grantKeyOf } from "./subcommands.ts";
import { isUnknown, type Word } from "./word.ts";
import { writtenCodeRun } from "./written-code.ts";

/** Judges one program that a command starts, by the rule for its name. */
export function judgeCall(written: Call, reader: Reader): void {
  // The route that root takes is bound as written; what it leads to is judged.
  const call = { ...written, args: followLinks(written, reader) };
  const { sheet, scope, effects } = reader;
  judgeCredentials(call, reader);
  if (scope.functions.has(call.written)) {
    reader.callsFunction(call);
    return;
  }
  const local = isLocal(call.written);
  const rule = local ? undefined : ruleFor(call.program);
  sheet.grantKey = local || !rule ? undefined : grantKeyOf(call);
  sheet.grantReach = grantReachOf(call);
  if (rule && onlyAsksForHelp(call)) return;
  const [asked, root] = [sheet.asked, reader.isRoot];
  const inspector = new CallInspector(call, reader);
  const sends = sheet.sendsDuring(() => {
    if (rule) rule(call, inspector);
    else judgeStranger(call, inspector, { local });
    const isExported = (name: string, value: RegExp) =>
      scope.isExported(name) && !!scope.lookup(name, true)?.some((shape) => value.test(shape));
    changesProduction(call, isExported, inspector);
  });
  if (sends && sheet.grantReach === "program") sheet.grantReach = "command";
  if (
    sends &&
    (holdsEnvironment(call, sheet.environmentCopies, scope.directories) ||
      fromEnvironment(call.input))
  )
    inspector.phrase("sends the environment to another machine");
  if (loadsLibrary(call, reader.place))
    inspector.click("loads code from a library outside the project");
  if (readsWholeHome(call, reader.place.homeDir))
    effects.readsCredentials("reads a whole home directory", call.segment);
  if (/^(?:source|\.)$/.test(call.program)) scope.forgetAll();
  if (call.program === "eval" && call.args.some(isUnknown)) scope.forgetAll();
  // A program that people are asked about may be one that starts others.
  if (!rule || sheet.asked > asked) {
    const { text } = call.input;
    reader.mayRun(text ? [...call.args, text] : call.args, call.segment);
  }
  reader.isRoot = root;
}

/** Code that the command wrote runs unasked where its text shows nothing that code is asked for. */
export function judgeWrittenCode(name: Word, call: Call, reader: Reader): void {
  const { authored } = reader.sheet;
  if (authored.size === 0) return;
  for (const { isPlain } of writtenCodeRun(call, executedOperands(name, call), authored)) {
    const objection = isPlain ? reader.objectionToText : "runs a file that it has just written";
    if (objection) reader.hides(objection, call.segment);
  }
}

/** These act on a link itself, and not on what it leads to. */
const KEEPS_LINKS = /^(?:rm|unlink|mv|ln|readlink|ls|stat|file|test|\[|find|trash|rmdir)$/;

function followLinks({ program, args }: Call, { links, scope, effects }: Reader): readonly Word[] {
  if (links.isEmpty) return args;
  const alsoLast = !KEEPS_LINKS.test(program);
  return args.map((arg) => {
    const followed = links.follow(arg, scope.directories, { alsoLast });
    if (followed !== arg) effects.noteChange(arg);
    return followed;
  });
}

/** `ssh -i KEY`, `kubectl --kubeconfig FILE`: the program uses the file, and does not show or send it. */
type UsesIdentity = (before: string, word: string) => boolean;
const isKubeConfig: UsesIdentity = (before, word) =>
  before === "--kubeconfig" || word.startsWith("--kubeconfig=");
const isSshKey: UsesIdentity = (before) => /^-[a-zA-Z]*i$/.test(before);
const IDENTITY_OPTIONS: ReadonlyMap<string, UsesIdentity> = new Map([
  ...["kubectl", "helm", "oc"].map((program) => [program, isKubeConfig] as const),
  ...["ssh", "scp", "sftp", "rsync"].map((program) => [program, isSshKey] as const),
]);

/** They read the files that they are given. */
const READS_FILES =
  /^(?:cat|tac|head|tail|less|more|cp|install|dd|tar|zip|gzip|xz|base64|base32|xxd|od|strings|openssl|gpg|rsync|scp|sftp|curl|wget|nc|ncat|socat|tee|sort|grep|sed|awk|jq)$/;

function judgeCredentials({ program, args, segment }: Call, { effects, isRoot }: Reader): void {
  // Root can read every file, so one that is only known when it runs may be any of them.
  if (isRoot && READS_FILES.test(program) && args.some(isUnknown))
    effects.readsCredentials("root reads files that are known only at run time", segment);
  const usesIdentity = IDENTITY_OPTIONS.get(program);
  for (const [index, word] of args.entries()) {
    if (usesIdentity?.(args[index - 1]?.shape ?? "", word.shape)) continue;
    effects.mayReadCredentials(word, segment);
    if (showsCredentials(program, word))
      effects.readsCredentials("reads or uses credentials", segment);
  }
}

/** They look at libraries, make them or handle them as files. */
const HANDLES_LIBRARIES =
  /^(?:[\w-]*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|nm|objdump|objcopy|readelf|strip|ar|ranlib)(?:-[\d.]+)?|ldd|file|patchelf|rustc|go|cargo|gfortran|swiftc|ghc|make|cmake|tar|zip|rsync|cp|mv|rm|ln|install|find|ls|test|\[|grep|rg)$/;

/** `--engine /srv/e.so`: a library behind an option is code, whichever program has the option. */
function loadsLibrary({ program, args, directories }: Call, place: ShellPlace): boolean {
  if (HANDLES_LIBRARIES.test(program)) return false;
  return args.some(({ shape }, index) => {
    if (!/\.so(?:\.[\d.]+)?$/.test(shape)) return false;
    const isValue = shape.startsWith("-") || args[index - 1]?.shape.startsWith("-");
    const path = shape.slice(shape.search(/[^=:,]*$/));
    return (
      isValue && absoluteShapes(path, directories).some((one) => zoneOf(one, place) === "outside")
    );
  });
}

/** A program without a rule, or one of the workspace. */
function judgeStranger(call: Call, inspect: Inspector, { local }: { local: boolean }): void {
  inspect.notes(
    local ? "runs a program of its own" : "runs a program that the guard does not know",
  );
  const started = local ? undefined : startedWords(call);
  if (started) inspect.runs(started);
  judgeUnknown(call, inspect);
  const program = { text: call.written, shape: call.written };
  if (inspect.wasWritten(program)) inspect.hides("runs a file that it has just written");
  else if (local && inspect.cameFromElsewhere(program)) inspect.click("runs a downloaded file");
}

/** Every argument is such a flag; a launcher with another argument runs it, and so asks. */
function onlyAsksForHelp({ args, program }: Call): boolean {
  if (args.length > 0 && args.every(({ shape }) => /^--(?:help|version)$/.test(shape))) return true;
  const words = args.map(({ shape }) => shape);
  const last = words.pop() ?? "";
  const asks = last === "--help" || (last === "help" && program === "aws");
  return asks && HELPS_WITH_VERBS.has(program) && words.every(isPlainVerb) && words.length > 0;
}

/** `docker rm --help`: the verbs of these start nothing when help is asked for, but for a few. */
const HELPS_WITH_VERBS = new Set(
  "docker podman kubectl helm aws gcloud az gh glab terraform tofu systemctl".split(" "),
);

function isPlainVerb(word: string): boolean {
  return (
    /^[a-z][a-z0-9-]*$/.test(word) &&
    !/^(?:run|exec|attach|debug|x|api|alias|extension)$/.test(word)
  );
}
