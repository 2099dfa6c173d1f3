interface Visit {
  readonly node: number;
  readonly next: Iterator<number>;
}

/**
 * The groups of nodes that can all reach one another: whoever is in one lies on a circle, and whoever only
 * leads into a circle is in none. Tarjan's walk, on a stack of its own: each edge is looked at once, and a
 * long chain cannot exhaust the call stack.
 */
export function circles(edges: ReadonlyMap<number, readonly number[]>): number[][] {
  const found: number[][] = [];
  const order = new Map<number, number>();
  /** The oldest node still open that a node leads back to. */
  const oldest = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const path: Visit[] = [];

  for (const start of edges.keys()) {
    if (!order.has(start)) enter(start);
    for (let visit = path.at(-1); visit; visit = path.at(-1)) walkOn(visit);
  }
  return found;

  function enter(node: number): void {
    oldest.set(node, order.size);
    order.set(node, order.size);
    open.push(node);
    isOpen.add(node);
    path.push({ node, next: (edges.get(node) ?? []).values() });
  }

  function walkOn({ node, next }: Visit): void {
    const { value: neighbour, done } = next.next();
    if (done) leave(node);
    else if (!order.has(neighbour)) enter(neighbour);
    else if (isOpen.has(neighbour)) reaches(node, order.get(neighbour));
  }

  function leave(node: number): void {
    path.pop();
    const parent = path.at(-1);
    if (parent) reaches(parent.node, oldest.get(node));
    if (oldest.get(node) === order.get(node)) close(node);
  }

  function reaches(node: number, place = 0): void {
    oldest.set(node, Math.min(oldest.get(node) ?? place, place));
  }

  /** Nothing open is older than this node: it and all that came after it belong together. */
  function close(node: number): void {
    const group = open.splice(open.lastIndexOf(node));
    for (const member of group) isOpen.delete(member);
    if (group.length > 1 || edges.get(node)?.includes(node)) found.push(group);
  }
}
