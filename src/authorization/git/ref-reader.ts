import { createHash } from "node:crypto";
import type { Workspace } from "../../contract/workspace.ts";
import { textsOf } from "../file-texts.ts";

/** A ref behind all links to other refs, with the commit that it names; without one it does not exist. */
export interface FoundRef {
  readonly name: string;
  readonly commit: string | undefined;
}

export interface RepositoryPlace {
  /** Where HEAD lies. */
  readonly gitDir: string;
  /** Where the branches lie: the same, but for a linked working tree. */
  readonly commonDir: string;
}

const MOST_LINKS = 5;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Reads the refs of a repository as files. The workload answers such reads, so every file's digest is kept: the binding
 * compares it with what root finds.
 */
export class RefReader {
  /** The digest of every file that was read, by its path; undefined for one that is not there. */
  readonly digests = new Map<string, string | undefined>();
  readonly #texts = new Map<string, string | undefined>();
  readonly #workspace: Workspace;
  readonly #place: RepositoryPlace;

  constructor(workspace: Workspace, place: RepositoryPlace) {
    this.#workspace = workspace;
    this.#place = place;
  }

  /** The current branch's full name, or the commit of a detached HEAD. */
  async head(): Promise<FoundRef> {
    return this.#follow("HEAD", await this.#text(`${this.#place.gitDir}/HEAD`), 0);
  }

  /** The ref that a short name stands for; branches come before tags. */
  async named(name: string): Promise<FoundRef | undefined> {
    if (!/^[\w.@#%+=,{}/-]+$/u.test(name) || /(?:^|\/)\.{1,2}(?:\/|$)/.test(name)) return undefined;
    const full = name.startsWith("refs/")
      ? [name]
      : ["heads/", "tags/", "", "remotes/"].map((folder) => `refs/${folder}${name}`);
    for (const one of full) {
      const found = await this.#ref(one, 0);
      if (found.commit !== undefined || found.name !== one) return found;
    }
    return undefined;
  }

  /** Whether a file of the repository exists. */
  async has(path: string): Promise<boolean> {
    return (await this.#text(`${this.#place.commonDir}/${path}`)) !== undefined;
  }

  async #ref(name: string, links: number): Promise<FoundRef> {
    const loose = await this.#text(`${this.#place.commonDir}/${name}`);
    if (loose !== undefined) return this.#follow(name, loose, links);
    const packed = await this.#text(`${this.#place.commonDir}/packed-refs`);
    const line = packed?.split("\n").find((one) => one.endsWith(` ${name}`));
    return { name, commit: line?.slice(0, line.indexOf(" ")) };
  }

  async #follow(name: string, text: string | undefined, links: number): Promise<FoundRef> {
    const [, target] = /^ref:\s*(\S+)\s*$/.exec(text ?? "") ?? [];
    if (target !== undefined && links < MOST_LINKS) return this.#ref(target, links + 1);
    const id = text?.trim() ?? "";
    return { name, commit: COMMIT.test(id) ? id : undefined };
  }

  async #text(path: string): Promise<string | undefined> {
    if (!this.#texts.has(path)) {
      const [found] = await textsOf(this.#workspace, [path]);
      const text = found?.text;
      this.#texts.set(path, text);
      this.digests.set(
        path,
        text === undefined ? undefined : createHash("sha256").update(text).digest("hex"),
      );
    }
    return this.#texts.get(path);
  }
}
