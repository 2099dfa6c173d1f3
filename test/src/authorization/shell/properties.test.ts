import fc from "fast-check";
import { expect, it } from "vitest";
import { openShellParser } from "../../../../src/authorization/shell/parser.ts";
import { highest, type Level } from "../../../../src/contract/permission/level.ts";
import { dangerousCommands } from "../../../data/dangerous-commands.ts";
import { harmlessCommands } from "../../../data/harmless-commands.ts";
import { caseCount, shareOf } from "../../../support/thorough.ts";

const parser = await openShellParser();
const PLACE = { workspaceDir: "/workspace", homeDir: "/home/agent" };
const classify = (command: string) => parser.classify(command, PLACE);
const riskOf = (command: string): Level => classify(command).risk;

const LISTED = [
  ...Object.values(dangerousCommands)
    .flat()
    .map(([, command]) => command),
  ...Object.values(harmlessCommands)
    .flat()
    .map(([, command]) => command),
];
const PIECES = [
  ..."; & | && || ( ) { } < > >> << <<< $( ` ' \" \\ $x ${x} $(( )) [[ ]] * ? ~ # ! = \n".split(
    " ",
  ),
  ..."ls cat sudo rm -rf / . .. bash -c eval EOF x=1 if then fi for in do done case esac function time env a b".split(
    " ",
  ),
  "\t",
  " ",
  "\\\n",
  "<<EOF\n",
  "<<'EOF'\n",
  "\nEOF\n",
  "==",
  ">&-",
];

const listed = fc.constantFrom(...LISTED);
const soup = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 25 })
  .chain((pieces) => fc.constantFrom("", " ").map((between) => pieces.join(between)));
const anything = fc.oneof(listed, soup, fc.string({ unit: "binary" }), fc.string());

it("never throws, and says the same again", () => {
  fc.assert(
    fc.property(anything, (command) => {
      const first = classify(command);
      expect(classify(command)).toEqual(first);
      if (first.unparsed !== undefined) expect(first.risk).not.toBe("free");
      if (first.asksRoot) expect(first.risk).not.toBe("free");
    }),
    { numRuns: caseCount({ perChange: 400, all: 1500 }) },
  );
});

/** These take the command as a text of its own, whatever it is. */
const AS_TEXT: Readonly<Record<string, (command: string) => string>> = {
  "bash -c": (command) => `bash -c ${quoted(command)}`,
  "sh -ec": (command) => `sh -ec ${quoted(command)}`,
  eval: (command) => `eval ${quoted(command)}`,
  "env bash -c": (command) => `env A=1 bash -c ${quoted(command)}`,
  "nice timeout": (command) => `nice -n 3 timeout 5 bash -c ${quoted(command)}`,
  trap: (command) => `trap ${quoted(`:\n${command}`)} EXIT`,
  find: (command) => `find . -name x -exec bash -c ${quoted(`:\n${command}`)} \\;`,
  xargs: (command) => `xargs -n1 bash -c ${quoted(command)} < /dev/null`,
  flock: (command) => `flock lock -c ${quoted(command)}`,
  script: (command) => `script -c ${quoted(command)} /dev/null`,
};

/** These put it between others. */
const AROUND: Readonly<Record<string, (command: string) => string>> = {
  "a subshell": (command) => `(\n${command}\n)`,
  "a group": (command) => `{\n${command}\n}`,
  "a substitution": (command) => `echo "$(\n${command}\n)"`,
  "a branch": (command) => `if true; then\n${command}\nfi`,
  "a loop": (command) => `for i in 1 2; do\n${command}\ndone`,
  "a function": (command) => `wrapping() {\n${command}\n}\nwrapping`,
  "a here-document for a shell": (command) => `bash <<'WRAPPING'\n${command}\nWRAPPING`,
  "other commands": (command) => `true\n${command}\ntrue`,
};

/** Each wrapping with a quarter of the commands, and each command in several wrappings. */
const STEP = 4;
const indexed = (table: Readonly<Record<string, (command: string) => string>>) =>
  Object.entries(table).map(([name, wrap], index) => ({ name, wrap, index }));

it.each(indexed(AS_TEXT))(
  "handing a command to $name never lowers its class",
  ({ wrap, index }) => {
    const commands = shareOf(LISTED, { index, step: STEP });
    expect(commands.filter((command) => isLower(riskOf(wrap(command)), riskOf(command)))).toEqual(
      [],
    );
    fc.assert(
      fc.property(soup, (command) => !isLower(riskOf(wrap(command)), riskOf(command))),
      { numRuns: caseCount({ perChange: 50, all: 150 }) },
    );
  },
);

it.each(indexed(AROUND))(
  "putting a command into $name never lowers its class",
  ({ wrap, index }) => {
    const commands = shareOf(LISTED, { index, step: STEP });
    const whole = (command: string) => classify(command).unparsed === undefined;
    const lowered = (command: string) => isLower(riskOf(wrap(command)), riskOf(command));
    expect(commands.filter((command) => whole(command) && lowered(command))).toEqual([]);
    fc.assert(
      fc.property(soup, (command) => !whole(command) || !lowered(command)),
      { numRuns: caseCount({ perChange: 100, all: 300 }) },
    );
  },
);

/** Words before a simple command. */
const PREFIXES = [
  "env",
  "env -i",
  "nice",
  "nohup",
  "time",
  "timeout 9",
  "command",
  "exec",
  "setsid -w",
  "stdbuf -o0",
  "ionice -c3",
  "sudo",
  "doas -u x",
  "A=1",
  "! ",
  "xargs",
  "strace -f",
  "busybox",
  "env env env env env",
];

it.each(PREFIXES.map((prefix, index) => ({ prefix, index })))(
  "putting $prefix before a simple command never lowers its class",
  ({ prefix, index }) => {
    const simple = LISTED.filter((command) =>
      /^(?!cd|pushd|alias|set|export|unset|shopt|trap|history|source|\.|:|exec|hash|enable|bind|fc|eval|type|jobs|command|kill|ulimit)[a-z][\w.-]* [^\n;&|<>(){}`]*$/.test(
        command,
      ),
    );
    expect(simple.length).toBeGreaterThan(150);
    const commands = shareOf(simple, { index, step: STEP });
    expect(
      commands.filter((command) => isLower(riskOf(`${prefix} ${command}`), riskOf(command))),
    ).toEqual([]);
  },
);

const readsCredentials = (command: string) =>
  classify(command).reasons.some(({ why }) => /credential|secret|password/.test(why));

it("two commands one after another have the class of the worse one", () => {
  const independent = fc.constantFrom(...LISTED.filter(isIndependent));
  fc.assert(
    fc.property(
      independent,
      independent,
      fc.constantFrom("\n", "; ", " && ", " || "),
      (one, other, between) => {
        fc.pre(between === "\n" || !/[\n#&]/.test(one + other));
        const [together, worse] = [
          riskOf(one + between + other),
          highest([riskOf(one), riskOf(other)]),
        ];
        // Credentials that one reads may leave by the other, and one that root runs leaves nothing to be decided later.
        if (together === "phrase" && [one, other].some(readsCredentials)) return;
        if (together === "phrase" && [one, other].some((command) => classify(command).asksRoot))
          return;
        expect(together).toBe(worse);
      },
    ),
    { numRuns: caseCount({ perChange: 200, all: 800 }) },
  );
});

it("adding a command never lowers the class, whatever the two are", () => {
  fc.assert(
    fc.property(listed, listed, (one, other) => {
      const both = riskOf(`${one}\n${other}`);
      expect(isLower(both, riskOf(one))).toBe(false);
      // After `cd build` a relative path is another one; after `x=…` so is `$x`.
      if (isIndependent(one)) expect(isLower(both, riskOf(other))).toBe(false);
    }),
    { numRuns: caseCount({ perChange: 200, all: 800 }) },
  );
});

/** Does not change what a later command means, and makes no file that a later one could run. */
function isIndependent(command: string): boolean {
  const { unparsed, writes } = classify(command);
  return (
    unparsed === undefined &&
    writes.length === 0 &&
    !/\b(?:cd|pushd)\b|\w=|\(\)|\bfor\b|\bread\b/.test(command)
  );
}

function isLower(one: Level, other: Level): boolean {
  return one !== other && highest([one, other]) === other;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
