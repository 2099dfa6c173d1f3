import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import { Group, groupsOf } from "./items/group.tsx";
import { PendingShown } from "./items/item.tsx";
import { Icon } from "./parts/icon.tsx";
import type { Actions } from "./state/actions.ts";
import { type ThreadItems, usePart } from "./state/state.ts";
import { useGradually } from "./state/use-gradually.ts";
import { useTarget } from "./state/use-target.ts";

const NEAR_END_PX = 80;
const NEAR_TOP = "800px 0px 0px";
const NOTHING: ThreadItems = { items: [], upTo: 0, hasEarlier: false };

/** All that stands in a thread. Stays at the end while one reads the end, and where it is otherwise. */
export function Conversation({
  actions,
  thread,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
}) {
  const loaded = usePart(actions.store, (state) => state.items.get(thread));
  const { items, hasEarlier } = loaded ?? NOTHING;
  const outbox = usePart(actions.store, (state) => state.outbox);
  const me = usePart(actions.store, (state) => state.me);
  const people = usePart(actions.store, (state) => state.people);
  const known = new Set(items.map(({ id }) => id));
  const waiting = outbox.filter((one) => one.thread === thread && !known.has(`m${one.id}`));
  const { frame, list, isAtEnd, toEnd, leaveEnd } = useEnd(thread, waiting.length);
  const { drawn, isAllDrawn } = useGradually(items);
  const isEarlierThere = hasEarlier && isAllDrawn;
  const target = useTarget(actions, { thread, drawn, isEarlierThere, isAllDrawn, leaveEnd });
  return (
    <div class="talk">
      <section
        class="scroller"
        ref={frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label="Conversation"
        aria-busy={!loaded}
      >
        {isEarlierThere && <Earlier actions={actions} thread={thread} />}
        <div class="items" ref={list}>
          {groupsOf(drawn).map(([key, group]) => (
            <Group key={key} {...{ actions, thread, me, people, target }} items={group} />
          ))}
          <ol class="group">
            {waiting.map((pending) => (
              <PendingShown key={`m${pending.id}`} actions={actions} pending={pending} />
            ))}
          </ol>
        </div>
      </section>
      {!isAtEnd && (
        <button type="button" class="to-end" onClick={toEnd}>
          <Icon name="down" /> Newest
        </button>
      )}
    </div>
  );
}

function useEnd(thread: ThreadId, ownMessages: number) {
  const frame = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);
  const toEnd = () => {
    sticks.current = true;
    frame.current?.scrollTo({ top: frame.current.scrollHeight });
  };
  const leaveEnd = () => {
    sticks.current = false;
  };
  useLayoutEffect(toEnd, [thread, ownMessages]);
  useEffect(() => {
    const { current } = frame;
    if (!current || !list.current) return undefined;
    let last = { top: 0, height: 0 };
    const watch = () => {
      const { scrollTop: top, scrollHeight: height, clientHeight } = current;
      // Only a reader scrolls up; what grows or is laid out anew moves the end away from us, and we follow.
      const isReader = top < last.top && height === last.height;
      const isEnd = height - top - clientHeight < NEAR_END_PX;
      sticks.current = isEnd || (sticks.current && !isReader);
      last = { top, height };
      setAtEnd(sticks.current);
    };
    const grown = new ResizeObserver(() => {
      if (sticks.current) current.scrollTo({ top: current.scrollHeight });
    });
    grown.observe(list.current);
    grown.observe(current);
    current.addEventListener("scroll", watch, { passive: true });
    return () => {
      grown.disconnect();
      current.removeEventListener("scroll", watch);
    };
  }, []);
  return { frame, list, isAtEnd, toEnd, leaveEnd };
}

/** Fetches more when one comes near it; the button is for the keyboard. */
function Earlier({ actions, thread }: { readonly actions: Actions; readonly thread: ThreadId }) {
  const button = useRef<HTMLButtonElement>(null);
  const isBusy = useRef(false);
  const load = async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    const frame = button.current?.closest(".scroller");
    const fromEnd = frame ? frame.scrollHeight - frame.scrollTop : 0;
    await actions.loadEarlier(thread);
    await new Promise(requestAnimationFrame);
    // At the very top browsers do not keep the place by themselves.
    if (frame && frame.scrollTop === 0) frame.scrollTop = frame.scrollHeight - fromEnd;
    isBusy.current = false;
  };
  useEffect(() => {
    const { current } = button;
    if (!current) return undefined;
    const seen = new IntersectionObserver(
      async ([entry]) => {
        if (!entry?.isIntersecting) return;
        await load();
        seen.unobserve(current);
        seen.observe(current); // still in sight: once more
      },
      { root: current.closest(".scroller"), rootMargin: NEAR_TOP },
    );
    seen.observe(current);
    return () => seen.disconnect();
  }, [thread]);
  return (
    <button type="button" class="quiet earlier" ref={button} onClick={() => void load()}>
      Show earlier messages
    </button>
  );
}
