import type { ThreadId } from "../../src/contract/platform/incoming.ts";

const KEY = /^[0-9a-f]{24}$/;

/** A thread's key is made by the page from 96 random bits: it says nothing and cannot be guessed. */
export function encodeThread(key: string): ThreadId {
  if (!KEY.test(key))
    throw new Error("A thread of the web chat has a key of 24 hexadecimal digits.");
  return `web:${key}`;
}

/** Throws for what it did not encode. */
export function decodeThread(thread: string): string {
  const key = thread.replace(/^web:/, "");
  if (encodeThread(key) === thread) return key;
  throw new Error("That thread is not one of the web chat.");
}
