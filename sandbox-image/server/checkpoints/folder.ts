import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  type Stats,
} from "node:fs";
import { type Bytes, raw } from "./bytes.ts";

const OPEN = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * An open directory. Names are looked up in exactly this directory, so nobody can lead root elsewhere by putting a
 * link in the place of one of its parents meanwhile. Never follows a link.
 *
 * Synchronous on purpose: it looks at every file there is, and one trip through the thread pool each would take
 * several times as long.
 */
export class Folder implements Disposable {
  readonly fd: number;

  private constructor(fd: number) {
    this.fd = fd;
  }

  static open(path: string | Buffer): Folder {
    return new Folder(openSync(path, OPEN));
  }

  /** A path that leads to this name in exactly this directory; the last link is the caller's not to follow. */
  at(name: Bytes): string | Buffer {
    return raw(`/proc/self/fd/${this.fd}/${name}`);
  }

  enter(name: Bytes): Folder {
    return Folder.open(this.at(name));
  }

  /** Opens what lies below, one name after the other. */
  descend(path: Bytes): Folder {
    let current = this.enter(".");
    for (const name of path === "" ? [] : path.split("/")) {
      using parent = current;
      current = parent.enter(name);
    }
    return current;
  }

  names(): Bytes[] {
    return readdirSync(`/proc/self/fd/${this.fd}`, "latin1").sort();
  }

  stats(): Stats {
    return fstatSync(this.fd);
  }

  lstat(name: Bytes): Stats | undefined {
    return lstatSync(this.at(name), { throwIfNoEntry: false });
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

/** An open file that is closed with its block. */
export class OpenFile implements Disposable {
  readonly fd: number;

  constructor(path: string | Buffer, flags: number, mode?: number) {
    this.fd = openSync(path, flags | constants.O_NOFOLLOW, mode);
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}
