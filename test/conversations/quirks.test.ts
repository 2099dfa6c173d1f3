import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  call,
  calls,
  disconnect,
  type Quirk,
  type Reply,
  rateLimited,
  say,
  serverError,
} from "../support/model-server/replies.ts";
import { ScriptedBot } from "../support/scripted-bot.ts";

const WIRES = ["chat", "responses"] as const;

/** PLATFORMS 3: what servers do that are only nearly compatible. */
const QUIRKS: Record<(typeof WIRES)[number], readonly Quirk[]> = {
  chat: [
    "noRole",
    "noIndex",
    "repeatedIndex",
    "noIds",
    "repeatedIds",
    "wholeCalls",
    "noFinishReason",
    "finishStop",
    "noDone",
    "noUsage",
    "notStreamed",
    "comments",
    "crlf",
  ],
  responses: ["noAdded", "onlyCompleted", "notStreamed", "comments", "crlf"],
};

const read = (filePath: string) =>
  ["file_operations", { operation: "read_file", filePath }] as const;

const half = say("This is half of an answer that never ends.");

/** What goes wrong, and what people read when it goes on going wrong. */
const FAILURES: Record<string, [Reply, RegExp]> = {
  "an error in the middle of its stream": [
    { ...half, fault: { kind: "error", afterEvents: 5, error: { message: "Overloaded" } } },
    /broke off|cannot be reached/,
  ],
  "a line that goes dead": [disconnect(half, 5), /broke off/],
  "an empty stream": [
    { fault: { kind: "raw", contentType: "text/event-stream", body: "" } },
    /broke off|was empty/,
  ],
  "no words and no calls": [{}, /was empty more than once/],
  "status 429": [rateLimited("0"), /is overloaded\. Try again/],
  "status 500": [serverError(), /cannot be reached/],
};

const BROKEN: Record<string, Reply> = {
  "no JSON": call("file_operations", '{"operation": "read_file", "filePath": '),
  "cut by the limit of tokens": call("file_operations", '{"operation": "read_fi', {
    finish: "length",
  }),
  "two objects in one": call("file_operations", '{"operation":"read_file"}{"filePath":"a.txt"}'),
};

describe.concurrent.each(WIRES)("a server on the %s wire", (wire) => {
  let scripted: ScriptedBot;
  beforeAll(async () => {
    scripted = await ScriptedBot.start(wire);
  });
  afterAll(() => scripted[Symbol.asyncDispose]());

  it.each(QUIRKS[wire])("that has the quirk %s is understood, calls and answer", async (quirk) => {
    const { room, marker, asked, files } = await scripted.scene([
      calls([read("a.txt"), read("b.txt")], { quirks: [quirk] }),
      say("Both were read.", { quirks: [quirk] }),
    ]);
    files.write("a.txt", "alpha");
    files.write("b.txt", "beta");
    await room.say(`read both ${marker}`);
    await room.sees("Both were read.");
    const results = asked()[1]?.results.map(({ text }) => text) ?? [];
    expect(results).toHaveLength(2);
    expect(results[0]).toContain("alpha");
    expect(results[1]).toContain("beta");
  });

  it.each(Object.entries(FAILURES))("with %s once is asked again", async (_, [failure]) => {
    const { room, marker, asked } = await scripted.scene([failure, say("Here I am.")]);
    await room.say(`are you there? ${marker}`);
    await room.sees("Here I am.");
    await room.ends(1);
    expect(asked()).toHaveLength(2);
    expect(room.texts().join("\n")).not.toContain("half of an");
  });

  it.each(Object.entries(FAILURES))(
    "with %s for good ends the turn with a sentence, and the next mention goes on",
    async (_, [failure, sentence]) => {
      const { room, marker, asked } = await scripted.scene([failure, failure, say("Better now.")]);
      await room.say(`the first thing ${marker}`);
      await room.sees(sentence);
      await room.ends(1);
      await room.say("and now?");
      await room.sees("Better now.");
      expect(asked().at(-1)?.users.join("\n")).toContain("and now?");
    },
  );

  it.each(Object.entries(BROKEN))(
    "1.15 whose arguments are %s is told so, and nothing runs",
    async (_, reply) => {
      const { room, marker, asked, files } = await scripted.scene([
        reply,
        say("I shall do better."),
      ]);
      files.write("a.txt", "alpha");
      await room.say(`read it ${marker}`);
      await room.sees("I shall do better.");
      const results = asked()[1]?.results ?? [];
      expect(results).toHaveLength(1);
      expect(results[0]?.text).toMatch(/Error/);
      expect(results[0]?.text).not.toContain("alpha");
      expect(await room.lines()).not.toContain("call.started");
    },
  );
});
