import { NAMELESS } from "../../src/contract/platform/nameless.ts";
import { visibleLine } from "../../src/lib/text/neutral.ts";

/** The first of these that people can read, on one line: a name may be empty, or made of characters that are not seen. */
export function personName(...names: readonly (string | null | undefined)[]): string {
  for (const name of names) {
    const shown = visibleLine(name ?? "");
    if (shown !== "") return shown;
  }
  return NAMELESS;
}
