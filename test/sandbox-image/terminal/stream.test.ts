import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundOutput, cleanOutput } from "../../../sandbox-image/server/terminal/clean.ts";
import { Collector } from "../../../sandbox-image/server/terminal/collector.ts";
import { createDecoder } from "../../../sandbox-image/server/terminal/decode.ts";
import { type Mark, MarkParser } from "../../../sandbox-image/server/terminal/marks.ts";
import { Ring } from "../../../sandbox-image/server/terminal/ring.ts";
import { processorMs } from "../../support/longest-work.ts";
import { caseCount } from "../../support/thorough.ts";

const RUNS = { numRuns: caseCount({ perChange: 1000, all: 5000 }) };
const NONCE = "0123456789abcdef";

/** Text that is likely to be cut inside a character, a sequence or a mark. */
const fragment = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom("é", "日本", "🚢", "\x1b", "\x1b]133;", "\x1b]133;D;0;1;", NONCE, "\x07", ";"),
  fc.constantFrom(
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://x\x1b\\",
    "\r\n",
    "\r",
    "\b",
    "\n",
  ),
  fc.constantFrom(`\x1b]133;B;${NONCE}\x07`, `\x1b]133;D;7;42;${NONCE}\x07`, "\x1b]133;B\x07"),
);
const text = fc.array(fragment, { maxLength: 20 }).map((parts) => parts.join(""));
const bytes = fc.oneof(
  text.map((value) => Buffer.from(value)),
  fc.uint8Array({ maxLength: 60 }).map((value) => Buffer.from(value)),
);
const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 12 });

function cutUp<T extends { length: number; slice(from: number, to: number): T }>(
  whole: T,
  at: readonly number[],
): T[] {
  const places = [0, ...at.map((place) => place % (whole.length + 1)), whole.length];
  places.sort((a, b) => a - b);
  return places.slice(1).map((place, index) => whole.slice(places[index] ?? 0, place));
}

function decodeAll(pieces: readonly Buffer[], encoding: "utf8" | "cp437" = "utf8"): string {
  const decoder = createDecoder(encoding);
  return pieces.map((piece) => decoder.decode(piece)).join("") + decoder.end();
}

function parseAll(pieces: readonly string[]): { text: string; marks: [number, Mark][] } {
  let seen = "";
  const marks: [number, Mark][] = [];
  const parser = new MarkParser(
    { own: NONCE, nested: "nested" },
    {
      text: (piece) => {
        seen += piece;
      },
      mark: (mark) => void marks.push([seen.length, mark]),
    },
  );
  for (const piece of pieces) parser.push(piece);
  parser.end();
  return { text: seen, marks };
}

describe("decoding", () => {
  it("6.5 gives the same text wherever the bytes were cut", () => {
    fc.assert(
      fc.property(bytes, cuts, (whole, at) => {
        expect(decodeAll(cutUp(whole, at))).toBe(whole.toString("utf8"));
      }),
      RUNS,
    );
  });

  it("6.5 decodes box drawing of code page 437", () => {
    const box = Buffer.from([0xc9, 0xcd, 0xbb, 0x0d, 0x0a, 0xba, 0x41, 0xba, 0xff]);
    expect(decodeAll([box], "cp437")).toBe("╔═╗\r\n║A║\u00a0");
    const all = decodeAll([Buffer.from(Array.from({ length: 128 }, (_, at) => at + 128))], "cp437");
    expect(new Set(all).size).toBe(128);
  });
});

describe("marks", () => {
  it("6.5 are found wherever the stream was cut, and everything else is kept", () => {
    fc.assert(
      fc.property(text, cuts, (whole, at) => {
        expect(parseAll(cutUp(whole, at))).toEqual(parseAll([whole]));
      }),
      RUNS,
    );
  });

  it("2.23 cannot be forged without the nonce", () => {
    const foreign = text.filter((value) => !value.includes(NONCE));
    fc.assert(
      fc.property(foreign, cuts, (whole, at) => {
        expect(parseAll(cutUp(whole, at))).toEqual({ text: whole, marks: [] });
      }),
      RUNS,
    );
  });

  it("2.23 carry exit code and shell", () => {
    const { text: rest, marks } = parseAll([`a\x1b]133;D;130;4321;${NONCE}\x07b\x1b]133;A\x07`]);
    expect(rest).toBe("ab\x1b]133;A\x07");
    expect(marks).toEqual([[1, { kind: "done", exitCode: 130, shellPid: 4321 }]]);
  });
});

describe("the ring", () => {
  it("6.6 stays bounded and counts exactly", () => {
    const pieces = fc.array(fc.string({ unit: "binary", maxLength: 12 }), { maxLength: 30 });
    fc.assert(
      fc.property(
        pieces,
        fc.integer({ min: 2, max: 40 }),
        fc.nat({ max: 400 }),
        (parts, limit, from) => {
          const ring = new Ring(limit);
          for (const part of parts) ring.append(part);
          const all = parts.join("");
          expect(ring.end).toBe(all.length);
          expect(ring.end - ring.start).toBeLessThanOrEqual(limit);
          expect(ring.end - ring.start).toBeGreaterThanOrEqual(Math.min(all.length, limit - 1));
          expect(ring.slice(0)).toBe(all.slice(ring.start));
          expect(ring.slice(from, from + 5)).toBe(all.slice(Math.max(from, ring.start), from + 5));
          expect(/^[\udc00-\udfff]/.test(ring.slice(0)) && ring.start > 0).toBe(false);
        },
      ),
      RUNS,
    );
  });

  it("6.6 is exact over many chunks, too", () => {
    const ring = new Ring(100_000);
    let all = "";
    for (let count = 0; count < 20_000; count++) {
      const part = `${count} ${"x".repeat(count % 40)}\n`;
      ring.append(part);
      all += part;
    }
    expect(ring.end).toBe(all.length);
    expect(ring.slice(ring.start)).toBe(all.slice(-100_000));
    expect(ring.slice(ring.end - 70_000, ring.end - 10)).toBe(all.slice(-70_000, -10));
  });
});

describe("cleaning", () => {
  it.each([
    ["colours", "\x1b[1;31mred\x1b[0m", "red"],
    ["titles", "a\x1b]0;evil title\x07b\x1b]2;x\x1b\\c", "abc"],
    ["links", "\x1b]8;;https://x.test\x07here\x1b]8;;\x07", "here"],
    ["the clipboard", "\x1b]52;c;c2VjcmV0\x07ok", "ok"],
    ["device control", "\x1bP1$r0m\x1b\\ok\x1b_app\x1b\\", "ok"],
    ["eight-bit sequences", "\x9b31mred\x9d0;t\x9cok", "redok"],
    ["charsets and keypad", "\x1b(B\x1b=\x1b7ok\x1b8", "ok"],
    ["overstriking", "N\bNA\bAM\bME\bE _\bx", "NAME x"],
    ["spinners", "|\b/\b-\bdone", "done"],
    ["progress", "10%\r50%\r100%\r\nnext", "100%\nnext"],
    ["progress by column", "10%\x1b[1G20%\x1b[G30%", "30%"],
    ["line ends", "a\r\nb\r\r\nc\n", "a\nb\nc\n"],
    ["bells and nulls", "a\x07\x00b\x7f", "ab"],
    ["a string without an end", "a\x1b]0;never\nkept", "a\nkept"],
    ["tabs", "a\tb", "a\tb"],
    ["half a sequence", "a\x1b[3", "a"],
  ])("2.23 takes out %s", (_what, raw, plain) => {
    expect(cleanOutput(raw)).toBe(plain);
  });

  it("2.23 leaves no control character and is done after one time", () => {
    fc.assert(
      fc.property(text, (raw) => {
        const plain = cleanOutput(raw);
        expect(plain).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(cleanOutput(plain)).toBe(plain);
      }),
      RUNS,
    );
  });

  it("2.23 is quick on hostile input", () => {
    const began = processorMs();
    for (const unit of ["\x1b]", "\x9d", "\x1b[", "\x1bP", "\r", "\b", "\x1b[9D"]) {
      cleanOutput(unit.repeat(200_000));
    }
    expect(processorMs() - began).toBeLessThan(20_000);
  });
});

describe("bounding", () => {
  it("2.23 keeps beginning and end of what is too long, never beyond the limit", () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 3000 }), fc.nat({ max: 9000 }), (limit, length) => {
        const whole = Array.from({ length }, (_, at) => String(at % 10)).join("");
        const { output, truncated } = boundOutput(whole, 0, limit);
        expect(output.length).toBeLessThanOrEqual(limit);
        expect(truncated).toBe(length > limit);
        if (truncated) expect(output).toContain("characters left out");
        else expect(output).toBe(whole);
      }),
      { numRuns: 1000 },
    );
  });

  it("2.23 collects head and tail of an endless output in bounded memory", () => {
    const collector = new Collector();
    collector.push("the beginning\n");
    for (let count = 0; count < 2000; count++) collector.push("middle ".repeat(1000));
    collector.push("\nthe end\n");
    const { output, truncated } = collector.result();
    expect(output).toMatch(/^the beginning\n/);
    expect(output).toMatch(/\nthe end\n$/);
    expect(output.length).toBeLessThanOrEqual(60 * 1024);
    expect(truncated).toBe(true);
    expect(collector.recent(20)).toContain("the end");
  });
});
