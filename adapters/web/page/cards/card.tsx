import { type ComponentChildren, h } from "preact";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { View } from "../../../../src/contract/platform/view.ts";
import type { Actions } from "../state/actions.ts";

/** What every card is given: what to show, and where its buttons are pressed. */
export interface CardProps<Kind extends View["kind"]> {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly view: Extract<View, { kind: Kind }>;
}

/** A thing of its own in the talk. A group and not a region: a thread has many, and none is a place to go to. */
export function Card({
  look,
  label,
  children,
}: {
  readonly look: string;
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return h("div", { class: look, role: "group", "aria-label": label }, children);
}
