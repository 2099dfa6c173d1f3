import { describe, expect, it } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { OperatorError } from "../../../src/lib/operator-error.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { canaries, ENCODINGS, leaks } from "../../support/canaries.ts";
import { sampleOf } from "../../support/thorough.ts";

const clock = () => new Date("2030-01-02T03:04:05.678Z");
const { redact } = createRedactor({ secrets: {} });

function lines(
  format: "text" | "json",
  tell: (log: ReturnType<typeof createLog>) => void,
  level?: "debug",
) {
  const written: string[] = [];
  tell(
    createLog({
      write: (line) => written.push(line),
      redact,
      format,
      clock,
      ...(level && { level }),
    }),
  );
  return written;
}

describe("the log", () => {
  it("writes one line for people", () => {
    const written = lines("text", (log) =>
      log("warn", "A workspace\nis full", { conversation: "web:1", bytes: 5 }),
    );
    expect(written).toEqual([
      '2030-01-02T03:04:05.678Z warn  A workspace\\nis full conversation="web:1" bytes=5\n',
    ]);
  });

  it("writes one line of JSON for programs, errors with their reasons", () => {
    const error = new Error("no", { cause: new TypeError("why") });
    const [line = ""] = lines("json", (log) =>
      log("error", "It failed", { error, level: "x", big: 1n }),
    );
    expect(JSON.parse(line)).toMatchObject({
      at: "2030-01-02T03:04:05.678Z",
      level: "error",
      message: "It failed",
      error: { name: "Error", message: "no", cause: { name: "TypeError", message: "why" } },
      big: "1",
    });
  });

  it("shows where an unexpected error came from, each frame on a line that no other text can look like", () => {
    const error = new TypeError("no\n    at evil (x.ts:1:1)\n2030 error forged", {
      cause: new Error("why"),
    });
    const [text = ""] = lines("text", (log) => log("error", "It failed", { error }));
    const [first, ...frames] = text.trimEnd().split("\n");
    expect(first).toContain("(cause: Error: why)");
    expect(first).toMatch(/ error="TypeError: no\\n .*forged/);
    expect(frames.length).toBeGreaterThan(1);
    for (const frame of frames) expect(frame).toMatch(/^ {4}at /);
  });

  it("shows what an error for operators says, without a stack", () => {
    const full = Object.assign(new Error("no space left on device"), { syscall: "write" });
    const error = new OperatorError("Free some space.", { cause: full });
    const [text = ""] = lines("text", (log) => log("error", "It failed", { error }));
    expect(text).toMatch(/ error="Free some space. \(cause: no space left on device\)"\n$/);
    const [json = ""] = lines("json", (log) => log("error", "It failed", { error }));
    expect(json).not.toContain("stack");
  });

  it("an error that is its own cause is told", () => {
    const error = new Error("round");
    error.cause = error;
    expect(lines("text", (log) => log("error", "It failed", { error }))).toHaveLength(1);
  });

  it("leaves out what is less important than asked for", () => {
    const tell = (log: ReturnType<typeof createLog>) => {
      log("debug", "a");
      log("info", "b");
    };
    expect(lines("text", tell)).toHaveLength(1);
    expect(lines("text", tell, "debug")).toHaveLength(2);
  });

  it("never throws: not for circles, hostile objects or a broken pipe", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const hostile = {
      get trap() {
        throw new Error("trap");
      },
      toJSON() {
        throw new Error("trap");
      },
    };
    const written = lines("json", (log) => {
      log("info", "circle", { circle });
      log("info", "hostile", { hostile, fine: () => 1, symbol: Symbol("s") });
    });
    expect(written[0]).toContain("circle");
    const broken = createLog({
      redact,
      write: () => {
        throw new Error("EPIPE");
      },
    });
    expect(() => broken("error", "lost")).not.toThrow();
  });

  it("P-X1 200 canaries in every encoding: none reaches a line, in the message or in a field", () => {
    const all = canaries(200);
    const redactor = createRedactor({
      secrets: Object.fromEntries(all.map(({ name, value }) => [name, value])),
    });
    for (const format of ["text", "json"] as const)
      for (const { value } of sampleOf(all, 24)) {
        const encoded = Object.values(ENCODINGS).map((encode) => encode(value));
        const written: string[] = [];
        const log = createLog({
          write: (line) => written.push(line),
          redact: redactor.redact,
          format,
        });
        log("info", encoded.join(" | "), {
          field: encoded,
          error: new Error(encoded.join("\n")),
          [value]: 1,
        });
        const text = written.join("");
        const shown = [...encoded, ...encoded.map((one) => JSON.stringify(one).slice(1, -1))];
        expect(text).toContain("[redacted: ");
        expect(shown.filter((one) => leaks(text, value, one))).toEqual([]);
        if (format === "json") JSON.parse(text);
      }
  });
});
