import { expect, it } from "vitest";
import { Incoming } from "../../../src/contract/platform/incoming.ts";
import { until } from "../../support/until.ts";
import type { Stage } from "./rig.ts";
import { BUTTON, FORM_BUTTON } from "./views.ts";

type EventOf<Type extends Incoming["type"]> = Extract<Incoming, { type: Type }>;

export function hearing(stage: Stage): void {
  const { lacks } = stage;

  async function next<Type extends Incoming["type"]>(type: Type): Promise<EventOf<Type>> {
    const events = await stage.received.atLeast(1);
    const event = events.at(-1);
    expect(event?.type).toBe(type);
    return event as EventOf<Type>;
  }

  /** Long enough for whatever would have come. */
  const aWhile = () => new Promise<undefined>((resolve) => setTimeout(resolve, 60, undefined));

  it("a mention comes without the bot's name, with who said it and where", async () => {
    const { rig, ada, thread } = stage;
    const { messageId } = await rig.people.say(ada, thread, "run the tests", { mention: true });
    const message = await next("message");
    expect(message).toMatchObject({ text: "run the tests", thread, isMention: true, messageId });
    expect(message.actor).toMatchObject({
      platform: rig.adapter.platform,
      id: ada.id,
      kind: ada.kind,
    });
    expect(message.actorName).toBe(ada.name);
    expect(message.isChannelMember).toBe(true);
    expect(new Date(message.at).toISOString()).toBe(message.at);
  });

  it("every event fits the contract", async () => {
    const { rig, ada, thread } = stage;
    await rig.people.say(ada, thread, "hello");
    for (const event of await stage.received.atLeast(1))
      expect(Incoming.parse(event)).toEqual(event);
  });

  it.skipIf(lacks.has("non-mentions"))("what is not said to the bot is told as such", async () => {
    const { rig, ada, thread } = stage;
    await rig.people.say(ada, thread, "just talking", { mention: false });
    expect(await next("message")).toMatchObject({ text: "just talking", isMention: false });
  });

  it.skipIf(lacks.has("direct"))("a conversation of two is told as such", async () => {
    const { rig, ada } = stage;
    const direct = await rig.people.newThread("direct");
    await rig.people.say(ada, direct, "psst", { mention: false });
    expect(await next("message")).toMatchObject({ text: "psst", thread: direct, isDirect: true });
  });

  it("text arrives as it was written", async () => {
    const { rig, ada, thread } = stage;
    const text = "a < b && c > d\n```js\nlet x = `1`;\n```\n& 😀 漢字 *stars* _under_";
    await rig.people.say(ada, thread, text);
    expect((await next("message")).text).toBe(text);
  });

  it("a long message arrives whole", async () => {
    const { rig, ada, thread } = stage;
    const text = "word ".repeat(380).trim();
    await rig.people.say(ada, thread, text);
    expect((await next("message")).text).toBe(text);
  });

  it.skipIf(lacks.has("other bots"))("the bot does not hear itself or other bots", async () => {
    const { rig, ada, thread } = stage;
    await rig.people.say(rig.people.person({ kind: "self" }), thread, "my own words");
    await rig.people.say(rig.people.person({ kind: "bot" }), thread, "beep");
    await rig.people.say(ada, thread, "a human");
    await stage.received.atLeast(1);
    await aWhile();
    expect(stage.received.events.map((event) => "text" in event && event.text)).toEqual([
      "a human",
    ]);
  });

  it("what the bot shows comes back to nobody", async () => {
    const { rig, thread } = stage;
    await rig.adapter.post(thread, { kind: "notice", level: "info", text: "me" }, "k");
    await aWhile();
    expect(stage.received.events).toEqual([]);
  });

  it("15.12 the same event has the same id each time it is delivered", async () => {
    const { rig, ada, thread } = stage;
    const said = await rig.people.say(ada, thread, "once");
    await stage.received.atLeast(1);
    await rig.people.redeliver(said);
    await rig.people.redeliver(said);
    await aWhile();
    // An adapter may know by itself that it has handed an event over; if it hands it over again, it is the same.
    expect(new Set(stage.received.events.map(({ id }) => id)).size).toBe(1);
    expect(new Set(stage.received.events.map((event) => JSON.stringify(event))).size).toBe(1);
  });

  it("different events have different ids", async () => {
    const { rig, ada, thread } = stage;
    for (let turn = 0; turn < 20; turn += 1) await rig.people.say(ada, thread, "again");
    const events = await stage.received.atLeast(20);
    expect(new Set(events.map(({ id }) => id)).size).toBe(20);
  });

  it("messages of one thread come in the order in which they were said", async () => {
    const { rig, ada, thread } = stage;
    for (let turn = 0; turn < 10; turn += 1) await rig.people.say(ada, thread, `message ${turn}`);
    const events = await stage.received.atLeast(10);
    const texts = events.map((event) => "text" in event && event.text);
    expect(texts).toEqual(Array.from({ length: 10 }, (_, turn) => `message ${turn}`));
  });

  it("threads are kept apart", async () => {
    const { rig, ada, thread } = stage;
    const other = await rig.people.newThread();
    await rig.people.say(ada, thread, "here");
    await rig.people.say(ada, other, "there");
    const events = await stage.received.atLeast(2);
    const places = Object.fromEntries(
      events.map((event) => ["text" in event && event.text, event.thread]),
    );
    expect(places).toEqual({ here: thread, there: other });
  });

  it("the platform is told only after the event was kept", async () => {
    const { rig, ada, thread } = stage;
    const { promise: kept, resolve: keep } = Promise.withResolvers<void>();
    stage.receive = async (incoming) => {
      stage.received.events.push(incoming);
      await kept;
      return { outcome: "accepted" };
    };
    const saying = rig.people.say(ada, thread, "keep me");
    await stage.received.atLeast(1);
    // Where saying something is itself what is acknowledged, it has not come back yet.
    const early = await Promise.race([saying, aWhile()]);
    if (early) expect(await rig.people.isAcknowledged(early)).toBe(false);
    keep();
    const said = await saying;
    await until(() => rig.people.isAcknowledged(said), "the acknowledgement");
  });

  it("an event that could not be kept is not acknowledged, and comes again", async () => {
    const { rig, ada, thread } = stage;
    const { receive } = stage;
    stage.receive = () => Promise.reject(new Error("the store is away"));
    const said = await rig.people.say(ada, thread, "try me").catch(() => undefined);
    await aWhile();
    stage.receive = receive;
    // Where sending itself fails, the person is told, and sends again.
    if (said === undefined) await rig.people.say(ada, thread, "try me");
    else {
      expect(await rig.people.isAcknowledged(said)).toBe(false);
      await rig.people.redeliver(said);
    }
    expect((await next("message")).text).toBe("try me");
  });

  it("a refusal with a reason is said to its doer alone", async () => {
    const { rig, ada, thread } = stage;
    stage.receive = async () => ({ outcome: "ignored", reason: "You may not do that here." });
    await rig.people.say(ada, thread, "do it");
    await until(
      async () =>
        (await rig.people.whispers(thread, ada)).some(({ text }) => text.includes("You may not")),
      "the refusal",
    );
    expect(await rig.people.visible(thread)).toEqual([]);
    if (lacks.has("other people")) return;
    expect(await rig.people.whispers(thread, rig.people.person())).toEqual([]);
  });

  it("what is ignored without a reason is met with silence", async () => {
    const { rig, ada, thread } = stage;
    stage.receive = async () => ({ outcome: "ignored" });
    const said = await rig.people.say(ada, thread, "not for you");
    await until(() => rig.people.isAcknowledged(said), "the acknowledgement");
    expect(await rig.people.visible(thread)).toEqual([]);
    expect(await rig.people.whispers(thread, ada)).toEqual([]);
  });

  it.skipIf(lacks.has("edits by people"))("an edit comes with the message's id", async () => {
    const { rig, ada, thread } = stage;
    const { messageId } = await rig.people.say(ada, thread, "tpyo");
    await stage.received.atLeast(1);
    await rig.people.edit(ada, thread, messageId, "typo");
    await stage.received.atLeast(2);
    expect(await next("edit")).toMatchObject({ messageId, text: "typo", thread });
  });

  it.skipIf(lacks.has("edits by people"))("so does a deletion", async () => {
    const { rig, ada, thread } = stage;
    const { messageId } = await rig.people.say(ada, thread, "never mind");
    await stage.received.atLeast(1);
    await rig.people.remove(ada, thread, messageId);
    await stage.received.atLeast(2);
    expect(await next("deletion")).toMatchObject({ messageId, thread });
  });

  it("a click comes with its action and whoever clicked", async () => {
    const { rig, ada, thread } = stage;
    const view = { kind: "notice", level: "info", text: "?", buttons: [BUTTON] } as const;
    const post = await rig.adapter.post(thread, view, "k");
    await rig.people.click(ada, thread, { post, action: BUTTON.action });
    const click = await next("click");
    expect(click).toMatchObject({ action: BUTTON.action, thread });
    expect(click.actor).toMatchObject({ id: ada.id, kind: ada.kind });
    expect(click.typed).toBeUndefined();
  });

  it.skipIf(lacks.has("other people"))("a click of somebody else comes as theirs", async () => {
    const { rig, thread } = stage;
    const view = { kind: "notice", level: "info", text: "?", buttons: [BUTTON] } as const;
    const post = await rig.adapter.post(thread, view, "k");
    const guest = rig.people.person({ kind: "guest" });
    await rig.people.click(guest, thread, { post, action: BUTTON.action });
    expect((await next("click")).actor).toMatchObject({ id: guest.id, kind: "guest" });
  });

  it("a form comes back with what was typed", async () => {
    const { rig, ada, thread } = stage;
    const view = { kind: "question", prompt: "Which?", buttons: [FORM_BUTTON] } as const;
    const post = await rig.adapter.post(thread, view, "k");
    const typed = "the <second> & one\nwith two lines";
    await rig.people.click(ada, thread, { post, action: FORM_BUTTON.action, typed });
    expect(await next("click")).toMatchObject({ action: FORM_BUTTON.action, typed, thread });
  });

  it("every button of a card comes back as itself", async () => {
    const { rig, ada, thread } = stage;
    const buttons = ["once", "timed", "deny"].map((choice) => ({
      action: `approve:0b0e6a1c-7d0f-4f7e-9b6c-4a5d8e1f2a3b:${choice}`,
      label: choice,
    }));
    const post = await rig.adapter.post(
      thread,
      { kind: "notice", level: "info", text: "?", buttons },
      "k",
    );
    for (const { action } of buttons) await rig.people.click(ada, thread, { post, action });
    const events = await stage.received.atLeast(3);
    expect(events.map((event) => "action" in event && event.action)).toEqual(
      buttons.map(({ action }) => action),
    );
  });

  it("an option of a picker comes back as a click", async () => {
    const { rig, ada, thread } = stage;
    const options = [1, 2, 3].map((number) => ({
      action: `verb:pick:${number}`,
      label: `No. ${number}`,
    }));
    const post = await rig.adapter.post(thread, { kind: "picker", title: "Which?", options }, "k");
    await rig.people.click(ada, thread, { post, action: "verb:pick:2" });
    expect(await next("click")).toMatchObject({ action: "verb:pick:2", thread });
  });

  it("a button that a whisper carries works, too", async () => {
    const { rig, ada, thread } = stage;
    const view = { kind: "notice", level: "info", text: "only you", buttons: [BUTTON] } as const;
    await rig.adapter.whisper(thread, ada.id, view);
    const [whisper] = await rig.people.whispers(thread, ada);
    await rig.people.click(ada, thread, { post: whisper?.post ?? "", action: BUTTON.action });
    expect(await next("click")).toMatchObject({ action: BUTTON.action, thread });
  });

  it.skipIf(lacks.has("commands"))("a command comes as the words that it stands for", async () => {
    const { rig, ada, thread } = stage;
    await rig.people.command(ada, thread, "todos");
    expect(await next("command")).toMatchObject({ text: "todos", thread });
  });

  it.skipIf(lacks.has("native stop"))(
    "the platform's own stop comes with whoever stopped",
    async () => {
      const { rig, ada, thread } = stage;
      await rig.people.stop(ada, thread);
      expect((await next("stop")).actor.id).toBe(ada.id);
    },
  );

  it.skipIf(lacks.has("archiving"))("an archived thread is told", async () => {
    const { rig, ada, thread } = stage;
    await rig.people.archive(ada, thread);
    expect((await next("archived")).thread).toBe(thread);
  });

  it.skipIf(lacks.has("quotes"))("what the author points at comes along", async () => {
    const { rig, ada, thread } = stage;
    await rig.people.say(ada, thread, "what does it mean?", { quoting: "exit code 137" });
    const message = await next("message");
    expect(message.text).toContain("what does it mean?");
    expect(message.pointedAt).toContain("exit code 137");
  });
}
