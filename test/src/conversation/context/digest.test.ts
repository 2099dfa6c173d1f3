import { describe, expect, it } from "vitest";
import { digestOf } from "../../../../src/conversation/context/digest.ts";
import type { Message } from "../../../../src/conversation/context/messages.ts";
import { archivedNote } from "../../../../src/conversation/context/note.ts";

const message = (type: Message["type"], text: string, tool?: string): Message => ({
  at: "2030-01-01T00:00:00.000Z",
  author: type === "user" ? "Ann" : "assistant",
  text,
  type,
  ...(tool === undefined ? {} : { tool }),
});

const MESSAGES = [
  message("user", "Please move the billing database to postgres 17.\nIt is urgent."),
  message("call", 'terminal_operations {"command":"pg_dump billing"}', "terminal_operations"),
  message("result", "dumped billing to /tmp/billing.sql\ndone, postgres is up"),
  message("call", 'file_operations {"operation":"read_file"}', "file_operations"),
  message("result", "the file has 3 lines"),
  message("call", 'terminal_operations {"command":"psql billing"}', "terminal_operations"),
  message("assistant", "The billing database is in postgres now."),
];

describe("the summary of what is archived", () => {
  it("3.12 names what was asked, the tools that were used and what was said last", () => {
    const { summary } = digestOf(MESSAGES, { request: "" });
    expect(summary).toBe(
      "Ann: “Please move the billing database to postgres 17.”; used terminal_operations 2×, " +
        "file_operations 1×; last said: “The billing database is in postgres now.”",
    );
  });

  it("3.12 has five key topics, the same each time", () => {
    const { topics } = digestOf(MESSAGES, { request: "" });
    expect(topics).toHaveLength(5);
    expect(topics).toEqual(expect.arrayContaining(["billing", "postgres", "database"]));
    expect(digestOf(MESSAGES, { request: "" }).topics).toEqual(topics);
  });

  it("3.12 takes no part of how JSON writes a line's end for a part of a word", () => {
    const content = "billing failed\nrollback began\trollback ended\r\nC:\\temp\\rollback";
    const { topics } = digestOf([message("result", JSON.stringify({ content }))], { request: "" });
    expect(topics).toContain("rollback");
    expect(topics.filter((topic) => /^[nrt](rollback|billing)/.test(topic))).toEqual([]);
  });

  it("names the request of the turn where none is among the messages, and stays short", () => {
    const steps = Array.from({ length: 500 }, (_, index) =>
      message("call", `tool_${index % 40} ${"x".repeat(5_000)}`, `tool_${index % 40}`),
    );
    const { summary } = digestOf(steps, { request: "Find out why it is slow." });
    expect(summary).toContain("on the way to “Find out why it is slow.”");
    expect(summary.length).toBeLessThanOrEqual(600);
  });
});

describe("the note about what is archived", () => {
  const part = {
    turn: "t1",
    items: 9,
    kept: [],
    shortened: [],
    from: "2030-01-01",
    to: "2030-01-02",
    summary: "",
    topics: ["billing", "postgres"],
    messages: 9,
    tokens: 100,
  };

  it("8.11 there is none while everything is in view", () => {
    expect(archivedNote({ archived: [] })).toBeUndefined();
  });

  it("8.11 says how much there is, since when, about what, and how to look it up", () => {
    const later = { ...part, to: "2030-01-03", topics: ["redis", "billing"], messages: 11 };
    const note = archivedNote({ archived: [part, later] });
    expect(note).toMatch(/^Memory status: 20 earlier messages.*from 2030-01-01 to 2030-01-03/);
    expect(note).toContain("in 2 parts");
    expect(note).toContain("redis, billing, postgres");
    expect(note).toContain("recall_history");
  });
});
