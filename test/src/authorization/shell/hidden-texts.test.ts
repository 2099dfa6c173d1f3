import { describe, expect, it } from "vitest";
import { hiddenCommands } from "../../../../src/authorization/shell/hidden-texts.ts";

const HIDDEN = "rm -rf /opt";
const WORDS = ["rm", "-rf", "/opt"];
const bytes = [...Buffer.from(HIDDEN)];
const escaped = (write: (byte: number) => string) => bytes.map(write).join("");

describe("commands that a text hides", () => {
  it.each([
    ["in quotes", `x='${HIDDEN}'; $x`],
    ["in base64", `echo ${Buffer.from(HIDDEN).toString("base64")} | base64 -d | sh`],
    ["in hexadecimal digits", `echo ${Buffer.from(HIDDEN).toString("hex")} | xxd -r -p | sh`],
    ["in \\x escapes", `printf '${escaped((byte) => `\\x${byte.toString(16)}`)}' | sh`],
    ["in \\X escapes", `printf '${escaped((byte) => `\\x${byte.toString(16).toUpperCase()}`)}'`],
    ["in octal escapes", `printf '${escaped((byte) => `\\${byte.toString(8).padStart(3, "0")}`)}'`],
    [
      "in octal escapes with a 0",
      `echo -e '${escaped((byte) => `\\0${byte.toString(8).padStart(3, "0")}`)}'`,
    ],
    ["reversed", `echo '${[...HIDDEN].reverse().join("")}' | rev | sh`],
    ["behind a replacement", "x=rm_-rf_/opt; ${x/_/ }"],
    ["behind tr", "echo 'rm_-rf_/opt' | tr _ ' ' | sh"],
    ["behind IFS", "IFS=_; x=rm_-rf_/opt; $x"],
    ["behind a prefix that is cut off", "x='zzrm -rf /opt'; ${x#zz}"],
  ])("are found %s", (_, command) => {
    expect(hiddenCommands(command)).toContainEqual(WORDS);
  });

  it("are looked for in 2,000 characters, and not in more", () => {
    const command = (chars: number) => `${HIDDEN} ${"x".repeat(chars - HIDDEN.length - 1)}`;
    expect(hiddenCommands(command(2_000))).not.toEqual([]);
    expect(hiddenCommands(command(2_001))).toEqual([]);
  });

  it("are at most 40, and none has one word", () => {
    const many = Array.from({ length: 60 }, (_, index) => `a${index} b`).join("; ");
    expect(hiddenCommands(`${many}; alone`)).toHaveLength(40);
    expect(hiddenCommands("alone; too").every((words) => words.length > 1)).toBe(true);
  });
});
