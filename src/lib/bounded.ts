/** A map of so many entries at most. What is set is its newest entry; one too many drops the oldest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    dropOldest(this, this.#most);
    return this;
  }
}

/** A set of so many values at most. What is added is its newest value; one too many drops the oldest. */
export class BoundedSet<Value> extends Set<Value> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override add(value: Value): this {
    this.delete(value);
    super.add(value);
    dropOldest(this, this.#most);
    return this;
  }
}

function dropOldest<Key>(
  kept: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): boolean },
  most: number,
): void {
  if (kept.size <= most) return;
  const [oldest] = kept.keys();
  kept.delete(oldest as Key);
}
