import { expect, it } from "vitest";
import { openShellParser } from "../../../../src/authorization/shell/parser.ts";
import { LONG_SHAPES, longCommands } from "../../../data/long-commands.ts";

const parser = await openShellParser();
const PLACE = { workspaceDir: "/workspace", homeDir: "/home/agent" };
const classify = (command: string) => parser.classify(command, PLACE);

/** Processor time of this thread: what others do on this machine does not count. */
function workOf(command: string): number {
  const before = process.threadCpuUsage();
  classify(command);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

it.each(Object.keys(LONG_SHAPES))("%s: 100 kB cost less than a second of work", (shape) => {
  const [long] = longCommands(1, { from: 100_000, to: 100_000 }).filter(
    (one) => one.shape === shape,
  );
  expect(long?.command.length).toBeGreaterThan(50_000);
  expect(workOf(long?.command ?? "")).toBeLessThan(1000);
});

/** The least of several: what the machine does besides only adds. */
function leastWorkOf(commands: readonly string[]): number {
  const rounds = Array.from({ length: 3 }, () =>
    commands.reduce((sum, command) => sum + workOf(command), 0),
  );
  return Math.min(...rounds);
}

it("ten times the length costs about ten times the work", () => {
  const of = (chars: number) =>
    longCommands(1, { from: chars, to: chars }).map(({ command }) => command);
  const [short, long] = [leastWorkOf(of(1_000)), leastWorkOf(of(10_000))];
  expect(long / short).toBeLessThan(15);
});

const TAILS = [
  "git push --force",
  "sudo rm -rf /opt/old",
  "npm publish",
  "kubectl delete namespace prod",
];
const PADDINGS: Readonly<Record<string, (tail: string) => string>> = {
  "many commands": (tail) => `${"true; ".repeat(3000)}${tail}`,
  "many lines": (tail) => `${"echo a b c\n".repeat(2000)}${tail}`,
  "a long chain": (tail) => `${"true && ".repeat(300)}${tail}`,
  "a long pipeline": (tail) => `${"cat | ".repeat(600)}${tail}`,
  "deep nesting": (tail) => `${"( ".repeat(200)}${tail}${" )".repeat(200)}`,
  "loops in loops": (tail) =>
    `${"for x in a b; do ".repeat(25)}true${"; done".repeat(25)}; ${tail}`,
  "functions that call functions": (tail) =>
    `f0() { true; }; ${Array.from({ length: 12 }, (_, index) => `f${index + 1}() { ${`f${index}; `.repeat(20)}}; `).join("")}f12; ${tail}`,
  "many directories": (tail) =>
    `${Array.from({ length: 60 }, (_, index) => `cd d${index}; `).join("")}${tail}`,
  "many arguments": (tail) => `echo ${"a ".repeat(4000)}; ${tail}`,
  "many pieces that cannot be parsed": (tail) => `${"echo ${; ".repeat(500)}${tail}`,
  "a launcher again and again": (tail) => `${"env ".repeat(3000)}true; ${tail}`,
};

it.each(Object.keys(PADDINGS))("%s in front never lower the level of what follows", (padding) => {
  const pad = PADDINGS[padding] ?? String;
  expect(TAILS.map((tail) => classify(tail).risk)).toEqual(TAILS.map(() => "phrase"));
  expect(TAILS.filter((tail) => classify(pad(tail)).risk !== "phrase")).toEqual([]);
});

it("a long command that says more than can be looked at is never approved by anything but people", () => {
  const { unparsed, grantKey, risk } = classify("true; ".repeat(3000));
  expect({ unparsed, grantKey, risk }).toEqual({
    unparsed: "it is too long",
    grantKey: undefined,
    risk: "phrase",
  });
});

it("a file of 60 kB, written by a here-document, is an ordinary command", () => {
  const lines = "const value = compute({ a: 1 }); // text\n".repeat(1500);
  expect(classify(`cat > src/table.ts <<'EOF'\n${lines}EOF\n`).risk).toBe("free");
});

it("a script of 150 ordinary lines is judged as a whole", () => {
  const script = Array.from(
    { length: 150 },
    (_, index) => `mkdir -p out/${index} && cp src/${index}.ts out/${index}/ # part ${index}`,
  ).join("\n");
  expect(classify(script)).toMatchObject({ risk: "free" });
  expect(classify(`${script}\ngit push --force`).risk).toBe("phrase");
});
