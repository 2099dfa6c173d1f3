import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { childrenPrefix } from "../../src/contract/conversation/subagent.ts";
import { StoreError } from "../../src/contract/store.ts";
import { Doom } from "../support/doom.ts";
import { call, calls, type Reply, say } from "../support/model-server/replies.ts";
import type { SeenRequest } from "../support/model-server/seen.ts";
import { Talk } from "../support/talk.ts";
import { caseCount } from "../support/thorough.ts";
import { until } from "../support/until.ts";

/** Enough that every kind of write is the last one now and then; to let each of them be takes minutes. */
const EVERY = caseCount({ perChange: 11, all: 2 });

const order = (marker: string, more: Readonly<Record<string, unknown>> = {}) =>
  ["run_subagent", { task: `Task ${marker}`, instructions: `[${marker}] do it`, ...more }] as const;

const isFor = (marker: string) => (request: SeenRequest) =>
  request.users.some((text) => text.includes(`[${marker}]`));

function scripted(talk: Talk, replies: Readonly<Record<string, readonly Reply[]>>): void {
  for (const [marker, steps] of Object.entries(replies)) {
    // By how far the conversation has come: a step that was cut off is asked for again.
    talk.model.script(({ results, body }) => steps[stepOf(results.length, body)] ?? say("Noted."), {
      when: isFor(marker),
    });
  }
}

function stepOf(results: number, body: SeenRequest["body"]): number {
  if (results === 0) return 0;
  const items = [body.messages, body.input].flatMap((list) => (Array.isArray(list) ? list : []));
  const isStep = (item: { type?: unknown; role?: unknown; tool_calls?: unknown }) =>
    item.role === "assistant" || item.tool_calls !== undefined;
  return Math.max(1, items.filter(isStep).length);
}

/** What is dead cannot close properly, either. */
function ofTheDead(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
}

async function childrenOf(talk: Talk): Promise<string[]> {
  return talk.store.documents("subagents").keys(childrenPrefix(talk.thread));
}

/** Plays a story again and again, each time with a bot that dies a little later, until one lives through it. */
async function killed(
  talk: Talk,
  story: { mention: string; follow(isDead: () => boolean): Promise<void>; check(): Promise<void> },
): Promise<number> {
  const dying: PromiseLike<void>[] = [];
  let writes = 0;
  for (let lastWrite = 1; ; lastWrite += EVERY) {
    await talk.bot[Symbol.asyncDispose]().then(undefined, ofTheDead);
    talk.thread = await talk.rig.people.newThread();
    const doom = new Doom(lastWrite);
    await talk
      .startBot(doom.store(talk.store), doom.adapter(talk.rig.adapter))
      .then(undefined, ofTheDead);
    await talk.say(story.mention);
    await story.follow(() => doom.isDead);
    const isThrough = !doom.isDead;
    if (!isThrough) {
      dying.push(talk.bot[Symbol.asyncDispose]().then(undefined, ofTheDead));
      await talk.startBot();
    }
    try {
      if (!isThrough) await story.follow(() => false);
      await story.check();
    } catch (cause) {
      throw new Error(`killed after ${doom.last}: ${(await talk.lines()).join()}`, { cause });
    }
    writes = lastWrite;
    if (isThrough) break;
  }
  await Promise.all(dying);
  await talk.bot[Symbol.asyncDispose]().then(undefined, ofTheDead);
  await talk.startBot();
  return writes;
}

describe("a bot with subagents that is killed after a write", () => {
  it("P-D1 P-D2 10.11 goes on with them where they stood: each is asked once and has every effect once", async () => {
    await using talk = await Talk.start({ wire: "chat" });
    const run = { operation: "run_command", command: "echo once >> effects" };
    scripted(talk, {
      parent: [
        calls([order("writing"), order("running", { enableTerminalAccess: true })]),
        say("All of it is done."),
      ],
      writing: [
        call("file_operations", {
          operation: "create_file",
          filePath: "../outside.txt",
          content: "x",
        }),
        say("Asked for it."),
      ],
      running: [call("terminal_operations", run), say("Ran it.")],
    });
    let clicked = "";
    const writes = await killed(talk, {
      mention: "[parent] do all of it",
      follow: (isDead) =>
        until(
          async () => {
            if (isDead()) return true;
            const card = talk.cards("approval").at(-1);
            const button = card?.buttons.find(({ label }) => label === "Approve once");
            if (card && button && clicked !== card.post) {
              clicked = card.post;
              const { post } = card;
              await talk.rig.people.click(talk.ada, talk.thread, { post, action: button.action });
            }
            return (await talk.lines()).includes("turn.shown");
          },
          "the end of the turn",
          { withinMs: 45_000 },
        ),
      check: async () => {
        const children = await childrenOf(talk);
        const effects = children
          .map((child) => `.deckhand/subagents/${child.split(":").at(-1)}/effects`)
          .map((name) => talk.workspaces.of(talk.thread).files.path(name))
          .filter((path) => existsSync(path))
          .map((path) => readFileSync(path, "utf8"));
        const ends = await Promise.all(
          children.map(async (child) => {
            const kinds = (await talk.store.read(child)).map(({ kind }) => kind);
            return kinds.filter((kind) => kind === "turn.finished" || kind === "message").length;
          }),
        );
        const { files } = talk.workspaces.of(talk.thread);
        expect({
          outside: files.read(".deckhand/subagents/outside.txt"),
          effects,
          ends,
          cards: talk.cards("approval").length,
          buttons: talk.cards("approval")[0]?.buttons,
          answers: talk.texts().filter((text) => text.includes("All of it is done.")).length,
          problems: talk.model.problems,
        }).toEqual({
          outside: "x",
          effects: ["once\n"],
          ends: [2, 2],
          cards: 1,
          buttons: [],
          answers: 1,
          problems: [],
        });
      },
    });
    expect(writes).toBeGreaterThan(60);
  });

  it("P-D4 10.12 ends all of them when somebody has said stop, whenever it dies", async () => {
    await using talk = await Talk.start({ wire: "chat" });
    scripted(talk, {
      parent: [
        calls([order("asking"), order("running", { enableTerminalAccess: true })]),
        say("Never."),
      ],
      asking: [call("user_collaboration", { prompt: "Which one?" }), say("Never.")],
      running: [
        call("terminal_operations", {
          operation: "run_command",
          command: "echo begun >> begun.txt; sleep 60; echo late > late.txt",
        }),
        say("Never."),
      ],
    });
    const stopped = new Set<string>();
    const writes = await killed(talk, {
      mention: "[parent] take long",
      follow: (isDead) =>
        until(
          async () => {
            if (isDead()) return true;
            const isAsked = talk.cards("question").length > 0;
            if (isAsked && !stopped.has(talk.thread)) {
              stopped.add(talk.thread);
              await talk.say("stop");
            }
            return (await talk.lines()).includes("turn.shown");
          },
          "the end of the turn",
          { withinMs: 45_000 },
        ),
      check: async () => {
        for (const child of await childrenOf(talk)) {
          const kinds = (await talk.store.read(child)).map(({ kind }) => kind);
          const begun = kinds.filter((kind) => kind === "turn.started").length;
          const ended = kinds.filter((kind) => kind === "turn.finished").length;
          expect({ child, begun, ended }).toEqual({ child, begun, ended: begun });
          // Whatever was killed before it began never begins: nobody works on it any more.
          const id = child.split(":").at(-1);
          const late = `.deckhand/subagents/${id}/late.txt`;
          expect(existsSync(talk.workspaces.of(talk.thread).files.path(late))).toBe(false);
        }
        expect(talk.texts().join("\n")).not.toContain("Never.");
        expect(talk.cards("question").every(({ buttons }) => buttons.length === 0)).toBe(true);
      },
    });
    expect(writes).toBeGreaterThan(40);
  });
});
