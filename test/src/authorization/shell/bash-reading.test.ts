import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { openShellParser } from "../../../../src/authorization/shell/parser.ts";
import { highest } from "../../../../src/contract/permission/level.ts";
import { dangerousCommands } from "../../../data/dangerous-commands.ts";
import { harmlessCommands } from "../../../data/harmless-commands.ts";
import { MARK, markedTexts } from "../../../support/bash-words.ts";
import { caseCount, sampleOf } from "../../../support/thorough.ts";

// Bash can print a text as it has understood it, without running any of it. Its reading goes to the same guard: where
// that sees more in it than in the text, the two have read differently.

const parser = await openShellParser();
const classify = (text: string) =>
  parser.classify(text, { workspaceDir: "/workspace", homeDir: "/home/agent" });

const directory = mkdtempSync(join(tmpdir(), "bash-reading-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Undefined: bash refuses the text, or it is one that cannot do this. */
function readByBash(text: string): string | undefined {
  const file = join(directory, "text");
  writeFileSync(file, text);
  const options = ["--norc", "--noprofile", "--pretty-print", file];
  const env = { PATH: "/nonexistent" };
  const { status, stdout, stderr } = spawnSync("/bin/bash", options, { env, encoding: "utf8" });
  return status === 0 && stderr === "" ? stdout : undefined;
}

/** What the guard sees in bash's reading and not in the text. */
function missedIn(text: string): string[] {
  const seen = classify(text);
  // `coproc ls` is printed with a name that makes it another command to the guard.
  if (seen.risk !== "free" || /\bcoproc\b/.test(text)) return [];
  const read = readByBash(text);
  const understood = read === undefined ? undefined : classify(read);
  if (!understood || understood.unparsed !== undefined) return [];
  const programs = understood.programs.filter((program) => !seen.programs.includes(program));
  return highest([seen.risk, understood.risk]) === seen.risk
    ? programs
    : [`${understood.risk}, not ${seen.risk}`, ...programs];
}

const canPrint = readByBash("echo  a;ls") !== undefined;

const words = fc.constantFrom(
  ..."a - == =~ = ! [ ] [[ ]] { } 1 2 # sudo id git push rm -rf / EOF bash -c 'a b' $x `ls` * ~ \\; x=1 time in do f()".split(
    " ",
  ),
  '"a b"',
  '"$(ls)"',
  "'a\\\nb'",
);
const blanks = fc.constantFrom(" ", " ", " ", "", "\t", "\n", " \\\n", "\\\n", "\\\n ", " # c\n");
const redirections = fc
  .tuple(
    fc.constantFrom("", "", "0", "2", "{fd}"),
    fc.constantFrom("<", ">", ">>", "<&", ">&", "&>", ">|", "<>", "<<<", "<&-", ">&-", ">&2-"),
    fc.constantFrom("", " "),
    words,
  )
  .map((parts) => parts.join(""));
const command = fc
  .array(fc.tuple(fc.oneof({ weight: 4, arbitrary: words }, redirections), blanks), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.flat().join(""));
const heredoc = fc
  .tuple(
    fc.constantFrom("cat <<EOF", "bash <<EOF", "cat <<'EOF'", "cat <<-EOF", "cat << \\EOF"),
    fc.constantFrom("", " >f", " && ls", " | cat", " \\\n -n", " 'a\nb'"),
    fc.array(
      fc.constantFrom("text", "sudo id", "EO\\", "F", "\tEOF", "EOF ", "x\\", "\\", "", "'"),
      {
        maxLength: 4,
      },
    ),
  )
  .map(([start, rest, lines]) => [start + rest, ...lines, "EOF"].join("\n"));
const compound = fc
  .tuple(
    fc.constantFrom(
      "(\n|\n)",
      "{ |\n}",
      "if |\nthen ls\nfi",
      "for x in a; do |\ndone",
      "f() { |\n}",
    ),
    command,
  )
  .map(([around, inside]) => around.replace("|", () => inside));
const script = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 3, arbitrary: command }, heredoc, compound),
      fc.constantFrom("\n", "; ", " && ", " | ", " & ", "\n; ", " |\\\n", " \\\n&& "),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.map(([text, end], at) => (at + 1 < parts.length ? text + end : text)))
  .map((parts) => parts.join(""));

it.runIf(canPrint)("P-A17 sees in every text of the lists what bash sees", () => {
  const rows = [...Object.values(dangerousCommands), ...Object.values(harmlessCommands)];
  const texts = rows.flatMap((some) => sampleOf(some, 25).map(([, text]) => text));
  expect(texts.filter((text) => missedIn(text).length > 0)).toEqual([]);
});

it.runIf(canPrint)("P-A17 sees in any text what bash sees", () => {
  fc.assert(
    fc.property(script, (text) => {
      expect(missedIn(text)).toEqual([]);
    }),
    { numRuns: caseCount({ perChange: 150, all: 1_000 }) },
  );
});

/** Bash runs the text for real: the only command that it finds leaves a file behind. */
function isMarkRun(text: string, options: readonly string[]): boolean {
  const [file, trace] = [join(directory, "marked"), join(directory, "trace")];
  writeFileSync(file, text);
  rmSync(trace, { force: true });
  spawnSync("/bin/bash", ["--norc", "--noprofile", ...options, file], {
    cwd: directory,
    input: "",
    timeout: 5_000,
    env: { PATH: "/nonexistent", [`BASH_FUNC_${MARK}%%`]: `() { echo >> ${trace}; }` },
  });
  return existsSync(trace);
}

it("P-A17 sees every command that bash really runs", () => {
  let hidden = 0;
  fc.assert(
    fc.property(markedTexts, (text) => {
      const { unparsed, programs, risk } = classify(text);
      if (unparsed !== undefined || risk !== "free" || programs.includes(MARK)) return;
      if (!text.includes(MARK)) return;
      hidden++;
      for (const options of [[], ["-O", "extglob"], ["--posix"]])
        expect(isMarkRun(text, options)).toBe(false);
    }),
    { numRuns: caseCount({ perChange: 1_000, all: 60_000 }), seed: 20_261_117 },
  );
  expect(hidden).toBeGreaterThan(20);
}, 600_000);
