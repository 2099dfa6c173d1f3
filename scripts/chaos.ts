/**
 * Kills the bot at random, with a real store and real containers, and tells whether anything got lost, happened twice or
 * happened unasked:
 *
 *   npm run chaos -- --kills 1000 [--store sqlite|redis|both] [--seed 7] [--lanes 4]
 *   npm run chaos -- --story work --fates "after workspace.call@1, 350 ms"
 *
 * The second form repeats one finding.
 */
import { parseArgs } from "node:util";
import { Arena } from "../test/chaos/turn/arena.ts";
import { type Bundle, bundleBot } from "../test/chaos/turn/bundle.ts";
import { calibrate, hunt, randomFrom, readFates, written } from "../test/chaos/turn/hunt.ts";
import { STORIES } from "../test/chaos/turn/stories.ts";
import type { Outcome } from "../test/chaos/turn/world.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    store: { type: "string", default: "both" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    lanes: { type: "string", default: "4" },
    story: { type: "string" },
    fates: { type: "string", default: "" },
  },
});
const STORES = ["sqlite", "redis"] as const;
type Kind = (typeof STORES)[number];
const KINDS = ["lost", "doubled", "unapproved", "other"] as const;
const kinds = values.store === "both" ? STORES : STORES.filter((one) => one === values.store);
const killsOn: Record<Kind, number> = { sqlite: 0, redis: 0 };
const found = { lost: 0, doubled: 0, unapproved: 0, other: 0 };
let kills = 0;
let runs = 0;

// Whoever interrupts it leaves no containers behind either.
const arenas = new Set<AsyncDisposable>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    // Whatever is under way loses the ground under its feet; that is nobody's trouble any more.
    process.on("uncaughtException", () => undefined);
    await Promise.allSettled([...arenas].map((arena) => arena[Symbol.asyncDispose]()));
    process.exit(130);
  });
}

if (kinds.length === 0) throw new Error("--store must be sqlite, redis or both.");
if (values.story === undefined) await huntAll(Number(values.kills), Number(values.seed));
else for (const kind of kinds) await repeat(kind, values.story, values.fates);
if (found.other > 0) console.log(`${found.other} other findings`);
const [lost, doubled, unapproved] = [found.lost, found.doubled, found.unapproved];
console.log(`${kills} kills, ${lost} lost, ${doubled} doubled, ${unapproved} unapproved`);
process.exitCode = KINDS.some((kind) => found[kind] > 0) ? 1 : 0;

/** Each lane has a bot, a platform, a store and workspaces of its own. */
async function huntAll(all: number, seed: number): Promise<void> {
  const lanes = Math.max(kinds.length, Number(values.lanes));
  console.log(`${all} kills in ${lanes} lanes on ${kinds.join(" and ")}, seed ${seed}`);
  await using bundle = await bundleBot();
  const opened = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => open(kindOf(lane), bundle)),
  );
  const where = (lane: number) => `seed ${seed}, lane ${lane}, ${kindOf(lane)}`;
  const tellOf = (lane: number) => (outcome: Outcome) => report(outcome, where(lane));
  const calm = await calibrate(opened, (outcome, stage) => tellOf(opened.indexOf(stage))(outcome));
  const quota = Object.fromEntries(kinds.map((kind) => [kind, all / kinds.length]));
  await Promise.all(
    opened.map(async (arena, lane) => {
      const kind = kindOf(lane);
      const tell = (outcome: Outcome) => {
        killsOn[kind] += outcome.kills.length;
        tellOf(lane)(outcome);
      };
      const isOver = () => killsOn[kind] >= (quota[kind] ?? 0);
      await hunt({ stage: arena, calm, random: randomFrom(seed * 1000 + lane), tell, isOver });
      for (const { text } of await arena.end()) {
        found.other += 1;
        console.log(`FOUND (${kind}, at the end) ${text}`);
      }
      await arena[Symbol.asyncDispose]();
    }),
  );
  console.log(kinds.map((kind) => `${killsOn[kind]} kills on ${kind}`).join(", "));
}

function kindOf(lane: number): Kind {
  return kinds[lane % kinds.length] ?? "sqlite";
}

async function open(kind: Kind, bundle: Bundle): Promise<Arena> {
  const arena = await Arena.open(kind, bundle);
  arenas.add(arena);
  return arena;
}

async function repeat(kind: Kind, name: string, fates: string): Promise<void> {
  const story = STORIES.find((one) => one.name === name);
  if (!story)
    throw new Error(`--story must be one of ${STORIES.map((one) => one.name).join(", ")}.`);
  await using bundle = await bundleBot();
  await using arena = await open(kind, bundle);
  report(await arena.play(story, []), kind);
  report(await arena.play(story, readFates(fates)), kind);
  for (const { text } of await arena.end()) console.log(`FOUND ${text}`);
}

function report({ run, kills: killed, missed, violations }: Outcome, where: string): void {
  kills += killed.length;
  runs += 1;
  for (const { kind, text } of violations) {
    found[kind] += 1;
    console.log(`FOUND ${kind}: ${text}\n  ${where}`);
    console.log(
      `  again: --story "${run.story.name}" --fates "${written([...killed, ...missed])}"`,
    );
  }
  if (runs % 20 === 0) console.log(`${kills} kills in ${runs} runs, ${JSON.stringify(found)}`);
}
