import { Problems } from "../refusals.ts";
import { type Fields, fieldsIn, isFields } from "../values.ts";
import { checkCustomId } from "./button.ts";
import { TYPE } from "./context.ts";
import { checkSelect, SELECTS } from "./select.ts";
import { checkWordsOfModal } from "./words.ts";

const IN_LABEL: readonly number[] = [TYPE.textInput, ...SELECTS, TYPE.fileUpload, 21, 22, 23];

interface ModalContext {
  readonly problems: Problems;
  readonly customIds: Set<string>;
}

/** docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-modal */
export function checkModal(modal: Fields): void {
  const problems = new Problems();
  const context = { problems, customIds: new Set<string>() };
  problems.length("data.custom_id", modal.custom_id, { least: 1, most: 100 });
  problems.length("data.title", modal.title, { least: 1, most: 45 });
  const components = fieldsIn(modal.components);
  if (components.length < 1 || components.length > 5)
    problems.add("data.components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.");
  for (const [index, component] of components.entries())
    checkPart(component, `data.components.${index}`, context);
  checkWordsOfModal(modal, problems);
  problems.throwIfAny();
}

function checkPart(part: Fields, path: string, context: ModalContext): void {
  const { problems } = context;
  if (part.type === TYPE.label) checkLabel(part, path, context);
  else if (part.type === TYPE.text)
    problems.length(`${path}.content`, part.content, { least: 1, most: 4_000 });
  // Deprecated, and still what many send: a row with one field.
  else if (part.type === TYPE.row) checkOldRow(part, path, context);
  else
    problems.add(
      `${path}.type`,
      "UNION_TYPE_CHOICES",
      'Value of field "type" must be one of (1, 10, 18).',
    );
}

function checkLabel(label: Fields, path: string, context: ModalContext): void {
  const { problems } = context;
  problems.length(`${path}.label`, label.label, { least: 1, most: 45 });
  problems.optionalLength(`${path}.description`, label.description, { most: 100 });
  const { component } = label;
  if (!isFields(component)) {
    problems.required(`${path}.component`);
    return;
  }
  if (component.type === TYPE.textInput && component.label !== undefined)
    problems.add(
      `${path}.component.label`,
      "TEXT_INPUT_LABEL_IN_LABEL",
      "The label of a text input stands in its Label.",
    );
  checkField(component, `${path}.component`, context);
}

function checkOldRow(row: Fields, path: string, context: ModalContext): void {
  const fields = fieldsIn(row.components);
  const at = `${path}.components`;
  const [field] = fields;
  if (fields.length !== 1 || field?.type !== TYPE.textInput) {
    context.problems.add(at, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 1 in length.");
    return;
  }
  context.problems.length(`${at}.0.label`, field.label, { least: 1, most: 45 });
  checkField(field, `${at}.0`, context);
}

function checkField(field: Fields, path: string, context: ModalContext): void {
  const { problems } = context;
  if (!IN_LABEL.includes(field.type as number)) {
    problems.add(
      `${path}.type`,
      "UNION_TYPE_CHOICES",
      `Value of field "type" must be one of (${IN_LABEL.join(", ")}).`,
    );
    return;
  }
  if (field.disabled === true)
    problems.add(`${path}.disabled`, "MODAL_COMPONENT_DISABLED", "Not in a modal.");
  if (SELECTS.includes(field.type as number)) checkSelect(field, path, context);
  else checkCustomId(field, path, context);
  if (field.type === TYPE.textInput) checkTextInput(field, path, context);
  if (field.type === TYPE.fileUpload) checkFileUpload(field, path, context);
}

function checkTextInput(field: Fields, path: string, { problems }: ModalContext): void {
  problems.choice(`${path}.style`, field.style, [1, 2]);
  problems.range(`${path}.min_length`, field.min_length, { least: 0, most: 4_000 });
  problems.range(`${path}.max_length`, field.max_length, { least: 1, most: 4_000 });
  problems.optionalLength(`${path}.value`, field.value, { most: 4_000 });
  problems.optionalLength(`${path}.placeholder`, field.placeholder, { most: 100 });
}

function checkFileUpload(field: Fields, path: string, { problems }: ModalContext): void {
  problems.range(`${path}.min_values`, field.min_values, { least: 0, most: 10 });
  problems.range(`${path}.max_values`, field.max_values, { least: 1, most: 10 });
}
