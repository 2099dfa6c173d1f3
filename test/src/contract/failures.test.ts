import { describe, expect, it } from "vitest";
import { failureOf, typedFailureOf } from "../../../src/contract/display.ts";

describe("people read why a call failed, and nothing that is meant for the model", () => {
  it.each([
    [
      "Error (executionFailed): none.txt does not exist. Find it with list_dir or file_search, or create it with create_file.",
      "none.txt does not exist.",
    ],
    [
      'Error (executionFailed): Terminal "a" not found: it was closed or never opened. create_session opens it.',
      'Terminal "a" not found: it was closed or never opened.',
    ],
    [
      "Error (executionFailed): v1.2.txt already exists, so nothing was moved. Use another newPath, or delete that file first.",
      "v1.2.txt already exists, so nothing was moved.",
    ],
    [
      'Error (timeout): The command took too long; it was stopped. Run it with isBackground.\n{"duration_ms":9}',
      "The command took too long; it was stopped.",
    ],
    ["Error (executionFailed): web_search failed: no answer", "web_search failed: no answer"],
    [
      `Error (executionFailed): It ended with exit code 2.\n{"output":"${"x ".repeat(200)}\n\n[Stored as c1: 9 bytes in all.]`,
      "It ended with exit code 2.",
    ],
    ["Error (executionFailed): memory_operations.search failed: no answer", "no answer"],
    [
      'Error (permissionDenied): A human rejected terminal_operations.run_command. They say: no. Do not try it again.\n{"rejected":true}',
      "Denied.",
    ],
    [
      'Error (executionFailed): terminal_operations.run_command was cancelled before it began.\n{"cancelled":true}',
      "Cancelled.",
    ],
    [
      "Error (invalidParameters): file_operations.read_file: filePath: expected string. Expected { filePath, offset? }.",
      "The agent's call was malformed.",
    ],
    [
      'Error (toolNotFound): Tool "x" not found. Use one of the tools that you were given, by its exact name.',
      "This tool does not exist.",
    ],
    [
      "Error (permissionDenied): Refused: The policy forbids it.",
      "Refused: The policy forbids it.",
    ],
    [
      "Error (permissionDenied): Refused: No one in this channel can approve it. Only owners can: name some in the setting OWNERS.",
      "Refused: No one in this channel can approve it. Only owners can: name some in the setting OWNERS.",
    ],
    [
      "Error (permissionDenied): Refused: a task runs beside others. Run it with run_command, which asks. Or ask an owner.",
      "Refused: a task runs beside others. Or ask an owner.",
    ],
  ])("%s", (content, words) => {
    expect(failureOf(content)).toEqual({ words });
  });

  it.each([
    ['Error (executionFailed): cat: no: No such file\n{"exit_code":1}', "cat: no: No such file"],
    ['Error (executionFailed): {\n{"a":1}\n}\n{"exit_code":2}', '{\n{"a":1}\n}'],
    [
      'Error (executionFailed):   two\n  lines. With create_file.\n{"exit_code":2}',
      "  two\n  lines. With create_file.",
    ],
    [
      'Error (executionFailed): It ended with exit code 1.\n{"output":"cat: no: No such file\\n","exit_code":1}',
      "cat: no: No such file",
    ],
    [
      'Error (executionFailed): It ended with exit code 1.\n{"output":" \\n","exit_code":1}',
      "It ended with exit code 1.",
    ],
    ["no marker. Use list_dir.", "no marker. Use list_dir."],
    [
      `Error (executionFailed): ${"first\n".repeat(100)}last\n{"exit_code":1}`,
      `${"first\n".repeat(49)}last`,
    ],
  ])("what a program printed stays as it is: %j", (content, output) => {
    expect(failureOf(content)).toEqual({ output });
  });
});

describe("people who typed a call read why it failed, and what they can correct", () => {
  it.each([
    [
      "Error (executionFailed): none.txt does not exist. Find it with list_dir or file_search, or create it with create_file.",
      "none.txt does not exist.",
    ],
    [
      "Error (invalidParameters): file_operations.read_file: filePath: expected string. Expected { filePath, offset? }.",
      "file_operations.read_file: filePath: expected string. Expected { filePath, offset? }.",
    ],
    [
      'Error (invalidParameters): Nothing was changed. Correct this and try again.\n- Todo 3 must stay.\n{"violations":[]}',
      "Nothing was changed. Correct this and try again.\n- Todo 3 must stay.",
    ],
    [
      "Error (permissionDenied): Refused: This needs an approval. Run it with run_command or `$ …`.",
      "Refused: This needs an approval. Run it with run_command or `$ …`.",
    ],
    ["There is no a.", "There is no a."],
    ["No marker. Use list_dir.\nmy_file.txt", "No marker.\nmy_file.txt"],
  ])("%j", (content, words) => {
    expect(typedFailureOf(content)).toBe(words);
  });
});
