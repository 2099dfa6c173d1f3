import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { childrenPrefix } from "../../src/contract/conversation/subagent.ts";
import { createWorkspaces } from "../../src/workspace/workspaces.ts";
import { optionsOf } from "../support/engine.ts";
import { call, calls, type Reply, say } from "../support/model-server/replies.ts";
import { ownMs } from "../support/own-clock.ts";
import { Talk } from "../support/talk.ts";

const run = (command: string) =>
  ["terminal_operations", { operation: "run_command", command }] as const;
const order = (marker: string) =>
  [
    "run_subagent",
    { task: `Task ${marker}`, instructions: `[${marker}] do it`, enableTerminalAccess: true },
  ] as const;

it("10.8 10.12 subagents in a real container: a directory and a terminal each, the parent's files guarded, a stop that leaves nothing", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "subagents-docker-"));
  const workspaces = await createWorkspaces(optionsOf(dataDir));
  await using talk = await Talk.start({ workspaces });
  const script = (marker: string, replies: readonly Reply[]) =>
    talk.model.script(replies, { when: `[${marker}]` });
  const results = (marker: string) =>
    talk.model.requests
      .filter(({ users }) => users.some((text) => text.includes(`[${marker}]`)))
      .at(-1)
      ?.results.map(({ text }) => text) ?? [];
  try {
    script("parent", [
      call(...run("echo the parents notes > notes.txt; cd /tmp; VALUE=parent")),
      calls([order("one"), order("two")]),
      call(...run("pwd; echo value=$VALUE")),
      say("Both are done."),
    ]);
    script("one", [
      call(...run("pwd; VALUE=one; mkdir deep; cd deep; echo needle > found.txt")),
      call(...run("pwd; echo value=$VALUE; cat /workspace/notes.txt")),
      call("file_operations", { operation: "grep_search", query: "needle" }),
      call("file_operations", { operation: "list_dir" }),
      call(...run("echo changed > /workspace/notes.txt")),
      say("One is done."),
    ]);
    script("two", [call(...run("pwd; echo value=$VALUE; VALUE=two")), say("Two is done.")]);
    await talk.say("[parent] go");
    await talk.sees("Approval needed", 60_000);
    const card = talk.cards("approval")[0]?.text ?? "";
    expect(card).toContain("echo changed > /workspace/notes.txt");
    expect(card).toContain("/workspace/notes.txt is outside the subagent's directory");
    await talk.press("Deny");
    await talk.sees("Both are done.", 60_000);

    const children = await talk.store.documents("subagents").keys(childrenPrefix(talk.thread));
    const ids = children.map((child) => child.split(":").at(-1) ?? "");
    const one = results("one");
    const id = ids.find((known) => one[0]?.includes(known)) ?? "";
    expect(id).not.toBe("");
    expect(one[0]).toContain(`/workspace/.deckhand/subagents/${id}`);
    expect(one[1]).toContain(`/workspace/.deckhand/subagents/${id}/deep`);
    expect(one[1]).toContain("value=one");
    expect(one[1]).toContain("the parents notes");
    expect(one[2]).toContain("found.txt");
    expect(one[3]).toContain("deep");
    expect(one[3]).not.toContain("notes.txt");
    expect(one[4]).toContain("A human rejected");
    expect(results("two")[0]).not.toContain("value=one");
    const parent = results("parent");
    expect(parent.at(-1)).toContain("/tmp");
    expect(parent.at(-1)).toContain("value=parent");

    await talk.say(`subagents terminal ${id}`);
    await talk.sees("Terminal of the subagent");
    expect((await talk.sees("Terminal of the subagent")).includes("value=one")).toBe(true);

    script("stopped", [call(...order("long")), say("Never.")]);
    script("long", [call(...run("sleep 61")), say("Never.")]);
    await talk.say("[stopped] go");
    await talk.sees(/Step 1 of 15: .*sleep 61/, 30_000);
    const startedMs = ownMs();
    await talk.say("stop");
    await talk.sees("Stopped by ", 45_000);
    expect(ownMs() - startedMs).toBeLessThan(5_000);
    const workspace = await workspaces.open(talk.thread, { fence: 1_000_000 });
    const { processes } = await workspace.census();
    expect(processes.filter(({ command }) => command.includes("sleep"))).toEqual([]);
    expect(talk.texts().join("\n")).not.toContain("Never.");
  } finally {
    await workspaces.reset(talk.thread);
    await workspaces.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
