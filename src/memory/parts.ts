/** About 400 tokens: enough to answer from, and few enough that a part is about one thing. */
const PART_CHARS = 1500;

/** Cuts a document into pieces that searches can find: at an empty line where one comes in time, else between lines. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  for (const line of text.split(/(?<=\n)/).flatMap(cut)) {
    if (part.length + line.length > PART_CHARS) {
      parts.push(part);
      part = "";
    }
    part += line;
    if (part.length > PART_CHARS / 2 && line.trim() === "") {
      parts.push(part);
      part = "";
    }
  }
  parts.push(part);
  return parts.map((one) => one.trim()).filter((one) => one !== "");
}

/** A line of any length, never cut between the two halves of a character. */
function cut(line: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < line.length; ) {
    const piece = line.slice(from, from + PART_CHARS);
    const isWhole = from + piece.length === line.length || piece.isWellFormed();
    pieces.push(isWhole ? piece : piece.slice(0, -1));
    from += isWhole ? piece.length : piece.length - 1;
  }
  return pieces;
}
