import { randomUUID } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { isOwnName } from "../../src/authorization/shell/own-names.ts";
import { openShellParser, type ShellParser } from "../../src/authorization/shell/parser.ts";
import { docker } from "../support/engine.ts";
import { IMAGE, runInImage } from "../support/run-in-image.ts";
import { caseCount } from "../support/thorough.ts";
import { DIFFERENT, SAME } from "./other-shells/cases.ts";
import { madeUpTexts } from "./other-shells/made-up-texts.ts";

const HERE = fileURLToPath(new URL("other-shells/", import.meta.url));
const PLACE = { workspaceDir: "/workspace", homeDir: "/home/agent" };
const OTHERS = ["zsh", "fish"] as const;
type Other = (typeof OTHERS)[number];

const same = { zsh: [...SAME.both, ...SAME.zsh], fish: SAME.both };
const different = {
  zsh: [...DIFFERENT.both, ...DIFFERENT.zsh],
  fish: [...DIFFERENT.both, ...DIFFERENT.fish],
};
const madeUp = madeUpTexts(caseCount({ perChange: 500, all: 3_000 }), 20_261_610);

let parser: ShellParser;
/** By text and shell: what was executed, with its words and directory, sorted. */
let executed: ReadonlyMap<string, Readonly<Record<string, string>>>;
beforeAll(async () => {
  parser = await openShellParser();
  const plain = madeUp.filter((text) => OTHERS.some((shell) => !needsClick(text, shell)));
  const all = [...Object.values(SAME), ...Object.values(DIFFERENT), plain].flat();
  executed = await runInShells([...new Set(all)]);
});

function needsClick(text: string, shell: Other): boolean {
  return parser.classify(text, { ...PLACE, shell }).unparsed !== undefined;
}

function logs(text: string, shell: Other) {
  const { bash, [shell]: other } = executed.get(text) ?? {};
  return { bash, other };
}

function programNames(log = ""): string[] {
  return log.split("\n").flatMap((line) => line.split(" ")[0] || []);
}

describe.each(OTHERS)("a command in a %s thread [16.10]", (shell) => {
  it.each(same[shell])("is rated as in bash, since the same is executed: %j", (text) => {
    expect(needsClick(text, shell)).toBe(false);
    const { bash, other } = logs(text, shell);
    expect(other).toBe(bash);
    expect(other).not.toBe("");
    const { programs } = parser.classify(text, { ...PLACE, shell });
    expect(programs).toEqual(expect.arrayContaining(programNames(other)));
  });

  it.each(different[shell])("needs a click, since it may be read differently: %j", (text) => {
    const { risk, unparsed, reasons, asksRoot, grantKey } = parser.classify(text, {
      ...PLACE,
      shell,
    });
    expect(risk).not.toBe("free");
    expect(unparsed).toBeDefined();
    expect(grantKey).toBeUndefined();
    expect(asksRoot).toBe(false);
    expect(reasons.map(({ why }) => why)).toContain(
      `cannot be judged: ${shell} may read this differently from bash`,
    );
  });

  it("control: much of what needs a click really executes something else than in bash", () => {
    const other = different[shell].filter((text) => {
      const found = logs(text, shell);
      return found.other !== found.bash;
    });
    expect(other.length).toBeGreaterThan(12);
  });

  it("executes only what the guard saw in made-up texts, unless they need a click", () => {
    const plain = madeUp.filter((text) => !needsClick(text, shell));
    const misread = plain.flatMap((text) => {
      const { bash, other } = logs(text, shell);
      const { programs } = parser.classify(text, { ...PLACE, shell });
      const isForeseen = programNames(other).every((name) => programs.includes(name));
      // A pattern without a match is an error in zsh and fish, and a word in bash.
      const isSame = /[*?]/.test(text) || other === bash;
      return isForeseen && isSame ? [] : [{ text, bash, other }];
    });
    expect(misread).toEqual([]);
    expect(plain.length).toBeGreaterThan(madeUp.length / 20);
  });
});

it("knows every builtin, reserved word and function of the image's shells [16.10]", async () => {
  const list = {
    zsh: "zsh -f -c 'print -l ${(k)builtins} ${(k)reswords} ${(k)functions} ${(k)aliases}'",
    fish: "fish -c 'builtin -n; functions -an' | cat",
  };
  const same =
    /^(?::|\[|cd|diff|echo|exit|export|false|grep|kill|la|ll|ls|man|printf|pwd|realpath|seq|test|true|type|which)$/;
  for (const shell of OTHERS) {
    const { code, output } = await runInImage(list[shell]);
    expect(code).toBe(0);
    const names = output.split("\n").filter((name) => name !== "");
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !same.test(name) && !isOwnName(name, shell))).toEqual([]);
  }
});

/** Runs all texts in all shells in one throw-away container without a network. */
async function runInShells(texts: readonly string[]) {
  const directory = await mkdtemp(join(tmpdir(), "deckhand-shells-"));
  const container = `deckhand-shells-${randomUUID()}`;
  try {
    await cp(join(HERE, "run-all"), join(directory, "run-all"));
    await chmod(directory, 0o777);
    await mkdir(join(directory, "texts"));
    for (const [index, text] of texts.entries())
      await writeFile(join(directory, "texts", String(index)), text);
    await docker(
      ...["create", "--name", container, "--network", "none", "--user", "1000:1000"],
      ...["--tmpfs", "/tmp:exec", "--init", "--entrypoint", "bash", IMAGE, "/cases/run-all"],
    );
    await docker("cp", `${directory}/.`, `${container}:/cases`);
    await docker("start", "--attach", container);
    await docker("cp", `${container}:/cases/logs`, `${directory}/logs`);
    const found = texts.map(async (text, index) => {
      const entries = ["bash", ...OTHERS].map(async (shell) => {
        const log = await readFile(join(directory, "logs", `${index}.${shell}`), "utf8");
        return [shell, log.split("\n").sort().join("\n").trim()] as const;
      });
      return [text, Object.fromEntries(await Promise.all(entries))] as const;
    });
    return new Map(await Promise.all(found));
  } finally {
    await docker("rm", "--force", container).catch(() => undefined); // it may not have been made
    await rm(directory, { recursive: true, force: true });
  }
}
