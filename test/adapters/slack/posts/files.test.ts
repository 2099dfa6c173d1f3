import { afterEach, describe, expect, it } from "vitest";
import { SlackLab } from "../../../support/slack-lab.ts";

let lab: SlackLab | undefined;
afterEach(async () => {
  await lab?.[Symbol.asyncDispose]();
  lab = undefined;
});

describe("P-C5 files of ours", () => {
  it("a file is found by its announcement", async () => {
    const { adapter, thread, sees, lab: here, slack } = await at();
    const file = { name: "a.txt", mimeType: "text/plain", bytes: new Uint8Array([1]) };
    slack.faults.loseNextAnswer("files.completeUploadExternal");
    await expect(adapter.upload(thread, file, "k")).rejects.toMatchObject({ when: "later" });
    const other = await here.another();
    await other.upload(thread, file, "k");
    expect(sees().flatMap(({ files }) => files)).toHaveLength(1);
  });

  it("a file that was completed and appears late is not sent again", async () => {
    const { adapter, thread, sees, lab: here, slack } = await at();
    slack.faults.shareAfterMs = 1_000;
    slack.faults.loseNextAnswer("files.completeUploadExternal");
    const file = { name: "a.txt", mimeType: "text/plain", bytes: new Uint8Array([1]) };
    await expect(adapter.upload(thread, file, "k")).rejects.toMatchObject({ when: "later" });
    await (await here.another()).upload(thread, file, "k");
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(sees().flatMap(({ files }) => files)).toHaveLength(1);
  });

  it("a file of which Slack does not say at once where it is shown is not sent again", async () => {
    const { adapter, thread, sees, slack } = await at();
    const file = { name: "a.txt", mimeType: "text/plain", bytes: new Uint8Array([1]) };
    slack.faults.refuseNext(1_000, "files.info");
    await expect(adapter.upload(thread, file, "k")).rejects.toMatchObject({ when: "later" });
    await new Promise((resolve) => setTimeout(resolve, 1_010));
    expect(await adapter.upload(thread, file, "k")).toBe(sees()[0]?.message.ts);
    expect(sees().flatMap(({ files }) => files)).toHaveLength(1);
  });

  it("a file that appears late is waited for", async () => {
    const { adapter, thread, sees, slack } = await at();
    slack.faults.shareAfterMs = 2_000;
    const file = { name: "a.txt", mimeType: "text/plain", bytes: new Uint8Array([1]) };
    const post = await adapter.upload(thread, file, "k");
    expect(sees()[0]?.message.ts).toBe(post);
    // Slack takes a hundred such questions a minute, of all threads together.
    const looks = slack.calls.filter(({ method }) => method === "files.info");
    expect(looks.length).toBeLessThanOrEqual(8);
  });
});

describe("files of people", () => {
  it("the token goes to Slack and to nobody else", async () => {
    const { adapter, thread, slack, lab: here } = await at();
    const files = [{ name: "a.txt", bytes: new Uint8Array([1]) }];
    const { message } = here.ada.says(here.channel, "see", { files });
    const [file] = message.files;
    const fetched: string[] = [];
    const real = globalThis.fetch;
    const info = slack.world.files.get(file?.id ?? "");
    if (!info) throw new Error("no file");
    slack.faults.filesAt = "http://evil.example";
    globalThis.fetch = async (address, init) => {
      if (String(address).includes("evil")) fetched.push(String(address));
      return real(address, init);
    };
    try {
      const attachment = { id: info.id, name: "a.txt", mimeType: "text/plain", bytes: 1 };
      await expect(adapter.fetchAttachment(thread, attachment)).rejects.toMatchObject({
        when: "never",
      });
    } finally {
      globalThis.fetch = real;
    }
    expect(fetched).toEqual([]);
  });

  it("of another channel are not fetched", async () => {
    const { adapter, thread, slack, lab: here } = await at();
    const other = slack.channel([here.ada]);
    const files = [{ name: "secret.txt", bytes: new Uint8Array([1]) }];
    const { message } = here.ada.says(other, "see", { files });
    const attachment = {
      id: message.files[0]?.id ?? "",
      name: "secret.txt",
      mimeType: "text/plain",
      bytes: 1,
    };
    await expect(adapter.fetchAttachment(thread, attachment)).rejects.toMatchObject({
      when: "never",
    });
  });

  it("15.23 that are too large are refused before they are fetched", async () => {
    const { adapter, thread, lab: here } = await at();
    const bytes = new Uint8Array(adapter.limits.fileBytes + 1);
    const { message } = here.ada.says(here.channel, "see", { files: [{ name: "big", bytes }] });
    const attachment = { id: message.files[0]?.id ?? "", name: "big", mimeType: "x/y", bytes: 1 };
    await expect(adapter.fetchAttachment(thread, attachment)).rejects.toMatchObject({
      when: "never",
    });
  });

  it("the page where people log in is not taken for a file", async () => {
    const { adapter, thread, slack, lab: here } = await at();
    const files = [{ name: "a.txt", bytes: new Uint8Array([1]) }];
    const { message } = here.ada.says(here.channel, "see", { files });
    const id = message.files[0]?.id ?? "";
    const attachment = { id, name: "a.txt", mimeType: "text/plain", bytes: 1 };
    slack.faults.showsLogin = true;
    const refused = adapter.fetchAttachment(thread, attachment);
    await expect(refused).rejects.toMatchObject({ when: "never" });
    await expect(refused).rejects.toThrow(/files:read/);
  });
});

async function at() {
  const here = await SlackLab.start();
  lab = here;
  const { thread, root } = await here.thread();
  return {
    lab: here,
    adapter: here.adapter,
    slack: here.slack,
    thread,
    root,
    sees: () => here.sees(root),
  };
}
