/**
 * Writes docs/spec-index.md: each item of the specification that a test names, with what the test shows.
 *
 *   npm run spec-index
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const FILE = join(ROOT, "docs/spec-index.md");
const LONGEST_LINE = 160;

/** The title of a test or of a group of tests, where the ids of the specification stand before or behind its words. */
const TITLE = /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;
const ID = /(?<![\w.-])(\d{1,2}\.\d{1,2})(?![\w.-])/g;
const LEADING_IDS = /^(?:\d{1,2}\.\d{1,2},? +)+/;
const TRAILING_IDS = /\s*\[(?:\d{1,2}\.\d{1,2}(?:, *| +)?)+\]$/;

interface Proof {
  readonly title: string;
  readonly file: string;
}

export function specIndex(): string {
  const proofs = new Map<string, Proof[]>();
  for (const file of globSync("test/**/*.test.ts", { cwd: ROOT }).toSorted())
    for (const { ids, title } of titlesIn(readFileSync(join(ROOT, file), "utf8")))
      for (const id of ids) proofs.set(id, [...(proofs.get(id) ?? []), { title, file }]);
  const ids = [...proofs.keys()].toSorted(byNumbers);
  return `# Specification index

Each item of the specification with a test that shows it. \`npm run spec-index\` writes this page.

${ids.map((id) => line(id, proofs.get(id) ?? [])).join("\n")}
`;
}

function titlesIn(text: string): { ids: string[]; title: string }[] {
  return [...text.matchAll(TITLE)].flatMap(([, , title = ""]) => {
    const marks = [LEADING_IDS.exec(title)?.[0], TRAILING_IDS.exec(title)?.[0]].join(" ");
    const ids = [...marks.matchAll(ID)].flatMap(([, id]) => id ?? []);
    const words = title.replace(LEADING_IDS, "").replace(TRAILING_IDS, "");
    return ids.length > 0 ? [{ ids, title: words }] : [];
  });
}

function line(id: string, proofs: readonly Proof[]): string {
  const [first, ...others] = proofs;
  const files = new Set(others.map(({ file }) => file));
  files.delete(first?.file ?? "");
  const where = `(${first?.file.replace(/^test\/|\.test\.ts$/g, "")}${files.size > 0 ? ` and ${files.size} more` : ""})`;
  const words = (first?.title ?? "").replaceAll("\\", "").replace(/([*_<>`])/g, "\\$1");
  const room = LONGEST_LINE - id.length - where.length - 8;
  return `- **${id}** ${words.length > room ? `${words.slice(0, room - 1).trimEnd()}…` : words} ${where}`;
}

function byNumbers(a: string, b: string): number {
  const [first = [], second = []] = [a, b].map((id) => id.split(".").map(Number));
  return (first[0] ?? 0) - (second[0] ?? 0) || (first[1] ?? 0) - (second[1] ?? 0);
}

if (import.meta.main) writeFileSync(FILE, specIndex());
