import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { call, calls, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";

describe.each(["chat", "responses"] as const)("a turn over the %s wire", (wire) => {
  it("answers a mention with what the model says", async () => {
    await using talk = await Talk.start({ wire });
    talk.model.script([say("Hello Ada.")]);
    await talk.say("hi there");
    await talk.sees("Hello Ada.");
    await talk.rests();
    expect(talk.model.problems).toEqual([]);
    expect(talk.posts()).toHaveLength(1);
    expect(talk.problems).toEqual([]);
  });

  it("4.8 asks once, runs the approved call and gives its result to the model without another round", async () => {
    await using talk = await Talk.start({ wire });
    const file = talk.workspaces.of(talk.thread).files.path("../outside.txt");
    talk.model.script([
      call("file_operations", { operation: "create_file", filePath: file, content: "made" }),
      say("It is there."),
    ]);
    await talk.say("write a file outside");
    await talk.sees("Approval needed");
    expect(talk.model.requests).toHaveLength(1);
    expect(existsSync(file)).toBe(false);
    await talk.press("Approve once");
    await talk.sees("It is there.");
    expect(readFileSync(file, "utf8")).toBe("made");
    expect(talk.cards("approval")).toHaveLength(1);
    expect(talk.cards("approval")[0]?.text).toContain("Approved once by Person");
    expect(talk.model.requests).toHaveLength(2);
    expect(talk.model.requests[1]?.results[0]?.text).toContain("success");
    expect(talk.model.problems).toEqual([]);
  });

  it("1.33 gives the results in the order of the calls, also when one fails", async () => {
    await using talk = await Talk.start({ wire });
    talk.workspaces.of(talk.thread).files.write("a.txt", "alpha");
    talk.workspaces.of(talk.thread).files.write("c.txt", "gamma");
    const read = (filePath: string) =>
      ["file_operations", { operation: "read_file", filePath }] as const;
    talk.model.script([calls([read("a.txt"), read("missing.txt"), read("c.txt")]), say("Read.")]);
    await talk.say("read three files");
    await talk.sees("Read.");
    const results = talk.model.requests[1]?.results.map(({ text }) => text) ?? [];
    expect(results).toHaveLength(3);
    expect(results[0]).toContain("alpha");
    expect(results[1]).toContain("Error");
    expect(results[2]).toContain("gamma");
  });
});
