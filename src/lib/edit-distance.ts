/** The one of several words that is nearest, if it is at most so many slips of the finger away. */
export function closest(
  word: string,
  candidates: Iterable<string>,
  mostSlips = 2,
): string | undefined {
  let best: string | undefined;
  let fewest = mostSlips + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const slips = slipsBetween(word, candidate);
    if (slips >= fewest) continue;
    best = candidate;
    fewest = slips;
  }
  return best;
}

/** Letters added, left out, changed, or swapped with their neighbour. */
function slipsBetween(one: string, other: string): number {
  const table = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const slips = (row: number, column: number) => table[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    table.push(now);
    for (let column = 1; column <= other.length; column += 1) {
      const [letter, another] = [one[row - 1], other[column - 1]];
      const isSwap = letter === other[column - 2] && one[row - 2] === another;
      now[column] = Math.min(
        slips(row - 1, column) + 1,
        slips(row, column - 1) + 1,
        slips(row - 1, column - 1) + (letter === another ? 0 : 1),
        slips(row - 2, column - 2) + (isSwap ? 1 : Number.POSITIVE_INFINITY),
      );
    }
  }
  return slips(one.length, other.length);
}
