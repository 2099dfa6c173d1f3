import { visible } from "../../src/lib/text/neutral.ts";

/** One line of plain text, never empty and no longer than a platform accepts. */
export function oneLine(text: string, mostChars: number): string {
  const line = visible(text).replace(/\s+/g, " ").trim() || "…";
  return line.length <= mostChars ? line : `${line.slice(0, mostChars - 1).toWellFormed()}…`;
}

/** The beginning of a text that is shown in full elsewhere. */
export function beginningOf(text: string, mostChars: number): string {
  return text.length <= mostChars ? text : `${text.slice(0, mostChars).toWellFormed()} …`;
}
