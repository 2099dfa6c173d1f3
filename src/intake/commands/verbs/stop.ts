import { saying, type Verb } from "../verb.ts";

export const stop: Verb = {
  name: "stop",
  forms: [
    {
      usage: "stop",
      summary: "end the turn that is under way, and everything that runs for it",
      act: "stop",
      run: async ({ journal }, { conversation }) => {
        const { open } = await journal.read(conversation);
        return open ? { stops: true } : saying("Nothing is under way in this thread.");
      },
    },
  ],
};
