/**
 * Follows one mention through the whole bot and prints which of our functions ran between the mention and its reply: a
 * command that is approved on the web chat, in a real workspace whose server is traced as well.
 *
 *   npm run -s walk -- [--json]
 *
 * Functions are listed in the order of the event loop's turns in which they first ran. Module bodies do not count.
 */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { call, say } from "../test/support/model-server/replies.ts";
import { newDataDir, openLab } from "./bench/lab.ts";
import { startModelProcess } from "./bench/model-process.ts";
import { Coverage, type RanFunction } from "./walk/coverage.ts";
import { TracedImage } from "./walk/traced-image.ts";
import { WebChat } from "./walk/web-chat.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OURS = /^(?:src|adapters|sandbox-image)\//;

interface Station {
  readonly process: "bot" | "workspace";
  readonly file: string;
  readonly name: string;
  readonly offset: number;
}

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const stations = await walk();
const ofBot = stations.filter((one) => one.process === "bot");
const figures = {
  files: filesOf(stations).length,
  functions: stations.length,
  botFiles: filesOf(ofBot).length,
  botFunctions: ofBot.length,
};
if (values.json) {
  const list = stations.map((one) => `${one.process}: ${one.file} ${one.name || "(no name)"}`);
  console.log(JSON.stringify({ ...figures, list }, undefined, 1));
} else console.table(figures);

async function walk(): Promise<Station[]> {
  const dataDir = newDataDir();
  await using stack = new AsyncDisposableStack();
  const image = stack.use(await TracedImage.build());
  // Once the bot has ended, another removes its workspace.
  stack.defer(async () => {
    await using _lab = await openLab({ image: image.tag, poolSize: 0 }, dataDir);
  });
  const model = stack.use(await startModelProcess());
  const chat = stack.use(await WebChat.start({ dataDir, image: image.tag, env: model.env }));
  const run = (command: string) =>
    call("terminal_operations", { operation: "run_command", command });

  // A container that is still being created is not part of the walk.
  await model.script("First:", [run("echo ready"), say("The workspace is there.")]);
  await chat.mention("First: look around.");
  await chat.sees("The workspace is there.");
  const container = await image.container();

  await model.script("Then:", [run("sudo touch /etc/walked"), say("It is done.")]);
  await image.forget(container);
  using coverage = new Coverage();
  const ran = await coverage.during(async () => {
    await chat.mention("Then: leave a mark.");
    await chat.approve();
    await chat.sees("It is done.");
  });
  const inWorkspace = await image.ran(container);
  return distinct([
    ...ran.map((one) => stationOf("bot", relative(ROOT, fileURLToPath(one.url)), one)),
    ...inWorkspace.map((one) => stationOf("workspace", image.fileOf(one) ?? "", one)),
  ]);
}

function stationOf(
  process: Station["process"],
  file: string,
  { name, offset }: RanFunction,
): Station {
  return { process, file, name, offset };
}

function distinct(all: readonly Station[]): Station[] {
  const keys = new Set<string>();
  return all.filter((one) => {
    const key = JSON.stringify([one.process, one.file, one.name, one.offset]);
    const isNew = OURS.test(one.file) && !keys.has(key);
    keys.add(key);
    return isNew;
  });
}

function filesOf(all: readonly Station[]): string[] {
  return [...new Set(all.map(({ file }) => file))];
}
