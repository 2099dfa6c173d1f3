import { call, type Reply, say } from "../../test/support/model-server/replies.ts";

/** All of them mention the bot within four seconds. */
export const THREADS = 200;
export const BETWEEN_MENTIONS_MS = 20;
export const CAP = 8;
/** More want a workspace than may have one at a time: the last of them wait in the queue. */
const WORKING = 12;

/** As a model speaks: some thinking, then piece by piece, all threads at the same time. */
const PACE = { delayMs: 300, paceMs: 10 };

/** The last words of every thread. */
export const DONE = "That is all there is to do.";

export type Scripting = (marker: string, replies: readonly Reply[]) => Promise<void>;

/** Tells the model what it does in each thread. Resolves with the words that begin the threads. */
export async function scriptThreads(script: Scripting): Promise<string[]> {
  const every = Math.floor(THREADS / WORKING);
  const words: string[] = [];
  for (let index = 0; index < THREADS; index += 1) {
    const marker = `marker-${index}.`;
    const isWorking = index % every === 0 && index / every < WORKING;
    await script(marker, isWorking ? working() : talking());
    words.push(`Do what you can. ${marker}`);
  }
  return words;
}

function working(): Reply[] {
  const args = { operation: "run_command", command: "sleep 2; echo worked" };
  return [call("terminal_operations", args, PACE), say(DONE, PACE)];
}

export function talking(): Reply[] {
  const args = { thoughts: "What do they want? Nothing that needs hands." };
  return [call("think", args, PACE), say(DONE, PACE)];
}
