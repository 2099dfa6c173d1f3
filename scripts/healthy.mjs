// @ts-check
// Whether something answers: healthy.mjs http://HOST:PORT/PATH, or the path of a Docker engine's socket. For health
// checks of containers, whose images need no curl.
import http from "node:http";
import { runScript, SetupError } from "./lib/problem.mjs";

const ANSWER_MS = 8_000;

await runScript(async () => {
  const target = process.argv[2] ?? "";
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await new Promise((resolve, reject) => {
    const asked = target.startsWith("/")
      ? http.get({ socketPath: target, path: "/_ping", signal })
      : http.get(target, { signal });
    asked.on("response", resolve).on("error", reject);
  }).catch((error) => {
    throw new SetupError(`${target}: ${error.message}`);
  });
  let text = "";
  for await (const piece of answer) text += piece;
  console.log(text);
  if (answer.statusCode !== 200) process.exitCode = 1;
});
