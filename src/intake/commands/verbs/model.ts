import { CommandRefusedError, saying, type Verb } from "../verb.ts";

const PATIENCE_MS = 2_500;

export const model: Verb = {
  name: "model",
  forms: [
    {
      usage: "model",
      summary: "the model in use, and whether it answers",
      act: "readThread",
      needsThread: false,
      run: async (deps) => {
        if (!deps.model) {
          return saying(
            "No model is configured, so I only run explicit commands. The operator can set OPENAI_API_KEY and restart me.",
          );
        }
        const { name } = deps.model;
        try {
          const problem = await deps.model.check(AbortSignal.timeout(PATIENCE_MS));
          return saying(problem ? `${name}: ${problem.message}` : `${name} answers.`);
        } catch (cause) {
          throw new CommandRefusedError(`${name} did not respond within ${PATIENCE_MS / 1000} s.`, {
            cause,
          });
        }
      },
    },
  ],
};
