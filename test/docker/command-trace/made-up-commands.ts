import fc from "fast-check";

/** Names that no program has: bash asks its handler for missing commands about them, which writes them down. */
const name = fc.constantFrom(
  "p1",
  "p2",
  "p3",
  "p4",
  "p5",
  "p6",
  "\\p1",
  "p'2'",
  '"p3"',
  "p\\4",
  "$'p5'",
  'p"6"',
);
const word = fc.constantFrom(
  "a",
  "-x",
  "'b c'",
  '"d $x"',
  "$x",
  "${x:-e}",
  "*",
  "{f,g}",
  "\\ h",
  "#i",
  "j#k",
  "~",
  "1",
  "$((1+2))",
  "=",
  "x=y",
  "\\\n l",
  "$'m\\'n'",
  '"o\\"p"',
  "[q]",
  "!",
  "''",
);
const blank = fc.constantFrom(" ", "  ", "\t", " \\\n ");
const end = fc.constantFrom("\n", ";", " ; ", "\n\n", " # p9\n", "&\n", " & ");
const joint = fc.constantFrom(" | ", " && ", " || ", " |& ", "|", "&&", "||\n", " |\n");
const redirection = fc.constantFrom(
  "> out",
  "2>&1",
  "< /dev/null",
  ">> out",
  "2>/dev/null",
  "&> out",
  ">| out",
  "<<< text",
  '<<< "$x"',
  "> $x",
);

/** Texts with the shapes of bash's grammar, nested in each other. */
const { statement } = fc.letrec<{ statement: string; simple: string; substitution: string }>(
  (tie) => ({
    simple: fc
      .tuple(
        fc.constantFrom("", "x=1 ", "y=$x ", "! ", "time "),
        name,
        fc.array(
          fc.tuple(
            blank,
            fc.oneof({ weight: 5, arbitrary: word }, { weight: 1, arbitrary: tie("substitution") }),
          ),
          { maxLength: 3 },
        ),
        fc.option(fc.tuple(blank, redirection), { freq: 4 }),
      )
      .map(
        ([before, program, words, redirect]) =>
          before + program + words.flat().join("") + (redirect?.join("") ?? ""),
      ),
    substitution: fc
      .tuple(
        fc.constantFrom<[string, string]>(
          ["$(", ")"],
          ['"$(', ')"'],
          ["`", "`"],
          ["<(", ")"],
          ["$(( $(", ") + 1 ))"],
          ["${z:-$(", ")}"],
        ),
        tie("statement"),
      )
      .map(([[open, close], inside]) => open + inside + close),
    statement: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 6, arbitrary: tie("simple") },
      {
        weight: 3,
        arbitrary: fc.tuple(tie("statement"), joint, tie("simple")).map((parts) => parts.join("")),
      },
      {
        weight: 3,
        arbitrary: fc.tuple(tie("statement"), end, tie("statement")).map((parts) => parts.join("")),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(tie("statement"), end).map(([inside, after]) => `(${inside}${after})`),
      },
      { weight: 1, arbitrary: tie("statement").map((inside) => `{ ${inside}\n}`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(tie("simple"), tie("statement"), tie("statement"))
          .map(([test, one, other]) => `if ${test}; then ${one}\nelse ${other}\nfi`),
      },
      {
        weight: 1,
        arbitrary: tie("statement").map((inside) => `for v in a b; do ${inside}\ndone`),
      },
      {
        weight: 1,
        arbitrary: tie("statement").map((inside) => `case a in b|c) p1;; *) ${inside}\n;; esac`),
      },
      { weight: 1, arbitrary: tie("statement").map((inside) => `fun() { ${inside}\n}; fun`) },
      {
        weight: 1,
        arbitrary: tie("statement").map((inside) => `eval '${inside.replaceAll("'", "'\\''")}'`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom("E", "'E'", "\\E"), tie("simple"), tie("statement"))
          .map(([mark, program, inside]) => `${program} <<${mark}\n${inside}\nE\n`),
      },
      { weight: 1, arbitrary: tie("simple").map((inside) => `[[ -n $x && a == b ]] || ${inside}`) },
      { weight: 1, arbitrary: tie("simple").map((inside) => `[ -f x ] || ${inside}`) },
    ),
  }),
);

/** The same with one character taken out or put in: most are no commands any more, some are others than they seem. */
const damaged = fc
  .tuple(statement, fc.nat(), fc.constantFrom("", "", ..."'\"`\\$(){}[];&|<>#!\n =".split("")))
  .map(([text, at, piece]) => {
    const index = at % (text.length + 1);
    return text.slice(0, index) + piece + text.slice(piece === "" ? index + 1 : index);
  });

/** Made-up commands, always the same ones for the same seed. */
export function madeUpCommands(count: number, seed: number): string[] {
  return fc.sample(fc.oneof(statement, damaged), { numRuns: count, seed });
}
