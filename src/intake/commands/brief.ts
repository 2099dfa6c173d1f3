import { neutralLine } from "../../lib/text/neutral.ts";
import type { CommandDeps } from "./deps.ts";

/** The beginning of a text on one line. Without secrets before it is cut: half a secret is not found any more. */
export function brief(
  { redactor }: Pick<CommandDeps, "redactor">,
  text: string,
  mostChars: number,
): string {
  return neutralLine(redactor.redact(text)).slice(0, mostChars).toWellFormed();
}
