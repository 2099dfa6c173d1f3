import { describe, expect, it } from "vitest";
import { DiscordLab } from "./test-lab.ts";
import { type Fields, fieldsIn } from "./values.ts";

const MEBIBYTE = 1024 * 1024;

const file = (name: string, size = 1) => ({ name, bytes: new Uint8Array(size) });
const path = (lab: DiscordLab) => `/channels/${lab.channel.id}/messages`;
const names = ({ attachments }: Fields) => fieldsIn(attachments).map(({ filename }) => filename);

describe("files on the double", () => {
  it("may weigh more where the guild was boosted, and interactions say how much", async () => {
    await using lab = await DiscordLab.start();
    const upload = () =>
      lab.call(`POST ${path(lab)}`, { content: "x" }, { files: [file("big", 11 * MEBIBYTE)] });
    expect((await upload()).body).toMatchObject({ code: 50045 });
    lab.discord.guild.tier = 2;
    expect((await upload()).status).toBe(200);
    using client = await lab.identified();
    await lab.ran();
    const told = await client.event("INTERACTION_CREATE");
    expect(told.attachment_size_limit).toBe(50 * MEBIBYTE);
  });

  it("lose what Discord allows in no name, and keep it as a title", async () => {
    await using lab = await DiscordLab.start();
    const files = [file("Über (1) log.txt"), file("plain-1_2.txt")];
    const { body } = await lab.call(`POST ${path(lab)}`, { content: "x" }, { files });
    expect(fieldsIn(body.attachments)).toMatchObject([
      { filename: "ber_1_log.txt", title: "Über (1) log" },
      { filename: "plain-1_2.txt" },
    ]);
  });

  it("take their name and description from the form", async () => {
    await using lab = await DiscordLab.start();
    const attachments = [{ id: 0, filename: "renamed.txt", description: "A log" }];
    const form = { content: "x", attachments };
    const { body } = await lab.call(`POST ${path(lab)}`, form, { files: [file("a.txt")] });
    expect(fieldsIn(body.attachments)).toMatchObject([
      { filename: "renamed.txt", description: "A log" },
    ]);
  });

  it("stay through an edit that says nothing of them, and go where they are left out", async () => {
    await using lab = await DiscordLab.start();
    const files = [file("a.txt"), file("b.txt")];
    const { body } = await lab.call(`POST ${path(lab)}`, { content: "x" }, { files });
    const edit = (change: Fields, more?: ReturnType<typeof file>[]) =>
      lab.call(`PATCH ${path(lab)}/${String(body.id)}`, change, more ? { files: more } : {});
    expect(names((await edit({ content: "y" })).body)).toEqual(["a.txt", "b.txt"]);
    const [first] = fieldsIn(body.attachments);
    const kept = await edit({ attachments: [{ id: first?.id }, { id: "0" }] }, [file("c.txt")]);
    expect(names(kept.body)).toEqual(["a.txt", "c.txt"]);
    expect(names((await edit({ attachments: [] })).body)).toEqual([]);
  });

  it("are handed out by their signed address only, and for a day", async () => {
    await using lab = await DiscordLab.start();
    const { message } = lab.ada.uploads(lab.channel, "a.txt", new Uint8Array([1, 2, 3]));
    const { body } = await lab.call(`GET ${path(lab)}/${message.id}`);
    const url = String(fieldsIn(body.attachments)[0]?.url);
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    expect(bytes).toEqual(new Uint8Array([1, 2, 3]));
    expect((await fetch(url.replace(/\?.*/, ""))).status).toBe(404);
    expect((await fetch(url.replace(/ex=\w/, "ex=f"))).status).toBe(404);
    lab.discord.world.clock.advance(25 * 3_600_000);
    expect((await fetch(url)).status).toBe(404);
    const fresh = await lab.call(`GET ${path(lab)}/${message.id}`);
    const again = String(fieldsIn(fresh.body.attachments)[0]?.url);
    expect((await fetch(again)).status).toBe(200);
  });
});
