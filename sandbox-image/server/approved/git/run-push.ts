import { ToolError } from "../../../../src/contract/tools/operation.ts";
import type { ApprovedRun, BoundPush } from "../../../../src/contract/workspace/approved-run.ts";
import type { Frozen } from "./frozen-repository.ts";
import { frozenEnvironment, hasAutoSetup, isSamePush, resolvePush } from "./push.ts";
import { digestOfRepository, repositoryAt, type Supervised } from "./repository.ts";

/** What holds still while a command runs. */
export interface HeldPush extends Disposable {
  readonly env: Readonly<Record<string, string>>;
  /** What git does after such a push in the repository itself. */
  readonly afterwards: string | undefined;
}

/** Asks git once more about every repository and push of an approved command. Throws a ToolError where it says otherwise. */
export async function holdPushes(
  server: Supervised,
  { repositories, pushes }: ApprovedRun,
): Promise<HeldPush> {
  using held = new DisposableStack();
  for (const { directory, sha256 } of repositories) {
    const now = await repositoryAt(server, directory);
    if (!now || digestOfRepository(now) !== sha256)
      throw changed(
        `The repository that git uses in ${directory.slice(0, 200)}, or one of its settings,`,
      );
  }
  let env: Readonly<Record<string, string>> = {};
  let afterwards: string | undefined;
  for (const push of pushes) {
    const now = held.use(await resolvePush(server, push.question));
    if (!isSamePush(now.answer, push.answer)) throw changed("What the push sends, or where,");
    if (!push.isWhole || !now.frozen) continue;
    env = frozenEnvironment(now.frozen, now.frozen.gitDir);
    afterwards = updatesAfter(push, now.frozen);
  }
  const kept = held.move();
  return { env, afterwards, [Symbol.dispose]: () => kept.dispose() };
}

/** The frozen repository forgets what git notes after a push: what the remote has now, and the upstream. */
function updatesAfter(
  { answer, question, ...push }: BoundPush,
  { repository, refs }: Frozen,
): string | undefined {
  if (answer.kind !== "push") return undefined;
  const { settings, directory } = repository;
  const isAlone = question.refspecs.length === 0;
  const setsUpstream = push.setsUpstream || (isAlone && hasAutoSetup(repository, refs.head));
  const remote = Buffer.from(answer.remote).toString("latin1");
  const fetched = settings.flatMap(([key, value]) =>
    key === `remote.${remote}.fetch` && value ? [value] : [],
  );
  const commands = answer.refs.flatMap(({ from, to, object }) => {
    const noted = trackingRef(to, fetched);
    const update =
      object === "" ? ["update-ref", "-d", noted ?? ""] : ["update-ref", noted ?? "", object];
    const branch = /^refs\/heads\/(.+)$/s.exec(from)?.[1];
    const upstream =
      setsUpstream && branch !== undefined
        ? [
            ["config", `branch.${branch}.remote`, answer.remote],
            ["config", `branch.${branch}.merge`, to],
          ]
        : [];
    return [...(noted === undefined ? [] : [update]), ...upstream];
  });
  const texts = commands.map((words) => ["git", "-C", directory, ...words].map(quoted).join(" "));
  return texts.length === 0 ? undefined : texts.join("\n");
}

/** Where the repository notes what a remote has under this name. */
function trackingRef(ref: string, fetched: readonly string[]): string | undefined {
  for (const refspec of fetched) {
    const [source = "", destination = ""] = refspec.replace(/^\+/, "").split(":");
    if (source.startsWith("^") || destination === "") continue;
    if (source === ref) return destination;
    const [start = "", end] = source.split("*");
    if (end === undefined || !ref.startsWith(start) || !ref.endsWith(end)) continue;
    if (ref.length < start.length + end.length) continue;
    return destination.replace("*", () => ref.slice(start.length, ref.length - end.length));
  }
  return undefined;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function changed(what: string): ToolError {
  return new ToolError(
    "permissionDenied",
    `${what} has changed since it was approved. Nothing was run; ask for approval again.`,
    { changedSinceApproval: true },
  );
}
