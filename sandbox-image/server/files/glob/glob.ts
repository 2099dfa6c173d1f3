import { badGlob } from "./bad-glob.ts";
import { EXCLUDED_DIRECTORIES } from "./excluded.ts";
import { expandBraces } from "./expand-braces.ts";
import { fitsSegment } from "./match-segment.ts";
import { type Node, parseSegment } from "./parse-segment.ts";

const GLOBSTAR = "**";
type Segment = typeof GLOBSTAR | readonly Node[];

/** So many patterns are worth handing to rg. */
const MAX_PREFILTERS = 50;

/** Where a search begins. */
interface SearchRoot {
  /** Resolved. */
  readonly root: string;
  readonly settings: { readonly workspaceDir: string };
}

/** A pattern for paths, with the rules of bash's extglob and globstar. */
export class Glob {
  readonly #patterns: readonly (readonly Segment[])[];
  readonly #isExclusion: boolean;
  /** The names that stand in the pattern as they are, such as node_modules. */
  readonly #names: ReadonlySet<string>;
  /** For a search that finds nothing: why that may be the pattern's fault. */
  readonly note: string | undefined;

  private constructor(patterns: readonly (readonly Segment[])[], isExclusion = false) {
    this.#patterns = patterns;
    this.note = patterns.flat().some(holdsBrace) ? LITERAL_BRACE : undefined;
    this.#isExclusion = isExclusion;
    this.#names = new Set(patterns.flat().map(literalOf));
  }

  /** Counted from the root: `*.ts` means the root's own files only. */
  static ofPath(pattern: string, where: SearchRoot): Glob {
    const relative = fromRoot(pattern, where).replace(/^(\.?\/)+/, "");
    if (relative === "" || /^!(?!\()/.test(relative)) {
      throw badGlob(pattern, 'it must say what to find, such as "**/*.ts"');
    }
    return new Glob(expandBraces(relative).map((one) => segmentsOf(one)));
  }

  /** As in .gitignore: without a slash it means a name in any directory, and a `!` before it all files but those. */
  static ofFiles(pattern: string, where: SearchRoot): Glob {
    const isExclusion = /^!(?!\()/.test(pattern);
    const positive = fromRoot(isExclusion ? pattern.slice(1) : pattern, where);
    const patterns = expandBraces(positive).map((one) =>
      segmentsOf(one.replace(/\/$/, "").includes("/") ? one.replace(/^(\.?\/)+/, "") : `**/${one}`),
    );
    return new Glob(patterns, isExclusion);
  }

  matches(path: string): boolean {
    const names = path.split("/");
    return this.#patterns.some((pattern) => fits(pattern, names)) !== this.#isExclusion;
  }

  /**
   * What makes rg pass over files that cannot match; it lets more through than match. A pattern that names a hidden or an
   * excluded directory means it.
   */
  rgArgs({ excluded = EXCLUDED_DIRECTORIES }: { excluded?: readonly string[] } = {}): string[] {
    const isHidden = !this.#isExclusion && this.#patterns.flat().some(beginsWithDot);
    const include =
      this.#isExclusion || this.#patterns.length > MAX_PREFILTERS
        ? []
        : this.#patterns.map((pattern) => `--glob=/${pattern.map(widened).join("/")}`);
    const foreign = excluded.filter((name) => !this.#names.has(name));
    return [
      ...(isHidden ? ["--hidden"] : []),
      ...include,
      ...(isHidden ? [] : ["--glob=!.*"]),
      ...(isHidden && !this.#names.has(".git") ? ["--glob=!.git"] : []),
      ...foreign.map((name) => `--glob=!${name}/`),
    ];
  }
}

const LITERAL_BRACE =
  "A brace in the pattern was taken literally: only {a,b} and {1..3} are alternatives, and each { needs a }.";

/** An absolute pattern is meant as it stands; any other is counted from the root, also one that begins with a slash. */
function fromRoot(pattern: string, { root, settings: { workspaceDir } }: SearchRoot): string {
  if (isBelow(pattern, root)) return `.${pattern.slice(root.length)}`;
  if (!isBelow(pattern, workspaceDir) && !/^~(\/|$)/.test(pattern)) return pattern;
  throw badGlob(pattern, `it leads outside ${root}, where the search starts; use rootPath`);
}

function isBelow(pattern: string, directory: string): boolean {
  return pattern === directory || pattern.startsWith(`${directory}/`);
}

function holdsBrace(segment: Segment): boolean {
  return segment !== GLOBSTAR && segment.some(isOrHoldsBrace);
}

function isOrHoldsBrace(node: Node): boolean {
  if (node.kind === "group") return node.branches.some((branch) => branch.some(isOrHoldsBrace));
  return node.kind === "char" && /[{}]/.test(node.char);
}

function segmentsOf(pattern: string): Segment[] {
  // What is in a directory is meant by its name with a slash behind it.
  const names = pattern.replace(/\/+$/, `/${GLOBSTAR}`).split(/\/+/);
  if (names.includes("..")) throw badGlob(pattern, "it must not contain ..; use rootPath");
  return names
    .filter((name) => name !== ".")
    .map((name) => (name === GLOBSTAR ? GLOBSTAR : parseSegment(name)));
}

/** Follows all ways to fit at once; `**` stands for any number of directories that are not hidden. */
function fits(pattern: readonly Segment[], names: readonly string[]): boolean {
  let places = new Set([0]);
  for (const [index, name] of names.entries()) {
    const next = new Set<number>();
    for (const place of withSkipped(pattern, places)) {
      const segment = pattern[place];
      if (segment === undefined) continue;
      if (segment !== GLOBSTAR) {
        if (fitsSegment(segment, name)) next.add(place + 1);
      } else if (!name.startsWith(".")) {
        next.add(place);
        if (index === names.length - 1) next.add(place + 1);
      }
    }
    if (next.size === 0) return false;
    places = next;
  }
  return places.has(pattern.length);
}

/** A `**` may stand for no directory at all. */
function withSkipped(pattern: readonly Segment[], places: ReadonlySet<number>): Set<number> {
  const all = new Set(places);
  for (const place of all) {
    if (pattern[place] === GLOBSTAR && place < pattern.length - 1) all.add(place + 1);
  }
  return all;
}

function literalOf(segment: Segment): string {
  if (segment === GLOBSTAR) return "";
  return segment.map((node) => (node.kind === "char" ? node.char : "/")).join("");
}

function beginsWithDot(segment: Segment): boolean {
  return segment !== GLOBSTAR && canBeginWithDot(segment);
}

function canBeginWithDot(nodes: readonly Node[]): boolean {
  const [first, ...rest] = nodes;
  if (first?.kind === "char") return first.char === ".";
  if (first?.kind !== "group") return false;
  if (first.branches.some(canBeginWithDot)) return true;
  const canBeEmpty =
    "?*!".includes(first.repeat) || first.branches.some(({ length }) => length === 0);
  return canBeEmpty && canBeginWithDot(rest);
}

/** With a star for all that rg reads otherwise, or not at all. */
function widened(segment: Segment): string {
  if (segment === GLOBSTAR) return GLOBSTAR;
  const parts = segment.map((node) => (node.kind === "char" ? literal(node.char) : "*"));
  return parts.join("").replace(/\*(?<!\\\*)\**/g, "*");
}

function literal(char: string): string {
  if (!char.isWellFormed()) return "*";
  return /[\w.-]/.test(char) || char > "\x7f" ? char : `\\${char}`;
}
