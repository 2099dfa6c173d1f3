import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readArguments, writeArguments } from "../../../../src/intake/commands/arguments.ts";
import { parseCommand, type Vocabulary } from "../../../../src/intake/commands/grammar.ts";
import { verbs } from "../../../../src/intake/commands/verbs.ts";
import { processorMs } from "../../../support/longest-work.ts";
import { caseCount } from "../../../support/thorough.ts";

const OPERATIONS = ["file_operations.read_file", "terminal_operations.run_command", "think"];

const vocabulary: Vocabulary = {
  verbs: new Map(verbs.map(({ name, forms }) => [name, forms])),
  isOperation: (name) => OPERATIONS.includes(name),
  operations: () => OPERATIONS,
  typeOf: (_operation, parameter) => (parameter === "limit" ? "integer" : "string"),
};

const parse = (text: string) => parseCommand(text, vocabulary);
const callOf = (text: string) => {
  const command = parse(text);
  if (command.kind !== "call") throw new Error(JSON.stringify(command));
  return command.call;
};
const untyped = () => undefined;

describe("a human's own command", () => {
  it.each([
    ["$ npm test", "npm test"],
    ["  $   ls -l  ", "ls -l"],
    ["$ echo one\necho two", "echo one\necho two"],
    ["$\n```sh\nfor i in 1 2; do\n  echo $i\ndone\n```", "for i in 1 2; do\n  echo $i\ndone"],
    ["$ ```npm test```", "npm test"],
    ["$ echo a\r\necho b", "echo a\necho b"],
    ["$ /bin/true", "/bin/true"],
    ["$ status", "status"],
  ])("%j runs %j", (text, command) => {
    expect(callOf(text)).toEqual({
      name: "terminal_operations.run_command",
      arguments: { command },
    });
  });

  it.each(["$HOME is wrong, why?", "$5 is too much", "costs $ 5"])("%j is no command", (text) => {
    expect(parse(text)).toMatchObject({ kind: "talk" });
  });

  it.each(["$", "$   ", "$ ```\n```", "$ echo \0", `$ ${"x".repeat(100_001)}`])(
    "%.20j is refused with what to do",
    (text) => {
      expect(parse(text)).toMatchObject({
        kind: "malformed",
        problem: expect.stringMatching(/\S/),
      });
    },
  );
});

describe("a call of an operation", () => {
  it("takes bare, quoted, escaped and JSON values", () => {
    const said =
      'file_operations.read_file filePath=notes.md limit=5 a="two words" b=@"two\\nlines" c=[1, "x"] d={"e": [true]}';
    expect(callOf(said)).toEqual({
      name: "file_operations.read_file",
      arguments: {
        filePath: "notes.md",
        limit: 5,
        a: "two words",
        b: "two\nlines",
        c: [1, "x"],
        d: { e: [true] },
      },
    });
  });

  it("takes one JSON object, also in a block of code", () => {
    const object = { filePath: "a b.md", limit: 2 };
    const text = JSON.stringify(object, null, 2);
    for (const said of [`file_operations.read_file ${text}`, `think{"a":1}`]) {
      expect(parse(said)).toMatchObject({ kind: "call" });
    }
    const fenced = `file_operations.read_file\n\`\`\`json\n${text}\n\`\`\``;
    expect(callOf(fenced).arguments).toEqual(object);
  });

  it("leaves text as it is where the operation wants text", () => {
    expect(callOf("file_operations.read_file filePath=5").arguments).toEqual({ filePath: "5" });
    expect(callOf("file_operations.read_file filePath=true limit=7").arguments).toEqual({
      filePath: "true",
      limit: 7,
    });
  });

  it("keeps backslashes in plain quotes, and understands curly ones", () => {
    expect(readArguments('p="\\d+ \\"x\\" \\\\"', untyped)).toEqual({ p: '\\d+ "x" \\' });
    expect(readArguments("p=“two words” q=1", untyped)).toEqual({ p: "two words", q: 1 });
  });

  it("takes lists without quotes", () => {
    expect(readArguments("l=[a.txt, b.txt,3] m=[]", untyped)).toEqual({
      l: ["a.txt", "b.txt", 3],
      m: [],
    });
  });

  it.each([
    'filePath="never closed',
    "filePath=[1, 2",
    'filePath={"a": 1',
    "filePath=a filePath=b",
    "filePath",
    'filePath="a"b',
    '{"a": 1} and more',
    '{"a": }',
    'filePath=@"\\q"',
    `filePath=${"[".repeat(60)}${"]".repeat(60)}`,
  ])("refuses %s and says why", (args) => {
    const command = parse(`file_operations.read_file ${args}`);
    expect(command).toMatchObject({ kind: "malformed", problem: expect.stringMatching(/\S/) });
  });

  it("says what an unknown operation may have meant", () => {
    expect(parse("file_operations.raed_file filePath=x")).toEqual({
      kind: "malformed",
      problem: expect.stringContaining("file_operations.read_file"),
    });
  });

  it.each(["example.com is down", "node.js crashed", "think about it"])(
    "%j is a sentence and no call",
    (text) => expect(parse(text)).toMatchObject({ kind: "talk" }),
  );

  it("is written so that it is read as the same again", () => {
    const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,10}$/);
    const args = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true });
    fc.assert(
      fc.property(args, (given) => {
        // JSON has no -0.
        const plain = JSON.parse(JSON.stringify(given));
        expect(readArguments(writeArguments(plain), untyped)).toEqual(plain);
      }),
      { numRuns: 500 },
    );
  });

  it("is written so that any text survives", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(readArguments(writeArguments({ text }), untyped)).toEqual({ text });
      }),
      { numRuns: 500 },
    );
  });
});

describe("a verb", () => {
  const verbOf = (text: string, isCommand = false) => {
    const command = parseCommand(text, vocabulary, { isCommand });
    return command.kind === "verb" ? [command.form.usage, command.args] : command.kind;
  };

  it.each([
    ["status", "status", {}],
    ["/status", "status", {}],
    ["!status", "status", {}],
    ["Status", "status", {}],
    ["stop!", "stop", {}],
    ["terminal tail 5", "terminal tail [lines]", { lines: "5" }],
    ["terminal select 10-20", "terminal select <lines>", { lines: "10-20" }],
    ["terminal send yes  please", "terminal send <text…>", { text: "yes  please" }],
    ["memory search two words", "memory search <words…>", { words: "two words" }],
    ["memory clear confirm", "memory clear confirm", {}],
    ["help terminal", "help [topic]", { topic: "terminal" }],
    ["undo confirm c1-0123abcd", "undo confirm <checkpoint>", { checkpoint: "c1-0123abcd" }],
    [
      "settings set maxIterations 9",
      "settings set <name> <value>",
      { name: "maxIterations", value: "9" },
    ],
  ])("%j is %s", (text, usage, args) => {
    expect(verbOf(text)).toEqual([usage, args]);
  });

  it.each([
    "help me fix the failing test",
    "status report please",
    "stop doing that and look at the logs",
    "files are missing, where are they?",
    "keep going",
    "undo that last thing",
    "reset everything to how it was",
    "diff looks wrong",
    "/etc/hosts is broken",
    "/tmp is full",
    "todos.md needs an update",
    "model: which one is best?",
  ])("%j is for the model", (text) => {
    expect(verbOf(text)).toBe("talk");
  });

  it("is named when something near it was meant", () => {
    expect(parse("/sttaus")).toEqual({ kind: "malformed", problem: "Did you mean `status`?" });
    expect(parse("todso")).toEqual({ kind: "talk", hint: "Did you mean `todos`?" });
    expect(parseCommand("terminal sing", vocabulary, { isCommand: true })).toMatchObject({
      kind: "malformed",
      problem: expect.stringContaining("terminal tail [lines]"),
    });
  });

  it("queue keeps everything after it, and nothing is no request", () => {
    expect(parse("queue run the\ntests")).toEqual({ kind: "queue", text: "run the\ntests" });
    expect(parse("/queue x")).toEqual({ kind: "queue", text: "x" });
    expect(parse("queue")).toMatchObject({ kind: "talk" });
  });
});

describe("anything at all", () => {
  it("is read without a throw, and what is no text of ours never runs", () => {
    const piece = fc.constantFrom(
      "$",
      " ",
      "```",
      "\n",
      "file_operations.read_file",
      "{",
      '"',
      "=",
      '@"',
      "[",
      "\\",
      "\0",
      "/",
      "status",
    );
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece, { maxLength: 30 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(hostile, fc.boolean(), (text, isCommand) => {
        const command = parseCommand(text, vocabulary, { isCommand });
        if (command.kind !== "call") return;
        expect(text.trim().startsWith("$") || OPERATIONS.some((name) => text.includes(name))).toBe(
          true,
        );
      }),
      { numRuns: caseCount({ perChange: 500, all: 2000 }) },
    );
  });

  it.each([
    ["brackets", `think ${"[".repeat(100_000)}`],
    ["pairs", `think ${"a=1 ".repeat(24_000)}`],
    ["quotes", `think a="${'\\"'.repeat(48_000)}`],
    ["spaces", `status${" ".repeat(99_000)}x`],
    ["backticks", `$ ${"`".repeat(99_000)}`],
    ["words", "stop ".repeat(20_000)],
    ["letters", "a".repeat(99_999)],
    ["an object", `think {"a":"${"x".repeat(99_000)}"}`],
    ["a broken object", `think {"a":"${"\\\\".repeat(49_000)}`],
  ])("100 KB of %s are read at once", (_what, text) => {
    const before = processorMs();
    parse(text);
    expect(processorMs() - before).toBeLessThan(5_000);
  });
});
