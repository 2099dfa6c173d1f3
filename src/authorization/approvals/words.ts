export type AnswerMeaning = "approve" | "reject" | "neither";

const APPROVAL = [
  "yes",
  "yep",
  "yeah",
  "yup",
  "ok",
  "okay",
  "sure",
  "certainly",
  "absolutely",
  "proceed",
  "continue",
  "go ahead",
  "go for it",
  "do it",
  "approve",
  "approved",
  "authorize",
  "authorized",
  "confirm",
  "confirmed",
  "affirmative",
];

const REJECTION = [
  "no",
  "nope",
  "nah",
  "not",
  "cancel",
  "stop",
  "deny",
  "denied",
  "abort",
  "halt",
  "don't",
  "dont",
  "do not",
  "never",
  "reject",
  "rejected",
  "negative",
  "isn't",
  "can't",
  "cannot",
  "won't",
  "wouldn't",
  "shouldn't",
];

/** With one of these an approval is not meant yet, or not for this. */
const RESERVATIONS =
  /\b(n|but|if|unless|until|except|first|wait|later|maybe|perhaps|instead|however|after|before|only|why|what|how|when|who)\b/;

/** What may stand before an approval without changing it. */
const POLITENESS = /^((i|i'm|we|please|it's|that's|this|that|is|all|right|well|hey|and) )+/;

/** Letters that mean something only when they are the whole answer. */
const LETTERS: Readonly<Record<string, AnswerMeaning>> = {
  y: "approve",
  k: "approve",
  n: "reject",
};

/** Ticked and thumbed answers, where they count, as a character or as Slack names it. A skin tone changes nothing. */
const EMOJI: Readonly<Record<string, AnswerMeaning>> = {
  "\u{1f44d}": "approve",
  ":+1:": "approve",
  ":thumbsup:": "approve",
  "\u2705": "approve",
  ":white_check_mark:": "approve",
  "\u{1f44e}": "reject",
  ":-1:": "reject",
  ":thumbsdown:": "reject",
  "\u274c": "reject",
  ":x:": "reject",
};
const SKIN_TONES = /[\ufe0f\u{1f3fb}-\u{1f3ff}]|:skin-tone-[2-6]:/gu;

/**
 * What a typed answer to an approval means. Whole words only; any rejection or negation wins; an approval must
 * open the answer and carry no question and no reservation. Everything else is an answer in plain text.
 */
export function meaningOf(
  answer: string,
  options: { readonly emoji?: boolean } = {},
): AnswerMeaning {
  const given = answer.trim().toLowerCase();
  if (options.emoji) {
    const sign = given.replace(SKIN_TONES, "");
    if (Object.hasOwn(EMOJI, sign)) return EMOJI[sign] ?? "neither";
  }
  const text = words(given);
  const letter = Object.hasOwn(LETTERS, text) ? LETTERS[text] : undefined;
  if (letter) return letter;
  if (REJECTION.some((word) => contains(text, word))) return "reject";
  if (given.includes("?") || RESERVATIONS.test(text) || saysMoreThanAscii(given)) return "neither";
  const opening = text.replace(POLITENESS, "");
  const approves = APPROVAL.some((word) => opening === word || opening.startsWith(`${word} `));
  return approves ? "approve" : "neither";
}

/** Words of plain letters with single blanks between; punctuation is gone. */
function words(text: string): string {
  return text
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[^\p{L}\p{M}\p{N}']+/gu, " ")
    .trim();
}

function contains(text: string, word: string): boolean {
  return ` ${text} `.includes(` ${word} `);
}

/** A letter of another script may look like one of ours: such an answer is not guessed at. */
function saysMoreThanAscii(text: string): boolean {
  return /[^\p{ASCII}]/u.test(text.replace(/[\u2018\u2019\u02bc]/g, "").replace(/\P{L}/gu, ""));
}
