/** Whether something is nested deeper than so many levels; such data overflows the stack of whoever walks it. */
export function isDeeperThan(whole: unknown, limit: number): boolean {
  const left: [unknown, number][] = [[whole, 0]];
  for (let next = left.pop(); next; next = left.pop()) {
    const [value, depth] = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth > limit) return true;
    for (const member of Object.values(value)) left.push([member, depth + 1]);
  }
  return false;
}
