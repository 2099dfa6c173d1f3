// All runs are bounded: hostile text must not take longer to read than other text.
const LINK =
  /!?\[([^[\]\n]{0,300})\]\(\s{0,9}<?([^()\s<>]{0,2000}(?:\([^()\s<>]{0,500}\)[^()\s<>]{0,500})?)>?[^()\n]{0,300}\)/g;
const AUTOLINK = /<(https?:\/\/[^\s<>|]{1,2000})>/gi;
const WEB = /^https?:\/\//i;

/**
 * Markdown words, code left out, in which no link hides behind another text and no picture is fetched: the address stands
 * beside its words, or alone where they are the same. Web addresses stay as they are, so that people can click them.
 */
export function openLinks(words: string): string {
  return words
    .replace(LINK, (_, text: string, address: string) => besideEachOther(text.trim(), address))
    .replace(AUTOLINK, "$1")
    .replaceAll("](", "] (");
}

function besideEachOther(text: string, address: string): string {
  if (text === "" || bare(text) === bare(address)) return address;
  return `${text} (${address})`;
}

function bare(address: string): string {
  return address.replace(WEB, "").replace(/\/$/, "").toLowerCase();
}

/** Whether a platform that fetches what links lead to would find one. */
export function hasWebLink(text: string): boolean {
  return /https?:\/\/|\bwww\./i.test(text);
}
