export const BLOCKS = "reference/block-kit/blocks";
export const ELEMENTS = "reference/block-kit/block-elements";
export const OBJECTS = "reference/block-kit/composition-objects";

export const plain = (length: number) => ({ type: "plain_text", text: "x".repeat(length) });
export const markup = (length: number) => ({ type: "mrkdwn", text: "x".repeat(length) });
export const section = (length: number) => ({ type: "section", text: markup(length) });
export const header = (length: number) => ({ type: "header", text: plain(length) });
export const divider = { type: "divider" };
export const button = (more: object = {}) => ({ type: "button", text: plain(3), ...more });
export const actions = (...elements: object[]) => ({ type: "actions", elements });
export const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index));
export const option = (index: number) => ({ text: plain(3), value: `v${index}` });
export const select = (count: number) => ({ type: "static_select", options: times(count, option) });
export const input = (more: object) => ({
  type: "input",
  label: plain(3),
  element: { type: "plain_text_input", action_id: "a", ...more },
});
