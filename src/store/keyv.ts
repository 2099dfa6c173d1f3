import { Keyv, type KeyvStoreAdapter } from "keyv";

/**
 * keyv as a store needs it: errors are thrown, and texts go through as they are. Its own envelope with an expiry is
 * left away, because keyv deletes what it finds expired in a second step and by its own clock, and would so delete
 * what another process has just written anew; and so is its prefix, which it does not add to keys that have it already.
 */
export function keyvOver(store: KeyvStoreAdapter): Keyv {
  const keyv = new Keyv(store, {
    useKeyPrefix: false,
    throwOnErrors: true,
    emitErrors: false,
    serialize: ({ value }) => value as string,
    deserialize: <T>(text: string) => ({ value: text as T }),
  });
  // Otherwise it is called "keyv".
  keyv.namespace = undefined;
  return keyv;
}
