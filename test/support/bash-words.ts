import fc from "fast-check";

/** Stands for a command in a random text. */
export const MARK = "mark";

const tokens = fc.constantFrom(
  ..."a ' ' ' \" \" \\ \\} \\\" \\' \\` ` ( ) { # ; | & $x $ * ? [ ] / : - ~ , ! @".split(" "),
  " ",
  "'a b'",
  "''",
  '"a b"',
  '""',
  "$'\\n'",
  "$'a\\'b'",
  `$(${MARK})`,
  `\`${MARK}\``,
  `;${MARK};`,
  `<(${MARK})`,
  `'${MARK}'`,
  `"${MARK}"`,
  `"\`${MARK}\`"`,
  `${MARK} `,
  "$((1+1))",
  "$#",
);

const parameters = fc.constantFrom("x", "x", "#x", "!x", "a[0]", "a[i]", "a[$x]", '"', "@", "1");
const operators = fc.constantFrom(
  ..."- := :- :+ :? # ## % %% / // /# /% ^ ,, : @Q ~".split(" "),
  "",
);

/** Words in which quotes, expansions and substitutions hold each other, right and wrong. */
const { expansion } = fc.letrec<{ expansion: string; piece: string }>((tie) => ({
  expansion: fc
    .tuple(parameters, operators, fc.array(tie("piece"), { maxLength: 4 }))
    .map(([parameter, operator, pieces]) => `\${${parameter}${operator}${pieces.join("")}}`),
  piece: fc.oneof({ weight: 6, arbitrary: tokens }, { weight: 1, arbitrary: tie("expansion") }),
}));

const backticks = fc
  .array(fc.constantFrom("echo", " ", "a", "'", '"', '\\"', "\\\\", "\\`", MARK, ";", "$x"), {
    maxLength: 5,
  })
  .map((pieces) => `\`${pieces.join("")}\``);
const word = fc.oneof(
  { weight: 6, arbitrary: expansion },
  { weight: 2, arbitrary: backticks },
  fc.constantFrom(
    "a",
    "'b'",
    '$"c d"',
    `$"\`${MARK}\`"`,
    `!(${MARK} a)`,
    "@(a|b)c",
    "{fd}>f",
    "3<>f",
    `# ${MARK}`,
    "\\(",
    "]",
  ),
);
const quoted = fc
  .array(fc.oneof(expansion, backticks, fc.constantFrom(" ", "a", "'", '\\"', "$(", ")")), {
    maxLength: 3,
  })
  .map((pieces) => `"${pieces.join("")}"`);
const command = fc
  .tuple(
    fc.constantFrom("echo ", "echo ", ": ", "", "x=", "[ ", "(( ", "a=( ", "[[ a == "),
    fc.array(fc.oneof(word, word, quoted), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(" ", ""),
  )
  .map(([program, words, between]) => program + words.join(between) + (CLOSING[program] ?? ""));
const CLOSING: Readonly<Record<string, string>> = {
  "[ ": " ]",
  "(( ": " ))",
  "a=( ": " )",
  "[[ a == ": " ]]",
};
const statement = fc
  .tuple(
    fc.constantFrom(
      "@",
      "@",
      "@",
      "coproc { @; }",
      "coproc N { @; }",
      "time { @; }",
      "! { @; }",
      "time ( @ )",
      `@ | # ' ${MARK}\n cat`,
      `cat <<E\n@\nE`,
      `cat <<'E'\n@\nE`,
      "if ( @ ) then :; fi",
      "for i do @; done",
      '"$(@)"',
      "echo `@`",
      "case x in x) @ ;; esac",
      "f() { @; }",
    ),
    command,
  )
  .map(([around, inside]) => around.replace("@", () => inside));

/** Texts with a command in many places, in some of which bash runs it. */
export const markedTexts = fc
  .tuple(
    fc.array(statement, { minLength: 1, maxLength: 2 }),
    fc.constantFrom("", `; ${MARK}`, `\n${MARK}`, `; echo '${MARK}'`, ` && ${MARK}`),
  )
  .map(([statements, end]) => statements.join("; ") + end);
