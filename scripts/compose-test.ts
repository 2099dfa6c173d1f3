/**
 * Walks through the life of Deckhand under compose as an operator does, on this machine's engine and without a registry:
 * the version before compose with an approval that waits, the upgrade, the approval's answer, a killed bot, the end; and
 * the same bot with the Redis of compose's profile.
 *
 *   npm run compose:test [-- --from REVISION] [--keep-images]
 *
 * The version before is the last one without the engine proxy, or --from. Everything that the test makes has a name of
 * its own and is removed, also when a step fails. Kept images make the next run shorter: only those whose sources have
 * changed are built again.
 */
import { execFile } from "node:child_process";
import { parseArgs, promisify } from "node:util";
import { buildImages } from "./compose-test/images.ts";
import { testRedis } from "./compose-test/redis.ts";
import { testUpgrade } from "./compose-test/upgrade.ts";
import { WebChat } from "./compose-test/web-chat.ts";
import { freePort } from "./lib/free-port.ts";
import { root } from "./lib/project.mjs";
import { prepareCompose } from "./setup.d/compose.mjs";

const { values } = parseArgs({
  options: { from: { type: "string" }, "keep-images": { type: "boolean", default: false } },
});
const socket = process.env.ENGINE_SOCKET ?? "/var/run/docker.sock";
const beganAt = performance.now();

try {
  const command = await prepareCompose();
  const from = values.from ?? (await lastWithoutProxy());
  await using images = await buildImages({ from, isKept: values["keep-images"] });
  say(`images of ${from.slice(0, 12)} and of this tree are built`);
  const chat = new WebChat(await freePort());
  const settings = {
    ...chat.settings,
    DECKHAND_IMAGE: images.bot,
    ENGINE_SOCKET: socket,
    REDIS_IMAGE: images.redis,
    WORKSPACE_IMAGE: images.sandbox,
  };
  const project = { command, settings };
  await testUpgrade({ project, chat, images, socket, say });
  await testRedis({ project, chat, say });
  say("everything was as it should be");
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

async function lastWithoutProxy(): Promise<string> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)("git", args, { cwd: root })).stdout.trim();
  const paths = ["docker-compose.yml", "src/engine-proxy"];
  const added = await git("log", "--diff-filter=A", "--format=%H", "--", ...paths);
  return git("rev-parse", `${added.split("\n").at(-1)}^`);
}

function say(what: string): void {
  console.log(`${((performance.now() - beganAt) / 1000).toFixed(0).padStart(4)} s  ${what}`);
}
