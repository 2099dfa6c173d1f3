import { type ComponentChildren, h } from "preact";

/** Text that may be wider or longer than its place. What scrolls must be reachable by keyboard, and needs a name then. */
export function Scrolling({
  tag = "pre",
  look = "",
  label,
  children,
}: {
  readonly tag?: "pre" | "div";
  readonly look?: string;
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  const properties = { class: look, tabIndex: 0, role: "group", "aria-label": label };
  return h(tag, properties, children);
}
