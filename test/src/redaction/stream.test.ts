import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { canaries, ENCODINGS, leaks } from "../../support/canaries.ts";
import { caseCount } from "../../support/thorough.ts";

const CANARIES = canaries(200);
const redactor = createRedactor({
  secrets: Object.fromEntries(CANARIES.map(({ name, value }) => [name, value])),
});

/** Two secrets in UTF-16, of which the second can also be read from the last byte of the first. */
const NEIGHBOURS = [9, 7]
  .map((index) => Buffer.from(CANARIES[index]?.value ?? "", "utf16le").toString("hex"))
  .join(" ");

/** What a stream shows when the text comes in these pieces. */
function shown(pieces: readonly string[]): string {
  const stream = redactor.stream();
  return pieces.map((piece) => stream.write(piece)).join("") + stream.end();
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort(
    (one, other) => one - other,
  );
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}

describe("text that comes in pieces", () => {
  it("P-X1 secrets in every encoding, cut at random: none is left", () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    for (const { value } of CANARIES.slice(0, caseCount({ perChange: 36, all: 200 }))) {
      const all = Object.values(ENCODINGS).map((encode) => encode(value));
      const text = all.map((encoded) => `$ env\nA=1\n${encoded}\n$ `).join("");
      const output = shown(cutAt(text, Array.from({ length: 20 }, random)));
      expect(all.filter((encoded) => leaks(output, value, encoded))).toEqual([]);
      expect(output.split("$ env\nA=1\n").length).toBe(all.length + 1);
    }
  });

  it("P-X1 every single cut of a secret in every encoding, and one character at a time", () => {
    for (const { value } of [0, 2, 4].flatMap((index) => CANARIES[index] ?? []))
      for (const encode of Object.values(ENCODINGS)) {
        const text = `see ${encode(value)} there`;
        const whole = shown([text]);
        for (let cut = 0; cut <= text.length; cut += 1)
          expect(shown([text.slice(0, cut), text.slice(cut)])).toBe(whole);
        expect(shown(Array.from({ length: text.length }, (_, at) => text.charAt(at)))).toBe(whole);
      }
  });

  it("shows the same as if it had come at once, however it is cut", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        " ",
        "\n",
        `ghp_${"a1".repeat(18)}`,
        "DB_PASSWORD=hunter22x",
        "postgres://app:pw1234@db/x",
      ),
      fc
        .constantFrom(...CANARIES.slice(0, 12))
        .chain(({ value }) =>
          fc.constantFrom(...Object.values(ENCODINGS).map((encode) => encode(value))),
        ),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(" ")),
        fc.array(fc.nat(), { maxLength: 12 }),
        (text, cuts) => {
          expect(shown(cutAt(text, cuts))).toBe(shown([text]));
        },
      ),
      { numRuns: caseCount({ perChange: 100, all: 500 }), examples: [[NEIGHBOURS, [97]]] },
    );
  });

  it("holds back the last word only, and shows that too when nothing follows", () => {
    const stream = redactor.stream();
    const prompt = stream.write("Compiling 3 files\nuser@host:~$ ");
    expect(prompt + stream.flush()).toBe("Compiling 3 files\nuser@host:~$ ");
    expect(stream.write("Password:")).toBe("");
    expect(stream.flush()).toBe("Password:");
    expect(stream.end()).toBe("");
  });

  it("does not show half a known secret when nothing follows for a while, nor at the end", () => {
    const value = CANARIES[1]?.value ?? "";
    const stream = redactor.stream();
    expect(stream.write(`token ${value.slice(0, -4)}`)).toBe("token ");
    expect(stream.flush()).toBe("");
    expect(stream.write(`${value.slice(-4)} ok `) + stream.flush()).toBe(
      "[redacted: CANARY_1] ok ",
    );
    expect(stream.write(value.slice(0, -1)) + stream.end()).toBe(
      "[redacted: beginning of a secret]",
    );
  });

  it("masks a private key line by line, however long it is", () => {
    const lines = Array.from(
      { length: 200 },
      (_, index) => `${"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".slice(index % 5)}${index}x`,
    );
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${lines.join("\n")}\n-----END RSA PRIVATE KEY-----\n`;
    const output = shown(`$ cat key\n${key}$ done\n`.split(/(?<=\n)/));
    expect(output).toBe("$ cat key\n[redacted: looks like a private key]\n$ done\n");
  });

  it("keeps a bounded amount of a word that never ends", () => {
    const stream = redactor.stream();
    const chunk = "abcdefghij".repeat(1_000);
    let output = 0;
    for (let index = 0; index < 50; index += 1) output += stream.write(chunk).length;
    expect(50 * chunk.length - output).toBeLessThan(20_000);
    expect(output + stream.end().length).toBe(50 * chunk.length);
  });
});
