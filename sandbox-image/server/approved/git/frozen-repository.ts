import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../../../../src/contract/tools/operation.ts";
import { readSmallFile } from "../code-file.ts";
import { askIn, linesOf, type RawSetting, type Repository, type Supervised } from "./repository.ts";

/** All refs as git resolves them now. */
export interface Refs {
  /** The branch that HEAD names, or the commit of a detached one. */
  readonly head: string;
  readonly refs: readonly {
    readonly name: string;
    readonly object: string;
    /** The ref that it stands for. */
    readonly leadsTo: string;
  }[];
}

const MOST_REFS = 50_000;

export async function refsOf(server: Supervised, { directory }: Repository): Promise<Refs> {
  const format = "--format=%(objectname) %(refname)%00%(symref)";
  const listed = await askIn(server, directory, ["for-each-ref", format]);
  const symbolic = await askIn(server, directory, ["symbolic-ref", "-q", "HEAD"]);
  const id = await askIn(server, directory, ["rev-parse", "-q", "--verify", "HEAD^0"]);
  const lines = linesOf(listed);
  const head = linesOf(symbolic)[0] ?? linesOf(id)[0];
  if (listed.code !== 0 || lines.length > MOST_REFS || head === undefined)
    throw new ToolError("executionFailed", `Git failed to list the refs of ${directory}.`);
  return {
    head,
    refs: lines.map((line) => {
      const [named = "", leadsTo = ""] = line.split("\0");
      const blank = named.indexOf(" ");
      return { object: named.slice(0, blank), name: named.slice(blank + 1), leadsTo };
    }),
  };
}

/** A repository's settings and refs in a directory of the server's own: the workload changes nothing in it. */
export function freeze(
  target: string,
  { repository, refs, settings }: Frozen & { readonly settings: readonly RawSetting[] },
): void {
  const { objectFormat } = repository;
  mkdirSync(join(target, "refs"), { recursive: true, mode: 0o755 });
  mkdirSync(join(target, "objects"), { mode: 0o755 });
  const isOther = objectFormat !== "sha1";
  const own: RawSetting[] = [
    ["core.repositoryformatversion", isOther ? "1" : "0"],
    ["core.bare", "false"],
    ...(isOther ? [["extensions.objectformat", objectFormat] as const] : []),
  ];
  writeFileSync(join(target, "config"), configText([...own, ...settings]), "latin1");
  const head = refs.head.startsWith("refs/") ? `ref: ${refs.head}` : refs.head;
  writeFileSync(join(target, "HEAD"), `${head}\n`);
  const plain = refs.refs.filter(({ leadsTo }) => leadsTo === "");
  const packed = plain.map(({ object, name }) => `${object} ${name}\n`);
  writeFileSync(join(target, "packed-refs"), packed.join(""));
  for (const { name, leadsTo } of refs.refs) if (leadsTo !== "") putLink(target, name, leadsTo);
  const shallow = shallowOf(repository);
  if (shallow !== undefined) writeFileSync(join(target, "shallow"), shallow);
}

/** Root reads the file, so nothing but ids of commits gets out of it. */
function shallowOf({ commonDir }: Repository): string | undefined {
  const found = readSmallFile(join(commonDir, "shallow"));
  const text = "bytes" in found ? found.bytes.toString("latin1") : "";
  return /^(?:[0-9a-f]{40,64}\n)+$/.test(text) ? text : undefined;
}

export interface Frozen {
  readonly repository: Repository;
  readonly refs: Refs;
}

/** Git checks names of refs, so that none leads out of the directory; this does not rely on it. */
function putLink(target: string, name: string, leadsTo: string): void {
  if (!name.startsWith("refs/") || name.split("/").includes("..")) return;
  const path = join(target, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, `ref: ${leadsTo}\n`);
}

/** What decides where the working tree and other settings lie; the frozen directory has its own. */
const OF_THE_PLACE =
  /^(?:core\.(?:bare|worktree|repositoryformatversion|hookspath|sharedrepository|logallrefupdates)|extensions\..*|include\..*|includeif\..*)$/is;

export function settingsToKeep({ settings }: Repository): RawSetting[] {
  return settings.filter(([key]) => !OF_THE_PLACE.test(key));
}

function configText(settings: readonly RawSetting[]): string {
  return settings.map(([key, value]) => sectionOf(key, value)).join("");
}

function sectionOf(key: string, value: string | null): string {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const name = key.slice(first + 1, last).replace(/["\\]/g, "\\$&");
  const section = first === last ? key.slice(0, first) : `${key.slice(0, first)} "${name}"`;
  const text = value?.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
  return `[${section}]\n\t${key.slice(last + 1)}${text === undefined ? "" : ` = "${text}"`}\n`;
}
