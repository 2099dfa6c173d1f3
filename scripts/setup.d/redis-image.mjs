// @ts-check
import { join } from "node:path";
import { INPUTS_LABEL, REDIS_IMAGE, root } from "../lib/project.mjs";
import { prepareBaseWith } from "./base.mjs";
import { build } from "./image.mjs";

const REGISTRY_REDIS = "redis:7-bookworm";

/**
 * The name of an image for compose's Redis: the registry's, which compose uses by itself, or one with Debian's Redis.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {{ tag?: string }} [options] another tag, for tests
 */
export async function prepareRedisImage(engine, { tag = REDIS_IMAGE } = {}) {
  const base = await prepareBaseWith(engine, ["redis-server"], REGISTRY_REDIS);
  if (base === REGISTRY_REDIS) return base;
  const made = await engine.image(tag);
  if (made?.Config?.Labels?.[INPUTS_LABEL] === base) return tag;
  console.log(`Building ${tag} from Debian's Redis: no image registry answers.`);
  await build(engine, join(root, "deploy/redis"), { tag, base, hash: base });
  return tag;
}
