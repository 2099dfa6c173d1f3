import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { expect, it } from "vitest";
import type { Env } from "../../src/config.ts";
import { readConfig } from "../../src/config.ts";
import { openStore } from "../../src/store/open-store.ts";
import { makeDataDirectory } from "../support/data-directory.ts";
import { call, calls, say } from "../support/model-server/replies.ts";
import { startRedis } from "../support/redis.ts";
import { Talk } from "../support/talk.ts";

interface Place extends AsyncDisposable {
  readonly env: Env;
  /** What an operator's machine does between two bots. */
  restart(): Promise<void>;
}

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  "Redis that is killed and started again": async () => {
    const redis = await startRedis();
    return {
      env: { REDIS_URL: redis.url },
      restart: () => redis.restart(),
      [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
    };
  },
  "SQLite, without Redis": async () => {
    const directory = makeDataDirectory("restart");
    return {
      env: { DECKHAND_DATA_DIR: directory },
      restart: async () => undefined,
      [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
    };
  },
};

it.each(Object.entries(PLACES))(
  "15.14 todos, memories, values and grants are there after a restart of the bot on %s",
  async (_, open) => {
    await using place = await open();
    await using talk = await Talk.start({ env: place.env });
    const outside = (name: string) => talk.workspaces.of(talk.thread).files.path(`../${name}`);
    const create = (name: string) =>
      [
        "file_operations",
        { operation: "create_file", filePath: outside(name), content: "made" },
      ] as const;
    const todo = { id: 1, title: "Paint the door", status: "in-progress", description: "" };
    const memory = (operation: string, more: object) =>
      ["memory_operations", { operation, ...more }] as const;
    talk.model.script([
      calls([
        ["todo_operations", { operation: "write", todoList: [todo] }],
        memory("store_memory", { content: "The door is green." }),
        memory("set_value", { key: "colour", value: "green" }),
      ]),
      call(...create("first.txt")),
      say("All is kept."),
    ]);
    await talk.say("keep it");
    await talk.press("Approve 5 min");
    await talk.sees("All is kept.");
    await talk.rests();

    await talk.bot[Symbol.asyncDispose]();
    await place.restart();
    await using store = await openStore(readConfig({ ...place.env, ...talk.model.env }).store);
    await talk.startBot(store);
    talk.model.script([
      calls([
        ["todo_operations", { operation: "read" }],
        memory("search_memory", { query: "green door" }),
        memory("get_value", { key: "colour" }),
        create("second.txt"),
      ]),
      say("All is there."),
    ]);
    await talk.say("look");
    await talk.sees("All is there.");
    const [todos, found, value] = talk.model.requests.at(-1)?.results.slice(-4) ?? [];
    expect(todos?.text).toContain("Paint the door");
    expect(found?.text).toContain("The door is green.");
    expect(value?.text).toContain("green");
    expect(existsSync(outside("second.txt"))).toBe(true);
    expect(talk.cards("approval")).toHaveLength(1);
    await talk.bot[Symbol.asyncDispose]();
  },
);
