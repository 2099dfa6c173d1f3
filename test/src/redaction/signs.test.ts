import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";

const { redact } = createRedactor({ secrets: {} });

type Lint = (typeof rules)[number];
type LintSource = Parameters<NonNullable<ReturnType<Lint["create"]>["file"]>>[0];

/** The patterns that a rule of secretlint looks for, told by itself. */
function patternsOf(rule: Lint): RegExp[] {
  const patterns: RegExp[] = [];
  const content = Object.assign(Object(""), {
    matchAll: (pattern: RegExp) => {
      patterns.push(pattern);
      return [];
    },
  });
  run(rule, content, () => undefined);
  return patterns;
}

/** Whether the rule by itself finds something. */
function finds(rule: Lint, text: string): boolean {
  let isFound = false;
  run(rule, text, () => {
    isFound = true;
  });
  return isFound;
}

function run(rule: Lint, content: string, report: () => void): void {
  const context = {
    sharedOptions: {},
    createTranslator: () => () => ({ message: "", messageId: "", data: {} }),
    report,
    ignore: () => undefined,
  };
  const source = { content, filePath: undefined, contentType: "text", ext: "" };
  void rule
    .create(context as unknown as Parameters<Lint["create"]>[0], {})
    .file?.(source as unknown as LintSource);
}

describe("the signs by which rules are chosen", () => {
  const scanners = rules.filter(({ meta }) => !meta.id.endsWith("-filter-comments"));

  it.each(scanners.map((rule) => [rule.meta.id.replace(/^.*-rule-/, ""), rule] as const))(
    "P-X2 stand in everything that secretlint's rule for %s finds",
    (_, rule) => {
      for (const pattern of patternsOf(rule)) {
        const source = pattern.source.replaceAll(/\(\?<?[!=](?:[^()]|\[[^\]]*\])*\)|\\b/g, "");
        const texts = fc.stringMatching(new RegExp(source, pattern.unicode ? "u" : ""), {
          maxLength: 400,
        });
        fc.assert(
          fc.property(texts, (text) => {
            if (finds(rule, ` ${text} `)) expect(redact(` ${text} `)).toContain("[redacted: ");
          }),
          { numRuns: 30 },
        );
      }
    },
  );

  it("P-X2 are seen behind colours, zero-width characters and written line breaks", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    for (const text of [
      `\x1b[1mgh\x1b[0mp_${token.slice(4)}`,
      `g\u200bh\ufe0fp_${token.slice(4)}`,
      `"first\\n${token}"`,
    ])
      expect(redact(text)).toContain("[redacted: looks like a GitHub Token]");
  });
});
