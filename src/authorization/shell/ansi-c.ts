const SIMPLE: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

/** The text of `$'…'`. Nothing when it holds control characters: then it is not worth knowing what it says. */
export function decodeAnsiC(inside: string): string | undefined {
  const text = inside.replaceAll(ESCAPE, (whole, hex, short, long, octal, simple) => {
    const code = hex ?? short ?? long;
    if (code !== undefined)
      return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8) % 256);
    return SIMPLE[simple] ?? (/[abeEfrv]|c./.test(whole) ? "\u0000" : whole);
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Co}/u.test(text) ? undefined : text;
}

const ESCAPE =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c[\s\S]|([\s\S]))/g;
