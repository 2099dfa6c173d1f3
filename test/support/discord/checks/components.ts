import { type Fields, fieldsIn, isFields, lengthOf, stringIn } from "../values.ts";
import { checkButton } from "./button.ts";
import { type ComponentContext, TYPE } from "./context.ts";
import { checkSelect, SELECTS } from "./select.ts";

const IN_CONTAINER: readonly number[] = [1, 9, 10, 12, 13, 14];
const TOP_LEVEL: readonly number[] = [...IN_CONTAINER, TYPE.container];
const MOST_COMPONENTS = 40;
const MOST_TEXT = 4_000;

/** docs.discord.com/developers/components/reference */
export function checkComponents(
  components: readonly Fields[],
  options: Pick<ComponentContext, "problems" | "isV2" | "fileNames">,
): void {
  const context = { ...options, customIds: new Set<string>(), ids: new Set<number>() };
  const { problems, isV2 } = options;
  const most = isV2 ? MOST_COMPONENTS : 5;
  if (components.length > most)
    problems.add("components", "BASE_TYPE_BAD_LENGTH", `Must be between 1 and ${most} in length.`);
  const allowed = isV2 ? TOP_LEVEL : [TYPE.row];
  for (const [index, component] of components.entries())
    checkOne(component, { path: `components.${index}`, allowed, context });
  if (!isV2) return;
  if (everyIn(components).length > MOST_COMPONENTS)
    problems.add(
      "components",
      "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
      `The total number of components cannot exceed ${MOST_COMPONENTS}`,
    );
  if (textLength(components) > MOST_TEXT)
    problems.add(
      "components",
      "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
      `Component displayable text size exceeds maximum size of ${MOST_TEXT}`,
    );
}

export function everyIn(components: readonly Fields[]): Fields[] {
  return components.flatMap((component) => [
    component,
    ...everyIn(fieldsIn(component.components)),
    ...everyIn([component.accessory, component.component].filter(isFields)),
  ]);
}

function textLength(components: readonly Fields[]): number {
  return everyIn(components)
    .filter(({ type }) => type === TYPE.text)
    .reduce((sum, { content }) => sum + lengthOf(stringIn(content)), 0);
}

interface Place {
  readonly path: string;
  readonly allowed: readonly number[];
  readonly context: ComponentContext;
}

function checkOne(component: Fields, { path, allowed, context }: Place): void {
  const { problems } = context;
  const type = component.type as number;
  if (!allowed.includes(type)) {
    const message = `Value of field "type" must be one of (${allowed.join(", ")}).`;
    problems.add(`${path}.type`, "UNION_TYPE_CHOICES", message);
    return;
  }
  checkId(component, path, context);
  const check = CHECKS[type] ?? checkSelect;
  check(component, path, context);
}

function checkId({ id }: Fields, path: string, { problems, ids }: ComponentContext): void {
  if (id === undefined || id === null || id === 0) return;
  problems.range(`${path}.id`, id, { least: 0, most: 2 ** 31 - 1 });
  if (ids.has(id as number))
    problems.add(`${path}.id`, "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated");
  ids.add(id as number);
}

function checkRow(component: Fields, path: string, context: ComponentContext): void {
  const children = fieldsIn(component.components);
  const selects = children.filter(({ type }) => SELECTS.includes(type as number));
  const most = selects.length > 0 ? 1 : 5;
  if (children.length < 1 || children.length > most)
    context.problems.add(
      `${path}.components`,
      "BASE_TYPE_BAD_LENGTH",
      `Must be between 1 and ${most} in length.`,
    );
  const allowed = [TYPE.button, ...SELECTS];
  for (const [index, child] of children.entries())
    checkOne(child, { path: `${path}.components.${index}`, allowed, context });
}

function checkSection(component: Fields, path: string, context: ComponentContext): void {
  const texts = fieldsIn(component.components);
  if (texts.length < 1 || texts.length > 3)
    context.problems.add(
      `${path}.components`,
      "BASE_TYPE_BAD_LENGTH",
      "Must be between 1 and 3 in length.",
    );
  for (const [index, child] of texts.entries())
    checkOne(child, { path: `${path}.components.${index}`, allowed: [TYPE.text], context });
  if (!isFields(component.accessory)) context.problems.required(`${path}.accessory`);
  else
    checkOne(component.accessory, {
      path: `${path}.accessory`,
      allowed: [TYPE.button, TYPE.thumbnail],
      context,
    });
}

function checkContainer(component: Fields, path: string, context: ComponentContext): void {
  const children = fieldsIn(component.components);
  if (children.length === 0) context.problems.required(`${path}.components`);
  context.problems.range(`${path}.accent_color`, component.accent_color, {
    least: 0,
    most: 0xff_ff_ff,
  });
  for (const [index, child] of children.entries())
    checkOne(child, { path: `${path}.components.${index}`, allowed: IN_CONTAINER, context });
}

function checkGallery(component: Fields, path: string, context: ComponentContext): void {
  const items = fieldsIn(component.items);
  if (items.length < 1 || items.length > 10)
    context.problems.add(
      `${path}.items`,
      "BASE_TYPE_BAD_LENGTH",
      "Must be between 1 and 10 in length.",
    );
  for (const [index, item] of items.entries())
    checkMedia(item, `${path}.items.${index}.media`, { context, media: item.media });
}

function checkMedia(
  owner: Fields,
  path: string,
  { context, media }: { context: ComponentContext; media: unknown },
): void {
  const { problems, fileNames } = context;
  const url = isFields(media) ? stringIn(media.url) : "";
  problems.optionalLength(path.replace(/media$/, "description"), owner.description, {
    most: 1_024,
  });
  const [, name] = /^attachment:\/\/(.+)$/.exec(url) ?? [];
  if (name !== undefined && !fileNames.has(name))
    problems.add(path, "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", `No file ${name}.`);
  else if (name === undefined && !/^https?:\/\//.test(url))
    problems.add(`${path}.url`, "URL_TYPE_INVALID_SCHEME", "Scheme must be one of http, https.");
}

function checkFile(component: Fields, path: string, context: ComponentContext): void {
  const url = isFields(component.file) ? stringIn(component.file.url) : "";
  if (!url.startsWith("attachment://"))
    context.problems.add(
      `${path}.file.url`,
      "UNFURLED_MEDIA_ITEM_ATTACHMENT_ONLY",
      "Only attachment:// is supported here.",
    );
  else checkMedia(component, `${path}.file`, { context, media: component.file });
}

function checkText({ content }: Fields, path: string, { problems }: ComponentContext): void {
  if (stringIn(content).trim() === "") problems.required(`${path}.content`);
  else problems.length(`${path}.content`, content, { least: 1, most: MOST_TEXT });
}

function checkSeparator({ spacing }: Fields, path: string, { problems }: ComponentContext): void {
  if (spacing !== undefined) problems.choice(`${path}.spacing`, spacing, [1, 2]);
}

type Check = (component: Fields, path: string, context: ComponentContext) => void;

const CHECKS: Readonly<Record<number, Check>> = {
  [TYPE.row]: checkRow,
  [TYPE.button]: checkButton,
  [TYPE.section]: checkSection,
  [TYPE.text]: checkText,
  [TYPE.thumbnail]: (component, path, context) =>
    checkMedia(component, `${path}.media`, { context, media: component.media }),
  [TYPE.gallery]: checkGallery,
  [TYPE.file]: checkFile,
  [TYPE.separator]: checkSeparator,
  [TYPE.container]: checkContainer,
};
