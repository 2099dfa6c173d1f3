import type { GroupKind, Node } from "./parse-segment.ts";

/** For each position of a name, whether a part of the pattern can end there. */
type Ends = Uint8Array;

/**
 * Whether a name fits. All ways to fit are followed at once, so no pattern takes more than the square of the name's length
 * for each of its parts; expressions that try one way after the other would hang on *a*a*a*a*b.
 */
export function fitsSegment(nodes: readonly Node[], name: string): boolean {
  const chars = Array.from(name);
  const start = new Uint8Array(chars.length + 1);
  start[0] = 1;
  return run(nodes, start, chars)[chars.length] === 1;
}

function run(nodes: readonly Node[], start: Ends, chars: readonly string[]): Ends {
  let ends = start;
  for (const node of nodes) {
    if (!ends.includes(1)) return ends;
    ends = step(node, ends, chars);
  }
  return ends;
}

function step(node: Node, ends: Ends, chars: readonly string[]): Ends {
  if (node.kind === "group") return group(node.repeat, node.branches, ends, chars);
  const next = new Uint8Array(ends.length);
  if (node.kind === "star") {
    const first = fromVisible(ends, chars).indexOf(1);
    return first < 0 ? next : next.fill(1, first);
  }
  const fits = node.kind === "char" ? (char: string) => char === node.char : node.fits;
  const from = node.kind === "char" ? ends : fromVisible(ends, chars);
  chars.forEach((char, at) => {
    if (from[at] === 1 && fits(char)) next[at + 1] = 1;
  });
  return next;
}

/** The dot of a hidden file has to be written in the pattern. */
function fromVisible(ends: Ends, chars: readonly string[]): Ends {
  if (chars[0] !== "." || ends[0] === 0) return ends;
  const visible = ends.slice();
  visible[0] = 0;
  return visible;
}

function group(
  repeat: GroupKind,
  branches: readonly Node[][],
  ends: Ends,
  chars: readonly string[],
): Ends {
  if (repeat === "!") return without(branches, fromVisible(ends, chars), chars);
  const once = any(branches, ends, chars);
  if (repeat === "@") return once;
  if (repeat === "?") return union(ends, once);
  let all = repeat === "*" ? union(ends, once) : once;
  for (let latest = once; latest.includes(1); ) {
    const more = any(branches, latest, chars);
    latest = more.map((can, at) => (can === 1 && all[at] === 0 ? 1 : 0));
    all = union(all, latest);
  }
  return all;
}

function any(branches: readonly Node[][], ends: Ends, chars: readonly string[]): Ends {
  return branches.map((branch) => run(branch, ends, chars)).reduce(union);
}

function union(a: Ends, b: Ends): Ends {
  return a.map((can, at) => can | (b[at] ?? 0));
}

/** Everything that none of the branches is. */
function without(branches: readonly Node[][], ends: Ends, chars: readonly string[]): Ends {
  const next = new Uint8Array(ends.length);
  ends.forEach((can, at) => {
    if (can === 0) return;
    const start = new Uint8Array(ends.length);
    start[at] = 1;
    const fitting = any(branches, start, chars);
    for (let end = at; end < next.length; end++) if (fitting[end] === 0) next[end] = 1;
  });
  return next;
}
