import { appendFileSync, chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A directory of the test, with what an attacker has at hand. */
export interface Arena {
  /** The repository; it has one commit, of a.txt and b.txt. */
  readonly dir: string;
  /** A program that leaves the canary and passes its input on. */
  readonly evil: string;
  /** The canary's path. */
  readonly canary: string;
  git(args: readonly string[], directory?: string): string;
}

/** A repository that makes plain git run something, or tries to. */
export interface HostileRepository {
  readonly name: string;
  arm(arena: Arena): void;
  /** What a person would run to be hit; false where git of this version is not hit any more. */
  readonly plainly: readonly (readonly string[])[] | false;
  /** Where our operations are called, relative to the repository. */
  readonly at?: string;
  readonly files?: readonly string[];
}

export const STATUS = [["status"]];
export const COMMIT = [
  ["add", "-A"],
  ["commit", "-m", "x"],
];

/** Git looks at the content of a file only when its stats have changed. */
export function touch({ dir }: Arena, name = "a.txt"): void {
  writeFileSync(join(dir, name), "two\n");
}

export function config(arena: Arena, ...pairs: readonly (readonly [string, string])[]): void {
  for (const [key, value] of pairs) arena.git(["config", key, value]);
}

export function write(arena: Arena, name: string, text: string | Buffer): void {
  const path = join(arena.dir, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

export function hook(name: string, directory = ".git/hooks"): HostileRepository {
  return {
    name: `hook ${name} in ${directory}`,
    plainly: [...COMMIT, ["status"]],
    arm: (arena) => {
      write(arena, `${directory}/${name}`, `#!/bin/sh\ntouch ${arena.canary}\n`);
      chmodSync(join(arena.dir, directory, name), 0o755);
      if (directory !== ".git/hooks") config(arena, ["core.hooksPath", directory]);
      touch(arena);
    },
  };
}

/** The filter's settings stand where `place` puts them. */
export function filter(
  name: string,
  place: (arena: Arena, text: string) => void,
  { key = "clean", filterName = "f" } = {},
): HostileRepository {
  return {
    name,
    plainly: [...STATUS, ...COMMIT],
    arm: (arena) => {
      place(arena, `[filter "${filterName}"]\n\t${key} = ${arena.evil}\n\trequired = true\n`);
      write(arena, ".gitattributes", `* filter=${filterName}\n`);
      touch(arena);
    },
  };
}

export const inConfig = ({ dir }: Arena, text: string) =>
  appendFileSync(join(dir, ".git/config"), text);

/** A submodule of which git knows, whose own settings run something when git looks into it. */
export function submodule(name: string, settings: (arena: Arena) => string): HostileRepository {
  return {
    name,
    plainly: [...STATUS, ...COMMIT],
    arm: (arena) => {
      addSubmodule(arena);
      appendFileSync(join(arena.dir, "sub/.git/config"), settings(arena));
      appendFileSync(join(arena.dir, "sub/.git/info/attributes"), "* filter=f\n");
      touch(arena);
      touch(arena, "sub/s.txt");
    },
  };
}

export function addSubmodule(arena: Arena): void {
  arena.git(["init", "-q", "-b", "main", "sub"]);
  write(arena, "sub/s.txt", "one\n");
  arena.git(["add", "."], "sub");
  arena.git(["commit", "-q", "-m", "s"], "sub");
  write(arena, ".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n');
  arena.git(["add", "."]);
  arena.git(["commit", "-q", "-m", "with a submodule"]);
}

export const subFilter = ({ evil }: Arena) => `[filter "f"]\n\tclean = ${evil}\n`;

/** Objects are missing, and the remote that promises them runs something. */
export function promisor(
  name: string,
  settings: (arena: Arena) => [string, string][],
): HostileRepository {
  return {
    name,
    plainly: [["diff", "HEAD"]],
    arm: (arena) => {
      config(
        arena,
        ["core.repositoryFormatVersion", "1"],
        ["extensions.partialClone", "origin"],
        ["remote.origin.promisor", "true"],
        ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
        ...settings(arena),
      );
      const blob = arena.git(["rev-parse", "HEAD:a.txt"]).trim();
      rmSync(join(arena.dir, ".git/objects", blob.slice(0, 2), blob.slice(2)));
      touch(arena);
    },
  };
}

export function setting(
  name: string,
  pairs: (arena: Arena) => [string, string][],
  plainly: HostileRepository["plainly"],
  attributes = "",
): HostileRepository {
  return {
    name,
    plainly,
    arm: (arena) => {
      config(arena, ...pairs(arena));
      if (attributes) write(arena, ".gitattributes", attributes);
      touch(arena);
    },
  };
}
