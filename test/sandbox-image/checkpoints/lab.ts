import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  Checkpoints,
  type CheckpointsOptions,
} from "../../../sandbox-image/server/checkpoints/checkpoints.ts";

/** A workspace and a store in a temporary directory of this machine. */
export interface Lab extends Disposable {
  readonly top: string;
  readonly root: string;
  readonly store: string;
  readonly checkpoints: Checkpoints;
  write(name: string, content: string | Buffer): string;
  read(name: string): string;
  path(name: string): string;
  /** The same store, opened anew. */
  open(options?: Partial<CheckpointsOptions>): Checkpoints;
}

export function makeLab(options: Partial<CheckpointsOptions> = {}): Lab {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "checkpoints-")));
  const [root, store] = [join(top, "workspace"), join(top, "store")];
  mkdirSync(root);
  const path = (name: string) => join(root, name);
  const open = (other: Partial<CheckpointsOptions> = {}) =>
    new Checkpoints({ root, store, ...options, ...other });
  return {
    top,
    root,
    store,
    checkpoints: open(),
    path,
    open,
    read: (name) => readFileSync(path(name), "utf8"),
    write: (name, content) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
    [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }),
  };
}

export const isRoot = process.getuid?.() === 0;

/** Every byte that a restore promises to bring back, one line per entry; written apart from the code under test. */
export function portrait(path: string | Buffer, name = ""): string[] {
  const stats = lstatSync(path);
  const micros = Math.round(stats.mtimeMs * 1000); // times are set as doubles, and cut off below that
  const head = `${JSON.stringify(name)} ${stats.mode.toString(8)} ${stats.uid}:${stats.gid}`;
  if (stats.isSymbolicLink()) return [`${head} -> ${readlinkSync(path, "latin1")}`];
  if (stats.isFile()) return [`${head} ${micros} ${readFileSync(path, "latin1")}`];
  if (!stats.isDirectory()) return [head];
  const children = readdirSync(path, "latin1").sort();
  const lines = children.flatMap((child) => {
    const below = Buffer.concat([Buffer.from(path), Buffer.from(`/${child}`, "latin1")]);
    return portrait(below, `${name}/${child}`);
  });
  return [`${head} ${micros}`, ...lines];
}
