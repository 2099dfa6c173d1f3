import { posix } from "node:path";
import type { PlannedCall } from "../../contract/permission/gate.ts";
import type { Assessment } from "../assess.ts";

/** Longer phrases are mistyped. */
const MOST_CHARS = 40;
const ANY_COMMAND = "run this command";

/**
 * The words that people type to approve a call: they name its effect, so that typing them means reading it. Always the
 * same for the same call, typable on any keyboard, and free of secrets.
 */
export function phraseOf(
  call: PlannedCall,
  { command, paths }: Pick<Assessment, "command" | "paths">,
  mask: (text: string) => string,
): string {
  const isSecret = (text: string) => mask(text) !== text;
  if (!command) {
    const [first, ...others] = paths.filter(({ access }) => access !== "read");
    const verb = first?.access === "delete" ? "delete" : "write";
    const wanted =
      first &&
      withTargets(
        verb,
        [first, ...others].map(({ resolved }) => resolved),
      );
    const found = wanted?.find((one) => isPhrase(one) && !isSecret(one));
    return found ?? `run ${call.operation}`.slice(0, MOST_CHARS);
  }
  const [worst, ...rest] = command.class.reasons;
  const segment = worst?.segment ?? command.text;
  const others = rest.filter((one) => one.risk === worst?.risk && one.segment !== segment);
  const more = new Set(others.map((one) => one.segment)).size;
  const words = commandWords(segment);
  const pushed = command.pushes?.find(({ reason }) => reason === worst?.why)?.target;
  // Parts of a secret are not recognised as one, so no word of such a command is repeated but its program.
  const wanted = isSecret(segment)
    ? [`run ${posix.basename(words[0] ?? "")}`]
    : [
        ...(pushed === undefined ? [] : withTargets("push to", [pushed], more)),
        ...candidates(words, { more, writes: command.class.writes }),
      ];
  return wanted.find((one) => isPhrase(one) && !isSecret(one)) ?? ANY_COMMAND;
}

/** At least two words, so that no one types it by chance. */
const PHRASE = /^[A-Za-z0-9._/:@=+,~*-]+( [A-Za-z0-9._/:@=+,~*-]+)+$/;

function isPhrase(text: string): boolean {
  return text.length <= MOST_CHARS && PHRASE.test(text);
}

/** The best first. */
function candidates(
  words: readonly string[],
  { more, writes }: { readonly more: number; readonly writes: readonly string[] },
): string[] {
  const [path = "", ...args] = words;
  const program = posix.basename(path);
  const operands = operandsOf(program, args);
  const effect = effectOf(program, args, operands);
  const plain = [program, ...operands];
  return [
    ...(effect ? withTargets(effect.verb, effect.targets, more) : []),
    // The guard knows where expansions and loops lead.
    ...(effect?.verb === "delete" && writes.length > 0 ? withTargets("delete", writes, more) : []),
    ...(more > 0 ? [`${plain.join(" ")} and ${more} more`] : [plain.join(" ")]),
    plain.slice(0, 3).join(" "),
    plain.slice(0, 2).join(" "),
    `run ${program}`,
  ];
}

interface Effect {
  readonly verb: string;
  readonly targets: readonly string[];
}

const DELETES = new Set(["rm", "rmdir", "unlink", "shred", "srm", "find", "rimraf"]);
const CLUSTERS = new Set(["kubectl", "oc", "helm", "k", "kustomize"]);
const CHANGES = new Set(["apply", "replace", "patch", "create", "upgrade", "install", "rollout"]);

function effectOf(
  program: string,
  args: readonly string[],
  operands: readonly string[],
): Effect | undefined {
  const [verb = "", ...objects] = operands;
  if (program === "find") return { verb: "delete", targets: outsideFirst(startsOf(args)) };
  if (DELETES.has(program)) return { verb: "delete", targets: outsideFirst(operands) };
  if (program.startsWith("mkfs")) return { verb: "format", targets: operands };
  if (program === "dd") {
    const output = args.find((word) => word.startsWith("of="))?.slice(3);
    return output === undefined ? undefined : { verb: "overwrite", targets: [output] };
  }
  if (program === "git" && verb === "push") {
    if (args.some((word) => /^(-d|--delete)$/.test(word)) && objects.length > 1) {
      return { verb: `delete ${objects[0]}`, targets: objects.slice(1) };
    }
    const isForced = args.some((word) => /^(-f|--force.*|--mirror|\+.+)$/.test(word));
    const push = isForced ? "force push" : "push";
    return objects.length === 0
      ? { verb: push, targets: [] }
      : { verb: `${push} ${objects[0]}`, targets: objects.slice(1) };
  }
  if (verb === "publish" || verb === "unpublish") {
    return { verb, targets: objects.filter((word) => word !== ".") };
  }
  if (!CLUSTERS.has(program)) return undefined;
  const cluster = optionValue(args, ["--context", "--kube-context", "--cluster"]);
  if (cluster !== undefined && CHANGES.has(verb)) {
    return { verb: `${verb} to cluster`, targets: [cluster] };
  }
  const where = cluster === undefined ? [] : [`in ${cluster}`];
  return { verb: [verb, ...objects.slice(0, 2), ...where].join(" "), targets: objects.slice(2) };
}

/** Where find begins: what stands before its first test. */
function startsOf(args: readonly string[]): string[] {
  const words = args.slice(args.findIndex((word) => !/^-[HLP]$/.test(word)));
  const end = words.findIndex((word) => /^[-(!]/.test(word));
  const starts = words.slice(0, end === -1 ? words.length : end);
  return starts.length === 0 ? ["."] : starts;
}

/** The phrase names the first target, so that must not be the harmless one. */
function outsideFirst(paths: readonly string[]): string[] {
  const isOutside = (path: string) => /^(?:\/(?!workspace(?:\/|$))|~|\.\.)/.test(path);
  return [...paths.filter(isOutside), ...paths.filter((path) => !isOutside(path))];
}

/** "delete /opt/old", "delete /opt/old and 2 more", and the same with less of the path. */
function withTargets(verb: string, targets: readonly string[], more = 0): string[] {
  const [first, ...others] = targets;
  if (first === undefined) return more === 0 ? [verb] : [`${verb} and ${more} more`];
  const rest = others.length + more;
  const end = rest === 0 ? "" : ` and ${rest} more`;
  const names = [first, posix.basename(first.replace(/\/+$/, ""))];
  return names.map((name) => `${verb} ${name}${end}`);
}

/** Programs that run the command behind them. */
const WRAPPERS = new Set(
  "sudo doas run0 env nohup time nice ionice stdbuf timeout xargs command exec builtin setsid chroot".split(
    " ",
  ),
);
const WRAPPER_VALUES = new Set([
  "-u",
  "-g",
  "-n",
  "-h",
  "-p",
  "-C",
  "-D",
  "-k",
  "-s",
  "-I",
  "-P",
  "-L",
  "--user",
  "--group",
  "--host",
  "--prompt",
  "--chdir",
  "--unset",
  "--signal",
  "--kill-after",
]);
/** Options whose value is no operand. */
const VALUES = new Set(
  (
    "--context --kube-context --cluster --namespace --filename --kubeconfig --git-dir --work-tree --profile --region " +
    "--output --selector --registry --tag --access --otp --message --exec-path --repo"
  ).split(" "),
);
const CLUSTER_VALUES = new Set("-n -f -o -l -c -k".split(" "));
const GIT_VALUES = new Set("-C -c -o".split(" "));

/** The command itself, without assignments and programs that only start it. */
function commandWords(segment: string): string[] {
  const words = split(segment);
  for (;;) {
    const [first] = words;
    if (first === undefined) return [];
    const isWrapper = WRAPPERS.has(posix.basename(first));
    if (!isWrapper && !/^[A-Za-z_]\w*\+?=/.test(first)) return words;
    words.shift();
    while (isWrapper && words[0]?.startsWith("-")) {
      const option = words.shift() ?? "";
      if (WRAPPER_VALUES.has(option)) words.shift();
    }
    if (isWrapper && /^\d+[smhd]?$/.test(words[0] ?? "")) words.shift();
  }
}

/** Quotes are taken off; what expands stays as it is written, and so fails to be a phrase. */
function split(segment: string): string[] {
  const words = segment.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs) ?? [];
  return words.map((word) => word.replace(/^(['"])(.*)\1$/s, "$2"));
}

function operandsOf(program: string, args: readonly string[]): string[] {
  const none: ReadonlySet<string> = new Set();
  const cluster = CLUSTERS.has(program) ? CLUSTER_VALUES : none;
  const own = program === "git" ? GIT_VALUES : cluster;
  const isValue = (before = "") => VALUES.has(before) || own.has(before);
  return args.filter(
    (word, index) => !word.startsWith("-") && !isValue(args[index - 1]) && !/[<>|&]/.test(word),
  );
}

function optionValue(args: readonly string[], options: readonly string[]): string | undefined {
  for (const [index, word] of args.entries()) {
    if (options.includes(word)) return args[index + 1];
    const option = options.find((one) => word.startsWith(`${one}=`));
    if (option !== undefined) return word.slice(option.length + 1);
  }
  return undefined;
}
