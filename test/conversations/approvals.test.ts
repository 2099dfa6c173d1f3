import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { call, calls, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const create = (filePath: string, content = "made") =>
  ["file_operations", { operation: "create_file", filePath, content }] as const;

function outside(talk: Talk, name: string): string {
  return talk.workspaces.of(talk.thread).files.path(`../${name}`);
}

describe("an approval", () => {
  it("4.8 that is denied reaches the model as rejected and does nothing", async () => {
    await using talk = await Talk.start();
    const file = outside(talk, "denied.txt");
    talk.model.script([call(...create(file)), say("I leave it.")]);
    await talk.say("write outside");
    await talk.press("Deny");
    await talk.sees("I leave it.");
    expect(talk.model.requests[1]?.results[0]?.text).toContain("rejected");
    expect(existsSync(file)).toBe(false);
    expect(talk.cards("approval")[0]?.text).toContain("Denied by");
  });

  it("P-D2 waits through a restart with the same card, and the click after it resumes the same call", async () => {
    await using talk = await Talk.start();
    const file = outside(talk, "later.txt");
    talk.model.script([call(...create(file)), say("Written.")]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    await talk.rests();
    await talk.restart();
    expect(existsSync(file)).toBe(false);
    await talk.press("Approve once");
    await talk.sees("Written.");
    expect(readFileSync(file, "utf8")).toBe("made");
    expect(talk.cards("approval")).toHaveLength(1);
    expect(talk.workspaces.begun).toHaveLength(1);
  });

  it("5.12 that was clicked while the bot was away is carried out when it is back", async () => {
    await using talk = await Talk.start();
    const file = outside(talk, "away.txt");
    talk.model.script([call(...create(file)), say("Written.")]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    await talk.rests();
    await talk.bot[Symbol.asyncDispose]();
    await talk.press("Approve once");
    await talk.startBot();
    await talk.sees("Written.");
    expect(existsSync(file)).toBe(true);
  });

  it("5.12 answers the click that comes too late, and the second one", async () => {
    await using talk = await Talk.start();
    const file = outside(talk, "twice.txt");
    talk.model.script([call(...create(file)), say("Written.")]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    const { said } = await talk.press("Approve once");
    const card = talk.cards("approval")[0];
    const click = await talk.rig.people
      .click(talk.bob, talk.thread, {
        post: card?.post ?? "",
        action: card?.buttons[0]?.action ?? "",
      })
      // The buttons may be gone already: then nobody can click twice.
      .catch(() => undefined);
    await talk.sees("Written.");
    if (click) await talk.hears("Already", talk.bob);
    await talk.rig.people.redeliver(said);
    await talk.rests();
    expect(talk.workspaces.begun).toHaveLength(1);
    expect(talk.cards("approval")[0]?.buttons).toEqual([]);
  });

  it("refuses the click of somebody who may not decide, and waits on", async () => {
    await using talk = await Talk.start();
    const guest = talk.rig.people.person({ kind: "guest" });
    const file = outside(talk, "foreign.txt");
    talk.model.script([call(...create(file)), say("Written.")]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    await talk.press("Approve once", { by: guest });
    await until(() => talk.whispers(guest).length > 0, "a word to the guest");
    expect(existsSync(file)).toBe(false);
    await talk.press("Approve once");
    await talk.sees("Written.");
  });

  it("4.9 is asked again when the target has changed meanwhile", async () => {
    await using talk = await Talk.start();
    const one = outside(talk, "one");
    const other = outside(talk, "other");
    mkdirSync(one);
    mkdirSync(other);
    const link = talk.workspaces.of(talk.thread).files.path("link");
    symlinkSync(one, link);
    talk.model.script([call(...create(`${link}/file.txt`)), say("Written.")]);
    await talk.say("write through the link");
    await talk.sees("Approval needed");
    await talk.rests();
    rmSync(link);
    symlinkSync(other, link);
    await talk.press("Approve once");
    await until(() => talk.cards("approval").length === 2, "a second question");
    expect(existsSync(`${other}/file.txt`)).toBe(false);
    expect(existsSync(`${one}/file.txt`)).toBe(false);
    await talk.press("Approve once");
    await talk.sees("Written.");
    expect(existsSync(`${other}/file.txt`)).toBe(true);
  });

  it("can be given in words, by whoever may", async () => {
    await using talk = await Talk.start();
    const file = outside(talk, "words.txt");
    talk.model.script([call(...create(file)), say("Written.")]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    await talk.say("hm, let me see", { mention: false, by: talk.bob });
    await talk.say("yes, proceed", { mention: false });
    await talk.sees("Written.");
    expect(talk.model.requests.at(-1)?.users.join(" ")).not.toContain("yes, proceed");
  });

  it.each([
    ["false", "waits"],
    ["true", "is approved"],
  ])(
    "by a typed 👍 counts where EMOJI_ANSWERS says so: %s, the call %s [4.27]",
    async (setting) => {
      await using talk = await Talk.start({ env: { EMOJI_ANSWERS: setting } });
      const file = outside(talk, "thumb.txt");
      talk.model.script([call(...create(file)), say("Written.")]);
      await talk.say("write outside");
      await talk.sees("Approval needed");
      await talk.say("👍", { mention: false });
      if (setting === "true") {
        await talk.sees("Written.");
      } else {
        // Handled after the thumb, so that the thumb has had its chance.
        await talk.say("yes", { mention: false, by: talk.bob });
        await talk.rests();
        expect(existsSync(file)).toBe(false);
        await talk.press("Approve once");
        await talk.sees("Written.");
      }
    },
  );

  it("of two calls in one step is asked for each, and each runs once", async () => {
    await using talk = await Talk.start();
    const one = outside(talk, "one.txt");
    const two = outside(talk, "two.txt");
    talk.model.script([calls([create(one), create(two)]), say("Both.")]);
    await talk.say("write two files");
    await talk.press("Approve once");
    await until(() => talk.cards("approval").length === 2, "the second question");
    await talk.press("Approve once");
    await talk.sees("Both.");
    expect(talk.workspaces.begun).toHaveLength(2);
    expect(talk.model.requests[1]?.results).toHaveLength(2);
  });

  it("1.34 does not block other threads: another thread's turn completes meanwhile", async () => {
    await using talk = await Talk.start();
    const file = outside(talk, "waits.txt");
    talk.model.script([call(...create(file))], { when: "write outside" });
    talk.model.script([say("Here you are.")], { when: "quick question" });
    await talk.say("write outside");
    await talk.sees("Approval needed");
    const first = talk.thread;
    talk.thread = await talk.rig.people.newThread();
    await talk.say("quick question");
    await talk.sees("Here you are.");
    talk.thread = first;
    expect(talk.cards("approval")[0]?.text).toContain("Waiting for");
  });

  it("that is of high risk takes its phrase typed", async () => {
    const policy = "approvers:\n  - who: [members]\n    risks: [standard, elevated, high]\n";
    await using talk = await Talk.start({ policy });
    talk.model.script([
      call("terminal_operations", {
        operation: "run_command",
        command: "sudo rm -rf /etc/nothing",
      }),
      say("Done with it."),
    ]);
    await talk.say("clean up");
    const card = await talk.sees("Phrase to type");
    const phrase = /type: `([^`]+)`/.exec(card)?.[1] ?? "";
    await talk.press("Deny with reason", { typed: "not on a Friday" });
    await talk.sees("Done with it.");
    expect(phrase).toMatch(/^[!-~]+( [!-~]+)+$/);
    expect(talk.model.requests[1]?.results[0]?.text).toContain("not on a Friday");
    expect(talk.workspaces.begun).toEqual([]);
  });
});
