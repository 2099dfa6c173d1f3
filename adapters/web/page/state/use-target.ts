import { useEffect, useRef } from "preact/hooks";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { Item } from "../../protocol.ts";
import type { Actions } from "./actions.ts";
import { usePart } from "./state.ts";

/** What comes into sight is laid out only then, and moves the rest: so often the place is looked up again. */
const LOOKS = 4;

interface Shown {
  readonly thread: ThreadId;
  readonly drawn: readonly Item[];
  readonly isAllDrawn: boolean;
  readonly isEarlierThere: boolean;
  readonly leaveEnd: () => void;
}

/** Goes to what a link means, as far back as it may be. Gives its id, for it to be marked. */
export function useTarget(actions: Actions, shown: Shown): string | undefined {
  const { thread, drawn, isAllDrawn, isEarlierThere, leaveEnd } = shown;
  const target = usePart(actions.store, (state) => state.target);
  const wanted = target?.thread === thread ? target : undefined;
  const done = useRef<typeof wanted>(undefined);
  useEffect(() => {
    if (!wanted || done.current === wanted || drawn.length === 0) return;
    const found = drawn.find(({ id }) => id === wanted.item);
    if (found && found.content.kind !== "removed") {
      done.current = wanted;
      leaveEnd();
      goTo(`item-${wanted.item}`);
    } else if (found || (isAllDrawn && !isEarlierThere)) {
      done.current = wanted;
      actions.say("The target of this link no longer exists.");
    } else if (isEarlierThere) void actions.loadEarlier(thread);
  }, [wanted, drawn, isAllDrawn, isEarlierThere]);
  return wanted?.item;
}

function goTo(id: string, looks = LOOKS): void {
  const element = document.getElementById(id);
  if (!element || looks === 0) return;
  element.scrollIntoView({ block: "center" });
  element.focus({ preventScroll: true });
  requestAnimationFrame(() => goTo(id, looks - 1));
}
