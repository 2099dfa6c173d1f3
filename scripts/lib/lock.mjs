// @ts-check
import { createServer } from "node:net";

const POLL_MS = 200;

/**
 * Waits until no other setup runs on this machine, then runs `work`. The lock is a socket in the
 * kernel's abstract namespace: it goes away with its process, however that ends. Other systems than
 * Linux have no such thing and go without a lock.
 * @param {() => Promise<void>} work
 */
export async function withLock(work) {
  if (process.platform !== "linux") return work();
  let release = await tryLock();
  if (!release) console.log("Waiting for another setup on this machine to finish.");
  while (!release) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    release = await tryLock();
  }
  try {
    await work();
  } finally {
    release();
  }
}

/** @returns {Promise<(() => void) | undefined>} */
function tryLock() {
  const server = createServer();
  return new Promise((resolve) => {
    server.on("error", () => resolve(undefined));
    server.listen("\0deckhand-setup", () => resolve(() => server.close()));
  });
}
