import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { z } from "zod";
import { verifyStore } from "../../src/audit/verify.ts";
import { single } from "../src/tools/support/lab.ts";
import { say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";

/** Stores that a bot of an earlier version has written: turns that have ended, and one that waits for an approval. */
const EARLIER = [
  { version: "before the one pipeline", file: "before-one-pipeline.sqlite", turns: 2 },
  { version: "before the one journal", file: "before-one-journal.sqlite", turns: 4 },
];

it.each(EARLIER)(
  "continues a journal and an audit $version, with the pending approval",
  async ({ file, turns }) => {
    const kept = fileURLToPath(new URL(`../data/earlier-version/${file}`, import.meta.url));
    const directory = mkdtempSync(join(tmpdir(), "earlier-"));
    // Removed last: until then the bot writes to it.
    using removed = new DisposableStack();
    removed.defer(() => rmSync(directory, { recursive: true, force: true }));
    copyFileSync(kept, join(directory, "deckhand.sqlite"));
    const targets: string[] = [];
    const launch = single(
      "launch",
      async ({ target }) => {
        targets.push(String(target));
        return { text: `launched ${target}` };
      },
      {
        level: "elevated",
        repeat: "unsafe",
        params: z.object({ target: z.string() }),
        line: () => "Launching",
      },
    );
    await using talk = await Talk.start({ tools: [launch], env: { DECKHAND_DATA_DIR: directory } });
    const { conversations, authorization } = talk.bot;
    const [waiting, ...others] = await authorization.approvals.waiting(talk.thread);
    expect(others).toEqual([]);
    const state = await conversations.state(talk.thread);
    expect(state).toMatchObject({ turns, open: { calls: [{ name: "launch", waits: true }] } });
    const known = await verifyStore(talk.store);
    expect(known.breaks).toEqual([]);

    // The platform of this test has none of the earlier messages; its ids must be new to the bot.
    for (let used = 0; used < 100; used += 1) talk.rig.platform.newId("used");
    talk.model.script([say("Two is launched.")]);
    await talk.bot.conversations.restore("memory");
    await talk.press("Approve once");
    await talk.sees("Two is launched.");
    await talk.rests();
    expect(targets).toEqual(["two"]);
    expect(state.last?.turn.ended.map(({ callId }) => callId)).toEqual([waiting?.approval.callId]);
    expect((await verifyStore(talk.store)).breaks).toEqual([]);
  },
);
