import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { canaries, ENCODINGS, leaks } from "../../support/canaries.ts";
import { caseCount } from "../../support/thorough.ts";

const CANARIES = canaries(200);
const secrets = Object.fromEntries(CANARIES.map(({ name, value }) => [name, value]));
const redactor = createRedactor({ secrets });

describe("known values", () => {
  it.each(Object.entries(ENCODINGS))(
    "P-X1 200 canaries, %s: none is left, and the mask names it",
    (_, encode) => {
      for (const { name, value } of CANARIES) {
        const encoded = encode(value);
        const redacted = redactor.redact(`before ${encoded} after`);
        expect(redacted).toContain(`[redacted: ${name}]`);
        expect(redacted.startsWith("before ")).toBe(true);
        expect(redacted.endsWith(" after")).toBe(true);
        expect(leaks(redacted, value, encoded)).toBe(false);
      }
    },
  );

  it("P-X1 a card and a model request: none is left in any field, key or nested JSON", () => {
    for (const { value } of CANARIES)
      for (const encode of Object.values(ENCODINGS)) {
        const encoded = encode(value);
        const card = {
          blocks: [{ type: "section", text: { text: `run ${encoded}` } }],
          [encoded]: 1,
        };
        const request = {
          messages: [
            {
              role: "tool",
              content: encoded,
              arguments: JSON.stringify({ command: `echo ${encoded}` }),
            },
          ],
        };
        const sent = JSON.stringify(redactor.redactDeep({ card, request }));
        const read: string[] = [];
        JSON.parse(sent, (key, member) => {
          read.push(key, String(member));
          return member;
        });
        expect(read.filter((text) => leaks(text, value, encoded))).toEqual([]);
        expect(redactor.redactDeep(request).messages[0]?.role).toBe("tool");
      }
  });

  it.each(["a", "key", "test", "none", "12345", "sk-test"])(
    "a key as short as %j replaces no part of other words, and the operator hears of it",
    (value) => {
      const warned: string[] = [];
      const { redact } = createRedactor({
        secrets: { LLM_API_KEY: value },
        warn: (message) => warned.push(message),
      });
      const lines = [
        "2026-11-18T09:00:12.345Z warn  The latest test of keyboards failed; none was contested",
        "GET /keys/12345678 200 a monkey attests sk-testing",
        `{"message":"tested","port":123456,"key":"nonetheless"}`,
      ];
      for (const line of lines) expect(redact(line)).toBe(line);
      expect(warned).toEqual([expect.stringContaining("LLM_API_KEY is shorter than 8")]);
    },
  );

  it.each(["sk-test1", "password", "abcdefgh"])(
    "a key of eight characters such as %j is masked everywhere, also within words",
    (value) => {
      const { redact } = createRedactor({ secrets: { LLM_API_KEY: value } });
      for (const line of [value, `x${value}y`, `LLM_API_KEY=${value}`, `"${value}"`])
        expect(redact(line)).not.toContain(value);
    },
  );

  it("masks overlapping values as one, without leaving a piece of either", () => {
    const { redact } = createRedactor({ secrets: { ONE: "abcdefgh1234", OTHER: "1234ijklmnop" } });
    expect(redact("x abcdefgh1234ijklmnop y")).toMatch(/^x \[redacted: (ONE|OTHER)\] y$/);
  });

  it("knows the password inside an address and the lines of a key", () => {
    const key =
      "-----BEGIN KEY-----\nAAAABBBBCCCCDDDDEEEE\nFFFFGGGGHHHHIIIIJJJJ\n-----END KEY-----";
    const { redact } = createRedactor({
      secrets: { REDIS_URL: "redis://:q%40werty-uiop@host:1", SSH_KEY: key },
    });
    expect(redact("AUTH q@werty-uiop")).toBe("AUTH [redacted: REDIS_URL]");
    expect(redact("line: FFFFGGGGHHHHIIIIJJJJ")).toBe("line: [redacted: SSH_KEY]");
  });

  it("refuses a value of less than eight characters and says so", () => {
    const warnings: string[] = [];
    const { redact } = createRedactor({
      secrets: { PIN: "1234567" },
      warn: (message) => warnings.push(message),
    });
    expect(redact("1234567 is a number")).toBe("1234567 is a number");
    expect(warnings).toEqual([expect.stringContaining("PIN")]);
  });

  it("does not take brackets around a secret for its own mask", () => {
    const { redact } = createRedactor({ secrets: { TOKEN: "abcdefgh1234" } });
    expect(redact("[redacted: abcdefgh1234]")).toBe("[redacted: [redacted: TOKEN]]");
    expect(redact("[redacted: TOKEN] [redacted: TOKEN]")).toBe(
      "[redacted: TOKEN] [redacted: TOKEN]",
    );
  });

  it("changes nothing more when done twice", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "[redacted: ",
        "]",
        "\\n",
        "\x1b[31m",
        "password=",
        "a1b2c3d4",
        " ",
        '"',
        "://u:",
        "@h",
      ),
      fc
        .constantFrom(...CANARIES.slice(0, 12))
        .chain(({ value }) =>
          fc.constantFrom(
            ...Object.values(ENCODINGS).map((encode) => encode(value)),
            value.slice(0, 6),
            value.slice(3),
          ),
        ),
      fc.constantFrom(
        `ghp_${"a1".repeat(18)}`,
        "ghp_",
        "AKIAABCDEFGHIJKLMNOP",
        "-----BEGIN PRIVATE KEY-----\nMIIabcdefgh1234567",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const once = redactor.redact(pieces.join(""));
        expect(redactor.redact(once)).toBe(once);
      }),
      { numRuns: caseCount({ perChange: 200, all: 1_000 }) },
    );
  });

  it("leaves text alone in which no secret stands", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        expect(redactor.redact(text)).toBe(text);
      }),
    );
  });
});
