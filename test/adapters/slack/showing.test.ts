import { afterEach, describe, expect, it } from "vitest";
import type { View } from "../../../src/contract/view.ts";
import { until } from "../../contracts/adapter/rig.ts";
import { SAMPLES, todoList } from "../../contracts/adapter/views.ts";
import { SlackLab } from "../../support/slack-lab.ts";
import type { SlackRigOptions } from "../../support/slack-rig.ts";

let lab: SlackLab | undefined;
const open = async (options: SlackRigOptions = {}) => {
  lab = await SlackLab.start(options);
  return lab;
};
afterEach(async () => {
  await lab?.[Symbol.asyncDispose]();
  lab = undefined;
});
const notice = (text: string): View => ({ kind: "notice", level: "info", text });

describe("plans", () => {
  const board: View = { kind: "todoBoard", todos: todoList(["Find it", "Fix it"]), buttons: [] };

  it("are Slack's own for the todo board and for what is going on", async () => {
    const { adapter, sees, ...slack } = await at();
    await adapter.post(slack.thread, board, "1");
    await adapter.post(slack.thread, SAMPLES.activity.view, "2");
    const blocks = sees().map(({ message }) => message.blocks[0]);
    expect(blocks).toMatchObject([
      { type: "plan", tasks: [{ status: "in_progress" }, { status: "pending" }] },
      { type: "plan", title: "Working …", tasks: [{ status: "complete" }, {}] },
    ]);
  });

  it("are lists where the workspace does not have them, and that is remembered", async () => {
    const { adapter, sees, thread, slack } = await at();
    slack.faults.lacksBlocks.add("plan");
    const post = await adapter.post(thread, board, "1");
    expect(sees()[0]?.text).toContain("Fix it");
    await adapter.edit(thread, post, board);
    const refused = slack.calls.filter(({ outcome }) => outcome === "invalid_blocks");
    expect(refused).toHaveLength(1);
  });
});

describe("threads that are not what they were", () => {
  it("below a message that was deleted nothing is shown, and nothing is left in the channel", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const message = slack.world.find(here.channel.id, root);
    if (message) here.ada.deletes(message);
    await expect(adapter.post(thread, notice("lost"), "k")).rejects.toMatchObject({
      when: "never",
    });
    expect(here.ada.sees(here.channel).map(({ text }) => text)).toEqual([]);
  });

  it("also where Slack does not let it be taken away at once", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const message = slack.world.find(here.channel.id, root);
    if (message) here.ada.deletes(message);
    slack.faults.refuseNext(1_000, "chat.delete");
    await expect(adapter.post(thread, notice("lost"), "k")).rejects.toMatchObject({
      when: "never",
    });
    expect(here.ada.sees(here.channel).map(({ text }) => text)).toEqual([]);
  });

  it("what cannot be reached for good says so, and what the operator must do", async () => {
    const { adapter, thread, slack } = await at();
    slack.app.scopes.delete("chat:write");
    await expect(adapter.post(thread, notice("x"), "k")).rejects.toThrow(
      /missing_scope.*Add the scope chat:write.*install it again/,
    );
  });

  it("a thread of another team is refused", async () => {
    const { adapter, thread } = await at();
    const foreign = thread.replace(/:T[A-Z0-9]+:/, ":T0OTHER:");
    await expect(adapter.post(foreign, notice("x"), "k")).rejects.toMatchObject({ when: "never" });
  });
});

describe("P-C5 what was sent before a process ended", () => {
  it("is found by its key, and not sent again", async () => {
    const { adapter, thread, sees, lab: here } = await at();
    const post = await adapter.post(thread, notice("once"), "k");
    const other = await here.another();
    expect(await other.post(thread, notice("once more"), "k")).toBe(post);
    expect(sees().map(({ text }) => text)).toEqual([expect.stringContaining("once more")]);
  });

  it("a key that nobody has tried costs no look at Slack", async () => {
    const { adapter, thread, slack } = await at();
    await adapter.post(thread, notice("new"), "k");
    const looked = slack.calls.filter(({ method }) => method === "conversations.replies");
    expect(looked).toEqual([]);
  });

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

  it("a file that appears late is waited for", async () => {
    const { adapter, thread, sees, slack } = await at();
    slack.faults.shareAfterMs = 300;
    const file = { name: "a.txt", mimeType: "text/plain", bytes: new Uint8Array([1]) };
    const post = await adapter.upload(thread, file, "k");
    expect(sees()[0]?.message.ts).toBe(post);
  });
});

describe("P-C7 after a 429", () => {
  it("Slack is left alone for as long as it said, and other channels are not", async () => {
    const { adapter, thread, slack, lab: here } = await at();
    slack.faults.refuseNext(2_000, "chat.postMessage");
    for (const key of ["1", "2", "3"])
      await expect(adapter.post(thread, notice(key), key)).rejects.toMatchObject({
        when: "later",
      });
    const posts = () => slack.calls.filter(({ method }) => method === "chat.postMessage");
    expect(posts()).toHaveLength(1);
    const elsewhere = slack.channel([here.ada]);
    const { message } = here.ada.says(elsewhere, "hi", { mention: true });
    await adapter.post(here.threadAt(message.ts, elsewhere), notice("hi"), "k");
    expect(posts()).toHaveLength(2);
  });
});

describe("what Slack shows of an agent at work", () => {
  it("a status and its own stop button, from the first sign to the last", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const key = `${here.channel.id}:${root}`;
    await adapter.mark(thread, root, "seen");
    await until(() => slack.world.sessions.get(key)?.status === "processing", "processing");
    await until(() => slack.world.statuses.has(key), "the status");
    const post = await adapter.post(thread, SAMPLES.activity.view, "k");
    await until(
      () => slack.world.statuses.get(key)?.text.includes("npm test") ?? false,
      "the tool",
    );
    await adapter.edit(thread, post, { ...SAMPLES.activity.view, status: "waiting" } as View);
    await until(() => slack.world.sessions.get(key)?.status === "suspended", "the wait");
    await adapter.mark(thread, root, "done");
    await until(() => slack.world.sessions.get(key)?.status === "active", "the end");
    expect(slack.world.statuses.has(key)).toBe(false);
  });

  it("nothing where the app is no agent, and everything else goes on", async () => {
    const { adapter, thread, slack, root, lab: here } = await at({ isAgent: false });
    await adapter.mark(thread, root, "seen");
    await adapter.mark(thread, root, "done");
    await adapter.mark(thread, root, "seen");
    await adapter.mark(thread, root, "done");
    await until(() => here.calls("assistant.threads.setStatus").length >= 4, "the statuses");
    // The refusal is remembered.
    expect(here.calls("agents.sessions.setStatus")).toHaveLength(1);
    expect(slack.world.sessions.size).toBe(0);
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
    await expect(adapter.fetchAttachment(thread, attachment)).rejects.toThrow(/files:read/);
  });
});

async function at(options: SlackRigOptions = {}) {
  const here = await open(options);
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
