import { type Mutant, mutantsOf } from "./mutant.ts";

const ENCODINGS = "src/redaction/encodings.ts";
const GLANCE = "src/redaction/glance.ts";
const MASKS = "src/redaction/masks.ts";

export const redactionMutants: readonly Mutant[] = [
  ...mutantsOf("test/src/redaction/known-values.test.ts", [
    [
      "secrets in base64 are not looked for",
      ENCODINGS,
      "[...base64(utf8), ...base64(utf16)]",
      "[]",
    ],
    [
      "secrets in hex are not looked for",
      ENCODINGS,
      'return [utf8.toString("hex"), utf16.toString("hex"), Buffer.from(utf16).swap16().toString("hex")]',
      "return []",
    ],
    [
      "escaped secrets are not looked for",
      ENCODINGS,
      "return [secret, reversed(secret), percentEncoded(utf8)]",
      "return []",
    ],
    ["a first look misses hex", GLANCE, " || hex.prints.has(digits)", ""],
    ["a first look misses base64", GLANCE, "|| base64.prints.has(letters) || hex", "|| hex"],
    [
      "a first look forgets that the 0 of 0x does not count",
      GLANCE,
      "if (code === 0x78 && codes[at - 1] === 0x30) digits = digitsLong;",
      "",
    ],
    [
      "a first look undoes no escapes",
      GLANCE,
      "escapedTo = at + lengthOf(written);",
      "escapedTo = at + 1;",
    ],
    [
      "a first look does not look behind terminal sequences",
      GLANCE,
      "scanAsItIs(raw, prints.raw, goal)",
      "NOTHING",
    ],
  ]),
  ...mutantsOf("test/src/redaction/signs.test.ts", [
    [
      "a rule is left out where only its sign is rare",
      "src/redaction/secretlint.ts",
      'stripe: ["sk_", "rk_"]',
      'stripe: ["sk_"]',
    ],
    [
      "what people see is not looked at",
      "src/redaction/finder.ts",
      "if (seen !== text) {",
      "if (seen === undefined) {",
    ],
  ]),
  ...mutantsOf("test/src/reply/masked.test.ts", [
    [
      "a command that looks like a secret is hidden",
      MASKS,
      "if (finding.isKnown ||",
      "if (true ||",
    ],
    [
      "a mask needs more room than what it hides",
      MASKS,
      "find(({ length }) => length <= room)",
      "find(() => true)",
    ],
    [
      "half a secret is shown while it is written",
      "src/reply/masked.ts",
      "redactor.stream().write(text)",
      "redactor.redact(text)",
    ],
    [
      "a file that is no text is not looked at",
      "src/redaction/redact-file.ts",
      "(await holdsKnown(parts, bytes)) ? undefined : bytes",
      "bytes",
    ],
  ]),
  ...mutantsOf("test/src/redaction/sinks.test.ts", [
    [
      "messages are not masked",
      "src/reply/thread-writer.ts",
      "maskedView(redactor, content.view)",
      "content.view",
    ],
    ["requests are not masked", "src/agent/step.ts", "maskedRequest(redactor, request)", "request"],
  ]),
  ...mutantsOf("test/src/agent/masked-request.test.ts", [
    [
      "arguments are masked as text, and are no JSON any more",
      "src/agent/masked-request.ts",
      "const masked = JSON.stringify(redactor.redactDeep(given));",
      "const masked = redactor.redact(text);",
    ],
  ]),
  ...mutantsOf("test/src/app/live-terminal.test.ts", [
    [
      "whoever comes back to a terminal is shown the rest of a secret",
      "src/app/live-terminal.ts",
      "this.#redactor.stream({ after: this.#before })",
      "this.#redactor.stream()",
    ],
  ]),
];
