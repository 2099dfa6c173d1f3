import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleOf } from "../../support/thorough.ts";
import { Arena } from "./arena.ts";
import { type Bundle, bundleBot } from "./bundle.ts";
import { campaign, targetsOf } from "./campaign.ts";
import { crashing } from "./crashing.ts";
import { type Calm, calibrate, written } from "./hunt.ts";
import { contractVerbs, membersOf } from "./ports.ts";
import type { Outcome } from "./world.ts";

/** On Redis a sample with every change: the bot is the same, and what differs is what a killed write leaves behind. */
const STORES = [
  { kind: "sqlite", lanes: 4, perChange: Number.POSITIVE_INFINITY },
  { kind: "redis", lanes: 2, perChange: 16 },
] as const;

/** Verbs that no turn and no word of these stories comes by, unless by chance on a slow machine, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "store.conversations": "nobody asks for it while a bot runs",
  "store.chain": "only the verification of the audit reads it",
  "store.lineCount": "only the verification of the audit reads it",
  "store.uncommittedEnds": "every ten seconds, beside all turns; removed-lines.test.ts cuts it off",
  "store.markCommitted": "every ten seconds, beside all turns; removed-lines.test.ts cuts it off",
  "adapter.holders": "the platform of these stories has no roles",
  "inbox.defer": "only where another replica holds the conversation, or something fails",
  "inbox.pending": "for those who look from outside",
  "lease.renew": "only after three seconds of one drive; kills from outside meet it",
  "adapter.remove": "only for a surplus part of a long reply",
  "adapter.whisperFile": "the platform of these stories has no private files",
  "adapter.link": "no view of these stories has one",
  "adapter.appearance": "the platform of these stories has none: it only computes",
  "adapter.isConnected": "the health server asks, and these stories have none: it only looks",
  "workspaces.recordedTerminals": "only read for the terminal's history, which no story asks for",
  "workspaces.close": "a bot that is killed does not close",
  "workspace.census": "asked for by doctors and tests",
  "workspace.state": "asked for by the web chat",
  "workspace.follow": "asked for by the web chat",
  "checkpoints.list": "no word lists them yet",
  "model.check": "asked once at the start of the application",
  "audit.tail": "asked for by the command line",
};

describe("crash points", () => {
  it("are around every verb that an object has, also those of its class, and around what comes of it", async () => {
    const points: string[] = [];
    class Base {
      #secret = 1;
      async inherited() {
        return this.#secret;
      }
    }
    class Store extends Base {
      inbox = { take: async () => [] };
      async lease() {
        return { renew: async () => true };
      }
    }
    const store = crashing(new Store(), "store", (point) => points.push(point));
    expect(await store.inherited()).toBe(1);
    await store.inbox.take();
    await (await store.lease()).renew();
    expect(points).toEqual([
      "before store.inherited",
      "after store.inherited",
      "before inbox.take",
      "after inbox.take",
      "before store.lease",
      "after store.lease",
      "before lease.renew",
      "after lease.renew",
    ]);
  });

  it("are left out only where the contract has something to leave out", () => {
    expect(contractVerbs()).toEqual(expect.arrayContaining(Object.keys(ELSEWHERE)));
  });

  it("leave out no part that the bot is made from", () => {
    // Whoever gives the core another port has to put crash points around it in bot.ts, and to name it here.
    expect(membersOf("app/core.ts", "CoreParts", false)).toEqual([
      "config",
      "store",
      "redactor",
      "log",
      "workspaces",
      "adapterOf",
      "channels",
      // The crash stories use neither the network nor MCP servers.
      "connector",
      "egress",
      "containers",
      "tools",
      "holder",
      "pace",
    ]);
  });
});

describe.each(STORES)("kill -9 of the whole bot on $kind", ({ kind, lanes, perChange }) => {
  const arenas: Arena[] = [];
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleBot();
    for (let lane = 0; lane < lanes; lane += 1) arenas.push(await Arena.open(kind, bundle));
  });
  afterAll(async () => {
    await Promise.all(arenas.map((arena) => arena[Symbol.asyncDispose]()));
    await bundle[Symbol.asyncDispose]();
  });

  it("P-D1 P-D2 P-D3 at every crash point: nothing lost, nothing twice, nothing unasked, every turn ends visibly", {
    timeout: 900_000,
  }, async () => {
    const found: string[] = [];
    let kills = 0;
    const tell = ({ run, kills: killed, missed, violations }: Outcome) => {
      kills += killed.length;
      const again = `--story "${run.story.name}" --fates "${written([...killed, ...missed])}"`;
      for (const { kind, text } of violations) found.push(`${kind}: ${text} (${again})`);
    };
    const calm = await calibrate(arenas, tell);
    expect(unvisited(calm)).toEqual([]);

    const reachable = targetsOf(calm).filter(
      ({ point }) => !Object.hasOwn(ELSEWHERE, verbOf(point)),
    );
    const targets = [...sampleOf(reachable, perChange)];
    const wanted = targets.length;
    const unmet = await Promise.all(arenas.map((arena) => campaign(arena, targets, tell)));
    for (const arena of arenas) found.push(...(await arena.end()).map(({ text }) => text));
    process.stdout.write(
      `${kills} kills at ${new Set(pointsOf(calm)).size} crash points on ${kind}\n`,
    );
    expect(found).toEqual([]);
    expect(written(unmet.flat())).toBe("");
    expect(kills).toBeGreaterThanOrEqual(wanted);
  });
});

const pointsOf = (calm: Calm) => [...calm.values()].flatMap((visits) => Object.keys(visits));

/** Verbs of the contract that nobody came by: either no crash point is around them, or no story needs them. */
function unvisited(calm: Calm): string[] {
  const visited = new Set(pointsOf(calm).map(verbOf));
  return contractVerbs().filter((verb) => !visited.has(verb) && !Object.hasOwn(ELSEWHERE, verb));
}

const verbOf = (point: string) => point.replace(/^\w+ /, "");
