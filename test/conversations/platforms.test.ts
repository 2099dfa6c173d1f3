import { describe, expect, it } from "vitest";
import type { Incoming } from "../../src/contract/platform/incoming.ts";
import { call, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

/** Somebody on another platform who has the same number there as a person here. */
function namesake(
  talk: Talk,
  given: { id: string; text: string; isMention: boolean },
): Extract<Incoming, { type: "message" }> {
  return {
    ...given,
    thread: talk.thread,
    actor: { platform: "other", id: talk.ada.id, kind: "member", groups: [] },
    actorName: talk.ada.name,
    channel: "C1",
    isChannelMember: true,
    at: new Date().toISOString(),
    type: "message",
    messageId: `m-${given.id}`,
    isDirect: false,
    attachments: [],
  };
}

describe("15.15 the same number on two platforms", () => {
  it("is two people: the answer of one is not that of the other", async () => {
    await using talk = await Talk.start();
    talk.model.script([call("user_collaboration", { prompt: "Which port?" }), say("So be it.")]);
    await talk.say("start the server");
    await talk.sees("❓ Question");
    const stranger = namesake(talk, { id: "n-1", text: "8080", isMention: false });
    await talk.rig.people.deliver(stranger);
    await until(async () => (await talk.lines()).includes("overheard"), "the stranger");
    expect(talk.cards("question")[0]?.text).toContain("Waiting for your response");
    await talk.say("443", { mention: false });
    await talk.sees("So be it.");
    const told = talk.model.requests[1]?.results[0]?.text;
    expect(told).toContain("443");
    expect(told).not.toContain("8080");
  });

  it("is two events, where both platforms call theirs the same", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("To the first."), say("To the second.")]);
    const here = await talk.say("hello from here");
    await talk.sees("To the first.");
    await talk.rests();
    const there = namesake(talk, { id: here.event, text: "hello from there", isMention: true });
    await talk.rig.people.deliver(there);
    await talk.sees("To the second.");
    expect(talk.model.requests).toHaveLength(2);
    const turns = (await talk.store.read(talk.thread)).filter(
      ({ kind }) => kind === "turn.started",
    );
    const requesters = turns.map(({ data }) => (data as { requester: string }).requester);
    expect(requesters).toEqual([`memory:${talk.ada.id}`, `other:${talk.ada.id}`]);
  });
});
