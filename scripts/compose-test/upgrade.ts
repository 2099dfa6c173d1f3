import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ComposeProject, type ProjectOptions } from "./compose-project.ts";
import type { TestImages } from "./images.ts";
import { until } from "./until.ts";
import type { WebChat } from "./web-chat.ts";

interface UpgradeParts {
  readonly project: ProjectOptions;
  readonly chat: WebChat;
  readonly images: TestImages;
  /** Of the engine. */
  readonly socket: string;
  readonly say: (what: string) => void;
}

/** The content of a file, and a variable of the terminal's shell. */
const SHOW = 'echo "<$(cat file) $KEPT>"';

/** The version before compose with an approval that waits, the upgrade, the approval's answer, a killed bot, the end. */
export async function testUpgrade(parts: UpgradeParts): Promise<void> {
  const { chat, images, say } = parts;
  await using project = new ComposeProject(parts.project);
  try {
    const waiting = await startOld(project, parts);
    say("the version before runs, and an approval waits");

    await project.compose(["up", "--detach", "--no-build"]);
    await project.isHealthy("bot", "engine-proxy");
    const button = await until("the approval still waits", () => chat.approveButton());
    if (waiting !== button) throw new Error(`Another button: ${waiting} and ${button}.`);
    await chat.approve();
    await chat.command("ls -d /usr/local/games", "cannot access '/usr/local/games'");
    await chat.command(SHOW, "<kept variable>");
    say(
      "upgraded: the approval was answered, and the workspace with a background command is the same",
    );

    await checkRights(project);
    say("the bot is uid 10001 without rights, and its proxy refuses a container of its own making");

    await project.kill("bot");
    await project.isHealthy("bot", "engine-proxy");
    await chat.command(`echo again; ${SHOW}`, "again\\n<kept variable>");
    say("killed and started again: the terminal is still the same");

    await chat.command("kill $(pidof sleep); while pidof sleep; do :; done; echo en''ded", "ended");
    await project.compose(["restart", "bot"]);
    await project.isHealthy("bot");
    await chat.command(SHOW, "<kept >");
    await project.hasWorkspacesOf(images.sandbox);
    say("once that had ended, the workspace got a container of the new version, with its files");

    say(`stopped in ${(await project.leave()).toFixed(1)} s, and nothing is left behind`);
  } catch (error) {
    console.error(await project.compose(["logs", "--tail", "60"]).catch(() => ""));
    throw error;
  }
}

/** The version before had no proxy and no health server: it gets the engine itself. Resolves with the approval's button. */
async function startOld(project: ComposeProject, parts: UpgradeParts): Promise<string> {
  const { chat, images, socket } = parts;
  const more = join(project.directory, "before.yml");
  const bot = {
    image: images.oldBot,
    user: `10001:${statSync(socket).gid}`,
    environment: { DOCKER_HOST: "unix:///engine.sock", WORKSPACE_IMAGE: images.oldSandbox },
    volumes: [`${socket}:/engine.sock`],
    healthcheck: { test: ["CMD", "true"] },
  };
  writeFileSync(more, JSON.stringify({ services: { bot } }));
  await project.compose(["up", "--detach", "--no-build", "bot"], { more });
  await chat.open();
  await project.readInstance();
  await chat.command("export KEPT=variable; echo kept > file; echo be''gan", "began");
  // An upgrade leaves a workspace alone as long as a background command runs in it.
  await chat.say("owner", `terminal_operations.run_command command="sleep 3000" isBackground=true`);
  await chat.shows("bg-1");
  await chat.say("member", "$ sudo rm -rf /usr/local/games");
  return until("an approval waits", () => chat.approveButton());
}

/** The bot has neither the engine nor any right. */
async function checkRights(project: ComposeProject): Promise<void> {
  const seen = await project.runIn(
    "bot",
    "id -u; ls /var/run/docker.sock /engine.sock 2>/dev/null; touch /app/x 2>/dev/null && echo writable; grep -E 'CapEff|NoNewPrivs' /proc/self/status",
  );
  if (!/^10001\nCapEff:\s+0+\nNoNewPrivs:\s+1$/.test(seen.trim())) throw new Error(seen);
  const create = `require("node:http").request({socketPath:"/run/deckhand/engine.sock",method:"POST",path:"/containers/create?name=x"},r=>console.log(r.statusCode)).end()`;
  const answered = await project.runIn("bot", `node_modules/.bin/node -e '${create}'`);
  if (answered.trim() !== "403") throw new Error(`The proxy answered ${answered}.`);
}
