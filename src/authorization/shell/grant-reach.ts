import type { Call } from "./rule.ts";
import { subcommandAt } from "./rules/git.ts";
import { exactly, type Word } from "./word.ts";

/** Whether a timed grant for a call may cover other words of the same program, these very words, or nothing. */
export type GrantReach = "program" | "command" | "none";

/** Programs that work on files and processes of this machine, whatever their words are. */
const ON_FILES = new Set(
  (
    "mkdir rmdir touch cp mv rm ln unlink install truncate chmod chown chgrp tee split shred mktemp patch " +
    "gzip gunzip bzip2 bunzip2 xz unxz kill pkill killall"
  ).split(" "),
);

/** Subcommands that work on this machine. A script that they run may do more: the card names it. */
const HERE: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    npm: "test t tst run run-script start build",
    pnpm: "test t run run-script start build lint",
    yarn: "test run start build lint",
    bun: "test run build",
    cargo: "build b test t check c fmt clippy run r bench doc clean",
    go: "build test vet fmt clean",
    dotnet: "build test clean format",
    mvn: "compile test package verify clean",
    gradle: "build test check assemble clean",
  }).map(([program, verbs]) => [program, new Set(verbs.split(" "))]),
);
const GIT_HERE = new Set(
  (
    "add commit merge rebase checkout switch reset restore stash tag branch clean cherry-pick revert mv rm am apply init " +
    "bisect notes worktree gc prune sparse-checkout"
  ).split(" "),
);
const BUILDERS = new Set("make just task rake".split(" "));

const PLACE_OPTIONS =
  "hosts?|hostname|server|address|url|uri|endpoint|registry|index|repo|repository|remote|proxy|context|cluster|profile|region|zone|" +
  "account|project|subscription|tenant|org|namespace|env|environment|stage|target|site|domain|bucket|database|db|dsn|port|" +
  "socket|kubeconfig|config|configfile|inventory|login|user|role|token|key|identity|prefix|cwd|dir|directory|chdir|path|file|" +
  "makefile|workspace|filter";
/** A word that may say where something is: an address, `host:path`, an assignment, or an option that selects a place. */
const PLACE = new RegExp(
  `://|@|^[\\w.-]+:|^[^-][^=]*=|^-[CfHhPpw]|^--?(?:[\\w.-]*-)?(?:${PLACE_OPTIONS})(?:-[\\w-]+)?(?:=|$)`,
  "i",
);

/** Options whose value is a file that says where the program connects: the same words may lead elsewhere later. */
const FROM_FILE: ReadonlyMap<string, RegExp> = new Map([
  ["curl", /^(?:-[a-zA-Z#]*K|--conf)/],
  ["wget", /^(?:-[a-zA-Z]*[ie]|--input|--conf|--execute)/],
  ["rclone", /^--config/],
  ...["ssh", "scp", "sftp", "mosh", "autossh"].map((name) => [name, /^-[a-zA-Z0-9]*F/] as const),
  ...["docker", "podman"].map((name) => [name, /^(?:--config|--env-file|-f|--file)/] as const),
  ...["kubectl", "oc", "helm"].map((name) => [name, /^--kubeconfig/] as const),
  ...["ansible", "ansible-playbook"].map((name) => [name, /^(?:-i|--inv)/] as const),
]);

/** Only programs that are known to stay on this machine get the wide reach; the others get their very words. */
export function grantReachOf(call: Call): GrantReach {
  const { program, args, input } = call;
  if (ON_FILES.has(program)) return "program";
  const words = args.map(exactly);
  if (!words.every((word) => word !== undefined) || input.file) return "none";
  if (program === "git" ? isLocalGit(args) : staysHere(program, words)) return "program";
  const namesFile = FROM_FILE.get(program);
  return words.some((word) => namesFile?.test(word)) ? "none" : "command";
}

/** `git -C sub commit`: settings before the subcommand may send it anywhere. */
function isLocalGit(args: readonly Word[]): boolean {
  const at = subcommandAt(args);
  const before = args.slice(0, at).map(({ shape }) => shape);
  const isPlain = before.length === 0 || (before.length === 2 && before[0] === "-C");
  return isPlain && GIT_HERE.has(args[at]?.shape ?? "");
}

function staysHere(program: string, words: readonly string[]): boolean {
  if (words.some((word) => PLACE.test(word))) return false;
  const targets = words.filter((word) => !word.startsWith("-"));
  if (BUILDERS.has(program)) return targets.length <= 1;
  return HERE.get(program)?.has(words[0] ?? "") ?? false;
}
