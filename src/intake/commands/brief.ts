import { neutralLine } from "../../lib/text/neutral.ts";
import type { CommandDeps } from "./deps.ts";

/** The beginning of a text on one line. Without secrets before it is cut: half a secret is not found any more. */
export function brief(
  { redactor }: Pick<CommandDeps, "redactor">,
  text: string,
  mostChars: number,
): string {
  const line = neutralLine(redactor.redact(text));
  return line.length <= mostChars ? line : `${line.slice(0, mostChars - 1).toWellFormed()}…`;
}
