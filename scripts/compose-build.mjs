// @ts-check
// Builds the images that docker-compose.yml names, without a registry if need be: compose-build.mjs [--tag NAME]
import { parseArgs } from "node:util";
import { EngineApi } from "./lib/engine-api.mjs";
import { withLock } from "./lib/lock.mjs";
import { runScript } from "./lib/problem.mjs";
import { BOT_IMAGE } from "./lib/project.mjs";
import { prepareBotImage } from "./setup.d/bot-image.mjs";

await runScript(async () => {
  const options = /** @type {const} */ ({ tag: { type: "string", default: BOT_IMAGE } });
  const { tag } = parseArgs({ options }).values;
  await withLock(() => prepareBotImage(new EngineApi(process.env), { tag }));
  console.log(`${tag} is ready: \`docker compose up -d\` starts it.`);
});
