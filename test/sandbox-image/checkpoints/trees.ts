import {
  chmodSync,
  closeSync,
  constants,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import fc from "fast-check";
import { isRoot } from "./lab.ts";

/** One change of a tree. Those that make no sense where they land do nothing. */
export type Change =
  | { readonly do: "file"; readonly path: string; readonly content: Uint8Array }
  | { readonly do: "folder"; readonly path: string }
  | { readonly do: "repository"; readonly path: string; readonly seed: number }
  | { readonly do: "link"; readonly path: string; readonly to: string }
  | { readonly do: "mode"; readonly path: string; readonly mode: number }
  | { readonly do: "owner"; readonly path: string; readonly uid: number; readonly gid: number }
  | { readonly do: "time"; readonly path: string; readonly seconds: number }
  | { readonly do: "remove"; readonly path: string }
  | { readonly do: "move"; readonly path: string; readonly to: string };

// One character per byte: the last three are no UTF-8.
const NAMES = [
  "a",
  "b",
  "c",
  "src",
  ".hidden",
  "-rf",
  "sp ace",
  "li\nne",
  'q"uote',
  "\xc3\xbc",
  "\xff\xfe",
  "x\x80",
  "\xe2\x82",
];
const name = fc.constantFrom(...NAMES);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const mode = fc.constantFrom(
  0o644,
  0o755,
  0o600,
  0o444,
  0o000,
  0o777,
  0o4755,
  0o2755,
  0o1777,
  0o2644,
);
const owner = fc.constantFrom(...(isRoot ? [0, 1000, 4321] : [process.getuid?.() ?? 0]));
const content = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ maxLength: 100 }).map((text) => new Uint8Array(Buffer.from(text))),
);
const to = fc.oneof(
  path,
  fc.constantFrom("/deckhand-test/nowhere", "..", ".", "../../outside", "\xff"),
);

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("file"), path, content }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("folder"), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("repository"), path, seed: fc.nat(999) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("link"), path, to }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("mode"), path, mode }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("owner"), path, uid: owner, gid: owner }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("time"), path, seconds: fc.nat(2 ** 31) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove"), path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("move"), path, to: path }) },
);

export const changes = fc.array(change, { minLength: 3, maxLength: 25 });

export function applyChanges(root: string, list: readonly Change[]): void {
  for (const one of list) {
    try {
      applyChange(root, one);
    } catch {
      // It makes no sense here, such as a file below a file.
    }
  }
}

/** Changes are made as root on a real machine: they never go through a link, neither on the way nor at its end. */
function refuseLinks(root: string, path: string): void {
  const names = path.split("/");
  for (let count = 1; count <= names.length; count += 1) {
    const isLeaf = count === names.length;
    const found = lstatSync(bytes(root, names.slice(0, count).join("/")), {
      throwIfNoEntry: false,
    });
    if (found?.isSymbolicLink() && !isLeaf) throw new Error("a link on the way");
  }
}

function applyChange(root: string, one: Change): void {
  refuseLinks(root, one.path);
  if (one.do === "move") refuseLinks(root, one.to);
  const path = bytes(root, one.path);
  switch (one.do) {
    case "file":
      makeFile(root, one.path, one.content);
      break;
    case "folder":
      mkdirSync(path, { recursive: true });
      break;
    case "repository":
      makeRepository(root, one);
      break;
    case "link":
      mkdirSync(bytes(root, parent(one.path)), { recursive: true });
      symlinkSync(Buffer.from(one.to, "latin1"), path);
      break;
    case "mode":
      if (!lstatSync(path).isSymbolicLink()) chmodSync(path, one.mode);
      break;
    case "owner":
      lchownSync(path, one.uid, one.gid);
      break;
    case "time":
      lutimesSync(path, one.seconds, one.seconds + 0.123456);
      break;
    case "remove":
      rmSync(path, { recursive: true });
      break;
    case "move":
      renameSync(path, bytes(root, one.to));
      break;
  }
}

function makeFile(root: string, path: string, content: Uint8Array): void {
  refuseLinks(root, path);
  mkdirSync(bytes(root, parent(path)), { recursive: true });
  const file = openSync(bytes(root, path), WRITE_NO_LINK);
  try {
    writeSync(file, content);
  } finally {
    closeSync(file);
  }
}

const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
const WRITE_NO_LINK = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;

/** What makes a nested repository special to a copy made by git: a .git of its own, and read-only objects. */
function makeRepository(root: string, { path, seed }: { path: string; seed: number }): void {
  const parts = {
    HEAD: "ref: refs/heads/main\n",
    "objects/ab/cd": `blob ${seed}\0`,
    config: "[core]\n",
  };
  for (const [name, text] of Object.entries(parts)) {
    makeFile(root, `${path}/.git/${name}`, Buffer.from(text));
  }
  chmodSync(bytes(root, `${path}/.git/objects/ab/cd`), 0o444);
  mkdirSync(bytes(root, `${path}/.git/refs/tags`), { recursive: true });
}

function bytes(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
}

function parent(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
