const STRING = '("(?:\\\\.|[^"\\\\\\n])*"?)';
// What never ends goes on to the end of the text: so every start is looked at once.
const COMMENTS = new RegExp(`${STRING}|//[^\\n]*|/\\*[^]*?(?:\\*/|$)`, "g");
const TRAILING_COMMAS = new RegExp(`${STRING}|,(?=\\s*[}\\]])`, "g");

/** JSON as editors write it: with comments and with commas before a closing bracket. Throws a SyntaxError. */
export function parseJsonc(text: string): unknown {
  const kept = (_match: string, string: string | undefined) => string ?? "";
  return JSON.parse(
    text
      .replace(/^\ufeff/, "")
      .replace(COMMENTS, kept)
      .replace(TRAILING_COMMAS, kept),
  );
}
