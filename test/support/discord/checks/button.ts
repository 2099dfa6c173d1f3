import { type Fields, isFields, stringIn } from "../values.ts";
import type { ComponentContext } from "./context.ts";

const LINK = 5;
const PREMIUM = 6;

/** docs.discord.com/developers/components/reference#button */
export function checkButton(button: Fields, path: string, context: ComponentContext): void {
  const { problems } = context;
  problems.choice(`${path}.style`, button.style, [1, 2, 3, 4, LINK, PREMIUM]);
  problems.optionalLength(`${path}.label`, button.label, { most: 80 });
  if (button.style === LINK) checkLink(button, path, context);
  else if (button.style === PREMIUM) checkPremium(button, path, context);
  else {
    checkCustomId(button, path, context);
    for (const field of ["url", "sku_id"]) refuseField(button, field, path, context);
    checkFace(button, path, context);
  }
}

/** Also of selects and of everything that takes input. */
export function checkCustomId(
  { custom_id }: Fields,
  path: string,
  { problems, customIds }: Pick<ComponentContext, "problems" | "customIds">,
): void {
  if (custom_id === undefined) {
    problems.required(`${path}.custom_id`);
    return;
  }
  problems.length(`${path}.custom_id`, custom_id, { least: 1, most: 100 });
  if (customIds.has(stringIn(custom_id)))
    problems.add(
      `${path}.custom_id`,
      "COMPONENT_CUSTOM_ID_DUPLICATED",
      "Component custom id cannot be duplicated",
    );
  customIds.add(stringIn(custom_id));
}

function checkLink(button: Fields, path: string, context: ComponentContext): void {
  const { problems } = context;
  if (button.url === undefined) problems.required(`${path}.url`);
  else problems.length(`${path}.url`, button.url, { least: 1, most: 512 });
  if (!/^(?:https?|discord):\/\//.test(stringIn(button.url)))
    problems.add(`${path}.url`, "URL_TYPE_INVALID_SCHEME", "Scheme must be one of http, https.");
  refuseField(button, "custom_id", path, context);
  checkFace(button, path, context);
}

function checkPremium(button: Fields, path: string, context: ComponentContext): void {
  if (button.sku_id === undefined) context.problems.required(`${path}.sku_id`);
  for (const field of ["custom_id", "label", "url", "emoji"])
    refuseField(button, field, path, context);
}

/** Something must stand on it. */
function checkFace({ label, emoji }: Fields, path: string, { problems }: ComponentContext): void {
  if (stringIn(label) === "" && !isFields(emoji))
    problems.add(path, "BUTTON_COMPONENT_INVALID_EMPTY", "A button needs a label or an emoji.");
}

function refuseField(
  button: Fields,
  field: string,
  path: string,
  { problems }: ComponentContext,
): void {
  if (button[field] !== undefined)
    problems.add(`${path}.${field}`, "BUTTON_COMPONENT_INVALID_FIELD", `No ${field} here.`);
}
