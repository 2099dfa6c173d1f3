import { expect, it } from "vitest";
import { Receiving } from "../../../../adapters/discord/connection/receiving.ts";
import type { Incoming } from "../../../../src/contract/platform/incoming.ts";

it("does not count an event as stored that the bot's end overtook, so that the next start reads it again", async () => {
  const stored: unknown[] = [];
  const read = Promise.withResolvers<Incoming>();
  const receiving = new Receiving({
    receive: async (incoming) => {
      stored.push(incoming);
      return { outcome: "accepted" };
    },
    log: () => undefined,
  });
  const taken = receiving.take("lane", "message:1", () => read.promise);
  receiving[Symbol.dispose]();
  read.resolve({} as Incoming);
  await expect(taken).rejects.toThrow();
  expect(stored).toEqual([]);
  expect(receiving.hasTaken("message:1")).toBe(false);
});
