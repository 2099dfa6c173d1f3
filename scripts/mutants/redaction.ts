import { type Mutant, mutantsOf } from "./mutant.ts";

const KNOWN = "src/redaction/known-values.ts";

export const redactionMutants: readonly Mutant[] = mutantsOf(
  "test/src/redaction/known-values.test.ts",
  [
    [
      "secrets in base64 are not looked for",
      KNOWN,
      '["raw", "visible", "unescaped", "base64", "hex"]',
      '["raw", "visible", "unescaped", "hex"]',
    ],
    [
      "secrets in hex are not looked for",
      KNOWN,
      '["raw", "visible", "unescaped", "base64", "hex"]',
      '["raw", "visible", "unescaped", "base64"]',
    ],
    [
      "escaped secrets are not looked for",
      KNOWN,
      '["raw", "visible", "unescaped", "base64", "hex"]',
      '["raw", "visible", "base64", "hex"]',
    ],
  ],
);
