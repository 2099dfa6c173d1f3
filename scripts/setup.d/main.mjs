// @ts-check
import { parseArgs } from "node:util";
import { withLock } from "../lib/lock.mjs";
import { runScript } from "../lib/problem.mjs";
import { prepareAppArmor } from "./apparmor.mjs";
import { prepareBrowser } from "./browser.mjs";
import { prepareDependencies } from "./dependencies.mjs";
import { prepareEngine } from "./engine.mjs";
import { prepareImage } from "./image.mjs";
import { prepareRedis } from "./redis.mjs";

const options = /** @type {const} */ ({ "engine-only": { type: "boolean", default: false } });
const isEngineOnly = parseArgs({ options }).values["engine-only"];

await runScript(() =>
  withLock(async () => {
    await prepareDependencies();
    const engine = await prepareEngine(process.env);
    if (isEngineOnly) return console.log("Ready: dependencies and Docker engine.");
    await prepareImage(engine);
    await prepareAppArmor(engine);
    await prepareRedis();
    await prepareBrowser(process.env);
    console.log("Ready: dependencies, Docker engine and sandbox image are up to date.");
  }),
);
