import { describe, expect, it } from "vitest";
import { call, type Reply, rateLimited, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const run = (command: string) => call("terminal_operations", { operation: "run_command", command });
const add = (title: string) =>
  call("todo_operations", { operation: "add", newTodos: [{ title, description: title }] });

const kinds = (talk: Talk) => talk.posts().map(({ view }) => view?.kind ?? "file");
const posted = (talk: Talk) => talk.rig.platform.deeds.filter(({ what }) => what === "post").length;
const activity = (talk: Talk) => talk.posts().find(({ view }) => view?.kind === "activity")?.text;

describe("the card of a turn", () => {
  it.each([
    ["$ echo hello", "hello"],
    ["$ echo oh >&2; exit 3", "exit code 3"],
    ["todo_operations.read", "todo"],
    ["file_operations.list_dir path=.", "file_operations.list_dir"],
  ])("is replaced by the result of a direct command: %s", async (words, expected) => {
    await using talk = await Talk.start();
    await talk.say(words);
    await talk.sees(expected);
    await talk.rests();
    expect(kinds(talk)).toEqual(["terminal"]);
    expect(posted(talk)).toBe(1);
  });

  it("does not repeat what the todo board says", async () => {
    await using talk = await Talk.start();
    talk.model.script([add("Look"), run("echo one"), add("Write"), say("All done.")]);
    await talk.say("do it");
    await talk.sees("All done.");
    await talk.rests();
    expect(activity(talk)).toContain("echo one");
    expect(activity(talk)).not.toMatch(/todo|Look|Write/i);
    expect(kinds(talk).sort()).toEqual(["activity", "reply", "todoBoard"]);
  });

  it("is left out where there is nothing but todos", async () => {
    await using talk = await Talk.start();
    talk.model.script([add("Look"), say("Planned.")]);
    await talk.say("plan it");
    await talk.sees("Planned.");
    await talk.rests();
    expect(kinds(talk).sort()).toEqual(["reply", "todoBoard"]);
  });

  const failing = call("file_operations", { operation: "read_file", filePath: "none.txt" });
  it.each([
    ["Failed", "every call failed", [failing, failing]],
    ["Done", "one call succeeded", [failing, run("echo one")]],
  ])("says %s where %s, also after a restart", async (word, _, calls: readonly Reply[]) => {
    await using talk = await Talk.start();
    talk.model.script([...calls, say("That is all.")]);
    await talk.say("read it");
    await talk.sees("That is all.");
    await talk.rests();
    expect(activity(talk)).toMatch(new RegExp(`^${word}\\n`));
    await talk.restart();
    await talk.rests();
    expect(activity(talk)).toMatch(new RegExp(`^${word}\\n`));
  });

  it("says why calls failed in words for people, also after a restart", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      failing,
      run("cat nothing"),
      call("file_operations", { operation: "read_file" }),
      call("file_operations", { operation: "create_file", filePath: "../x", content: "x" }),
      say("That is all."),
    ]);
    await talk.say("read it");
    await talk.press("Deny");
    await talk.sees("That is all.");
    await talk.rests();
    const expected = [
      "none.txt does not exist.",
      "cat: nothing: No such file or directory",
      "The agent's call was malformed.",
      "Denied.",
    ];
    for (const restarts of [false, true]) {
      if (restarts) await talk.restart();
      await talk.rests();
      for (const words of expected) expect(activity(talk)).toContain(words);
      expect(activity(talk)).not.toMatch(/create_file|list_dir|_operations|filePath/);
    }
  });

  it("does not repeat a question, and is not empty once that was answered", async () => {
    await using talk = await Talk.start();
    talk.model.script([call("user_collaboration", { prompt: "Which colour?" }), say("So be it.")]);
    await talk.say("paint it");
    await talk.sees("✋ Asking a question");
    expect(talk.texts().filter((text) => text.includes("Which colour?"))).toHaveLength(1);
    await talk.restart();
    await talk.say("green", { mention: false });
    await talk.sees("So be it.");
    await talk.rests();
    expect(activity(talk)).toBe("Done\n✅ Asking a question");
  });

  it("says that the model is retried, once that takes five seconds, and no more afterwards", async () => {
    await using talk = await Talk.start();
    const quick = ["0.1", "0.1"].map((after) => rateLimited(after));
    const slow = ["4", "4"].map((after) => rateLimited(after));
    talk.model.script([run("echo one"), ...quick, run("echo two"), ...slow, say("Here I am.")]);
    await talk.say("do it");
    await until(() => activity(talk)?.includes("overloaded"), "the note");
    expect(talk.model.requests.length).toBeGreaterThanOrEqual(6);
    await talk.sees("Here I am.");
    await talk.rests();
    expect(talk.texts().join()).not.toContain("overloaded");
  });
});

describe("a stop", () => {
  it("cancels an open approval in the name of the person who stopped", async () => {
    await using talk = await Talk.start();
    const outside = { operation: "create_file", filePath: "../x", content: "x" };
    talk.model.script([call("file_operations", outside), say("never")]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    await talk.say("stop", { by: talk.bob });
    await talk.sees(`Stopped by ${talk.bob.name}.`);
    await talk.sees(`Cancelled by ${talk.bob.name} at`);
  });
});

describe("a reply", () => {
  it("is first posted with its first words, and never without any", async () => {
    await using talk = await Talk.start();
    const text = "The release is out, and the old one stays for a week.";
    talk.model.script([run("echo one"), say(text, { paceMs: 20, chunkSizes: [60] })]);
    await talk.say("release it");
    await talk.sees(text);
    await talk.rests();
    const reply = talk.posts().find(({ view }) => view?.kind === "reply")?.post;
    const shown = talk.rig.platform.deeds.filter(({ post }) => post === reply);
    expect(shown[0]?.what).toBe("post");
    for (const { text: words } of shown) expect(text).toContain(words.split("\n")[0]);
    for (const { text: words } of shown) expect(words).toMatch(/\w/);
  });
});

describe("an attachment that is not in the workspace", () => {
  it.each([
    ["is too large", 2 ** 30, "larger than 25 MB"],
    ["cannot be fetched", 10, "There is no attachment"],
  ])("is reported to people where it %s", async (_, bytes, why) => {
    await using talk = await Talk.start();
    talk.model.script([say("Seen.")]);
    await talk.rig.people.deliver({
      ...{ id: "large-1", thread: talk.thread, actorName: talk.ada.name, channel: "C1" },
      actor: { platform: "memory", id: talk.ada.id, kind: "member", groups: [] },
      ...{ isChannelMember: true, at: new Date().toISOString(), type: "message" },
      ...{ messageId: "m-1", text: "look at this", isMention: true, isDirect: false },
      attachments: [{ id: "f1", name: "disk `x`.img", mimeType: "image/x", bytes }],
    });
    await talk.sees("Seen.");
    await talk.rests();
    const notice = talk.posts().find(({ view }) => view?.kind === "notice")?.text ?? "";
    expect(notice).toContain("disk _x_.img");
    expect(notice).toContain(why);
  });
});
