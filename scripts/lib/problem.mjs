// @ts-check

/** Something the person at the machine has to do; its message is one sentence that says what. */
export class SetupError extends Error {}

/**
 * Runs a script's main function. A SetupError ends it with its sentence and exit code 1; anything
 * else is a fault of ours and shows its stack.
 * @param {() => Promise<void>} main
 */
export async function runScript(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof SetupError ? error.message : error);
    process.exitCode = 1;
  }
}
