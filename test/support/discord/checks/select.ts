import { type Fields, fieldsIn, stringIn } from "../values.ts";
import { checkCustomId } from "./button.ts";
import type { ComponentContext } from "./context.ts";

/** String, user, role, mentionable and channel. */
export const SELECTS: readonly number[] = [3, 5, 6, 7, 8];

/** docs.discord.com/developers/components/reference#string-select */
export function checkSelect(
  select: Fields,
  path: string,
  context: Pick<ComponentContext, "problems" | "customIds">,
): void {
  const { problems } = context;
  checkCustomId(select, path, context);
  problems.optionalLength(`${path}.placeholder`, select.placeholder, { most: 150 });
  problems.range(`${path}.min_values`, select.min_values, { least: 0, most: 25 });
  problems.range(`${path}.max_values`, select.max_values, { least: 1, most: 25 });
  if (select.type === 3) checkOptions(select, path, context);
}

function checkOptions(
  select: Fields,
  path: string,
  { problems }: Pick<ComponentContext, "problems">,
): void {
  const options = fieldsIn(select.options);
  if (options.length < 1 || options.length > 25)
    problems.add(`${path}.options`, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length.");
  const values = new Set<string>();
  for (const [index, option] of options.entries()) {
    const at = `${path}.options.${index}`;
    problems.length(`${at}.label`, option.label, { least: 1, most: 100 });
    problems.length(`${at}.value`, option.value, { least: 1, most: 100 });
    problems.optionalLength(`${at}.description`, option.description, { most: 100 });
    if (values.has(stringIn(option.value)))
      problems.add(
        `${at}.value`,
        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
        "The specified option value is already used",
      );
    values.add(stringIn(option.value));
  }
  const most = Number(select.max_values ?? 1);
  if (most > options.length && options.length > 0)
    problems.add(
      `${path}.max_values`,
      "SELECT_COMPONENT_MAX_VALUES",
      "There are fewer options than that.",
    );
}
