import { memo } from "preact/compat";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { Item, PersonInfo } from "../../protocol.ts";
import type { Actions } from "../state/actions.ts";
import { ItemShown } from "./item.tsx";

/** About half a page of items, as places in a thread are given out. */
const PLACES = 64;

interface GroupProps {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly me: PersonInfo;
  readonly people: readonly PersonInfo[];
  readonly target: string | undefined;
  readonly items: readonly Item[];
}

/** Neighbours. An item keeps its group, whatever comes before or after it. */
export function groupsOf(items: readonly Item[]): [number, Item[]][] {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const key = Math.floor(item.seq / PLACES);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups];
}

/** Neither compared nor laid out anew while nothing in it has changed: what a long thread costs is its last group. */
export const Group = memo(function Group({ items, target, ...rest }: GroupProps) {
  return (
    <ol class="group">
      {items.map((item) => (
        <ItemShown key={item.id} {...rest} item={item} isMarked={item.id === target} />
      ))}
    </ol>
  );
}, isSame);

function isSame(before: GroupProps, after: GroupProps): boolean {
  const { items } = after;
  const isOther = (item: Item, index: number) => item !== before.items[index];
  if (before.items.length !== items.length || items.some(isOther)) return false;
  if (before.me !== after.me || before.people !== after.people) return false;
  return before.target === after.target || !items.some(({ id }) => isEither(id, before, after));
}

function isEither(id: string, before: GroupProps, after: GroupProps): boolean {
  return id === before.target || id === after.target;
}
