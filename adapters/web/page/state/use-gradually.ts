import { useEffect, useState } from "preact/hooks";
import type { Item } from "../../protocol.ts";

/** So many at once: drawing a whole page of them in one go is felt. */
const ITEMS_PER_FRAME = 25;

/** A long thread from its end on: what lies before is added in the next frames, some items in each. */
export function useGradually(items: readonly Item[]): {
  readonly drawn: readonly Item[];
  readonly isAllDrawn: boolean;
} {
  const [first, setFirst] = useState<string>();
  const known = items.findIndex(({ id }) => id === first);
  const from = known === -1 ? Math.max(0, items.length - ITEMS_PER_FRAME) : known;
  useEffect(() => {
    if (from === 0) {
      setFirst(items[0]?.id);
      return undefined;
    }
    const next = items[Math.max(0, from - ITEMS_PER_FRAME)];
    const frame = requestAnimationFrame(() => setFirst(next?.id));
    return () => cancelAnimationFrame(frame);
  }, [items, from]);
  return { drawn: from === 0 ? items : items.slice(from), isAllDrawn: from === 0 };
}
