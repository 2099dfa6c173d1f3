import { afterEach, describe, expect, it, vi } from "vitest";
import { Directs } from "../../../../adapters/discord/places/directs.ts";
import { MemoryDocuments } from "../../../support/slack-rig.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("the conversations of two", () => {
  it("are known for as long as somebody speaks in them, however long the bot runs", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const documents = new MemoryDocuments();
    const directs = new Directs(documents);
    await directs.add("1");
    // What was noted a month ago is gone by then.
    await documents.delete("direct:1");
    vi.setSystemTime(Date.now() + 31 * 24 * 60 * 60_000);
    await directs.add("1");
    expect(await directs.all()).toEqual(["1"]);
  });
});
