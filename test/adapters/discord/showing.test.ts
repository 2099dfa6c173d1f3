import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { render } from "../../../adapters/discord/format.ts";
import { formsOf, formWindow, readCustomId } from "../../../adapters/discord/rendering/buttons.ts";
import { decodeThread, encodeThread } from "../../../adapters/discord/thread.ts";
import type { Incoming } from "../../../src/contract/platform/incoming.ts";
import type { View, ViewKind } from "../../../src/contract/platform/view.ts";
import type { Documents } from "../../../src/contract/store.ts";
import { approvalOf, HOSTILE, viewsWith } from "../../contracts/adapter/views.ts";
import { alarmsIn } from "../../support/discord/alarms.ts";
import { messageForm } from "../../support/discord/checks/message.ts";
import { DiscordClock } from "../../support/discord/clock.ts";
import { EVERYBODY } from "../../support/discord/mentions.ts";
import { addMessage } from "../../support/discord/posting.ts";
import type { Fields } from "../../support/discord/values.ts";
import { CHANNEL, DiscordWorld } from "../../support/discord/world.ts";
import { discordAdapter, openDiscordRig } from "../../support/discord-rig.ts";
import { DISGUISING_SEEDS } from "../../support/property-seed.ts";
import { caseCount } from "../../support/thorough.ts";

const thread = encodeThread({ guild: "1".repeat(19), parent: "2".repeat(19), channel: "3" });

/** What Discord would refuse throws. */
function taken(view: View): void {
  const components = JSON.parse(JSON.stringify(render(view, { thread, mark: 7_000_000 })));
  messageForm({ components, flags: 1 << 15 }, { fileNames: [], flags: "message" });
}

const words = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6_000 }),
  fc.constantFrom(...Object.values(HOSTILE)),
  fc
    .tuple(
      fc.constantFrom("*", "_", "`", "```\n", "\\", "https://a.b ", "😀", "\n", "# "),
      fc.nat(5_000),
    )
    .map(([piece, times]) => piece.repeat(times)),
);

describe("P-C6 what is shown is always within Discord's limits", () => {
  it("whatever the words are, in any field of any view", () => {
    fc.assert(
      fc.property(words, (text) => {
        for (const view of Object.values(viewsWith(text))) {
          taken(view);
        }
      }),
      { numRuns: caseCount({ perChange: 100, all: 2_300 }) },
    );
  });

  it("however many buttons and options there are, and however long their actions", () => {
    const buttons = Array.from({ length: 60 }, (_, number) => ({
      action: `${"a".repeat(77)}:${String(number).padStart(2, "0")}`,
      label: "x".repeat(200),
    }));
    taken({ kind: "notice", level: "info", text: "?", buttons });
    taken({ kind: "picker", title: "?", options: buttons });
    const [card] = render({ kind: "notice", level: "info", text: "?", buttons }, { thread });
    const ids = [...JSON.stringify(card).matchAll(/custom_id":"([^"]+)/g)].map(
      ([, id]) => id ?? "",
    );
    expect(ids.map((id) => readCustomId(id)?.action)).toEqual(
      buttons.slice(0, 25).map(({ action }) => action),
    );
  });

  it("a window whose words are too long says them above its field", () => {
    const field = { label: "l".repeat(300), hint: "Type exactly: run-42-now ".repeat(8) };
    const form = { title: "t".repeat(300), field, submit: "s" };
    const buttons = [{ action: "a", label: "b", form }];
    const [kept] = formsOf({ kind: "question", prompt: "?", buttons }).values();
    if (!kept) throw new Error("There is no form.");
    const window = formWindow(kept, "x");
    expect(window.title.length).toBeLessThanOrEqual(45);
    expect(JSON.stringify(window)).toContain("run-42-now");
  });
});

describe("P-C9 nobody is called and nothing is fetched by what is shown", () => {
  const pieces = [
    ...["@everyone", "@here", "<@123>", "<@!123>", "<@&456>", "@every", "one", "<@", "123>", "@"],
    ...["https://e.example/?a", "[x](https://e.example)", "![x](https://e.example/p.png)", "http"],
    ...["```", "`", "\\", "\n", " ", "word", "\u202e", "\u200b", "<", ">", "](", "[", "://", "||"],
  ];
  const hostile = fc
    .array(fc.constantFrom(...pieces), { maxLength: 25 })
    .map((parts) => parts.join(""));
  const kinds = Object.keys(viewsWith("")) as ViewKind[];

  const world = new DiscordWorld(new DiscordClock());
  const channel = world.addChannel({ type: CHANNEL.text });
  // Though the message allows all of it.
  const allowsAll = { channel, authorId: "1", allowed: EVERYBODY, flags: 1 << 15 };
  const empty = addMessage(world, allowsAll);
  const callsNobody = fc.property(hostile, fc.constantFrom(...kinds), (text, kind) => {
    const components = render(viewsWith(text)[kind], { thread }) as object[] as Fields[];
    const alarms = alarmsIn({ ...empty, components });
    if (alarms.length > 0) throw new Error(alarms.join());
  });

  it("in none of many texts, though the message allowed it", () => {
    fc.assert(callsNobody, { numRuns: caseCount({ perChange: 1_000, all: 50_000 }) });
  });

  it.each(DISGUISING_SEEDS)("in none of the texts of seed %i", (seed) => {
    fc.assert(callsNobody, { seed, numRuns: caseCount({ perChange: 1_000, all: 50_000 }) });
  });
});

describe("P-A6 P-A7 a card shows what will be done", () => {
  it("whole and as it is; what has no room cannot be approved", () => {
    const buttons = ["once", "deny"].map((choice) => ({
      action: `approve:a1:${choice}`,
      label: choice,
    }));
    const card = (guardWord: string) => {
      const view = { approval: approvalOf("", guardWord), requester: "Ada", buttons } as const;
      return JSON.stringify(render({ kind: "approval", ...view }, { thread }));
    };
    expect(card("__init__.py *x*")).toContain("It writes \\\\_\\\\_init\\\\_\\\\_.py \\\\*x\\\\*");
    expect(card("fits")).toContain("approve:a1:once");
    const tooLong = card("x".repeat(2_000));
    expect(tooLong).not.toContain("approve:a1:once");
    expect(tooLong).toContain("approve:a1:deny");
    expect(tooLong).toContain("cannot be approved");
  });
});

describe("P-A18 the window of a button", () => {
  it("opens in time and says everything, though the store takes two seconds and another process has shown it", async () => {
    await using rig = await openDiscordRig();
    const { discord } = rig;
    await rig.adapter.start(async () => ({ outcome: "accepted" }));
    const place = await rig.people.newThread();
    const form = { title: "Approve", field: { label: "Type exactly: run-42" }, submit: "Approve" };
    const buttons = [{ action: "approve:a1:once", label: "Approve once", form }];
    const post = await rig.adapter.post(place, { kind: "question", prompt: "?", buttons }, "k");
    await rig.adapter[Symbol.asyncDispose]();
    const documents = Object.create(rig.documents) as Documents;
    documents.get = async (key) => {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      return rig.documents.get(key);
    };
    await using other = discordAdapter(discord, { documents, log: () => undefined });
    await other.start(async () => ({ outcome: "accepted" }));
    const ada = discord.human({ username: "ada" });
    const { channel } = decodeThread(place);
    const card = discord.world.find(channel, post);
    const thread = discord.world.channels.get(channel);
    if (!card || !thread) throw new Error("There is no card.");
    const [button] = ada.sees(thread).flatMap((seen) => seen.buttons);
    await ada.clicks(card, button?.value ?? "");
    expect(JSON.stringify(ada.window)).toContain("run-42");
    expect(ada.failures).toEqual([]);
  });
});

describe("15.8 files", () => {
  it("may weigh what the server's level allows, and no more", async () => {
    const file = { name: "big.bin", mimeType: "x/y", bytes: new Uint8Array(11 * 1024 * 1024) };
    for (const tier of [0, 2] as const) {
      await using rig = await openDiscordRig();
      rig.discord.guild.tier = tier;
      await rig.adapter.start(async () => ({ outcome: "accepted" }));
      const uploading = rig.adapter.upload(await rig.people.newThread(), file, "k");
      if (tier === 2) expect(await uploading).toBeTypeOf("string");
      else await expect(uploading).rejects.toMatchObject({ name: "DeliveryError", when: "never" });
    }
  });

  it("with an awkward name are shown all the same", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(async () => ({ outcome: "accepted" }));
    const place = await rig.people.newThread();
    const bytes = new TextEncoder().encode("x");
    for (const name of ["my notes (1).md", "../../etc/passwd", "日本.txt", "..", ""])
      await rig.adapter.upload(place, { name, mimeType: "text/plain", bytes }, name);
    const shown = await rig.people.visible(place);
    expect(shown.flatMap(({ files }) => files)).toHaveLength(5);
  });

  it("can be fetched when the address in the message has long gone stale", async () => {
    await using rig = await openDiscordRig();
    const { promise, resolve } = Promise.withResolvers<{ id: string }>();
    await rig.adapter.start(async (incoming) => {
      if (incoming.type === "message" && incoming.attachments[0]) resolve(incoming.attachments[0]);
      return { outcome: "accepted" };
    });
    const place = await rig.people.newThread();
    const bytes = new TextEncoder().encode("still here");
    await rig.people.say(rig.people.person(), place, "look", { files: [{ name: "a.txt", bytes }] });
    const { id } = await promise;
    rig.discord.world.clock.advance(30 * 60 * 60_000);
    const attachment = { id, name: "a.txt", mimeType: "text/plain", bytes: bytes.length };
    expect(await rig.adapter.fetchAttachment(place, attachment)).toEqual(bytes);
  });
});

describe("15.3 15.23 forwarded messages", () => {
  it("comes along with its words and its files", async () => {
    await using rig = await openDiscordRig();
    const { discord } = rig;
    const { promise, resolve } = Promise.withResolvers<Extract<Incoming, { type: "message" }>>();
    await rig.adapter.start(async (incoming) => {
      if (incoming.type === "message") resolve(incoming);
      return { outcome: "accepted" };
    });
    const ada = discord.human({ username: "ada" });
    const bytes = new TextEncoder().encode("the log");
    const files = [{ name: "build.log", bytes }];
    const { message } = ada.says(discord.channel(), "exit code 137", { files });
    ada.forwards(message, ada.direct);
    const { thread, pointedAt, attachments } = await promise;
    expect(pointedAt).toBe("exit code 137");
    const [file] = attachments;
    if (!file) throw new Error("There is no file.");
    expect(file).toMatchObject({ name: "build.log", bytes: bytes.length });
    expect(await rig.adapter.fetchAttachment(thread, file)).toEqual(bytes);
  });
});

describe("P-C5 a message whose answer was lost", () => {
  it("is found again after Discord has forgotten its nonce, by another process", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(async () => ({ outcome: "accepted" }));
    const place = await rig.people.newThread();
    rig.people.faults.loseNextAnswer();
    const view: View = { kind: "notice", level: "info", text: "once" };
    await rig.adapter.post(place, view, "k").catch(() => undefined);
    rig.discord.world.clock.advance(20 * 60_000);
    await rig.adapter.post(place, { ...view, text: "newer" }, "k");
    const shown = await rig.people.visible(place);
    expect(shown.map(({ text }) => text)).toEqual([expect.stringContaining("newer")]);
  });

  it("stands there again when somebody has deleted it, under another nonce", async () => {
    await using rig = await openDiscordRig();
    await rig.adapter.start(async () => ({ outcome: "accepted" }));
    const place = await rig.people.newThread();
    const view: View = { kind: "notice", level: "info", text: "here" };
    const post = await rig.adapter.post(place, view, "k");
    await rig.people.faults.deletePost(place, post);
    expect(await rig.adapter.post(place, view, "k")).not.toBe(post);
    expect(await rig.people.visible(place)).toHaveLength(1);
  });
});
