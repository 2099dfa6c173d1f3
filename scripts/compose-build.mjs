// @ts-check
// Builds the images that docker-compose.yml names, without a registry if need be: compose-build.mjs [--tag NAME] [--redis]
import { parseArgs } from "node:util";
import { EngineApi } from "./lib/engine-api.mjs";
import { withLock } from "./lib/lock.mjs";
import { runScript } from "./lib/problem.mjs";
import { BOT_IMAGE } from "./lib/project.mjs";
import { prepareBotImage } from "./setup.d/bot-image.mjs";
import { findCompose } from "./setup.d/compose.mjs";
import { prepareRedisImage } from "./setup.d/redis-image.mjs";

const options = /** @type {const} */ ({
  tag: { type: "string", default: BOT_IMAGE },
  redis: { type: "boolean", default: false },
});

await runScript(async () => {
  const { tag, redis } = parseArgs({ options }).values;
  const engine = new EngineApi(process.env);
  await withLock(() => prepareBotImage(engine, { tag }));
  if (redis) await withLock(() => tellRedis(engine));
  const compose = await findCompose();
  console.log(
    `${tag} is ready: \`${(compose ?? ["docker", "compose"]).join(" ")} up -d\` starts it.`,
  );
  if (!compose) {
    const debian = "run `apt-get install docker-compose` on Debian";
    console.log(`Docker Compose is missing: install it from Docker's packages, or ${debian}.`);
  }
});

/** @param {EngineApi} engine */
async function tellRedis(engine) {
  const image = await prepareRedisImage(engine);
  const lines = ["COMPOSE_PROFILES=redis", `REDIS_IMAGE=${image}`, "REDIS_URL=redis://redis:6379"];
  console.log(`To use Redis, add these lines to .env:\n\n  ${lines.join("\n  ")}\n`);
}
