/** How many codes a fingerprint is made of; no pattern is shorter. */
export const PRINT_CODES = 8;
/** Each further code moves the others up by so many bits: eight codes later nothing of one is left. */
export const PRINT_SHIFT = 4;

/**
 * What each code adds to a fingerprint. The fingerprint of the last eight codes costs one step for each code, however
 * many there were before.
 */
export const GEAR = gear();

function gear(): Int32Array {
  const table = new Int32Array(0x10000);
  let state = 0x9e37_79b9;
  for (let code = 0; code < table.length; code += 1) {
    state = (Math.imul(state, 0x0019_660d) + 0x3c6e_f35f) | 0;
    table[code] = state ^ (state >>> 15);
  }
  return table;
}

/** What is below the highest bits of a fingerprint, in which all of its codes have a part. */
export const BELOW_TOP = 18;

/** The fingerprints of patterns: where none of them is in a view, none of the patterns is. */
export interface Fingerprints {
  readonly prints: ReadonlySet<number>;
  /** 1 for the highest bits of each. */
  readonly tops: Uint8Array;
}

export function fingerprintsOf(patterns: readonly Uint16Array[]): Fingerprints {
  const prints = new Set(patterns.map(printOf));
  const tops = new Uint8Array(1 << (32 - BELOW_TOP));
  for (const print of prints) tops[print >>> BELOW_TOP] = 1;
  return { prints, tops };
}

/** Of those eight codes that stand least often in other texts: not of `https://` or `password`. */
function printOf(codes: Uint16Array): number {
  let [best, most] = [0, 0];
  for (let start = 0; start + PRINT_CODES <= codes.length; start += 1) {
    const rare = rarity(codes, start);
    if (rare > most) [best, most] = [start, rare];
  }
  return codes
    .subarray(best, best + PRINT_CODES)
    .reduce((print, code) => ((print << PRINT_SHIFT) + (GEAR[code] ?? 0)) | 0, 0);
}

/** How many of them are neither like their neighbour nor common. */
function rarity(codes: Uint16Array, start: number): number {
  let rare = 0;
  for (let at = start; at < start + PRINT_CODES; at += 1) {
    const code = codes[at] ?? 0;
    rare += (COMMON.has(code) ? 0 : PRINT_CODES) + (code === codes[at - 1] ? 0 : 1);
  }
  return rare;
}

const COMMON = new Set(Array.from("abcdefghijklmnopqrstuvwxyz:/._- ", (one) => one.charCodeAt(0)));
