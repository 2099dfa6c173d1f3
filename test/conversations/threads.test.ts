import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { verbs } from "../../src/intake/commands/verbs.ts";
import { call, calls, say } from "../support/model-server/replies.ts";
import { OwnClock } from "../support/own-clock.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const create = (filePath: string) =>
  call("file_operations", { operation: "create_file", filePath, content: "x" });

describe("a thread", () => {
  it("15.1 is one conversation: two mentions share what was said and the workspace, two threads do not", async () => {
    await using talk = await Talk.start();
    const [here, there] = [talk.thread, await talk.rig.people.newThread()];
    talk.model.script([create("here.txt"), say("First."), say("Second."), say("Elsewhere.")]);
    await talk.say("the password is swordfish");
    await talk.sees("First.");
    await talk.say("what was it?");
    await talk.sees("Second.");
    talk.thread = there;
    await talk.say("and here?");
    await talk.sees("Elsewhere.");
    const requests = talk.model.requests.map(({ text }) => text);
    expect(requests[2]).toContain("swordfish");
    expect(requests[3]).not.toContain("swordfish");
    const has = (thread: string) => existsSync(talk.workspaces.of(thread).files.path("here.txt"));
    expect([has(here), has(there)]).toEqual([true, false]);
  });

  it("15.3 knows what its people point at: a quote before what was selected, and else nothing", async () => {
    await using talk = await Talk.start();
    const look = call("terminal_operations", { operation: "get_terminal_selection" });
    talk.model.script([look, say("I see."), look, say("Nothing there.")]);
    await talk.say("what does this mean?", { quoting: "exit code 137" });
    await talk.sees("I see.");
    expect(talk.model.requests[1]?.results[0]?.text).toContain("exit code 137");
    await talk.say("and now?");
    await talk.sees("Nothing there.");
    expect(talk.model.requests[3]?.results[1]?.text).not.toContain("exit code 137");
    expect(talk.model.problems).toEqual([]);
  });

  it.each(verbs.map(({ name }) => name))("15.20 %s is answered within 3 s", async (verb) => {
    await using talk = await Talk.start({ withoutModel: true });
    using clock = new OwnClock();
    await talk.rig.people.command(talk.ada, talk.thread, verb);
    await until(() => talk.whispers().length + talk.texts().length > 0, `an answer to ${verb}`);
    expect(clock.ms).toBeLessThan(3_000);
  });
});

describe("an attached file", () => {
  it("2.49 that is text is offered for import, found by search, listed, and reminded of afterwards", async () => {
    await using talk = await Talk.start();
    const bytes = (text: string) => new TextEncoder().encode(text);
    const documents = (operation: string, more = {}) =>
      ["document_operations", { operation, ...more }] as const;
    const offered = "uploads/notes.txt";
    talk.model.script([
      call(...documents("document_import", { path: offered })),
      calls([
        documents("get_doc_info"),
        ["memory_operations", { operation: "search_memory", query: "Kingfisher server" }],
      ]),
      say("Imported."),
    ]);
    await talk.say("keep these", {
      files: [
        { name: "notes.txt", bytes: bytes("The server is called Kingfisher.") },
        { name: "photo.png", bytes: new Uint8Array([0x89, 0x50, 0, 1]) },
        { name: "empty.txt", bytes: bytes("") },
      ],
    });
    await talk.sees("Imported.");
    const told = talk.model.requests[0]?.users.join("\n") ?? "";
    expect(told).toMatch(/document_import: "uploads\/notes\.txt"\./);
    const [info, found] = talk.model.requests.at(-1)?.results.slice(-2) ?? [];
    expect(info?.text).toContain(offered);
    expect(found?.text).toContain("Kingfisher");
    talk.model.script([say("Still there.")]);
    await talk.say("and now?");
    await talk.sees("Still there.");
    const reminded = talk.model.requests.at(-1)?.users.join("\n") ?? "";
    expect(reminded).toMatch(/Documents that were imported[\s\S]*notes\.txt/);
  });

  it("15.23 of a gigabyte is never fetched, and the model is told why it is not there", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Too much for me.")]);
    await talk.rig.people.deliver({
      id: "large-1",
      thread: talk.thread,
      actor: { platform: "memory", id: talk.ada.id, kind: "member", groups: [] },
      actorName: talk.ada.name,
      channel: "C1",
      isChannelMember: true,
      at: new Date().toISOString(),
      type: "message",
      messageId: "m-large",
      text: "look at this",
      isMention: true,
      isDirect: false,
      attachments: [
        { id: "f1", name: "disk.img", mimeType: "application/octet-stream", bytes: 2 ** 30 },
      ],
    });
    await talk.sees("Too much for me.");
    const told = talk.model.requests[0]?.users.join("\n") ?? "";
    expect(told).toContain("disk.img is not in the workspace");
    expect(told).toContain("larger than 25 MB");
    expect(existsSync(talk.workspaces.of(talk.thread).files.path("uploads/disk.img"))).toBe(false);
  });
});
