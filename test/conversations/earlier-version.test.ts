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

/** The data directory of a bot of an earlier version: one turn that has ended, and one that waits for an approval. */
const KEPT = fileURLToPath(new URL("../data/earlier-version/deckhand.sqlite", import.meta.url));

it("continues a journal and an audit of the version before, with the approval that was pending", async () => {
  const directory = mkdtempSync(join(tmpdir(), "earlier-"));
  // Removed last: until then the bot writes to it.
  using removed = new DisposableStack();
  removed.defer(() => rmSync(directory, { recursive: true, force: true }));
  copyFileSync(KEPT, join(directory, "deckhand.sqlite"));
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
  expect(state).toMatchObject({ turns: 2, open: { calls: [{ name: "launch", waits: true }] } });
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
});
