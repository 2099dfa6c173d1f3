const MOST_OPTIONS = 5;
const OPTION_CHARS = 60;

/**
 * The answers that a question offers by itself, if they are few and short: a list at its end, "(a/b/c)" or "yes or no".
 * A button's number counts from 1 in this list.
 */
export function questionOptions(prompt: string): string[] {
  const text = prompt.trimEnd();
  const offered = listedOptions(text) ?? slashedOptions(text) ?? yesOrNo(text) ?? [];
  const isUsable =
    offered.length >= 2 &&
    offered.length <= MOST_OPTIONS &&
    new Set(offered).size === offered.length &&
    offered.every((option) => option !== "" && option.length <= OPTION_CHARS);
  return isUsable ? offered : [];
}

const LIST_ITEM = /^\s{0,3}(?:[-*•]|\(?(?:\d{1,2}|[a-eA-E])[.)])\s+(.{1,200})$/;

/** The items of a list that the text ends with. */
function listedOptions(text: string): string[] | undefined {
  const items: string[] = [];
  for (const line of text
    .split("\n")
    .slice(-MOST_OPTIONS - 1)
    .reverse()) {
    const item = LIST_ITEM.exec(line)?.[1];
    if (item === undefined) break;
    items.unshift(plain(item));
  }
  return items.length === 0 ? undefined : items;
}

/** "Which one? (red/green/blue)" */
function slashedOptions(text: string): string[] | undefined {
  const inside = /[([]([^()[\]\n]{3,200})[)\]]\s*[?:.]?$/.exec(text.slice(-300))?.[1];
  return inside?.includes("/") ? inside.split("/").map(plain) : undefined;
}

function yesOrNo(text: string): string[] | undefined {
  return /\byes or no\b[?.:]?$/i.test(text.slice(-40)) ? ["Yes", "No"] : undefined;
}

function plain(option: string): string {
  return option.replace(/[`*]/g, "").trim();
}
