import { spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import {
  COPIES,
  type PushAnswer,
  type PushQuestion,
} from "../../../../src/contract/workspace/approved-run.ts";
import { BoundPaths } from "../bound-directory.ts";
import { approvedEnvironment } from "../environment.ts";
import { type Frozen, freeze, refsOf, settingsToKeep } from "./frozen-repository.ts";
import {
  askIn,
  digestOfRepository,
  linesOf,
  type RawSetting,
  readablePlaces,
  repositoryAt,
  type Supervised,
} from "./repository.ts";

const MOST_REFS = 256;
const TIMEOUT_MS = 10_000;

/** A repository that holds still, and what the push does in it. */
export interface ResolvedPush extends Disposable {
  readonly answer: PushAnswer;
  /** Undefined where git does not resolve it. */
  readonly frozen?: Frozen & { readonly gitDir: string };
}

/**
 * Has git itself tell what a push would send where. The settings and refs are read once and frozen; git then does a dry
 * run there against a remote that is empty, and the server is that remote.
 */
export async function resolvePush(
  server: Supervised,
  question: PushQuestion,
  copies = COPIES,
): Promise<ResolvedPush> {
  const nothing = { [Symbol.dispose]: () => {} };
  const repository = await repositoryAt(server, question.directory);
  if (!repository) return { answer: { kind: "nothing" }, ...nothing };
  if (repository.topLevel === undefined)
    return { answer: { kind: "unknown", why: "it runs outside a working tree" }, ...nothing };
  const frozen = { repository, refs: withBranches(await refsOf(server, repository), question) };
  mkdirSync(copies, { recursive: true, mode: 0o755 });
  const folder = mkdtempSync(join(copies, "git-"));
  chmodSync(folder, 0o755);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const gitDir = join(folder, "repository");
    const remotes = remotesOf(repository.settings, question);
    const kept = settingsToKeep(repository);
    freeze(gitDir, { ...frozen, settings: kept });
    const dry = join(folder, "dry");
    freeze(dry, { ...frozen, settings: [...kept.filter(decides), ...remotes.rerouted] });
    const rehearsal: Rehearsal = { server, question, frozen, gitDir, dry, ...remotes };
    return {
      answer: await rehearse(rehearsal),
      frozen: { ...frozen, gitDir },
      [Symbol.dispose]: remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Whether two answers are the same push. */
export function isSamePush(one: PushAnswer, other: PushAnswer): boolean {
  if (one.kind === "unknown" && other.kind === "unknown") return true;
  return isDeepStrictEqual(one, other);
}

/** The refs as they will be when the command has switched to a branch, or has made those that it pushes. */
function withBranches(found: Frozen["refs"], { branch, mayMake }: PushQuestion): Frozen["refs"] {
  const names = new Set(found.refs.map(({ name }) => name));
  const head = branch === undefined ? found.head : `refs/heads/${branch}`;
  const object = found.refs.find(({ name }) => name === found.head)?.object ?? found.head;
  const made = [...(branch === undefined ? [] : [branch]), ...mayMake]
    .map((name) => `refs/heads/${name}`)
    .filter((name) => !names.has(name) && !object.startsWith("refs/"))
    .map((name) => ({ name, object, leadsTo: "" }));
  return { head, refs: [...found.refs, ...made] };
}

/** Settings that decide what a push sends, and start nothing. */
function decides([key]: RawSetting): boolean {
  return /^(?:push\.(?!pushoption|gpgsign|recursesubmodules)|branch\.|remote\.pushdefault$|remote\..*\.(?:push|mirror|fetch|tagopt|prune)$)/s.test(
    key,
  );
}

/** Each remote that the push may choose, by its place in the list: the dry run names the one that git chose. */
function remotesOf(settings: readonly RawSetting[], { repository }: PushQuestion) {
  const configured = new Set(
    settings.flatMap(([key]) => /^remote\.(.*)\.(?:push)?url$/s.exec(key)?.[1] ?? []),
  );
  const chosen = settings.flatMap(([key, value]) =>
    /^(?:remote\.pushdefault|branch\..*\.(?:push)?remote)$/s.test(key) && value ? [value] : [],
  );
  const operand = repository === undefined ? [] : [Buffer.from(repository).toString("latin1")];
  const names = [...new Set([...configured, ...chosen, ...operand])];
  const rerouted = names.map(
    (name, index): RawSetting =>
      // Git reads no remote whose name begins like this from settings.
      name.startsWith("/")
        ? [`url.${route(index)}.insteadof`, name]
        : [`remote.${name}.url`, route(index)],
  );
  return { names, configured, rerouted };
}

/** Git's own transport over descriptors: it starts no program but git's, and connects to nothing. */
const route = (index: number) => `fd::${ADVERTISED},${SENT}/${index}`;
const ADVERTISED = 3;
const SENT = 4;
const START = 5;

interface Rehearsal {
  readonly server: Supervised;
  readonly question: PushQuestion;
  readonly frozen: Frozen;
  readonly gitDir: string;
  readonly dry: string;
  readonly names: readonly string[];
  /** Those of them that settings describe. */
  readonly configured: ReadonlySet<string>;
}

async function rehearse(rehearsal: Rehearsal): Promise<PushAnswer> {
  const { question, frozen, names } = rehearsal;
  const refspecs: string[] = [];
  for (const refspec of question.refspecs) refspecs.push(await qualified(refspec, rehearsal));
  const deleted = refspecs.filter((one) => one.startsWith(":") && one.length > 1);
  const run = await dryRun(
    rehearsal,
    refspecs,
    deleted.map((one) => fullName(one.slice(1))),
  );
  if (run.code !== 0) return { kind: "unknown", why: run.why };
  if (run.sent.length === 0 || run.sent.length > MOST_REFS)
    return { kind: "unknown", why: "the branches that it pushes are known only at run time" };
  const remote = names[run.remote ?? -1];
  const objects = await objectsOf(
    rehearsal,
    run.sent.map(({ from }) => from),
  );
  const addresses = remote === undefined ? [] : await addressesOf(rehearsal, remote);
  const old = remote === undefined ? undefined : oldForm(rehearsal, remote);
  if (old !== undefined) return { kind: "refused", why: old };
  if (remote === undefined || !objects || addresses.length === 0)
    return { kind: "unknown", why: "git does not say where it goes" };
  return {
    kind: "push",
    gitDir: frozen.repository.gitDir,
    repository: digestOfRepository(frozen.repository),
    remote: utf8(remote),
    addresses,
    refspecs: setsUpstreamItself(rehearsal)
      ? run.sent.map(({ from, to }) => `${from}:${to}`)
      : refspecs,
    refs: run.sent.map(({ from, to }, index) => ({
      from: /^(?:HEAD|@)$/.test(from) && isBranch(frozen.refs.head) ? frozen.refs.head : from,
      to,
      object: objects[index] ?? "",
    })),
  };
}

/** With this setting git would write into the repository: the words say what it finds out. */
function setsUpstreamItself({ frozen, question }: Rehearsal): boolean {
  return question.refspecs.length === 0 && hasAutoSetup(frozen.repository, frozen.refs.head);
}

/** Whether a push without words makes where it goes the branch's upstream. */
export function hasAutoSetup({ settings }: Frozen["repository"], head: string): boolean {
  const name = head.replace(/^refs\/heads\//, "");
  const last = settings.findLast(([key]) => key === "push.autosetupremote");
  const isOn = last !== undefined && !/^(?:false|no|off|0*)$/i.test(last[1] ?? "true");
  return isOn && !settings.some(([key]) => key === `branch.${name}.merge`);
}

function isBranch(head: string): boolean {
  return head.startsWith("refs/");
}

/** Git reads a remote that no setting describes from these files, which hold more than an address. */
function oldForm({ frozen, configured }: Rehearsal, remote: string): string | undefined {
  const { commonDir } = frozen.repository;
  if (configured.has(remote) || remote.includes("/")) return undefined;
  const folder = ["remotes", "branches"].find((name) =>
    lstatSync(join(commonDir, name, remote), { throwIfNoEntry: false }),
  );
  return folder === undefined
    ? undefined
    : `The repository defines the remote ${remote.slice(0, 100)} in .git/${folder}, an old format that cards do not show. ` +
        `Add it with git remote add ${remote.slice(0, 100)} ADDRESS, remove that file, then ask again.`;
}

/**
 * `main:wip`: git takes a short destination for one that the remote has, and only then looks at the source. No remote
 * decides here: the push goes where it would go to an empty one, or else to the branch of that name.
 */
async function qualified(refspec: string, rehearsal: Rehearsal): Promise<string> {
  const [, source, destination] = /^(\+?[^:]+):(.+)$/s.exec(refspec) ?? [];
  if (source === undefined || destination === undefined || destination.startsWith("refs/"))
    return refspec;
  if (destination.includes("*")) return refspec;
  if (/^(?:heads|tags)\//.test(destination)) return `${source}:refs/${destination}`;
  const guessed = await dryRun(rehearsal, [refspec], []);
  const [only, ...others] = guessed.sent;
  const to = only && others.length === 0 ? only.to : fullName(destination);
  return `${source}:${to}`;
}

function fullName(name: string): string {
  if (name.startsWith("refs/")) return name;
  return name.startsWith("heads/") || name.startsWith("tags/")
    ? `refs/${name}`
    : `refs/heads/${name}`;
}

interface DryRun {
  readonly code: number | null;
  readonly why: string;
  readonly remote: number | undefined;
  readonly sent: readonly { readonly from: string; readonly to: string }[];
}

async function dryRun(
  { server, question, frozen, dry }: Rehearsal,
  refspecs: readonly string[],
  advertised: readonly string[],
): Promise<DryRun> {
  const { repository } = frozen;
  const file = join(dry, "advertised");
  writeFileSync(file, advertisement(repository.objectFormat, advertised));
  const { settings, options, repository: to } = question;
  const words = [
    ...settings.flatMap((setting) => ["-c", setting]),
    ...["push", "--dry-run", "--porcelain", "--no-signed"],
    ...options.filter(
      (option) => !/^(?:-[qv]|--(?:no-)?(?:quiet|verbose|progress|signed.*))$/s.test(option),
    ),
    ...(to === undefined ? [] : ["--", to, ...refspecs]),
  ];
  using paths = new BoundPaths([repository.directory, ...readablePlaces(repository.directory)]);
  const input = openSync(file, "r");
  const output = openSync("/dev/null", "w");
  const [start = 0, ...open] = paths.descriptors;
  const first = START + 1;
  const opened = open.flatMap((_, index) => ["--open", `${first + index}`]);
  const git = ["--git", "--remote", "--in", `${START}`, ...opened, "/usr/bin/git", ...words];
  const child = spawn(server.supervise, git, {
    cwd: "/",
    env: {
      ...frozenEnvironment(frozen, dry),
      ...approvedEnvironment("agent", [["protocol.fd.allow", "always"]]),
      LC_ALL: "C",
    },
    timeout: TIMEOUT_MS,
    stdio: ["ignore", "pipe", "pipe", input, output, start, ...open],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  closeSync(input);
  closeSync(output);
  const [printed, errors, code] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    ended,
  ]);
  const [, remote] = /^To fd::\d+,\d+\/(\d+)$/m.exec(printed) ?? [];
  const sent = [...printed.matchAll(/^.\t(.*):([^:\t]+)\t/gm)].map(([, from = "", to = ""]) => ({
    from,
    to,
  }));
  const why =
    errors.split("\n").find((line) => /^(?:error|fatal): /.test(line)) ?? "git rejects it";
  return {
    code,
    why: why.slice(0, 300),
    remote: remote === undefined ? undefined : Number(remote),
    sent,
  };
}

/** The objects are the repository's own: their names say what they hold. */
export function frozenEnvironment({ repository }: Frozen, gitDir: string): Record<string, string> {
  return {
    GIT_DIR: gitDir,
    GIT_OBJECT_DIRECTORY: repository.objects,
    GIT_NO_REPLACE_OBJECTS: "1",
    ...(repository.topLevel === undefined ? {} : { GIT_WORK_TREE: repository.topLevel }),
  };
}

/** What a remote says first: the refs that it has, and what it can do. */
function advertisement(objectFormat: string, refs: readonly string[]): string {
  const digits = objectFormat === "sha256" ? 64 : 40;
  const abilities = `report-status delete-refs atomic ofs-delta push-options object-format=${objectFormat}`;
  const [first = "capabilities^{}", ...others] = refs;
  const id = (refs.length > 0 ? "1" : "0").repeat(digits);
  const lines = [`${id} ${first}\0${abilities}\n`, ...others.map((name) => `${id} ${name}\n`)];
  const packets = lines.map(
    (line) => (Buffer.byteLength(line) + 4).toString(16).padStart(4, "0") + line,
  );
  return `${packets.join("")}0000`;
}

async function objectsOf(
  { server, frozen, dry }: Rehearsal,
  sources: readonly string[],
): Promise<string[] | undefined> {
  const named = sources.filter((source) => source !== "");
  const { directory } = frozen.repository;
  const env = frozenEnvironment(frozen, dry);
  const found = await askIn(server, directory, ["rev-parse", "--end-of-options", ...named], env);
  const ids = linesOf(found).filter((line) => line !== "--end-of-options");
  if (found.code !== 0 || ids.length !== named.length) return undefined;
  return sources.map((source) => (source === "" ? "" : (ids.shift() ?? "")));
}

/** Where a push to a remote goes, behind all settings that replace addresses. */
async function addressesOf(
  { server, question, frozen, gitDir, names, configured }: Rehearsal,
  remote: string,
): Promise<string[]> {
  const isNamed = configured.has(remote) && !remote.startsWith("/");
  const asked = isNamed ? utf8(remote) : freeName(names);
  const place = isNamed ? gitDir : `${gitDir}-asked`;
  if (!isNamed) {
    // An address of its own: git answers only for remotes that settings describe.
    const address: RawSetting = [`remote.${asked}.url`, remote];
    freeze(place, { ...frozen, settings: [...settingsToKeep(frozen.repository), address] });
  }
  const settings = question.settings.flatMap((setting) => ["-c", setting]);
  const { directory } = frozen.repository;
  const words = [...settings, "remote", "get-url", "--push", "--all", "--", asked];
  const found = await askIn(server, directory, words, frozenEnvironment(frozen, place));
  return found.code === 0 ? linesOf(found) : [];
}

function freeName(names: readonly string[]): string {
  let name = "asked";
  while (names.includes(name)) name += "-";
  return name;
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
