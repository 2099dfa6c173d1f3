import { dangerous, everyday } from "./guard-tables.ts";

/** A way to make a long command of short ones: `rows` starts at another row of the tables each time. */
type Shape = (rows: Rows, chars: number) => string;

/** Gives the rows of the tables one after the other, again and again. */
interface Rows {
  next(): string;
}

const rows = [...everyday, ...dangerous].map(({ command }) => command);
const onOneLine = rows.filter((row) => !/[\n#\\]|<</.test(row));
const plain = onOneLine.filter((row) => /^[\w ./:=@,-]+$/.test(row));

/** Joins what the function gives until so many characters are there. */
function fill(chars: number, separator: string, piece: () => string): string {
  let text = piece();
  for (;;) {
    const next = text + separator + piece();
    if (next.length > chars) return text;
    text = next;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function repeated(separator: string): Shape {
  return (from, chars) => {
    const row = from.next();
    return fill(chars, separator, () => row);
  };
}

function joined(separator: string): Shape {
  return (from, chars) => fill(chars, separator, () => from.next());
}

function wrapped(before: string, after: string, inner: Shape): Shape {
  return (from, chars) =>
    before + inner(from, Math.max(1, chars - before.length - after.length)) + after;
}

/** The same wrapper around itself, as often as there is room. */
function nested(before: string, after: string): Shape {
  return (from, chars) => {
    const row = from.next();
    const depth = Math.floor((chars - row.length) / (before.length + after.length));
    return before.repeat(depth) + row + after.repeat(depth);
  };
}

function quotedIn(program: string): Shape {
  return (from, chars) => `${program} ${fill(chars - 20, " ", () => quoted(from.next()))}`;
}

function numbered(chars: number, piece: (index: number) => string): string {
  let index = 0;
  return fill(chars, "; ", () => piece(index++));
}

/** Every shape, by what it does; those with `plain` rows need rows without quotes and operators. */
export const LONG_SHAPES: Readonly<Record<string, Shape>> = {
  "one row again and again": repeated("; "),
  "one row on every line": repeated("\n"),
  "one row behind &&": repeated(" && "),
  "one row as a pipeline": repeated(" | "),
  "other rows": joined("; "),
  "other rows on lines": joined("\n"),
  "other rows behind ||": joined(" || "),
  "words of rows behind a program": joined(" "),
  "words behind an unknown program": wrapped("frobnicate ", "", joined(" ")),
  "quoted rows behind an unknown program": quotedIn("frobnicate"),
  "quoted rows behind sudo": quotedIn("sudo"),
  "quoted rows behind a launcher": quotedIn("env bash -c"),
  "one long quoted word": (from, chars) =>
    `frobnicate ${quoted(fill(chars - 20, "; ", () => from.next()))}`,
  "many short arguments": (_, chars) => `frobnicate ${fill(chars - 20, " ", () => "rm")}`,
  "many paths": (_, chars) => `rm ${fill(chars - 20, " ", () => "../a/b")}`,
  "nested subshells": nested("( ", " )"),
  "nested substitutions": nested('echo "$(', ')"'),
  "nested launchers": nested("env ", ""),
  "nested shells": nested("bash -c ", ""),
  "nested groups": nested("{ ", "; }"),
  "nested conditions": nested("if true; then ", "; fi"),
  "nested loops": nested("for x in a b; do ", "; done"),
  "a here-document": wrapped("cat > notes.txt <<'EOF'\n", "\nEOF\n", joined("\n")),
  "a here-document for a shell": wrapped("bash <<'EOF'\n", "\nEOF\n", joined("\n")),
  "a here-document for an unknown program": wrapped(
    "frobnicate <<'EOF'\n",
    "\nEOF\n",
    joined("\n"),
  ),
  "many here-documents": (from, chars) => fill(chars, "\n", () => `cat <<'E'\n${from.next()}\nE`),
  "unparsable at the end": wrapped("", "; echo ${", joined("; ")),
  "unparsable in front": wrapped("echo ${; ", "", joined("; ")),
  "unparsable everywhere": joined("; echo ${; "),
  "many directories": (_, chars) => numbered(chars, (index) => `cd d${index}`),
  "many variables": (_, chars) => numbered(chars, (index) => `v${index + 1}=$v${index}/$v${index}`),
  "many functions": (_, chars) =>
    numbered(chars, (index) => `f${index + 1}() { f${index}; f${index}; }`),
  "many writes": (_, chars) =>
    numbered(chars, (index) => `curl -o f${index} http://h/; ./g${index}`),
  "many alternatives": (_, chars) => `rm -rf ${"{a,b}".repeat(Math.floor((chars - 8) / 5))}`,
  "many quotes": (_, chars) => `frobnicate ${fill(chars - 20, "", () => `"a 'b c' \\"`)}`,
  "many assignments": (_, chars) => fill(chars, " ", () => "A=1"),
  "many lines that are joined": (from, chars) => fill(chars, " \\\n", () => from.next()),
};

/** Long commands of every shape, `perShape` of each, between the two lengths. Always the same. */
export function longCommands(
  perShape: number,
  { from, to }: { readonly from: number; readonly to: number },
): { readonly shape: string; readonly command: string }[] {
  return Object.entries(LONG_SHAPES).flatMap(([shape, make], kind) =>
    Array.from({ length: perShape }, (_, index) => {
      const share = perShape > 1 ? index / (perShape - 1) : 1;
      const pool = /nested|words|pipeline/.test(shape) ? plain : onOneLine;
      let at = kind * 101 + index * 37;
      const next = () => pool[at++ % pool.length] ?? "true";
      return { shape, command: make({ next }, Math.round(from + (to - from) * share)) };
    }),
  );
}
