import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { EngineApi } from "../lib/engine-api.mjs";
import { listed } from "../lib/leftovers.ts";
import { BASE_IMAGE, INPUTS_LABEL, root } from "../lib/project.mjs";
import { shareDependencies } from "../lib/share-dependencies.ts";
import { prepareBotImage } from "../setup.d/bot-image.mjs";
import { prepareImage } from "../setup.d/image.mjs";
import { prepareRedisImage } from "../setup.d/redis-image.mjs";

const run = promisify(execFile);

/** Everything that runs in the test, under tags of its own: others on this machine use the usual ones. */
export interface TestImages extends AsyncDisposable {
  readonly bot: string;
  readonly sandbox: string;
  readonly redis: string;
  /** Of the version before. */
  readonly oldBot: string;
  readonly oldSandbox: string;
}

export interface ImageOptions {
  /** The version before. */
  readonly from: string;
  /** Left for the next run, which then builds only what has changed. */
  readonly isKept: boolean;
}

export async function buildImages({ from, isKept }: ImageOptions): Promise<TestImages> {
  const engine = new EngineApi(process.env);
  const name = isKept ? "kept" : randomBytes(3).toString("hex");
  const tag = (what: string) => `deckhand-compose-test:${name}-${what}`;
  const tags = ["bot", "sandbox", "redis", "old-bot", "old-sandbox"].map(tag);
  await prepareBotImage(engine, { tag: tag("bot") });
  await prepareImage(engine, { tag: tag("sandbox") });
  const basesBefore = await listed("images", "--format", "{{.Repository}}:{{.Tag}}", BASE_IMAGE);
  const redis = await prepareRedisImage(engine, { tag: tag("redis") });
  const redisBase = (await engine.image(redis))?.Config?.Labels?.[INPUTS_LABEL];
  // That of the sandbox stays: `npm start` builds on it, too.
  if (redisBase && !basesBefore.includes(redisBase)) tags.push(redisBase);
  await buildOld(engine, from, { bot: tag("old-bot"), sandbox: tag("old-sandbox") });
  return {
    ...{ bot: tag("bot"), sandbox: tag("sandbox"), redis },
    ...{ oldBot: tag("old-bot"), oldSandbox: tag("old-sandbox") },
    async [Symbol.asyncDispose]() {
      if (isKept) return;
      for (const one of tags) await run("docker", ["rmi", one]).catch(() => undefined);
    },
  };
}

async function buildOld(
  engine: EngineApi,
  from: string,
  { bot, sandbox }: { readonly bot: string; readonly sandbox: string },
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "deckhand-compose-old-"));
  try {
    const tree = join(directory, "tree");
    mkdirSync(tree);
    await run("sh", ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", from, tree], { cwd: root });
    cpSync(join(root, "Dockerfile"), join(tree, "Dockerfile"));
    await prepareBotImage(engine, { tag: bot, tree });
    await shareDependencies(tree);
    await run(process.execPath, [join(tree, "scripts/image"), "--tag", sandbox], { cwd: tree });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
