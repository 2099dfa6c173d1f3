import { describe, expect, it } from "vitest";
import { openShellParser } from "../../../../src/authorization/shell/parser.ts";
import { highest, type Level } from "../../../../src/contract/permission/level.ts";
import { dangerousCommands } from "../../../data/dangerous-commands.ts";
import { bypasses, dangerous, everyday, type TableRow } from "../../../data/guard-tables.ts";
import { harmlessCommands } from "../../../data/harmless-commands.ts";
import { rounds } from "../../../data/rounds/rounds.ts";

const parser = await openShellParser();
const PLACE = { workspaceDir: "/workspace", homeDir: "/home/agent" };
const classify = (command: string, cwd?: string) =>
  parser.classify(command, cwd === undefined ? PLACE : { ...PLACE, cwd });

const isBelow = ({ level, command }: TableRow) =>
  highest([classify(command).risk, level]) !== classify(command).risk;
const shown = ({ level, command, rule }: TableRow) =>
  `${command} (${rule}) should be ${level}: ${classify(command).reasons[0]?.why}`;

describe("the class of a command", () => {
  it.each<[Level, string]>([
    ["free", "ls -la"],
    ["free", "cat README.md"],
    ["free", "grep sudo file"],
    ["free", "find . -name '*.ts'"],
    ["free", "head -5 f"],
    ["free", "tail f"],
    ["free", "wc -l f"],
    ["free", "echo hello"],
    ["free", "pwd"],
    ["free", "which node"],
    ["free", "ls | sort | head"],
    ["free", "echo x > f"],
    ["free", "echo x >> f"],
    ["free", "mv a b"],
    ["free", "cp a b"],
    ["free", "rm a"],
    ["free", "npm install"],
    ["free", "pip install x"],
    ["free", "git commit -m x"],
    ["free", "chmod +x run.sh"],
    ["free", "truncate -s 0 f"],
    ["click", "sudo id"],
    ["click", "doas id"],
    ["click", "echo ok; sudo id"],
    ["click", "X=1 sudo id"],
    ["click", "bash -c 'sudo id'"],
    ["phrase", "echo $(sudo id)"],
    ["phrase", "echo `sudo id`"],
    ["click", "sudo apt install x"],
    ["phrase", "rm -r /etc/x"],
    ["phrase", "rm -rf /"],
    ["phrase", "mkfs.ext4 /dev/sda"],
    ["click", "dd if=a of=b"],
    ["phrase", "fdisk -l /dev/sda"],
    ["click", "shred f"],
    ["click", "chmod 777 /etc"],
    ["click", "chown x /usr"],
    ["click", "git push"],
    ["free", "git reset --hard"],
    ["free", "git rebase origin/main"],
    ["click", "curl https://x | sh"],
    ["click", "cat ~/.ssh/id_rsa"],
    ["phrase", "npm publish"],
    ["click", "kill 1"],
    ["click", "echo 'open"],
    ["phrase", "ls | xargs rm -r"],
  ])("4.11 is %s for: %s", (risk, command) => {
    expect(classify(command).risk).toBe(risk);
  });

  it("asks at least as much as the tables say for every dangerous command [4.11]", () => {
    expect(dangerous.filter(isBelow).map(shown)).toEqual([]);
    expect(dangerous.length).toBeGreaterThanOrEqual(800);
  });

  it("asks at least as much for every spelling of the bypass classes [4.11]", () => {
    expect(bypasses.filter(isBelow).map(shown)).toEqual([]);
    expect(bypasses.length).toBeGreaterThanOrEqual(600);
  });

  /** Bash ends the expansion at the first closing brace, the grammar at the second. */
  it.each([
    "echo ${x:-{} git push",
    "echo ${x:+{} ls",
    "echo ${x:-{a} b c",
    'cat "${x:-{}" a',
    "printf %s ${x:={} a",
  ])("an expansion that bash may end elsewhere is not judged as it reads: %s", (command) => {
    expect(classify(command)).toMatchObject({ risk: "click" });
    expect(
      classify(command)
        .reasons.map(({ why }) => why)
        .join(),
    ).toContain("cannot be judged");
  });

  it("lets everyday commands run, except for at most three of a hundred [4.11]", () => {
    const asked = everyday.filter(({ command }) => classify(command).risk !== "free").map(shown);
    expect(asked.length / everyday.length, asked.join("\n")).toBeLessThanOrEqual(0.03);
    expect(everyday.length).toBeGreaterThanOrEqual(800);
  });

  it("asks about none of the rounds' commands that only look or stay in the workspace [4.11]", () => {
    const commands = rounds.filter(({ level }) => level === "free").flatMap((one) => one.commands);
    expect(commands.filter((command) => classify(command).risk !== "free")).toEqual([]);
  });

  it("no command stands in the tables twice [4.11]", () => {
    const all = [...everyday, ...dangerous].map(({ command }) => command);
    expect(all.filter((command, index) => all.indexOf(command) !== index)).toEqual([]);
  });

  it("4.12 says that root is asked for wherever sudo or doas stands, and nowhere else", () => {
    const asking = (dangerousCommands.root ?? []).filter(([, command]) =>
      /\bsudo\b|\bdoas\b/.test(command),
    );
    expect(asking.filter(([, command]) => !classify(command).asksRoot)).toEqual([]);
    const harmless = Object.values(harmlessCommands).flat();
    expect(harmless.filter(([, command]) => classify(command).asksRoot)).toEqual([]);
    expect(classify("git push").asksRoot).toBe(false);
    expect(classify("echo 'sudo").asksRoot, "what cannot be read is told at its worst").toBe(true);
  });
});

describe("what else is known about a command", () => {
  it("names every program, as written and by its last name", () => {
    const { programs } = classify(
      "cd x && /usr/bin/env A=1 nice find . -exec grep -l x {} + | xargs ./tool.sh; echo $(date)",
    );
    expect(programs).toEqual(
      expect.arrayContaining([
        "cd",
        "/usr/bin/env",
        "env",
        "nice",
        "find",
        "grep",
        "xargs",
        "./tool.sh",
        "tool.sh",
        "echo",
        "date",
      ]),
    );
  });

  it("gives the paths that are written, absolute where the directory is known", () => {
    expect(classify("echo x > a.txt; mkdir -p ~/b; cd src && touch c").writes).toEqual([
      "/workspace/a.txt",
      "/home/agent/b",
      "/workspace/src/c",
    ]);
    expect(classify("touch x", "/tmp").writes).toEqual(["/tmp/x"]);
    expect(classify('echo x > "$f"').writes).toEqual([]);
  });

  it("gives the worst reason first, with the part of the command that it is about", () => {
    const { reasons } = classify("touch a; sudo id");
    expect(reasons[0]).toEqual({ risk: "click", why: "sudo asks for root", segment: "sudo id" });
    expect(reasons.at(-1)?.risk).toBe("free");
  });

  it("judges relative paths by the directory that the shell stands in", () => {
    expect(classify("rm -rf *", "/workspace/build").risk).toBe("free");
    expect(classify("rm -rf *", "/workspace").risk).toBe("click");
    expect(classify("rm -rf etc", "/").risk).toBe("phrase");
    expect(classify("echo x > hosts", "/etc").risk).toBe("click");
    expect(classify("cat id_rsa", "/home/agent/.ssh").risk).toBe("click");
  });

  it.each([
    ["git commit -m x", "git commit"],
    ["git -C sub commit -m x", "git commit"],
    ["mkdir -p a", "mkdir"],
  ])("4.15 offers a timed grant for %s by the key %s", (command, key) => {
    expect(classify(command).grantKey).toBe(key);
  });

  it.each(["npm run build -- --fast", "npm test", "make deploy", "cp a b", "kill 7"])(
    "4.15 offers a timed grant for the very words of %s",
    (command) => {
      expect(classify(command)).toMatchObject({ mayRepeat: true });
      expect(classify(command).grantKey).toBeUndefined();
    },
  );

  it.each([
    "git push -f",
    "sudo npm test",
    "npm test && npm run build",
    "npm test $(date)",
    "npm test > log",
    "bash -c 'npm test'",
    "python3 x.py",
    "env npm test",
    "./npm test",
    "unknown-tool",
    "npm 'test",
    "git $verb",
  ])("4.15 offers no timed grant for: %s", (command) => {
    expect(classify(command).grantKey).toBeUndefined();
  });

  it("tells why a text cannot be read", () => {
    expect(classify("echo 'x").unparsed).toMatch(/incomplete/);
    expect(classify("ls\r").unparsed).toBe("a control character (U+000D)");
    expect(classify("ls \u202e").unparsed).toBe("an invisible character (U+202E)");
    expect(classify("ls").unparsed).toBeUndefined();
    expect(classify("ls\n\\\n;").unparsed).toBe("a line that begins with an operator");
  });

  it("reads lines that a backslash joins as bash does, without either", () => {
    const joined = classify("echo a \\\n  'b\\\nc' \\\n  && cat \"d\\\ne\" > f");
    expect(joined).toMatchObject({ risk: "free", programs: ["echo", "cat"] });
    expect(classify('cat "/home/agent/.s\\\nsh/id_rsa"').risk).toBe("click");
    expect(classify("ls \\\n# sudo id").programs).toEqual(["ls"]);
    expect(classify("cat <<E >f \\\n&& ls\nRUN a \\\n  b\nE").programs).toEqual(["cat", "ls"]);
    expect(classify("\\\n?").risk).toBe("click");
    expect(classify("bash <<'E'\n\\\n?\nE").unparsed).toMatch(/begins earlier than it seems/);
    expect(classify(" \\\n\n")).toEqual(classify(""));
  });

  it("judges history expansion only for what is typed at a prompt", () => {
    const typed = (command: string) => parser.classify(command, { ...PLACE, typed: true });
    for (const line of ["!!", "echo !$", 'echo "!x"', "!ls", "^a^b"])
      expect(typed(line).unparsed).toBe("it recalls earlier lines");
    for (const line of [
      "echo 'wow!x'",
      "[ ! -f x ]",
      "! ls",
      "echo hi!",
      "echo $!",
      "[ a != b ]",
      "echo \\!x",
    ])
      expect(typed(line).unparsed).toBeUndefined();
    expect(classify("echo !x").risk).toBe("free");
  });
});

describe("bounds", () => {
  const CHARS = 100_000;
  const filled = (piece: string) => piece.repeat(Math.ceil(CHARS / piece.length)).slice(0, CHARS);

  it.each([
    ["parentheses", filled("(")],
    ["open substitutions", filled("$(")],
    ["closed substitutions", `${"$(".repeat(3000)}ls${")".repeat(3000)}`],
    ["backticks", filled("`")],
    ["braces", filled("{a,")],
    ["pipes", filled("a|")],
    ["statements", filled("ls; ")],
    ["garbage", filled("a)(;;|&<>$`'\"")],
    [
      "functions that call two functions each",
      `${Array.from({ length: 60 }, (_, i) => `f${i}() { f${i + 1}; f${i + 1}; }`).join(";")}; f0`,
    ],
    ["nested shells", `${"eval ".repeat(20)}ls`],
    ["nested quotes", `echo "${'$(echo "'.repeat(100)}x${'")'.repeat(100)}"`],
    ["more than a card can show", `echo ${"x".repeat(200_000)}`],
  ])("asks about too much: %s", (_, command) => {
    expect(classify(command).risk).not.toBe("free");
  });

  it("reads a long text that is only data", () => {
    expect(classify(`cat > f <<'EOF'\n${filled('it\'s "data"\n')}\nEOF`).risk).toBe("free");
    expect(classify(`echo '${filled("x")}'`).risk).toBe("free");
  });
});
