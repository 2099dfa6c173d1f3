/** Longer commands are not judged at all: nobody could read the card either. */
const MAXIMUM_CHARS = 128 * 1024;

/**
 * What no command may contain if it is to run unasked, because bash, the parser and a human's eye read it
 * differently. Gives the reason, or nothing.
 */
export function objectionToCharacters(text: string): string | undefined {
  if (text.length > MAXIMUM_CHARS) return `longer than ${MAXIMUM_CHARS} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.exec(text);
  if (control) return `a control character (${codePoint(control[0])})`;
  const hidden = HIDDEN.exec(text);
  if (hidden) return `an invisible character (${codePoint(hidden[0])})`;
  if (/\p{Surrogate}/u.test(text)) return "half a character";
  return undefined;
}

/**
 * Format and direction marks, fillers, blanks other than the ones bash knows, private characters. Variation selectors
 * and the joiner are left out: every second emoji has them.
 */
const HIDDEN =
  /[\p{Zl}\p{Zp}\p{Co}]|\u00a0|\u00ad|\u034f|\u061c|[\u115f\u1160]|\u1680|[\u17b4\u17b5]|[\u180b-\u180e]|[\u2000-\u200c\u200e\u200f]|[\u202a-\u202f]|[\u205f-\u206f]|\u2800|\u3000|\u3164|\ufeff|\uffa0|[\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;

/** The text with blanks in place of what must not be in it, as far as it is looked at. */
export function visiblePart(text: string): string {
  return (
    text
      .slice(0, MAXIMUM_CHARS)
      .replaceAll(new RegExp(HIDDEN.source, "gu"), " ")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\n")
      .replaceAll(/\p{Surrogate}/gu, " ")
  );
}

/** At a prompt, `!` recalls earlier lines, also inside double quotes. */
export function recallsHistory(text: string): boolean {
  const visible = text.replaceAll(/\\[\s\S]|'[^']*'/g, (quoted) => "_".repeat(quoted.length));
  return /(?<![$[{])!(?![\s=("]|$)/m.test(visible) || /^\^/m.test(visible);
}

function codePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${hex}`;
}
