import fc from "fast-check";

const name = fc.constantFrom(
  "git",
  "stat",
  "wc",
  "make",
  "cd sub;",
  "A=b",
  "if",
  "and",
  "noglob",
  "=git",
  "g\\it",
  "'git'",
);
const word = fc.constantFrom(
  ...[
    "a",
    "-x",
    "--y=z",
    "'b c'",
    '"d e"',
    "$X",
    '"$X"',
    "$UNSET",
    "a$UNSET",
    "$(git in)",
    '"$(git in)"',
    "*",
    "*.txt",
    "?",
  ],
  ...[
    "{a,b}",
    "{}",
    "~",
    "~/x",
    "=stat",
    "x=y",
    "a:b",
    "#",
    "a#b",
    "!",
    "%",
    "^a",
    "[a]",
    "]",
    "(git sub)",
    "*(e:git:)",
  ],
  ...[
    "$X[1]",
    '"$X[1]"',
    "$X:h",
    "${X}",
    "${(e)X}",
    "$((1))",
    "\\;",
    "a\\ b",
    "'a\\\\b'",
    "'c\\d'",
    '"a\\"b"',
    "`git in`",
  ],
  ...["<(git in)", "''", '""', "$", "@", "1", ",", "a''b", 'a"$X"b', "<<'E'"],
);
const redirection = fc.constantFrom(
  "> f",
  ">> f",
  "2>&1",
  "2> f",
  "< one.txt",
  "&> f",
  ">f>g",
  ">&2",
  "> *",
  "<> f",
  ">| f",
);
const operator = fc.constantFrom(
  ";",
  " && ",
  " || ",
  " | ",
  "\n",
  " & ",
  " |& ",
  " ; ",
  "&&",
  ";;",
);
const command = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom("git", "stat", "wc", "make") },
      { weight: 1, arbitrary: name },
    ),
    fc.array(fc.oneof({ weight: 6, arbitrary: word }, { weight: 1, arbitrary: redirection }), {
      maxLength: 3,
    }),
  )
  .map(([first, rest]) => [first, ...rest].join(" "));
const text = fc
  .tuple(command, fc.array(fc.tuple(operator, command), { maxLength: 3 }))
  .map(([first, rest]) => first + rest.map(([between, next]) => between + next).join(""));

/** Texts of plain commands with one or another part that only some shells read in this way. */
export function madeUpTexts(count: number, seed: number): string[] {
  return [...new Set(fc.sample(text, { numRuns: count, seed }))];
}
