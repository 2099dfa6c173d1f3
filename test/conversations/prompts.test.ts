import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { shareOfWires } from "../support/wires.ts";

const WIRES = shareOfWires(1);

const SHIPPED = join(import.meta.dirname, "../../prompts");

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "prompts-"));
  cpSync(SHIPPED, directory, { recursive: true });
  write("system", "pirate", "You are a pirate.");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(kind: "system" | "mini", id: string, text: string, more = "") {
  const head = `---\nid: ${id}\nname: ${id}\ndescription: d\n${more}---\n`;
  writeFileSync(join(directory, kind, `${id}.md`), `${head}\n${text}\n`);
}

const look = () => call("file_operations", { operation: "list_dir", path: "." });

async function turn(talk: Talk, words: string, replies: Parameters<Talk["model"]["script"]>[0]) {
  const before = (await talk.lines()).filter((kind) => kind === "turn.shown").length;
  talk.model.script(replies);
  await talk.say(words);
  await talk.ends(before + 1);
}

describe.each(WIRES)("prompts over the %s wire", (wire) => {
  const start = () => Talk.start({ wire, env: { PROMPTS_DIR: directory } });
  const systems = (talk: Talk) => talk.model.requests.map(({ system }) => system);

  it("15.16 the chosen system prompt is used from the next turn on, and in that thread alone", async () => {
    await using talk = await start();
    await turn(talk, "first", [look(), say("A.")]);
    expect(systems(talk).at(-1)).toContain("You are Deckhand, an engineer");
    await talk.say("prompt use pirate");
    await talk.sees("uses the system prompt pirate");
    await turn(talk, "second", [say("Arr.")]);
    expect(systems(talk).at(-1)).toMatch(/^You are a pirate\.\n\nHow to read/);
    talk.thread = await talk.rig.people.newThread();
    await turn(talk, "elsewhere", [say("B.")]);
    expect(systems(talk).at(-1)).toContain("You are Deckhand, an engineer");
  });

  it("15.9 15.16 choice and text stay for the turn that has begun, whatever changes, through a restart", async () => {
    await using talk = await start();
    await talk.say("prompt use pirate");
    await talk.sees("uses the system prompt pirate");
    talk.model.script([
      call("user_collaboration", { prompt: "Which ship?" }),
      look(),
      say("The Black Pearl."),
    ]);
    await talk.say("set sail");
    await talk.sees("Which ship?");
    write("system", "pirate", "You are a parrot.");
    await talk.say("/mini add loud SHOUT.");
    await talk.sees("was added");
    await talk.say("/prompt use default");
    await talk.sees("uses the system prompt default");
    await talk.restart();
    await talk.say("the Pearl");
    await talk.sees("The Black Pearl.");
    expect(talk.model.requests.length).toBeGreaterThan(1);
    expect(new Set(systems(talk)).size).toBe(1);
    expect(systems(talk)[0]).toContain("You are a pirate.");
    await talk.rests();
    await turn(talk, "next", [say("Aye.")]);
    expect(systems(talk).at(-1)).toContain("You are Deckhand, an engineer");
    expect(systems(talk).at(-1)).toContain("SHOUT.");
  });

  it("15.16 a file that changes counts from the next turn on, and one that breaks keeps its last good text", async () => {
    await using talk = await start();
    await talk.say("prompt use pirate");
    await talk.sees("uses the system prompt pirate");
    await turn(talk, "one", [say("A.")]);
    write("system", "pirate", "You are a captain.");
    await turn(talk, "two", [say("B.")]);
    expect(systems(talk).at(-1)).toContain("You are a captain.");
    writeFileSync(join(directory, "system/pirate.md"), "no head");
    await turn(talk, "three", [say("C.")]);
    expect(systems(talk).at(-1)).toContain("You are a captain.");
    expect(talk.problems.join("\n")).toMatch(/pirate\.md.*last valid version/);
  });

  it("15.16 a chosen prompt that has vanished gives way to the default, which is logged", async () => {
    await using talk = await start();
    await talk.say("prompt use pirate");
    await talk.sees("uses the system prompt pirate");
    rmSync(join(directory, "system/pirate.md"));
    await turn(talk, "one", [say("A.")]);
    await turn(talk, "two", [say("B.")]);
    expect(systems(talk).at(-1)).toContain("You are Deckhand, an engineer");
    const told = talk.problems.filter((problem) => problem.includes("pirate no longer exists"));
    expect(told).toHaveLength(1);
  });

  it("3.8 3.9 the tools list what there is and what is on here, and what is for others is nowhere to be seen", async () => {
    await using talk = await start();
    write("mini", "here", "Only here.", `scope: ["${talk.thread}"]\nenabled: true\n`);
    write("mini", "there", "Only there.", 'scope: ["memory:elsewhere"]\nenabled: true\n');
    await talk.say("mini enable tests-first");
    await talk.sees("is on in this thread");
    await turn(talk, "list", [
      call("list_system_prompts", {}),
      call("list_mini_prompts", {}),
      say("A."),
    ]);
    const [system, minis] = talk.model.requests.at(-1)?.results ?? [];
    expect(system?.text).toMatch(/- default: [\s\S]*- pirate: [\s\S]*systemPromptId/);
    expect(minis?.text).toContain("here: here (this conversation only, enabled here)\nOnly here.");
    expect(minis?.text).toMatch(/tests-first: .*\(global, enabled here\)/);
    expect(minis?.text).toMatch(/read-only: .*\(global, not enabled here\)/);
    expect(systems(talk).at(-1)).toContain("Only here.");
    await talk.say("mini");
    const listed = await talk.sees("`read-only`");
    expect(listed).toMatch(/`tests-first` \(on\)/);
    expect(listed).toMatch(/`here` \(on, here only\)/);
    for (const { text } of talk.model.requests) expect(text).not.toContain("Only there.");
    expect(listed).not.toContain("there`");
  });

  it("15.16 what is on everywhere can be turned off in one thread", async () => {
    await using talk = await start();
    write("mini", "polite", "Say please.", "enabled: true\n");
    await turn(talk, "one", [say("A.")]);
    expect(systems(talk).at(-1)).toContain("Say please.");
    await talk.say("mini disable polite");
    await talk.sees("polite is off");
    await turn(talk, "two", [say("B.")]);
    expect(talk.model.requests.at(-1)?.text).not.toContain("Say please.");
    await talk.say("mini enable polite");
    await talk.sees("polite is on");
    await turn(talk, "three", [say("C.")]);
    await vi.waitFor(() => expect(systems(talk).at(-1)).toContain("Say please."), 30_000);
  });
});

it("15.16 a folder of the operator's own without a default has that of the bot", async () => {
  rmSync(join(directory, "system/default.md"));
  await using talk = await Talk.start({ env: { PROMPTS_DIR: directory } });
  await turn(talk, "one", [say("A.")]);
  expect(talk.model.requests.at(-1)?.system).toContain("You are Deckhand, an engineer");
});
