import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

interface Result {
  readonly file: string;
  readonly line: number;
  readonly content: string;
  readonly relevance: number;
  readonly context: string;
}

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = makeWorkspace();
  for (const [name, text] of Object.entries(REPOSITORY)) workspace.write(name, text);
});
afterAll(() => workspace[Symbol.dispose]());

async function search(params: object): Promise<readonly Result[]> {
  return (await workspace.call("semantic_search", params)).results as Result[];
}

const REPOSITORY = {
  "lib/time.ts":
    "/** Turns human times into seconds. */\nexport function parseDuration(text: string): number {\n  return Number(text);\n}\n\nexport const other = 1;\n",
  "lib/retry.ts":
    "// Waits longer after every failure.\nexport async function withBackoff(task: Task): Promise<void> {\n  for (const pause of pauses) await attempt(task, pause);\n}\n",
  "lib/money.py":
    'def format_amount(cents):\n    """Shows cents as dollars."""\n    return f"{cents / 100:.2f}"\n',
  "app/jobs.ts":
    'import { parseDuration } from "../lib/time.ts";\nimport { withBackoff } from "../lib/retry.ts";\n\nqueue.every(parseDuration("1h"), () => withBackoff(send));\nqueue.every(parseDuration("2h"), () => withBackoff(clean));\n',
  "app/bill.py": "from lib.money import format_amount\nprint(format_amount(total))\n",
  "README.md": `${"Use parseDuration, withBackoff and format_amount.\n".repeat(40)}`,
  "server/main.go":
    "package main\n\n// listenAndDrain closes idle connections before it stops.\nfunc listenAndDrain(port int) error {\n\treturn serve(port)\n}\n",
  "server/main_test.go":
    "package main\n\nfunc TestPort(t *testing.T) {\n\tif err := listenAndDrain(0); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
  "notes/idle.txt": "connections\nidle\n",
};

describe("2.8 the ranking", () => {
  it.each([
    ["parseDuration", "lib/time.ts"],
    ["withBackoff", "lib/retry.ts"],
    ["format_amount", "lib/money.py"],
    ["listenAndDrain", "server/main.go"],
    ["Turns human times into seconds", "lib/time.ts"],
    ["human times seconds", "lib/time.ts"],
    ["where do we close idle connections", "server/main.go"],
    ["waits after every failure", "lib/retry.ts"],
    ["cents as dollars", "lib/money.py"],
  ])("puts the piece of code that %j means before every other one", async (query, file) => {
    const [first, second] = await search({ query });
    expect(first).toMatchObject({ file });
    if (second) expect(second.relevance).toBeLessThan(first?.relevance ?? 0);
  });

  it("weighs the whole query, words in the context, words in the content and definitions", async () => {
    using own = makeWorkspace();
    own.write("both.ts", "// blue whale\nfunction swim() {}\n");
    own.write("context.ts", "// whale and blue\nfunction dive() {}\n");
    own.write("content.ts", "plain\nblue\n");
    own.write("whole.txt", "first\na blue whale\n");
    const { results } = await own.call("semantic_search", { query: "blue whale" });
    expect((results as Result[]).map(({ file, relevance }) => [file, relevance])).toEqual([
      ["both.ts", 3.12], // (1 + 2 × 0.5 + 2 × 0.3) × 1.2
      ["context.ts", 1.92], // (2 × 0.5 + 2 × 0.3) × 1.2
      ["whole.txt", 1.6], // 1 + 2 × 0.3
      ["content.ts", 0.3],
    ]);
  });

  it("does not depend on the order in which files are found", async () => {
    using own = makeWorkspace();
    for (const name of ["c", "a", "b"]) own.write(`${name}.ts`, "function wanted() {}\n");
    const { results } = await own.call("semantic_search", { query: "wanted" });
    expect((results as Result[]).map(({ file }) => file)).toEqual(["a.ts", "b.ts", "c.ts"]);
  });
});

describe("pages of semantic_search", () => {
  it.each([1, 2, 3, 7])("of %i results put together are the whole ranking once", async (limit) => {
    const query = "parseDuration withBackoff";
    const whole = await search({ query, limit: 1000 });
    expect(whole.length).toBeGreaterThan(3);
    const found: Result[] = [];
    for (let offset: unknown = 0; offset !== undefined; ) {
      const page = await workspace.call("semantic_search", { query, limit, offset });
      found.push(...(page.results as Result[]));
      expect(page).toMatchObject({ totalCount: whole.length });
      expect(page.truncated).toBe(page.nextOffset !== undefined);
      offset = page.nextOffset;
    }
    expect(found).toEqual(whole);
  });
});
