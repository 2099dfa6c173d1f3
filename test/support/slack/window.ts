import { checkView } from "./block-check.ts";
import { SlackCall } from "./call.ts";
import { named } from "./message-check.ts";
import { addView } from "./methods/views.ts";
import type { SlackServices } from "./services.ts";
import { type Fields, fieldsIn, isFields, lengthOf, stringIn } from "./values.ts";
import type { SlackView } from "./world.ts";

/** What somebody has typed and chosen, as Slack sends it; throws where Slack's client would not let them. */
export function stateOf(view: SlackView, typed: Readonly<Record<string, string>>): Fields {
  const inputs = fieldsIn(view.content.blocks).filter(({ type }) => type === "input");
  const values = inputs.map((block) => {
    const element = isFields(block.element) ? block.element : {};
    const actionId = stringIn(element.action_id);
    const given = typed[actionId] ?? typed[stringIn(block.block_id)] ?? "";
    checkInput(block, element, given);
    return [block.block_id, { [actionId]: stateValue(element, given) }];
  });
  return Object.fromEntries(values);
}

function checkInput(block: Fields, element: Fields, given: string): void {
  const name = stringIn(block.block_id);
  if (given === "" && block.optional !== true) throw new Error(`${name} must be filled in`);
  const most = Number(element.max_length ?? 3_000);
  const least = Number(element.min_length ?? 0);
  if (lengthOf(given) > most) throw new Error(`${name} takes ${most} characters`);
  if (given !== "" && lengthOf(given) < least) throw new Error(`${name} needs ${least} characters`);
}

function stateValue(element: Fields, given: string): Fields {
  const { type } = element;
  if (type !== "static_select" && type !== "radio_buttons")
    return { type, value: given === "" ? null : given };
  const options = fieldsIn(element.options);
  const selected = options.find(({ value }) => value === given) ?? null;
  if (given !== "" && !selected) throw new Error(`There is no option ${given}.`);
  return { type, selected_option: selected };
}

/** What the app's answer to a submission does to the windows: docs.slack.dev/surfaces/modals */
export function answerSubmission(slack: SlackServices, view: SlackView, response: Fields): void {
  const { windows } = slack.world;
  const stack = windows.get(view.user) ?? [];
  const others = stack.filter((one) => one !== view);
  switch (response.response_action) {
    case "errors":
      view.errors = errorsIn(view, response.errors);
      return;
    case "update":
    case "push": {
      const content = isFields(response.view) ? response.view : {};
      checkView(content, "modal");
      const whole = { ...content, blocks: named(fieldsIn(content.blocks)) };
      const previous = response.response_action === "push" ? view : undefined;
      const next = addView(new SlackCall(slack, {}), view.user, whole, {
        root: stack[0] ?? view,
        previous,
      });
      windows.set(view.user, previous ? [...stack, next] : [...others, next]);
      return;
    }
    case "clear":
      windows.set(view.user, []);
      return;
    case undefined:
      windows.set(view.user, others);
      return;
    default:
      throw new Error(`Slack knows no response_action ${String(response.response_action)}.`);
  }
}

/** Slack shows an error only at a block that exists and takes input. */
function errorsIn(view: SlackView, errors: unknown): Fields {
  const inputs = fieldsIn(view.content.blocks).filter(({ type }) => type === "input");
  const known = new Set(inputs.map(({ block_id }) => block_id));
  const given = isFields(errors) ? errors : {};
  const unknown = Object.keys(given).filter((id) => !known.has(id));
  if (unknown.length > 0 || Object.keys(given).length === 0)
    throw new Error(`The errors name no input block: ${unknown.join(", ") || "none"}.`);
  return given;
}
