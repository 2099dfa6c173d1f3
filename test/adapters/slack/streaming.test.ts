import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { View } from "../../../src/contract/platform/view.ts";
import { StoreError } from "../../../src/contract/store.ts";
import { HOSTILE } from "../../contracts/adapter/views.ts";
import { SlackLab } from "../../support/slack-lab.ts";

const saying = (text: string, isFinal = false): View => ({ kind: "reply", text, isFinal });

let lab: SlackLab;
let thread: string;
let root: string;
beforeEach(async () => {
  lab = await SlackLab.start();
  ({ thread, root } = await lab.thread());
});
afterEach(() => lab[Symbol.asyncDispose]());

const texts = () => lab.sees(root).map(({ text }) => text);
const methods = () =>
  lab.slack.calls.map(({ method }) => method).filter((method) => /chat\./.test(method));

describe("15.24 a reply that is streamed", () => {
  it("grows in one message, and ends with the whole text and its footer", async () => {
    const post = await lab.adapter.post(thread, saying("First line\nsec"), "k");
    expect(texts()).toEqual(["First line\n"]);
    await lab.adapter.edit(thread, post, saying("First line\nsecond line\nthi"));
    expect(texts()).toEqual(["First line\nsecond line\n"]);
    const end = { ...saying("First line\nsecond line\nthird.", true), footer: "gpt · 3 s" };
    expect(await lab.adapter.edit(thread, post, end as View)).toBe("edited");
    expect(texts()).toEqual(["First line\nsecond line\nthird.\ngpt · 3 s"]);
    expect(methods()).toEqual(["chat.startStream", "chat.appendStream", "chat.stopStream"]);
    expect(lab.sees(root)[0]?.message).toMatchObject({ stream: "done" });
  });

  it("is for whoever asked", async () => {
    await lab.adapter.post(thread, saying("x\n"), "k");
    expect(lab.calls("chat.startStream")[0]?.args).toMatchObject({
      recipient_user_id: lab.ada.user.id,
      recipient_team_id: lab.slack.world.team.id,
    });
  });

  it("shows code only once it is whole, so that nothing has to be taken back", async () => {
    const post = await lab.adapter.post(thread, saying("Look:\n```sh\nls\n"), "k");
    expect(texts()).toEqual(["Look:\n"]);
    await lab.adapter.edit(thread, post, saying("Look:\n```sh\nls\n```\nSo.\n"));
    expect(texts()).toEqual(["Look:\n```sh\nls\n```\nSo.\n"]);
    expect(methods()).not.toContain("chat.update");
  });

  it("can be edited once it has ended", async () => {
    const post = await lab.adapter.post(thread, saying("a\n"), "k");
    await lab.adapter.edit(thread, post, saying("a\nb", true));
    await lab.adapter.edit(thread, post, saying("something else", true));
    expect(texts()).toEqual(["something else"]);
  });

  it("is edited as a whole where its beginning has changed", async () => {
    const post = await lab.adapter.post(thread, saying("one\n"), "k");
    await lab.adapter.edit(thread, post, saying("two\nthree\n"));
    expect(texts()).toEqual(["two\nthree\n"]);
    await lab.adapter.edit(thread, post, saying("two\nthree\nfour", true));
    expect(texts()).toEqual(["two\nthree\nfour"]);
  });

  it("a lost answer doubles and loses no words", async () => {
    const post = await lab.adapter.post(thread, saying("one\n"), "k");
    lab.slack.faults.loseNextAnswer("chat.appendStream");
    await expect(lab.adapter.edit(thread, post, saying("one\ntwo\n"))).rejects.toMatchObject({
      when: "later",
    });
    await lab.adapter.edit(thread, post, saying("one\ntwo\nthree", true));
    expect(texts()).toEqual(["one\ntwo\nthree"]);
  });

  it("P-C5 a lost answer to its beginning gives one message", async () => {
    lab.slack.faults.loseNextAnswer("chat.startStream");
    await expect(lab.adapter.post(thread, saying("one\n"), "k")).rejects.toMatchObject({
      when: "later",
    });
    const post = await lab.adapter.post(thread, saying("one\ntwo\n"), "k");
    await lab.adapter.edit(thread, post, saying("one\ntwo\nthree", true));
    expect(texts()).toEqual(["one\ntwo\nthree"]);
  });

  it("P-C5 a store that is away right after its beginning gives one message", async () => {
    const { documents } = lab.rig;
    const set = documents.set.bind(documents);
    documents.set = async (key, ...rest) => {
      if (key.startsWith("stream:")) throw new StoreError("away");
      return set(key, ...rest);
    };
    await expect(lab.adapter.post(thread, saying("one\n"), "k")).rejects.toMatchObject({
      when: "later",
    });
    documents.set = set;
    const post = await lab.adapter.post(thread, saying("one\ntwo\n"), "k");
    await lab.adapter.edit(thread, post, saying("one\ntwo\nthree", true));
    expect(texts()).toEqual(["one\ntwo\nthree"]);
  });

  it("a 429 in the middle loses nothing of the end", async () => {
    const post = await lab.adapter.post(thread, saying("one\n"), "k");
    lab.slack.faults.refuseNext(10, "chat.appendStream");
    await expect(lab.adapter.edit(thread, post, saying("one\ntwo\n"))).rejects.toMatchObject({
      when: "later",
      retryAfterMs: 1000,
    });
    await lab.adapter.edit(thread, post, saying("one\ntwo\nthree", true));
    expect(texts()).toEqual(["one\ntwo\nthree"]);
  });

  it.each(["chat.appendStream", "chat.stopStream"])(
    "that Slack takes no more of goes on as an edit of the same message: %s",
    async (method) => {
      const post = await lab.adapter.post(thread, saying("one\n"), "k");
      lab.slack.faults.turnDownNext(method, "msg_too_long");
      await lab.adapter.edit(thread, post, saying("one\ntwo\n"));
      expect(await lab.adapter.edit(thread, post, saying("one\ntwo\nthree", true))).toBe("edited");
      expect(texts()).toEqual(["one\ntwo\nthree"]);
      expect(lab.sees(root)[0]?.message).toMatchObject({ stream: "done" });
    },
  );

  it("that Slack has ended by itself, as it does after some minutes, goes on as an edit", async () => {
    const post = await lab.adapter.post(thread, saying("one\n"), "k");
    lab.slack.world.clock.advance(6 * 60_000);
    await lab.adapter.edit(thread, post, saying("one\ntwo\n"));
    await lab.adapter.edit(thread, post, saying("one\ntwo\nthree", true));
    expect(texts()).toEqual(["one\ntwo\nthree"]);
    expect(methods()).toContain("chat.update");
  });

  it("Slack's own stop ends it, and what is said afterwards stands in the same message", async () => {
    const post = await lab.adapter.post(thread, saying("one\n"), "k");
    lab.slack.world.sessions.set(`${lab.channel.id}:${root}`, { status: "processing", title: "" });
    lab.ada.stops(lab.channel, root);
    await lab.adapter.edit(thread, post, saying("one\nStopped.", true));
    expect(texts()).toEqual(["one\nStopped."]);
    await lab.heard(2);
    expect(lab.incoming.at(-1)).toMatchObject({ type: "stop", thread });
  });

  it("that another process has begun is ended and goes on as an edit", async () => {
    const post = await lab.adapter.post(thread, saying("one\n"), "k");
    await using other = await lab.another();
    expect(await other.edit(thread, post, saying("one\ntwo", true))).toBe("edited");
    expect(texts()).toEqual(["one\ntwo"]);
  });

  it("that another process had begun under the same key is found again", async () => {
    const post = await lab.adapter.post(thread, saying("one\n"), "k");
    await using other = await lab.another();
    expect(await other.post(thread, saying("one\ntwo\n"), "k")).toBe(post);
    expect(texts()).toEqual(["one\ntwo\n"]);
  });

  it("is gone when somebody deletes it", async () => {
    const post = await lab.adapter.post(thread, saying("one\n"), "k");
    for (const { message } of lab.sees(root)) lab.ada.deletes(message);
    expect(await lab.adapter.edit(thread, post, saying("one\ntwo", true))).toBe("gone");
  });

  describe.each([
    ["a bare address", "See https://x.example/a now.\n"],
    ["a named link", "See [the page](https://x.example/a).\n"],
    ["an address in brackets", "<https://x.example/a>\n"],
    ["an address without a scheme", "www.x.example/a\n"],
    ["an address at the end of the line", "It is http://x.example\n"],
  ])("to which %s is added", (_, link) => {
    it("is posted anew with two calls, so that Slack fetches nothing", async () => {
      const post = await lab.adapter.post(thread, saying("one\n"), "k");
      const before = methods().length;
      const whole = saying(`one\n${link}three`, true);
      expect(await lab.adapter.edit(thread, post, whole)).toBe("gone");
      await lab.adapter.post(thread, whole, "k2");
      expect(methods().slice(before)).toEqual(["chat.delete", "chat.postMessage"]);
      expect(texts()).toEqual([expect.stringContaining("three")]);
      expect(lab.sees(root).flatMap(({ alarms }) => alarms)).toEqual([]);
    });
  });

  it("is ended first where Slack refuses to delete it while it grows", async () => {
    const post = await lab.adapter.post(thread, saying("one\n"), "k");
    lab.slack.faults.lacks.set("chat.delete", "cant_delete_message");
    lab.slack.onCall = ({ method }) => {
      if (method === "chat.stopStream") lab.slack.faults.lacks.clear();
      return true;
    };
    const whole = saying("one\nhttps://x.example/a\n", true);
    expect(await lab.adapter.edit(thread, post, whole)).toBe("gone");
    expect(texts()).toEqual([]);
  });

  it("is posted anew under the same key, also where it was deleted meanwhile", async () => {
    const post = await lab.adapter.post(thread, saying("one\n"), "k");
    const whole = saying("one\nhttps://x.example/a\n", true);
    for (const { message } of lab.sees(root)) lab.ada.deletes(message);
    expect(await lab.adapter.edit(thread, post, whole)).toBe("gone");
    await lab.adapter.post(thread, whole, "k");
    expect(texts()).toEqual([expect.stringContaining("https://x.example/a")]);
  });

  it.each(Object.entries(HOSTILE))("P-C9 %s does nothing while it is streamed", async (_, text) => {
    const post = await lab.adapter.post(thread, saying(`${text}\nmore\n`), "k");
    await lab.adapter.edit(thread, post, saying(`${text}\nmore\n${text}\n`));
    await lab.adapter.edit(thread, post, saying(`${text}\nmore\n${text}\n${text}`, true));
    expect(lab.sees(root).flatMap(({ alarms }) => alarms)).toEqual([]);
    expect(lab.sees(root)).toHaveLength(1);
  });
});

describe("where there are no streams", () => {
  it.each([
    ["the workspace refuses them", { refused: "chat.startStream" }],
    ["nobody is known for whom it is", { stranger: true }],
  ])("because %s, a reply is posted and edited", async (_, { refused, stranger }: Lacking) => {
    if (refused) lab.slack.faults.lacks.set(refused, "feature_not_enabled");
    const adapter = stranger ? await lab.another() : lab.adapter;
    const post = await adapter.post(thread, saying("one\n"), "k");
    await adapter.edit(thread, post, saying("one\ntwo", true));
    expect(texts()).toEqual(["one\ntwo"]);
    expect(methods()).toContain("chat.postMessage");
    if (refused) {
      await adapter.post(thread, saying("next\n"), "k2");
      // The refusal is remembered.
      expect(lab.calls("chat.startStream")).toHaveLength(1);
    }
  });
});

interface Lacking {
  readonly refused?: string;
  readonly stranger?: boolean;
}
