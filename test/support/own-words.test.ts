import { describe, expect, it } from "vitest";
import type { ActivityLine, View, ViewButton } from "../../src/contract/platform/view.ts";
import { messageForm } from "./discord/checks/message.ts";
import { checkModal } from "./discord/checks/modal.ts";
import { openMemoryAdapter } from "./memory-adapter.ts";
import { problemsInFile, problemsInOwnWords, problemsInView } from "./own-words.ts";
import { posting } from "./slack/rejections.ts";
import { SlackLab } from "./slack/test-lab.ts";
import { THREAD, WebLab } from "./web-lab.ts";

const WRONG = [
  ["ℹ️ Asked at 2026-11-17T09:13:53.578Z.", "an ISO stamp"],
  ["✅ Approved once by slack:T01:U02 at 09:13", "the key of a person or thread"],
  ["⚠️ Set by U024BE7LH.", "the id of a person or channel"],
  ["ℹ️ Set by 123456789012345678.", "the id of a person or channel"],
  ["✋ until \uFDD01 2 clock x\uFDD1", "a time that no adapter has shown"],
  ["❌ Use read_tool_result to see more.", "words meant for the model"],
  ["❓ Which &lt;tag&gt;?", "altered code"],
] as const;

describe("the doubles look at words that are meant for people", () => {
  it.each(WRONG)("%s", async (words, problem) => {
    expect(problemsInOwnWords(words)).toEqual([expect.stringContaining(`${problem}: `)]);
    const components = [{ type: 10, content: words }];
    const send = () =>
      messageForm({ components, flags: 1 << 15 }, { fileNames: [], flags: "message" });
    expect(send).toThrow();
    await using slack = await SlackLab.start();
    const { body } = await posting({ type: "markdown", text: words })(slack);
    expect(body.error).toContain(`words_not_for_people (${problem}`);
  });

  it.each(WRONG)("on buttons and in windows: %s", async (words, problem) => {
    const label = words.replace(/^\S+ /, "");
    const text = { type: "plain_text", text: label.slice(0, 75) };
    const button = { type: "button", action_id: "a", text };
    await using lab = await SlackLab.start();
    const { body } = await posting({ type: "actions", elements: [button] })(lab);
    expect(body.error).toContain(`words_not_for_people (${problem}`);
    const title = { type: "plain_text", text: "Answer" };
    const view = { type: "modal", title, blocks: [{ type: "section", text }] };
    const trigger_id = lab.slack.triggers.issue(lab.ada.user.id);
    const opened = await lab.call("views.open", { trigger_id, view });
    expect(opened.body.error).toContain(`words_not_for_people (${problem}`);
    const row = { type: 1, components: [{ type: 2, style: 1, custom_id: "a", label }] };
    const post = () => messageForm({ components: [row] }, { fileNames: [], flags: "message" });
    expect(post).toThrow();
    const field = { type: 4, custom_id: "f", style: 1, placeholder: label };
    const part = { type: 18, label: "Answer", component: field };
    const modal = { custom_id: "m", title: "Answer", components: [part] };
    expect(() => checkModal(modal)).toThrow();
    const fine = { ...part, component: { ...field, placeholder: "Any text" } };
    expect(() => checkModal({ ...modal, components: [fine] })).not.toThrow();
  });

  it.each(WRONG)("on buttons and in forms before any platform: %s", async (words, problem) => {
    const label = words.replace(/^\S+ /, "");
    const form = { title: "Answer", field: { label: "Answer" }, submit: "Send" };
    const action = "a:b";
    const buttons: ViewButton[] = [
      { action, label },
      { action, label: "A", form: { ...form, title: label } },
      { action, label: "A", form: { ...form, submit: label } },
      { action, label: "A", form: { ...form, field: { label } } },
      { action, label: "A", form: { ...form, field: { label: "A", hint: label } } },
      { action, label: "A", form: { ...form, shows: [{ label, code: "x" }] } },
    ];
    const view = (button: ViewButton): View => ({
      ...{ kind: "diff", title: "1 file", diff: label, buttons: [button] },
    });
    for (const button of buttons)
      expect(problemsInView(view(button))).toEqual([expect.stringContaining(`${problem}: `)]);
    expect(problemsInView(view({ action, label: "A", form }))).toEqual([]);
  });

  it.each(WRONG)("in the names of files and beside them: %s", async (words, problem) => {
    const label = words.replace(/^\S+ /, "");
    const given = { mimeType: "text/plain", bytes: new Uint8Array([120]) };
    const files = [
      { ...given, name: label },
      { ...given, name: "a.txt", comment: label },
    ];
    await using slack = await SlackLab.start();
    for (const file of files) {
      expect(problemsInFile(file)).toEqual([expect.stringContaining(`${problem}: `)]);
      await using memory = openMemoryAdapter();
      const thread = await memory.people.newThread();
      await expect(memory.adapter.upload(thread, file, "k")).rejects.toThrow("Not for people");
      await using web = await WebLab.start();
      await web.thread();
      await expect(web.adapter.upload(THREAD, file, "k")).rejects.toThrow("Not for people");
    }
    for (const [name, title] of [
      [label, "a"],
      ["a", label],
    ] as const) {
      const { body } = await slack.call("files.getUploadURLExternal", {
        filename: name,
        length: 1,
      });
      await fetch(String(body.upload_url), { method: "POST", body: "x" });
      const ended = await slack.call("files.completeUploadExternal", {
        files: [{ id: body.file_id, title }],
      });
      expect(ended.body.error).toContain(`words_not_for_people (${problem}`);
    }
  });

  it.each(WRONG)("in notifications: %s", async (words, problem) => {
    await using slack = await SlackLab.start();
    const { body } = await slack.call("chat.postMessage", {
      channel: slack.channel.id,
      text: words.replaceAll("&", "&amp;"),
      blocks: [{ type: "divider" }],
    });
    expect(body.error).toContain(`words_not_for_people (${problem}`);
  });

  // No view can hold the marks of a time that is none: they are taken out of every text.
  const inViews = WRONG.filter(([, problem]) => !problem.startsWith("a time"));
  it.each(inViews)("before any platform: %s", async (words, problem) => {
    const text = words.replace(/^\S+ /, "");
    const view: View = { kind: "notice", level: "info", text };
    expect(problemsInView(view)).toEqual([expect.stringContaining(`${problem}: `)]);
    await using memory = openMemoryAdapter();
    const thread = await memory.people.newThread();
    await expect(memory.adapter.post(thread, view, "k")).rejects.toThrow("Not for people");
    await using web = await WebLab.start();
    await web.thread();
    await expect(web.adapter.post(THREAD, view, "k")).rejects.toThrow("Not for people");
  });

  it("the model's own words, code and output are not looked at", () => {
    const text = "At 2026-11-17T09:13:53.578Z slack:T01:U02 said `U024BE7LH`.";
    const line = { callId: "1", title: text, details: [text], status: "running", output: text };
    const views: View[] = [
      { kind: "reply", text, isFinal: true },
      { kind: "notice", level: "info", text: `\`\`\`\n${text.replaceAll("`", "")}\n\`\`\`` },
      { kind: "terminal", title: "$ ls", text, hiddenLines: 0, buttons: [] },
      { kind: "question", prompt: text, context: text, buttons: [] },
      { kind: "activity", lines: [line as ActivityLine], status: "working", buttons: [] },
    ];
    expect(views.flatMap(problemsInView)).toEqual([]);
  });

  it.each([
    "The log says 2026-11-17T09:13:53.578Z and slack:T01:U02.",
    "ℹ️ Set by Ada at <t:1763294400:t> in <#123456789012345678>.",
    "✅ Approved once by Ada at 09:13 UTC",
    "⚠️ See https://x.example/web:page and discord://open.",
  ])("%s is fine", (words) => {
    expect(problemsInOwnWords(words)).toEqual([]);
  });
});
