import { afterEach, beforeEach } from "vitest";
import type { Store } from "../../src/contract/store.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { StoreSettings } from "../../src/store/settings.ts";

/** For each test a store of its own, opened twice as by two replicas, and closed at the end. */
export function twoReplicas(freshSettings: () => StoreSettings): Replicas {
  const replicas = {} as { -readonly [key in keyof Replicas]: Replicas[key] };
  const open = async () => {
    const { settings } = replicas;
    [replicas.store, replicas.other] = await Promise.all([
      openStore(settings),
      openStore(settings),
    ]);
  };
  const close = async () => {
    await replicas.store[Symbol.asyncDispose]();
    await replicas.other[Symbol.asyncDispose]();
  };
  replicas.reopen = async () => {
    await close();
    await open();
    return replicas;
  };
  beforeEach(async () => {
    replicas.settings = freshSettings();
    await open();
  });
  afterEach(close);
  return replicas;
}

interface Replicas {
  readonly settings: StoreSettings;
  readonly store: Store;
  readonly other: Store;
  /** As after a restart of both. */
  reopen(): Promise<Replicas>;
}
