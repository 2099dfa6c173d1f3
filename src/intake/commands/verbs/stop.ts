import { saying, type Verb } from "../verb.ts";

export const stop: Verb = {
  name: "stop",
  forms: [
    {
      usage: "stop",
      summary: "stop the current turn and everything that runs for it",
      act: "stop",
      run: async ({ journal }, { conversation }) => {
        const { open, asked } = await journal.read(conversation);
        // What was said just before may not have begun yet.
        const isSomething = open !== undefined || asked.length > 0;
        return isSomething ? { stops: true } : saying("Nothing is running in this thread.");
      },
    },
  ],
};
