import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleOf } from "../../support/thorough.ts";
import { until } from "../../support/until.ts";
import { McpLab, scripted } from "./lab.ts";

interface Expected {
  /** The tools that are offered; `add` alone when left out. */
  readonly tools?: readonly string[] | "any";
  readonly state?: "active" | "inactive" | "restarting";
  /** What a call gives, and 5 when left out. */
  readonly result?: RegExp;
  readonly error?: RegExp;
  readonly lastError?: RegExp;
  readonly problem?: RegExp;
  readonly tool?: string;
  readonly args?: object;
  readonly own?: object;
}

const GONE = { tools: [], state: "inactive" } as const;
const NO_CALL = /./;

const TABLE: Readonly<Record<string, Expected>> = {
  steady: {},
  "exits at once": { ...GONE, lastError: /failed 2 times.*exit code 3/ },
  "crashes with words": { ...GONE, lastError: /no database at db:5432/ },
  "never answers": { ...GONE, lastError: /timed out|within/i },
  "closes its output": { ...GONE, lastError: /./ },
  "answers initialize with an error": { ...GONE, lastError: /out of order/ },
  "answers initialize with nonsense": { ...GONE, lastError: /./ },
  "speaks an unknown version": { ...GONE, lastError: /version/ },
  "prints a banner": {},
  "prints a banner without an end of line": {},
  "prints JSON that is no message": {},
  "sends invalid UTF-8": {},
  "floods its output": { state: "inactive", tools: "any", lastError: /other text/ },
  "floods its log": {},
  "answers everything twice": {},
  "answers with other ids": { result: /mine|text id/ },
  "sends answers before it is asked": { ...GONE, lastError: /./ },
  "exits after the handshake": { state: "inactive", error: /is inactive: it failed 2 times/ },
  "says hello slowly": {},
  "sends one byte at a time": {},
  "exits once": { own: {} },
  "never lists": { ...GONE, lastError: /./ },
  "lists nothing": { tools: [] },
  "has no tools capability": { tools: [] },
  "lists nonsense": { ...GONE, lastError: /./ },
  "lists nameless tools": { problem: /number 1 is dropped/ },
  "lists a tool twice": { problem: /add is listed twice/ },
  "lists tools without schemas": { problem: /"bare" is dropped/ },
  "lists schemas that are no objects": { problem: /"array".*object/ },
  "lists broken schemas": { problem: /"remote" is dropped/ },
  "lists a schema that refers to itself": { problem: /"loop" is dropped/ },
  "lists a schema of ever more references": {
    tools: ["power", "add"],
    tool: "power",
    args: { x: "long enough" },
    error: /takes too long/,
  },
  "lists a pattern that takes for ever": {
    tools: ["slow", "add"],
    tool: "slow",
    args: { x: `${"a".repeat(60)}!` },
    error: /takes too long/,
  },
  "lists a deep schema": { problem: /deeper than/ },
  "lists a huge schema": { problem: /longer than 64 KB/ },
  "lists a huge description": { problem: /16 KB/ },
  "lists 10,000 tools": { problem: /9001 of 10001 tools are dropped/, tools: ["add"] },
  "lists pages without end": { ...GONE, lastError: /100 pages/ },
  "lists in pages": { tools: ["add", "second"] },
  "lists an injection": { tools: ["helper", "add"] },
  "lists look-alike names": { tools: ["deploy", "add"], problem: /dep1oy is refused.*looks like/ },
  "lists names of the prototype": { tools: ["__proto__", "constructor", "toString", "add"] },
  "claims to be read-only": { tools: ["drop_all", "add"] },
  "says again and again that its tools have changed": {},
  "never answers calls": { own: { timeout: 0.3 }, error: /did not finish within.*unknown/s },
  "hangs altogether": { own: { timeout: 0.3 }, error: /hung and is being restarted.*unknown/s },
  "answers late": { own: { timeout: 0.3 }, error: /did not finish/ },
  "answers with an error": { error: /refused: .*Unknown tool/ },
  "answers with a failure": { error: /The tracker is closed/ },
  "answers with no content": { result: NO_CALL },
  "answers with nonsense": { error: /refused/ },
  "answers with unknown parts": { error: /refused/ },
  "answers with a text of 3 MB": { result: /cut here/ },
  "answers with a line of 30 MB": { error: /was lost during the call/ },
  "answers with 5,000 parts": { result: /part 999\n\(5000 parts, cut here\)/ },
  "answers with deep content": { result: /more than 100 levels is left out/ },
  "answers with an injection": { result: /it is data, not instructions/ },
  "answers with an image that is none": { error: /refused/ },
  "answers with 50 images": { result: /a file is left out: more than 10/ },
  "answers with structured content": { result: /\{"total":5\}/ },
  "answers with its environment": { result: /DECKHAND_MCP_SERVER/ },
  "dies in a call": { error: /was lost during the call.*unknown/s },
  "is killed in a call": { error: /was lost during the call/ },
  "closes its input in a call": { own: { timeout: 0.3 }, error: /hung|lost/ },
  "tells progress": {},
  "tells progress without end": { own: { timeout: 0.1 }, error: /did not finish/ },
  "tells progress of calls that are not": {},
  "ignores that a call is cancelled": {},
  "asks for a sample": {},
  "asks for input": {},
  "asks a thousand things": {},
  "sends unknown notifications": {},
  "never answers pings": {},
  "ignores the end of its input": {},
  "leaves children behind": {},
};

/** So many servers at once that the machine is busy and not overwhelmed. */
const GROUP = 12;
const scenarios = sampleOf(Object.keys(TABLE), 24);
const groups = Array.from({ length: Math.ceil(scenarios.length / GROUP) }, (_, index) =>
  scenarios.slice(index * GROUP, (index + 1) * GROUP),
);
const nameOf = (scenario: string) =>
  scenario
    .replace(/[^A-Za-z0-9]+/g, "-")
    .slice(0, 32)
    .replace(/-$/, "");

describe.each(groups.map((group) => ({ group })))(
  "MCP servers that misbehave, $group.0 …",
  ({ group }) => {
    let lab: McpLab;
    beforeAll(async () => {
      const directory = mkdtempSync(join(tmpdir(), "mcp-misbehaving-"));
      const entries = group.map((scenario) => [
        nameOf(scenario),
        scripted(scenario, TABLE[scenario]?.own, directory),
      ]);
      lab = await McpLab.start({
        directory,
        servers: { ...Object.fromEntries(entries), bystander: scripted("steady") },
        // Those that never answer have to be waited for; all others are much quicker.
        times: { handshakeMs: 6_000, mostFailures: 2 },
      });
    }, 120_000);
    afterAll(async () => {
      await lab?.[Symbol.asyncDispose]();
      rmSync(lab.directory, { recursive: true, force: true });
    });

    it.each(group)(
      "a server that %s [P-I6]",
      async (scenario) => {
        const name = nameOf(scenario);
        const expected = TABLE[scenario] ?? {};
        const { tools = ["add"], state = "active", tool = "add", args = { a: 2, b: 3 } } = expected;
        const summary = () => lab.summary(name);
        await until(() => summary().state === state, `it to be ${state}`, {
          seen: () => `${JSON.stringify(summary())} ${lab.logged.join("\n")}`.slice(0, 3000),
        });
        if (tools === "any") expect(summary().tools.length).toBeLessThanOrEqual(1);
        else if (scenario === "lists 10,000 tools") expect(summary().tools).toHaveLength(1000);
        else expect(summary().tools).toEqual(tools);
        if (expected.lastError) expect(summary().lastError).toMatch(expected.lastError);
        if (expected.problem) expect(summary().problems.join("\n")).toMatch(expected.problem);
        if (tools !== "any" && tools.length > 0) {
          const result = await lab.call(`${name}.${tool}`, args);
          expect(result.output.content).toMatch(expected.error ?? expected.result ?? /\n5\n/);
          expect(result.success).toBe(expected.error === undefined);
        }
        const other = await lab.call("bystander.add", { a: 20, b: 22 });
        expect(other.output.content).toContain("\n42\n");
        expect(lab.summary("bystander")).toMatchObject({ state: "active", restarts: 0 });
      },
      90_000,
    );

    it("leaves no process behind [12.16]", async () => {
      await lab.servers[Symbol.asyncDispose]();
      expect(lab.processes()).toEqual([]);
    }, 60_000);
  },
);
