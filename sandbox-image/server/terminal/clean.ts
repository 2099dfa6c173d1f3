import { OUTPUT_LIMIT_CHARS } from "../../../src/contract/tools/terminal-operations.ts";

/** Terminal output as plain text: what a person would read, line by line, without colours and redrawing. */
export function cleanOutput(raw: string): string {
  const text = raw.replace(SEQUENCES, asMotion).replaceAll("\r\n", "\n");
  const settled = /[\r\b]/.test(text) ? text.split("\n").map(settleLine).join("\n") : text;
  return settled.replace(CONTROLS, "");
}

// Strings (OSC, DCS, SOS, PM, APC) end with BEL or ST, or where another sequence begins; one without an end
// hides its own line at most. Then CSI, then the two-character sequences.
const STRINGS = "(?:\\x1b[\\]PX^_]|[\\x9d\\x90\\x98\\x9e\\x9f])";
const SEQUENCES = new RegExp(
  [
    `${STRINGS}[^\\x07\\x18\\x1a\\x1b\\x80-\\x9f]*(?:\\x1b\\\\|[\\x07\\x18\\x1a\\x9c]|(?=[\\x1b\\x80-\\x9f]))`,
    `${STRINGS}[^\\n\\x07\\x18\\x1a\\x1b\\x80-\\x9f]*`,
    "(?:\\x1b\\[|\\x9b)([0-?]*)[ -/]*([@-~])?",
    "\\x1b[ -/]*[0-~]?",
  ].join("|"),
  "g",
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Two cursor motions redraw a line like `\r` and backspace do; all other sequences vanish. */
function asMotion(
  _sequence: string,
  params: string | undefined,
  final: string | undefined,
): string {
  if (final === "G" && (params === "" || params === "1")) return "\r";
  if (final === "D") return "\b".repeat(Math.min(Number.parseInt(params || "1", 10) || 1, 1000));
  return "";
}

/** A line that was written over by `\r` keeps its last state; backspace takes one character back. */
function settleLine(line: string): string {
  const states = line.split("\r");
  let last = states.pop() ?? "";
  while (!last && states.length > 0) last = states.pop() ?? "";
  return last.includes("\b") ? takeBack(last) : last;
}

function takeBack(line: string): string {
  const kept: string[] = [];
  for (const character of line) {
    if (character === "\b") kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}

export interface Bounded {
  readonly output: string;
  readonly truncated: boolean;
}

/** Beginning and end of a text that is too long, with a line that says so; never longer than the limit. */
export function boundOutput(text: string, leftOut = 0, limit = OUTPUT_LIMIT_CHARS): Bounded {
  if (text.length <= limit && leftOut === 0) return { output: text, truncated: false };
  const room = limit - 200;
  const head = wholeEnd(
    text.slice(0, Math.min(Math.floor(room * 0.4), Math.floor(text.length / 2))),
  );
  const tail = wholeStart(text.slice(-Math.min(Math.ceil(room * 0.6), Math.ceil(text.length / 2))));
  const missing = text.length - head.length - tail.length + leftOut;
  return { output: `${head}\n${cutNotice(missing)}\n${tail}`, truncated: true };
}

function cutNotice(characters: number): string {
  return (
    `[... ${characters} characters left out here. The terminal's history has more of them; ` +
    "or run it again with its output in a file ...]"
  );
}

function wholeEnd(text: string): string {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.slice(0, -1) : text;
}

function wholeStart(text: string): string {
  return (text.charCodeAt(0) & 0xfc00) === 0xdc00 ? text.slice(1) : text;
}
