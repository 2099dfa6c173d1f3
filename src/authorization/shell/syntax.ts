import { fileURLToPath } from "node:url";
import { Language, Parser, type TreeCursor } from "web-tree-sitter";
import { withoutContinuations } from "./continuations.ts";
import { doubtAbout } from "./doubts.ts";
import type { Effort } from "./effort.ts";
import { type Mask, maskedText, masksIn } from "./masks.ts";
import { swallowedNewline } from "./newlines.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import { unmask } from "./unmask.ts";

type Parsed =
  | {
      readonly root: SyntaxNode;
      /** The text whose places the nodes have, where it is not the given one: lines are joined, blanks dropped. */
      readonly source?: string;
    }
  /** Why this text must not be trusted to mean what a tree says. */
  | Unparsed;

interface Unparsed {
  readonly unparsed: string;
  /** It was given up because of its size, so parts of it would be too much work as well. */
  readonly isTooLong?: boolean;
}

/** Without an effort of its own, a text may be read as often as it needs. */
export type Parse = (text: string, effort?: Effort) => Parsed;

/** More than people write; a bound on the time that one command can take. */
const MAXIMUM_NODES = 4_000;
const MAXIMUM_DEPTH = 120;
/** The parser reports every few hundred steps of its work; hopeless input makes it search for ever. */
const MAXIMUM_REPORTS = 500;
/** The text is handed to the parser in pieces of that length. */
const CHUNK_CHARS = 256;
/** Each one repairs one misread newline. */
const MAXIMUM_ATTEMPTS = 30;

let opened: Promise<Parse> | undefined;

/** Loads the grammar, once in a process: more parsers would share one memory, and the trouble with it. */
export function openSyntax(): Promise<Parse> {
  opened ??= load();
  return opened;
}

async function load(): Promise<Parse> {
  await Parser.init();
  const grammar = import.meta.resolve("tree-sitter-bash/tree-sitter-bash.wasm");
  const parser = new Parser();
  parser.setLanguage(await Language.load(fileURLToPath(grammar)));
  return failingSafe((text, effort) => parseWith(parser, text, effort));
}

/**
 * A parser that has broken once may read anything from then on, so nothing that it reads counts.
 * @internal for tests
 */
export function failingSafe(parse: Parse): Parse {
  let isBroken = false;
  return (text, effort) => {
    if (isBroken) return BROKEN;
    try {
      return parse(text, effort);
    } catch {
      // Whatever it was, its memory cannot be trusted.
      isBroken = true;
      return BROKEN;
    }
  };
}

const BROKEN: Parsed = {
  unparsed: "the bot's command parser has crashed; the operator has to restart the bot",
};

function parseWith(parser: Parser, text: string, effort?: Effort): Parsed {
  const asWritten = readLines(parser, text.replace(LEADING_BLANKS, ""), effort);
  if ("unparsed" in asWritten) return asWritten;
  const joined = withoutContinuations(asWritten.root, asWritten.source);
  if (joined === asWritten.source) return asWritten;
  const asBash = readLines(parser, joined, effort);
  if ("unparsed" in asBash) return asBash;
  const settled = withoutContinuations(asBash.root, asBash.source) === asBash.source;
  return settled ? asBash : { unparsed: "lines that are joined in more than one way" };
}

/** The grammar does not know what to make of a text with nothing else. */
const LEADING_BLANKS = /^(?:[ \t\n]|\\\n)+/;

type Lines = { readonly root: SyntaxNode; readonly source: string } | Unparsed;

/** With masks first: where they do not fit the tree, the grammar has to make do with the text as it stands. */
function readLines(parser: Parser, text: string, effort?: Effort): Lines {
  if (effort && !effort.canRead(text)) return { unparsed: "it is too long" };
  const masks = masksIn(text);
  if (masks.length > 0) {
    const parsed = readMasked(parser, text, masks, effort);
    if (!("unparsed" in parsed)) return parsed;
  }
  return readMasked(parser, text, [], effort);
}

function readMasked(parser: Parser, text: string, masks: readonly Mask[], effort?: Effort): Lines {
  let source = text;
  let masked = maskedText(text, masks);
  for (let attempt = 0; attempt < MAXIMUM_ATTEMPTS; attempt++) {
    if (effort && !effort.reads(masked)) return { unparsed: "it is too long" };
    const parsed = parseOnce(parser, masked);
    if ("unparsed" in parsed) return parsed;
    const ended = masked.includes("\n") ? swallowedNewline(parsed.root, masked) : undefined;
    if (ended === undefined) {
      const doubt = doubtAbout(parsed.root, masked);
      if (doubt) return { unparsed: doubt };
      if (masks.length === 0) return { ...parsed, source };
      const root = unmask(parsed.root, source, masks, (inner) => readInner(parser, inner, effort));
      return root ? { root, source } : { unparsed: "a part that the parser takes for another" };
    }
    // There a `;` means the same to bash, unless the line waits for a here-document, and the grammar understands it.
    const before = masked.slice(0, ended.start);
    const isComment = masked[ended.start] === "#";
    if (before.includes("<<") || (isComment && !/[ \t]$/.test(before))) break;
    const end = `;${" ".repeat(ended.end - ended.start - 1)}`;
    masked = before + end + masked.slice(ended.end);
    source = source.slice(0, ended.start) + end + source.slice(ended.end);
  }
  return { unparsed: "a command that ends earlier than it seems" };
}

/** The commands of a substitution inside an expansion; they stand on one line. */
function readInner(parser: Parser, text: string, effort?: Effort): SyntaxNode | undefined {
  const parsed = readLines(parser, text, effort);
  return "unparsed" in parsed ? undefined : parsed.root;
}

const MISREAD = "bash may read it in another way than it looks, or it is incomplete";

function parseOnce(parser: Parser, text: string): Parsed {
  let reports = 0;
  let isBroken = false;
  let chars = 0;
  // Behind a here-document the grammar goes back again and again: only what it asks for tells how much it reads.
  const chunk = (index: number) => {
    chars += CHUNK_CHARS;
    return chars > maximumCharsRead(text) ? undefined : text.slice(index, index + CHUNK_CHARS);
  };
  const tree = parser.parse(chunk, null, {
    // A text with a mistake counts as unparsed anyway, and repairing it is most of the work.
    progressCallback: ({ hasError }) => {
      isBroken ||= hasError;
      return isBroken || ++reports > MAXIMUM_REPORTS || chars > maximumCharsRead(text);
    },
  });
  if (!tree) {
    parser.reset();
    return { unparsed: isBroken ? MISREAD : "it is too tangled to be read" };
  }
  try {
    if (chars > maximumCharsRead(text)) return { unparsed: "it is too tangled to be read" };
    if (tree.rootNode.hasError) return { unparsed: MISREAD };
    const isSmall = tree.rootNode.descendantCount <= MAXIMUM_NODES;
    const root = isSmall ? copyOf(tree.walk(), text) : undefined;
    return root ? { root } : { unparsed: "it is too long or nested too deeply", isTooLong: true };
  } finally {
    tree.delete();
  }
}

function maximumCharsRead(text: string): number {
  return 20 * text.length + 100 * CHUNK_CHARS;
}

const NO_CHILDREN: readonly SyntaxNode[] = [];
/** The grammar's most frequent tokens, which never have children. */
const TOKENS: ReadonlySet<string> = new Set(
  'word raw_string variable_name comment file_descriptor " $ ; ;; & && | || = > >> < ( ) { } [ ] do done then fi'.split(
    " ",
  ),
);

function copyOf(cursor: TreeCursor, text: string): SyntaxNode | undefined {
  const copy = (depth: number): SyntaxNode | undefined => {
    if (depth > MAXIMUM_DEPTH) return undefined;
    const { nodeType: type, startIndex: start, endIndex: end } = cursor;
    const field = cursor.currentFieldName ?? undefined;
    // Each question to the cursor leaves JavaScript, so it is not asked where the answer is known.
    if (TOKENS.has(type) || !cursor.gotoFirstChild())
      return { type, field, start, end, text: text.slice(start, end), children: NO_CHILDREN };
    const children: SyntaxNode[] = [];
    do {
      const child = copy(depth + 1);
      if (!child) return undefined;
      children.push(child);
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
    return { type, field, start, end, text: text.slice(start, end), children };
  };
  const root = copy(0);
  cursor.delete();
  return root;
}
