import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SlackAdapter } from "../../../adapters/slack/index.ts";
import type { Store } from "../../../src/contract/store.ts";
import { createAdmission } from "../../../src/intake/admit.ts";
import { Journal } from "../../../src/journal/journal.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { say } from "../../support/model-server/replies.ts";
import { SlackServer } from "../../support/slack/server.ts";
import { SlackBot } from "../../support/slack-bot.ts";
import { fromManifest, type SlackMode, slackAdapter } from "../../support/slack-rig.ts";
import { caseCount } from "../../support/thorough.ts";
import { until } from "../../support/until.ts";

const directory = makeDataDirectory("slack-redelivery");
let store: Store;
beforeEach(async () => {
  const file = join(directory, `${crypto.randomUUID()}.sqlite`);
  store = await openStore({ kind: "sqlite", file });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

describe("15.12 P-C3 events that come again, twice and in another order", () => {
  it.each<[SlackMode, number]>([
    ["socket", caseCount({ perChange: 200, all: 2_500 })],
    ["http", caseCount({ perChange: 100, all: 250 })],
  ])(
    "by %s: of %i mentions, each told four times, each counts once and none is lost",
    {
      timeout: 180_000,
    },
    async (mode, mentions) => {
      const slack = await SlackServer.start({ ...fromManifest(), ackMs: 30_000 });
      const ada = slack.human();
      const channel = slack.channel([ada]);
      const receive = createAdmission({
        store,
        journal: new Journal(store),
        authorize: () => ({ allowed: true }),
        onAdmitted: () => undefined,
      });
      const replicas: SlackAdapter[] = [];
      for (let number = 0; number < (mode === "socket" ? 2 : 1); number += 1) {
        const documents = store.documents("slack");
        const adapter = slackAdapter(slack, { mode, documents, log: () => undefined });
        await adapter.start(receive);
        replicas.push(adapter);
      }
      // A mention is told as a message and as a mention, and each of them comes twice.
      slack.faults.copies = 2;
      const said = Array.from({ length: mentions }, (_, number) => {
        if (number % 25 === 0) slack.faults.reorderNext(100);
        return ada.says(channel, `do number ${number}`, { mention: true });
      });
      const all = said.flatMap(({ deliveries }) => deliveries);
      await until(() => all.every((one) => one.isAcknowledged), "the acknowledgements", {
        withinMs: 150_000,
      });
      expect(all.reduce((sum, { attempts }) => sum + attempts, 0)).toBeGreaterThanOrEqual(
        mentions * 4,
      );
      const rows = await store.inbox.pending();
      const texts = rows.map(({ data }) => (data as { text: string }).text);
      expect(new Set(texts).size).toBe(mentions);
      expect(rows).toHaveLength(mentions);
      for (const adapter of replicas) await adapter[Symbol.asyncDispose]();
      await slack[Symbol.asyncDispose]();
    },
  );

  it("each mention is one turn and one answer of the whole bot", async () => {
    await using bot = await SlackBot.start();
    bot.slack.rates.isEnforced = false;
    bot.model.script(() => say("Heard."));
    const ada = bot.human();
    bot.slack.faults.copies = 3;
    bot.slack.faults.reorderNext(60);
    const said = Array.from({ length: 30 }, (_, number) =>
      ada.says(bot.channel, `number ${number}`, { mention: true }),
    );
    for (const { deliveries } of said) await bot.arrived(deliveries);
    for (const { message } of said) {
      const answers = () =>
        bot.sees(ada, message.ts).filter(({ text }) => text.includes("Heard.")).length;
      await until(() => answers() > 0, "the answer", { withinMs: 60_000 });
      await bot.rests(bot.threadAt(message.ts));
      expect(answers()).toBe(1);
      const lines = await bot.store.read(bot.threadAt(message.ts));
      expect(lines.filter(({ kind }) => kind === "message")).toHaveLength(1);
    }
  });
});
