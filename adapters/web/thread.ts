import type { ThreadId } from "../../src/contract/platform/incoming.ts";

const KEY = /^[0-9a-f]{24}$/;

/** A thread's key is made by the page from 96 random bits: it says nothing and cannot be guessed. */
export function encodeThread(key: string): ThreadId {
  if (!KEY.test(key)) throw new Error("The key of a web thread must be 24 hexadecimal digits.");
  return `web:${key}`;
}

/** Throws for what it did not encode. */
export function decodeThread(thread: string): string {
  const key = thread.replace(/^web:/, "");
  if (encodeThread(key) === thread) return key;
  throw new Error("This is not a thread of the web chat.");
}
