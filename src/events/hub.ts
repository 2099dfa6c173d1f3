import type {
  BotEvent,
  ConversationState,
  EventHub,
  Posted,
} from "../contract/conversation/event.ts";
import { BoundedMap } from "../lib/bounded.ts";
import { type FoldedState, foldEvent, noState } from "./state.ts";

/** How many events may wait for one observer, and of how many conversations the state is kept. */
const WAITING_LIMIT = 10_000;
const CONVERSATIONS_LIMIT = 10_000;

/** Where everybody in this process tells and learns what happens. */
export function createEventHub({ warn }: { readonly warn: (message: string) => void }): EventHub {
  const states = new BoundedMap<string, FoldedState>(CONVERSATIONS_LIMIT);
  const ofAll = new Set<Mailbox<Posted>>();
  const ofOne = new Map<string, Set<Mailbox<Posted>>>();
  const listeners = new Set<Mailbox<BotEvent>>();
  let number = 0;

  return {
    post(conversation, event) {
      number += 1;
      const posted: Posted = { ...event, conversation, number, at: new Date().toISOString() };
      const state = states.get(conversation) ?? noState();
      foldEvent(state, number, event);
      states.set(conversation, state);
      for (const observer of ofAll) observer.put(conversation, posted);
      for (const observer of ofOne.get(conversation) ?? []) observer.put(conversation, posted);
    },

    announce(event) {
      for (const listener of listeners) listener.put("", event);
    },

    observe(observer, conversation) {
      if (conversation === undefined) return join(ofAll, warn, observer);
      const mailboxes = ofOne.get(conversation) ?? new Set();
      ofOne.set(conversation, mailboxes);
      const leave = join(mailboxes, warn, observer);
      return () => {
        leave();
        if (mailboxes.size === 0) ofOne.delete(conversation);
      };
    },

    onAnnouncement(observer) {
      return join(listeners, warn, observer);
    },

    state(conversation): ConversationState {
      const { number, running, pendingInputs, todos } = states.get(conversation) ?? noState();
      return {
        number,
        running: [...running.values()],
        pendingInputs: [...pendingInputs.values()],
        ...(todos && { todos }),
      };
    },
  };
}

/** What waits for one observer. Conversations do not wait for each other. */
interface Mailbox<Event> {
  put(lane: string, event: Event): void;
}

function join<Event>(
  mailboxes: Set<Mailbox<Event>>,
  warn: (message: string) => void,
  observer: (event: Event) => void | Promise<void>,
): () => void {
  const lanes = new Map<string, Event[]>();
  let waiting = 0;
  let isOver = false;
  const leave = () => {
    isOver = true;
    mailboxes.delete(mailbox);
    lanes.clear();
  };
  const deliver = async (lane: string, events: Event[]) => {
    for (let event = events[0]; event !== undefined && !isOver; event = events[0]) {
      // An observer that fails is its own trouble: it gets the next event all the same.
      await Promise.resolve(event)
        .then((next) => (isOver ? undefined : observer(next)))
        .catch((error: unknown) => warn(`An event subscriber failed: ${String(error)}`));
      events.shift();
      waiting -= 1;
    }
    lanes.delete(lane);
  };
  const mailbox: Mailbox<Event> = {
    put(lane, event) {
      waiting += 1;
      const events = lanes.get(lane);
      if (events) events.push(event);
      else {
        const begun = [event];
        lanes.set(lane, begun);
        void deliver(lane, begun);
      }
      if (waiting <= WAITING_LIMIT) return;
      leave();
      warn(`An event subscriber is ${waiting} events behind and was dropped.`);
    },
  };
  mailboxes.add(mailbox);
  return leave;
}
