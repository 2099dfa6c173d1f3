/** Settings of a repository in the order in which git reads them: keys as `git config --list` writes them. */
export class GitSettings {
  readonly #pairs: readonly (readonly [string, string])[];

  /** `given` are those of the call itself, `key=value`; they come last. */
  constructor(pairs: readonly (readonly [string, string])[], given: readonly string[] = []) {
    this.#pairs = [...pairs, ...given.map(pairOf)];
  }

  all(key: string): string[] {
    const wanted = normalKey(key);
    return this.#pairs.filter(([name]) => name === wanted).map(([, value]) => value);
  }

  last(key: string): string | undefined {
    return this.all(key).at(-1);
  }

  isTrue(key: string): boolean {
    const value = this.last(key);
    return value !== undefined && !/^(?:false|no|off|0*)$/i.test(value);
  }

  /** The pairs whose key begins and ends with these words. */
  between(start: string, end: string): { readonly name: string; readonly value: string }[] {
    return this.#pairs
      .filter(([key]) => key.startsWith(start) && key.endsWith(end))
      .map(([key, value]) => ({ name: key.slice(start.length, key.length - end.length), value }));
  }
}

function pairOf(text: string): readonly [string, string] {
  const equals = text.indexOf("=");
  // A key without a value is true.
  return equals < 0
    ? [normalKey(text), "true"]
    : [normalKey(text.slice(0, equals)), text.slice(equals + 1)];
}

/** Section and name in small letters; what stands between them keeps its case. */
function normalKey(key: string): string {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  if (first < 0) return key.toLowerCase();
  return key.slice(0, first).toLowerCase() + key.slice(first, last) + key.slice(last).toLowerCase();
}
