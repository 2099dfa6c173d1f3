import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { settingsPage } from "../../scripts/settings-page.ts";
import { specIndex } from "../../scripts/spec-index.ts";

const PAGES = ["README.md", "AGENTS.md", "CHANGELOG.md", ...globSync("docs/*.md")];
/** It tells what was true then, and shows examples. */
const HISTORY = "CHANGELOG.md";
/** Scripts of other projects in examples. */
const EXAMPLE_SCRIPTS = ["deploy"];
const LONGEST_LINE = 160;
const LONGEST_README = 200;
const LARGEST_PICTURE = 300_000;

/** Variables that are no settings of the bot: those of tests and those of programs that pages speak of. */
const OTHER_VARIABLES = new Set([
  "TEST_ENGINE_PROXY",
  "TEST_IMAGE",
  "TEST_ALL",
  "PIP_INDEX_URL",
  "LD_PRELOAD",
  "PROMPT_COMMAND",
]);

/** A text with a value in it, and what people write that looks like a dialogue. */
const OTHER_QUOTES = new Set(["Approve 5 min", "Human:", "### Instruction:"]);

/** Top-level folders whose files pages name in code. */
const FOLDERS = "src|test|scripts|docs|adapters|prompts|sandbox-image|deploy|runbooks|mcp-servers";

describe.each(PAGES)("%s", (page) => {
  const text = readFileSync(page, "utf8");
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "");

  it("links only to pages, places in them and pictures that exist", () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, to]) => to ?? []);
    const broken = links.filter((to) => !/^https?:/.test(to) && !leadsSomewhere(page, to));
    expect(broken).toEqual([]);
  });

  it("names only scripts of package.json behind npm", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
    const names = [...text.matchAll(/`npm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g)];
    const unknown = names
      .map(([, run, own]) => run ?? own ?? "")
      .filter((name) => !scripts[name] && !EXAMPLE_SCRIPTS.includes(name));
    expect(unknown).toEqual([]);
  });

  it.skipIf(page === HISTORY)("names only files and folders that exist", () => {
    const paths = [...text.matchAll(new RegExp(`\`((?:${FOLDERS})/[^\`\\s]*)\``, "g"))];
    const missing = paths
      .flatMap(([, path = ""]) => path.replace(/:\d+$/, ""))
      .filter((path) => !path.includes("<") && globSync(path.replace(/\/$/, "")).length === 0);
    expect(missing).toEqual([]);
  });

  it.skipIf(page === HISTORY)("names only settings that exist", () => {
    const names = [...text.matchAll(/`((?!CAP_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?==|`)/g)];
    const unknown = names.map(([, name = ""]) => name).filter((name) => !isSetting(name));
    expect(unknown).toEqual([]);
  });

  it("quotes only texts that Deckhand shows", () => {
    const words = prose.replaceAll(/`[^`]*`/g, "");
    const quoted = [...words.matchAll(/"([^"\n]{6,})"/g)].flatMap(([, said]) => said ?? []);
    expect(quoted.filter((said) => !OTHER_QUOTES.has(said) && !isShown(said))).toEqual([]);
  });

  it(`has no line over ${LONGEST_LINE} characters`, () => {
    const long = text.split("\n").filter((line) => line.length > LONGEST_LINE);
    expect(long).toEqual([]);
  });
});

describe("README.md", () => {
  it(`has at most ${LONGEST_README} lines and pictures of at most ${LARGEST_PICTURE / 1000} kB`, () => {
    expect(readFileSync("README.md", "utf8").split("\n").length).toBeLessThan(LONGEST_README);
    const large = globSync("docs/pictures/*").filter(
      (path) => statSync(path).size > LARGEST_PICTURE,
    );
    expect(large).toEqual([]);
  });
});

describe("AGENTS.md", () => {
  const text = readFileSync("AGENTS.md", "utf8");

  it("has every folder in its map, and no other", () => {
    const map = text.slice(text.indexOf("## Map"), text.indexOf("## Words"));
    const listed = [...map.matchAll(/^\| `([^`]+)`/gm)].flatMap(([, folder]) => folder ?? []);
    const adapters = ["adapters/<platform>", "adapters/shared"];
    const there = [...globSync("src/*/").toSorted(), ...adapters, ...topFolders()];
    expect(listed.toSorted()).toEqual(there.toSorted());
  });
});

/** Those with files of ours beside the sources. */
function topFolders(): string[] {
  const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n");
  const top = new Set(tracked.flatMap((path) => /^([^./][^/]*)\//.exec(path)?.[1] ?? []));
  return [...top].filter((folder) => folder !== "src" && folder !== "adapters");
}

describe("docs/settings.md", () => {
  it("is what `npm run settings-page` writes", () => {
    expect(readFileSync("docs/settings.md", "utf8")).toBe(settingsPage());
  });
});

describe("docs/spec-index.md", () => {
  it("is what `npm run spec-index` writes", () => {
    expect(readFileSync("docs/spec-index.md", "utf8")).toBe(specIndex());
  });
});

let sources: string | undefined;

/** Whether the sources have this text. "…" stands for anything. */
function isShown(said: string): boolean {
  sources ??= globSync("{src,adapters,sandbox-image/server,scripts}/**/*.{ts,tsx,mjs,json}")
    .map((path) => readFileSync(path, "utf8").replaceAll("\\", ""))
    .join("\n");
  const parts = said.split("…").map((part) => RegExp.escape(part.trim()));
  return new RegExp(parts.join(".{0,80}")).test(sources);
}

/** Also those of scripts and tests, which are read from the environment by name. */
function isSetting(name: string): boolean {
  return settingsPage().includes(`**\`${name}\`**`) || OTHER_VARIABLES.has(name);
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", place] = link.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(file)) return false;
  return place === undefined || placesIn(readFileSync(file, "utf8")).includes(place);
}

/** The names that GitHub gives headings. */
function placesIn(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}
