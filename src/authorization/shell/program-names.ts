/** Words that only a parse error puts in the place of a program. */
const KEYWORDS = new Set(
  "{ } ! [[ ]] if then elif else fi for while until do done case esac select function in".split(
    " ",
  ),
);

export function isKeyword(name: string): boolean {
  return KEYWORDS.has(name);
}

/** Why a word cannot be the name of a program as it stands. */
export function objectionToName(name: string): string | undefined {
  if (name === "") return "the program has no name";
  if (KEYWORDS.has(name)) return "a keyword stands where a program should";
  return /^[\x21-\x7e]+$/.test(name) ? undefined : "the program's name has unusual characters";
}

/** A program that was not installed with the system. */
export function isLocal(written: string): boolean {
  if (/^\.\/(?:mvnw|gradlew)$/.test(written)) return false;
  return (
    written.includes("/") &&
    !/^\/(?:opt|snap|usr\/(?:lib(?:exec)?|share)|(?:usr\/(?:local\/)?)?s?bin)\//.test(written)
  );
}
