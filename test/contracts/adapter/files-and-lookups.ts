import { expect, it } from "vitest";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";
import type { IncomingMessage } from "../../../src/contract/platform/incoming.ts";
import { until } from "../../support/until.ts";
import type { Stage } from "./rig.ts";

export function filesAndLookups(stage: Stage): void {
  const { lacks } = stage;
  const bytes = Uint8Array.from({ length: 5_000 }, (_, index) => index % 256);

  async function lastMessage(): Promise<IncomingMessage> {
    const [event] = await stage.received.atLeast(1);
    expect(event?.type).toBe("message");
    return event as IncomingMessage;
  }

  it("15.23 an attachment comes along and can be fetched", async () => {
    const { rig, ada, thread } = stage;
    const files = [{ name: "data.bin", bytes }];
    await rig.people.say(ada, thread, "look at this", { files });
    const { attachments } = await lastMessage();
    expect(attachments).toMatchObject([{ name: "data.bin", bytes: bytes.length }]);
    const [attachment] = attachments;
    if (attachment) expect(await rig.adapter.fetchAttachment(thread, attachment)).toEqual(bytes);
  });

  it("several attachments keep their order and their contents apart", async () => {
    const { rig, ada, thread } = stage;
    const files = ["a", "b", "c"].map((name) => ({
      name: `${name}.txt`,
      bytes: new TextEncoder().encode(name),
    }));
    await rig.people.say(ada, thread, "three", { files });
    const { attachments } = await lastMessage();
    expect(attachments.map(({ name }) => name)).toEqual(["a.txt", "b.txt", "c.txt"]);
    const fetched = await Promise.all(
      attachments.map((attachment) => rig.adapter.fetchAttachment(thread, attachment)),
    );
    expect(fetched.map((content) => new TextDecoder().decode(content))).toEqual(["a", "b", "c"]);
  });

  it("a message without attachments has none", async () => {
    const { rig, ada, thread } = stage;
    await rig.people.say(ada, thread, "nothing here");
    expect((await lastMessage()).attachments).toEqual([]);
  });

  it("an attachment that is not there is refused for good", async () => {
    const { rig, thread } = stage;
    const nothing = { id: "no-such-file", name: "x", mimeType: "x/y", bytes: 1 };
    const fetching = rig.adapter.fetchAttachment(thread, nothing);
    await expect(fetching).rejects.toMatchObject({ name: "DeliveryError", when: "never" });
  });

  it("a file is shown with its name and its very bytes", async () => {
    const { rig, thread } = stage;
    await rig.adapter.upload(
      thread,
      { name: "out.bin", mimeType: "application/octet-stream", bytes },
      "k",
    );
    const files = (await rig.people.visible(thread)).flatMap((post) => post.files);
    expect(files).toEqual([{ name: "out.bin", bytes }]);
  });

  it("an empty file is no error", async () => {
    const { rig, thread } = stage;
    const empty = { name: "empty.txt", mimeType: "text/plain", bytes: new Uint8Array() };
    await rig.adapter.upload(thread, empty, "k");
    expect((await rig.people.visible(thread)).flatMap((post) => post.files)).toHaveLength(1);
  });

  it("the same key twice uploads one file", async () => {
    const { rig, thread } = stage;
    const file = { name: "once.bin", mimeType: "application/octet-stream", bytes };
    const first = await rig.adapter.upload(thread, file, "same");
    expect(await rig.adapter.upload(thread, file, "same")).toBe(first);
    expect((await rig.people.visible(thread)).flatMap((post) => post.files)).toHaveLength(1);
  });

  it("a file that is too large is refused for good, and nothing is shown", async () => {
    const { rig, thread } = stage;
    const tooMuch = new Uint8Array(rig.adapter.limits.fileBytes + 1);
    const uploading = rig.adapter.upload(
      thread,
      { name: "big", mimeType: "x/y", bytes: tooMuch },
      "k",
    );
    await expect(uploading).rejects.toMatchObject({ name: "DeliveryError", when: "never" });
    expect(await rig.people.visible(thread)).toEqual([]);
  });

  it("files and messages stand in the order of sending", async () => {
    const { rig, thread } = stage;
    await rig.adapter.post(thread, { kind: "notice", level: "info", text: "first" }, "1");
    await rig.adapter.upload(thread, { name: "second.bin", mimeType: "x/y", bytes }, "2");
    await rig.adapter.post(thread, { kind: "notice", level: "info", text: "third" }, "3");
    const shown = (await rig.people.visible(thread)).map(
      ({ text, files }) => files[0]?.name ?? text,
    );
    expect(shown).toEqual([
      expect.stringContaining("first"),
      "second.bin",
      expect.stringContaining("third"),
    ]);
  });

  it("earlier messages come oldest first, and only those before", async () => {
    const { rig, ada, thread } = stage;
    for (const text of ["one", "two", "three"]) await rig.people.say(ada, thread, text);
    const { messageId } = await rig.people.say(ada, thread, "now");
    await rig.people.say(ada, thread, "later");
    await stage.received.atLeast(5);
    const all = await rig.adapter.earlier(thread, messageId, 10);
    expect(all.map(({ text }) => text)).toEqual(["one", "two", "three"]);
    for (const { author, isBot, at } of all) {
      expect({ author, isBot }).toEqual({ author: ada.name, isBot: false });
      expect(new Date(at).toISOString()).toBe(at);
    }
    const two = await rig.adapter.earlier(thread, messageId, 2);
    expect(two.map(({ text }) => text)).toEqual(["two", "three"]);
  });

  it("a thread without earlier messages has none", async () => {
    const { rig, ada, thread } = stage;
    const { messageId } = await rig.people.say(ada, thread, "the first");
    await stage.received.atLeast(1);
    expect(await rig.adapter.earlier(thread, messageId, 10)).toEqual([]);
  });

  it.skipIf(lacks.has("marks"))(
    "a mark is seen at its message, and one outcome beside it, which the next replaces",
    async () => {
      const { rig, ada, thread } = stage;
      const { messageId } = await rig.people.say(ada, thread, "mark me");
      await stage.received.atLeast(1);
      const marks = () => rig.people.marks(thread, messageId);
      const outcomes = async () => (await marks()).filter((sign) => sign !== "seen");
      await rig.adapter.mark(thread, messageId, "seen");
      expect(await marks()).toEqual(["seen"]);
      for (const sign of ["done", "failed", "stopped"] as const) {
        await rig.adapter.mark(thread, messageId, sign);
        expect(await outcomes()).toEqual([sign]);
        await rig.adapter.mark(thread, messageId, sign);
        expect(await outcomes()).toEqual([sign]);
      }
      await rig.adapter.mark(thread, messageId, "seen");
      expect(await marks()).toEqual(["seen"]);
    },
  );

  it("who belongs to the channel is present, as what they are", async () => {
    const { rig, ada, thread } = stage;
    await rig.people.say(ada, thread, "here I am");
    await stage.received.atLeast(1);
    const presence = await rig.adapter.presence(thread, ada.id);
    expect(presence?.actor).toMatchObject({
      platform: rig.adapter.platform,
      id: ada.id,
      kind: ada.kind,
    });
    expect(presence?.place.isChannelMember).toBe(true);
  });

  it("somebody whom nobody knows is not present", async () => {
    const presence = await stage.rig.adapter.presence(stage.thread, "nobody-at-all");
    expect(presence?.place.isChannelMember ?? false).toBe(false);
  });

  it.skipIf(lacks.has("other people"))(
    "somebody outside the channel does not belong to it",
    async () => {
      const { rig, thread } = stage;
      const outsider = rig.people.person({ isOutside: true });
      const presence = await rig.adapter.presence(thread, outsider.id);
      expect(presence?.place.isChannelMember ?? false).toBe(false);
    },
  );

  it("while it cannot know who is present, it throws", async () => {
    const { rig, ada, thread } = stage;
    if (lacks.has("other people")) return; // A platform of one person always knows.
    await rig.people.faults.disconnect();
    await expect(rig.adapter.presence(thread, ada.id)).rejects.toThrow(DeliveryError);
    await rig.people.faults.reconnect();
    await until(async () => (await rig.adapter.presence(thread, ada.id)) !== undefined, "presence");
  });

  it.skipIf(lacks.has("links"))("links of different messages are different", async () => {
    const { rig, thread } = stage;
    const posts = ["1", "2"].map((key) =>
      rig.adapter.post(thread, { kind: "notice", level: "info", text: key }, key),
    );
    const links = await Promise.all(
      posts.map(async (post) => rig.adapter.link(thread, await post)),
    );
    expect(new Set(links).size).toBe(2);
    expect(await rig.adapter.link(thread)).toBeTypeOf("string");
  });
}
