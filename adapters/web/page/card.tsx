import { type ComponentChildren, h } from "preact";

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
