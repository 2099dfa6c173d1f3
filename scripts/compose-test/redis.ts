import { ComposeProject, type ProjectOptions } from "./compose-project.ts";
import { until } from "./until.ts";
import type { WebChat } from "./web-chat.ts";

interface RedisParts {
  readonly project: ProjectOptions;
  readonly chat: WebChat;
  readonly say: (what: string) => void;
}

/** A bot whose store is the profile's Redis: an approval waits there while both are killed, and is answered afterwards. */
export async function testRedis({ project: options, chat, say }: RedisParts): Promise<void> {
  const redis = { COMPOSE_PROFILES: "redis", REDIS_URL: "redis://redis:6379" };
  await using project = new ComposeProject({
    ...options,
    settings: { ...options.settings, ...redis },
  });
  try {
    await project.compose(["up", "--detach", "--no-build"]);
    await project.isHealthy("redis", "bot", "engine-proxy");
    await chat.open();
    await project.readInstance();
    await chat.command("export KEPT=variable; echo be''gan", "began");
    await chat.say("member", "$ sudo rm -rf /usr/local/games");
    const waiting = await until("an approval waits", () => chat.approveButton());
    const keys = Number(await project.runIn("redis", "redis-cli dbsize"));
    if (!(keys > 0)) throw new Error(`Redis has ${keys} keys.`);
    say(`with Redis: healthy, an approval waits, ${keys} keys`);

    await project.kill("redis");
    await project.isHealthy("redis", "bot");
    await project.kill("bot");
    await project.isHealthy("bot");
    await chat.shows("began");
    const button = await until("the approval still waits", () => chat.approveButton());
    if (waiting !== button) throw new Error(`Another button: ${waiting} and ${button}.`);
    await chat.approve();
    await chat.command("ls -d /usr/local/games", "cannot access '/usr/local/games'");
    await chat.command('echo "<$KEPT>"', "<variable>");
    say(
      "Redis and the bot were killed and started again: the approval was answered, nothing is lost",
    );
    say(`stopped in ${(await project.leave()).toFixed(1)} s, and nothing is left behind`);
  } catch (error) {
    console.error(await project.compose(["logs", "--tail", "60"]).catch(() => ""));
    throw error;
  }
}
