const SILENCE_MS = 2 * 60 * 60 * 1000;
const LOOK_EVERY_MS = 60 * 1000;

/**
 * Ends the server, and with it the container, when nobody has spoken to it for so long that its bot
 * must be gone for good. The files stay in their volumes. Call the returned function for every line.
 */
export function watchForSilence(isBusy: () => boolean | Promise<boolean>): () => void {
  let heardAt = performance.now();
  const timer = setInterval(async () => {
    if (await isBusy()) heardAt = performance.now();
    if (performance.now() - heardAt > SILENCE_MS) process.exit(0);
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => {
    heardAt = performance.now();
  };
}
