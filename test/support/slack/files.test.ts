import { describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { SlackLab } from "./test-lab.ts";
import { type Fields, fieldsIn } from "./values.ts";

const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);

async function announced(lab: SlackLab, length = bytes.length): Promise<Fields> {
  return (await lab.call("files.getUploadURLExternal", { filename: "a.bin", length })).body;
}

describe("files (messaging/working-with-files)", () => {
  it.each(["raw", "in a form"])(
    "are announced, sent %s and completed, and then seen with their bytes",
    async (how) => {
      await using lab = await SlackLab.start();
      const { upload_url, file_id } = await announced(lab);
      const form = new FormData();
      form.set("file", new Blob([bytes]), "a.bin");
      const sent = await fetch(String(upload_url), {
        method: "POST",
        body: how === "raw" ? bytes : form,
      });
      expect(sent.status).toBe(200);
      const files = [{ id: file_id, title: "A" }];
      const { body } = await lab.call("files.completeUploadExternal", {
        files,
        channel_id: lab.channel.id,
        initial_comment: "look",
      });
      // Where it appeared is not in the answer.
      expect(fieldsIn(body.files)).toMatchObject([
        { id: file_id, title: "A", shares: { public: {} } },
      ]);
      const [seen] = lab.ada.sees(lab.channel);
      expect(seen).toMatchObject({ text: "look", files: [{ name: "a.bin" }] });
      expect(seen?.files[0]?.bytes).toEqual(bytes);
      const { body: info } = await lab.call("files.info", { file: file_id });
      expect(JSON.stringify(info)).toContain(seen?.message.ts);
    },
  );

  it("of another size than announced are not taken", async () => {
    await using lab = await SlackLab.start();
    const { upload_url } = await announced(lab, 7);
    expect((await fetch(String(upload_url), { method: "POST", body: bytes })).status).toBe(400);
  });

  it("may appear only later, although the answer has come", async () => {
    await using lab = await SlackLab.start();
    lab.slack.faults.shareAfterMs = 2_000;
    const { upload_url, file_id } = await announced(lab);
    await fetch(String(upload_url), { method: "POST", body: bytes });
    await lab.call("files.completeUploadExternal", {
      files: [{ id: file_id }],
      channel_id: lab.channel.id,
    });
    expect(lab.ada.sees(lab.channel)).toEqual([]);
    await until(() => lab.ada.sees(lab.channel).length === 1, "the file");
  });

  it("are handed out to the bot; to anybody else comes a page with 200", async () => {
    await using lab = await SlackLab.start();
    const said = lab.ada.says(lab.channel, "look", { files: [{ name: "a.bin", bytes }] });
    const { body } = await lab.call("files.info", { file: said.message.files[0]?.id });
    const { url_private: url } = body.file as { url_private: string };
    const authorization = `Bearer ${lab.slack.app.botToken}`;
    const ours = await fetch(url, { headers: { authorization } });
    expect(new Uint8Array(await ours.arrayBuffer())).toEqual(bytes);
    lab.slack.app.scopes.delete("files:read");
    for (const headers of [{ authorization }, {}]) {
      const page = await fetch(url, { headers });
      expect([page.status, page.headers.get("content-type")]).toEqual([
        200,
        "text/html; charset=utf-8",
      ]);
    }
  });

  it("come as a message of their own kind, and of shared channels without their contents", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    const shared = lab.slack.channel([lab.ada], { isExternallyShared: true });
    const files = [{ name: "a.bin", bytes }];
    lab.ada.says(lab.channel, "ours", { files });
    lab.ada.says(shared, "theirs", { files });
    await client.atLeast(2);
    expect(client.events).toMatchObject([
      { subtype: "file_share", files: [{ name: "a.bin", size: bytes.length }] },
      { subtype: "file_share", files: [{ file_access: "check_file_info" }] },
    ]);
    expect(JSON.stringify(client.events[1])).not.toContain("url_private");
  });
});
