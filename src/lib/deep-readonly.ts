/** A value that its holder cannot change in any part: what is shared stays what it is. */
export type DeepReadonly<Value> =
  Value extends ReadonlyMap<infer Key, infer Item>
    ? ReadonlyMap<Key, DeepReadonly<Item>>
    : Value extends ReadonlySet<infer Item>
      ? ReadonlySet<Item>
      : Value extends WeakMap<infer Key, infer Item>
        ? Pick<WeakMap<Key, Item>, "get" | "has">
        : Value extends WeakSet<infer Item>
          ? Pick<WeakSet<Item>, "has">
          : // A list of any length: of JSON, the compiler must not look into the items at once.
            Value extends readonly (infer Item)[]
            ? number extends Value["length"]
              ? readonly DeepReadonly<Item>[]
              : { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
            : Value extends object
              ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
              : Value;
