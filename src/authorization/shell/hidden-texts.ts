import { piecesOf } from "./fragments.ts";

/** A bound on the work. */
const MAXIMUM_CHARS = 2_000;
const MAXIMUM_TEXTS = 40;

/**
 * Word lists in a command that may become commands when it runs: its pieces without quotes and assignments, as
 * written, decoded, and after the replacements that it makes itself. Only for commands whose text does not tell
 * what runs.
 */
export function hiddenCommands(command: string): string[][] {
  if (command.length > MAXIMUM_CHARS) return [];
  const texts = [command, ...replacedTexts(command), ...decodedTexts(command)];
  const lists = texts.flatMap((text) => {
    const joined = text.replaceAll(/["'\\]/g, "");
    const apart = text.replaceAll(/["'!]/g, " ; ");
    return [joined, apart].flatMap((one) => piecesOf(one).map((piece) => wordsIn(one, piece)));
  });
  const distinct = new Map(lists.map((words) => [words.join(" "), words]));
  return [...distinct.values()].filter((words) => words.length > 1).slice(0, MAXIMUM_TEXTS);
}

function wordsIn(text: string, { start, end }: { start: number; end: number }): string[] {
  return text
    .slice(start, end)
    .replaceAll(/(?<=^|\s)\w+(?:\[[^\]]*\])?\+?=/g, " ")
    .split(/\s+/)
    .map((word) => word.replace(/[\])]+$/, ""))
    .filter((word) => word !== "");
}

/** `${x/a/b}`, `IFS=a` and `tr a b` make other words of a text. */
function replacedTexts(command: string): string[] {
  const expansions = [...command.matchAll(/\$\{\w+\/[/#%]?([^/}]+)(?:\/([^}]*))?\}/g)];
  const translations = [...command.matchAll(/\btr\s+["']?([^\s"'])["']?\s+["']?([^"'])["']?/g)];
  const splits = [...command.matchAll(/\bIFS=\$?["']?([^\s"';])/g)].map(([all, separator]) => [
    all,
    separator,
    " ",
  ]);
  // Unquoted, `$IFS` is a blank, and `{rm,-rf,x}` is three words.
  const separators = [...command.matchAll(/\$IFS\b|\$\{IFS[^}]*\}/g)].map(([all]) => [
    all,
    all,
    " ",
  ]);
  const lists = [...command.matchAll(/(?:^|[;&|("'`\n]\s*)(\{[^\s{}]*,[^\s{}]*\})/g)].map(
    ([, list = ""]) => [list, list, list.slice(1, -1).replaceAll(",", " ")],
  );
  const removed = [...command.matchAll(/\$\{\w+(?:##?|%%?)([^}*?]+)\}/g)];
  return [...expansions, ...translations, ...splits, ...separators, ...lists, ...removed].map(
    ([, from = "", to = ""]) => command.replaceAll(from, to.replaceAll(/["']/g, "")),
  );
}

function decodedTexts(command: string): string[] {
  const base64 = [...command.matchAll(/[A-Za-z0-9+/]{8,}={0,2}/g)].map(([text]) =>
    Buffer.from(text, "base64").toString("latin1"),
  );
  const hex = [...command.matchAll(/\b(?:[0-9a-fA-F]{2}){4,}\b/g)].map(([text]) =>
    Buffer.from(text, "hex").toString("latin1"),
  );
  const escaped = command
    .replaceAll(/\\[nt]/g, "\n")
    .replaceAll(/\\x([0-9a-fA-F]{2})|\\0?([0-7]{3})/g, (_, inHex, inOctal) =>
      String.fromCharCode(inHex ? Number.parseInt(inHex, 16) : Number.parseInt(inOctal, 8)),
    );
  const reversed = /\brev\b/.test(command) ? [[...command].reverse().join("")] : [];
  return [...base64, ...hex, escaped, ...reversed].filter(
    (text) => text !== command && /^[\t\n\x20-\x7e]+$/.test(text),
  );
}
