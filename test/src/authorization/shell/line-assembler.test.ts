import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyInput, type Foreground } from "../../../../src/authorization/shell/input.ts";
import { LineAssembler } from "../../../../src/authorization/shell/line-assembler.ts";
import { openShellParser } from "../../../../src/authorization/shell/parser.ts";

const parser = await openShellParser();
const PLACE = { workspaceDir: "/workspace", homeDir: "/home/agent" };
const isComplete = (text: string) => parser.classify(text, PLACE).unparsed === undefined;
const UP = "\x1b[A";

/** What Enter submits, line by line; unreadable ones as "?". */
function lines(...pieces: string[]): string[] {
  const assembler = new LineAssembler(isComplete);
  return pieces
    .flatMap((piece) => assembler.take(piece))
    .map((submission) => (submission.kind === "line" ? submission.text : "?"));
}

describe("keystrokes", () => {
  it.each<[string, string[], string[]]>([
    ["a line in one piece", ["ls -la\r"], ["ls -la"]],
    ["a line in many pieces", ["su", "do", " id", "\r"], ["sudo id"]],
    ["nothing without Enter", ["sudo id"], []],
    ["two lines in one piece", ["ls\rpwd\n"], ["ls", "pwd"]],
    ["both ends of a line", ["ls\r\n"], ["ls", ""]],
    ["an interrupted line", ["sudo id\x03ls\r"], ["ls"]],
    ["a line that is taken back", ["sudo id\x15ls\r"], ["ls"]],
    ["a word that is taken back", ["sudo id\x17ls\r"], ["sudo ls"]],
    ["letters that are taken back", ["sx\x7fudo\b\bdo id\r"], ["sudo id".replace("su", "su")]],
    ["a line from the history", [`${UP}\r`], ["?"]],
    ["a line from the history that is changed", [UP, "x\r"], ["?"]],
    ["a line that is searched for", ["\x12sudo\r"], ["?"]],
    ["a completed word", ["su\t id\r"], ["?"]],
    ["the cursor moved", ["do id\x01su\r"], ["?"]],
    ["the cursor moved by arrows", ["do id\x1b[D\x1b[Dx\r"], ["?"]],
    ["the cursor moved and back, nothing typed between", ["ls\x01\x05 -l\r"], ["ls -l"]],
    ["all taken back after a recall", [UP, "\x05\x15ls\r"], ["ls"]],
    ["taken back in the middle", ["sudo id\x01\x15ls\r"], ["?"]],
    ["an escape sequence in two pieces", ["ls\x1b", "[A\r"], ["?"]],
    ["a pasted line", ["\x1b[200~ls -l\x1b[201~\r"], ["ls -l"]],
    ["a paste with lines", ["\x1b[200~ls\nsudo id\x1b[201~\r"], ["ls", "sudo id"]],
    ["something cut before", ["\x19\r"], ["?"]],
    ["a key that nobody knows", ["ls\x1bx\r"], ["?"]],
    ["the editor for the line", ["sudo id\x18\x05"], ["?"]],
    ["submit and take the next of the history", ["ls\x0f\r"], ["ls", "?"]],
    ["end of input after some text", ["sudo id\x04"], ["sudo id"]],
    ["end of input on an empty line", ["\x04"], []],
    ["a line after an unreadable one", [`${UP}\r`, "ls\r"], ["?", "ls"]],
    ["a quoted key", ["\x16\rx\r"], ["?", "x"]],
    ["an open quote and its end", ["echo 'a\r", "b'\r"], ["echo 'a", "echo 'a\nb'"]],
    [
      "a here-document",
      ["bash <<E\r", "sudo id\r", "E\r"],
      ["bash <<E", "bash <<E\nsudo id", "bash <<E\nsudo id\nE"],
    ],
    ["an open quote that is interrupted", ["echo 'a\r", "\x03ls\r"], ["echo 'a", "ls"]],
  ])("4.11 send_input: %s", (_, pieces, submitted) => {
    expect(lines(...pieces)).toEqual(submitted);
  });

  it("looks without typing: a refused input leaves the line as it was", () => {
    const assembler = new LineAssembler(isComplete);
    assembler.take("echo a");
    expect(assembler.look("; sudo id\r")).toEqual([{ kind: "line", text: "echo a; sudo id" }]);
    expect(assembler.take("\r")).toEqual([{ kind: "line", text: "echo a" }]);
  });

  it("begins anew when somebody else emptied the line", () => {
    const assembler = new LineAssembler(isComplete);
    assembler.take("sudo ");
    assembler.cleared();
    expect(assembler.take("id\r")).toEqual([{ kind: "line", text: "id" }]);
  });

  it("gives the same lines however the keystrokes are cut into pieces", () => {
    const keys = fc.array(
      fc.constantFrom(
        "ls",
        "sudo id",
        " ",
        "'",
        "\r",
        "\n",
        "\x03",
        "\x15",
        "\x17",
        "\x7f",
        "\t",
        UP,
        "\x1b[D",
        "\x05",
        "\x01",
        "\x1b[200~",
        "é",
        "👩‍💻",
        "\x18\x05",
        "\x04",
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(keys, fc.infiniteStream(fc.nat(5)), (pressed, sizes) => {
        const input = pressed.join("");
        const pieces: string[] = [];
        // Cut between characters: the channel carries text, not bytes.
        for (let rest = [...input]; rest.length > 0; )
          pieces.push(rest.splice(0, 1 + (sizes.next().value ?? 0)).join(""));
        expect(lines(...pieces)).toEqual(lines(input));
      }),
      { numRuns: 300 },
    );
  });
});

describe("the class of input", () => {
  function riskOf(input: string, foreground: Foreground, before = ""): string {
    const assembler = new LineAssembler(isComplete);
    assembler.take(before);
    return classifyInput(parser, { input, submissions: assembler.look(input), foreground }, PLACE)
      .risk;
  }

  it.each<[string, string, Foreground, string]>([
    ["free", "ls\r", "shell", "a reading command"],
    ["free", "npm test\r", "shell", "a writing command"],
    ["click", "sudo id\r", "shell", "root"],
    ["click", "ls\rsudo id\r", "shell", "the worst of two lines"],
    ["click", `${UP}\r`, "shell", "a recalled line"],
    ["click", "!!\r", "shell", "history expansion"],
    ["free", "sudo id", "shell", "nothing is submitted"],
    ["free", "\x03", "shell", "an interrupt"],
    ["click", "sudo id\r", { program: "bash" }, "a nested shell"],
    ["free", "ls\r", { program: "bash" }, "a nested shell"],
    ["free", "y\r", { program: "npm" }, "an answer"],
    ["free", "\x03", { program: "node" }, "the end of a program"],
    ["free", "print('hello')\r", { program: "python3" }, "code"],
    ["click", "import os; os.system('id')\r", { program: "python3" }, "code that starts programs"],
    ["click", "ls\r", { program: "ssh" }, "another machine"],
    ["click", "hunter2\r", { program: "sudo" }, "a password"],
    ["click", ":!id\r", { program: "vim" }, "an editor that runs it"],
    ["click", "!id\r", { program: "less" }, "a pager that runs it"],
    ["click", "sudo id\r", "unknown", "root, if it is the shell"],
    ["click", "os.system('id')\r", "unknown", "code, if it is python"],
    ["free", "npm test\r", "unknown", "the worse of both"],
    ["free", "y\r", { program: "apt" }, "an answer"],
  ])("4.11 send_input is %s: %j to %j, %s", (risk, input, foreground) => {
    expect(riskOf(input, foreground)).toBe(risk);
  });

  it("4.11 send_input: Enter alone submits what stands on the line", () => {
    expect(riskOf("\r", "shell", "sudo id")).toBe("click");
    expect(riskOf("\r", "shell")).toBe("free");
  });
});
