import type { Call } from "./rule.ts";
import { subcommandAt } from "./rules/git.ts";
import { exactly, type Word } from "./word.ts";

/** Whether a timed grant for a call may cover other words of the same program, these very words, or nothing. */
export type GrantReach = "program" | "command" | "none";

/** Their words say nothing but names of things that they make. */
const MAKES_ONLY = new Set("mkdir touch".split(" "));

/** Git's commands that add to the repository, and neither run code that their words name nor take anything away. */
const GIT_ADDS = new Set("add commit merge cherry-pick revert".split(" "));

/** They obey or send all that lies in a directory, under names that no text tells. */
const OBEYS_DIRECTORY =
  /^(?:terraform|tofu|terragrunt|pulumi|cdk|cdktf|sam|serverless|sls|sst|eb|copilot|firebase|vercel|netlify|wrangler|fly|flyctl|heroku|railway|dotnet|msbuild|twine|packer|vagrant|skaffold|tilt|werf|kustomize|chef|knife|puppet|salt|ansible-pull|hugo|jekyll)$/;
const PUBLISHERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:npm|pnpm|yarn|bun|cargo|poetry|uv|hatch|flit|pdm|mix)$/, /^(?:[\w-]+ )?(?:publish|pack)\b/],
  [/^(?:gcloud|az|aws|doctl|gh)$/, /(?:^| )(?:deploy|up|upload|submit|sync)(?: |$)/],
];

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

/**
 * What runs code of a project or reaches another machine gets its very words, since each of them may change what it
 * does there. Only where a program's name says all that it can do may its other words vary.
 */
export function grantReachOf(call: Call): GrantReach {
  const { program, args, input } = call;
  if (MAKES_ONLY.has(program)) return "program";
  const words = args.map(exactly);
  if (!words.every((word) => word !== undefined) || input.file) return "none";
  if (program === "git" && addsToRepository(args)) return "program";
  if (OBEYS_DIRECTORY.test(program) || publishes(program, words)) return "none";
  const namesFile = FROM_FILE.get(program);
  return words.some((word) => namesFile?.test(word)) ? "none" : "command";
}

/** `git -C sub commit`: settings before the subcommand may send it anywhere. */
function addsToRepository(args: readonly Word[]): boolean {
  const at = subcommandAt(args);
  const before = args.slice(0, at).map(({ shape }) => shape);
  const isPlain = before.length === 0 || (before.length === 2 && before[0] === "-C");
  return isPlain && GIT_ADDS.has(args[at]?.shape ?? "");
}

/** `npm publish`, `gcloud app deploy`: what lies in the directory then is sent. */
function publishes(program: string, words: readonly string[]): boolean {
  const text = words.filter((word) => !word.startsWith("-")).join(" ");
  return PUBLISHERS.some(([name, verbs]) => name.test(program) && verbs.test(text));
}
