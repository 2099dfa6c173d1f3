import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { call, say } from "../support/model-server/replies.ts";
import { skipTime } from "../support/skip-time.ts";
import { Talk } from "../support/talk.ts";

const policy = "approvalsExpireAfter: 4s";

async function ask(talk: Talk): Promise<string> {
  const file = talk.workspaces.of(talk.thread).files.path("../too-late.txt");
  const create = { operation: "create_file", filePath: file, content: "made" };
  talk.model.script([call("file_operations", create), say("Nobody was there.")]);
  await talk.say("write outside");
  await talk.sees("Approval needed");
  return file;
}

describe("15.11 an approval whose time the policy limits", () => {
  it("ends by itself: the card says so and has no buttons, the model is told, and nothing is done", async () => {
    await using talk = await Talk.start({ policy });
    const file = await ask(talk);
    expect(talk.cards("approval")[0]?.text).toContain("Expires at");
    await talk.sees("Nobody was there.");
    await talk.sees("Expired at");
    await talk.rests();
    expect(talk.model.requests[1]?.results[0]?.text).toContain("No one answered in time");
    expect(talk.cards("approval").map(({ buttons }) => buttons)).toEqual([[]]);
    expect(existsSync(file)).toBe(false);
  });

  it("ends also when that time has come while the bot was away", async () => {
    await using talk = await Talk.start({ policy });
    const file = await ask(talk);
    await talk.rests().catch(() => undefined);
    await talk.bot[Symbol.asyncDispose]();
    using _later = skipTime(4_100);
    await talk.startBot();
    await talk.sees("Nobody was there.");
    await talk.sees("Expired at");
    expect(existsSync(file)).toBe(false);
  });
});
