import { posix } from "node:path";
import { absoluteShapes } from "./paths.ts";
import { isUnknown, literalWord, UNKNOWN, type Word } from "./word.ts";

/** Links that lead to links are followed so often, as the kernel does for a while, too. */
const MAXIMUM_HOPS = 8;

/** Links that the command makes: later words that name a way through them lead elsewhere. */
export class Links {
  readonly #targets = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#targets.size === 0;
  }

  add(path: string, target: string): void {
    if (isUnknown(literalWord(path)) || path === "/") return;
    this.#targets.set(path, absoluteShapes(target, [posix.dirname(path)])[0] ?? UNKNOWN);
  }

  /** The word with the place that it leads to. A link by itself is only followed with `alsoLast`. */
  follow(word: Word, directories: readonly string[], { alsoLast }: { alsoLast: boolean }): Word {
    if (this.isEmpty || /^(?:-[^=]*)?$/.test(word.shape)) return word;
    const [, before = "", path = ""] = /^(--?[\w-]+=|\w+=)?([\s\S]*)$/.exec(word.shape) ?? [];
    for (const shape of absoluteShapes(path, directories)) {
      const target = this.#resolve(shape, alsoLast || path.endsWith("/"));
      if (target !== shape) return { text: word.text, shape: before + target };
    }
    return word;
  }

  #resolve(path: string, alsoLast: boolean): string {
    let shape = path;
    for (let hop = 0; hop < MAXIMUM_HOPS; hop++) {
      const next = this.#hop(shape, alsoLast);
      if (next === undefined) return shape;
      shape = next;
    }
    return UNKNOWN;
  }

  #hop(shape: string, alsoLast: boolean): string | undefined {
    for (let end = shape.indexOf("/", 1); end > 0; end = shape.indexOf("/", end + 1)) {
      const target = this.#targets.get(shape.slice(0, end));
      if (target !== undefined) return absoluteShapes(`${target}${shape.slice(end)}`, ["/"])[0];
    }
    if (alsoLast) return this.#targets.get(shape);
    return undefined;
  }
}
