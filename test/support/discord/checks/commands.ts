import { Problems } from "../refusals.ts";
import { type Fields, fieldsIn, isFields, stringIn } from "../values.ts";

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const SUBCOMMANDS: readonly unknown[] = [1, 2];
const WITH_CHOICES: readonly unknown[] = [3, 4, 10];

/** docs.discord.com/developers/interactions/application-commands#application-command-object */
export function checkCommand(command: Fields, path = "", problems = new Problems()): Problems {
  const at = path === "" ? "" : `${path}.`;
  const type = command.type ?? 1;
  problems.choice(`${at}type`, type, [1, 2, 3]);
  if (type === 1) {
    checkName(command.name, `${at}name`, problems);
    problems.length(`${at}description`, command.description, { least: 1, most: 100 });
    checkOptions(fieldsIn(command.options), `${at}options`, problems);
    if (sizeOf(command) > 8_000)
      problems.add(path, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)");
    return problems;
  }
  problems.length(`${at}name`, command.name, { least: 1, most: 32 });
  if (stringIn(command.description) !== "")
    problems.add(
      `${at}description`,
      "APPLICATION_COMMAND_INVALID_DESCRIPTION",
      "Context menu commands cannot have description",
    );
  if (fieldsIn(command.options).length > 0)
    problems.add(
      `${at}options`,
      "APPLICATION_COMMAND_INVALID_OPTIONS",
      "Context menu commands cannot have options",
    );
  return problems;
}

function checkName(name: unknown, path: string, problems: Problems): void {
  const text = stringIn(name);
  if (!NAME.test(text) || text !== text.toLowerCase())
    problems.add(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
}

function checkOptions(options: readonly Fields[], path: string, problems: Problems): void {
  if (options.length > 25)
    problems.add(path, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
  const names = new Set<string>();
  let hasOptional = false;
  for (const [index, option] of options.entries()) {
    const at = `${path}.${index}`;
    checkOption(option, at, problems);
    if (names.has(stringIn(option.name)))
      problems.add(
        at,
        "APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATED",
        "Option names must be unique",
      );
    names.add(stringIn(option.name));
    if (option.required === true && hasOptional)
      problems.add(
        at,
        "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
        "Required options must be placed before non-required options",
      );
    hasOptional ||= option.required !== true && !SUBCOMMANDS.includes(option.type);
  }
  const kinds = new Set(options.map(({ type }) => SUBCOMMANDS.includes(type)));
  if (kinds.size > 1)
    problems.add(
      path,
      "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
      "Sub-command and sub-command group option types are mutually exclusive to all other types",
    );
}

function checkOption(option: Fields, path: string, problems: Problems): void {
  problems.choice(`${path}.type`, option.type, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  checkName(option.name, `${path}.name`, problems);
  problems.length(`${path}.description`, option.description, { least: 1, most: 100 });
  problems.range(`${path}.min_length`, option.min_length, { least: 0, most: 6_000 });
  problems.range(`${path}.max_length`, option.max_length, { least: 1, most: 6_000 });
  const choices = fieldsIn(option.choices);
  if (choices.length > 25)
    problems.add(`${path}.choices`, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
  if (choices.length > 0 && !WITH_CHOICES.includes(option.type))
    problems.add(
      `${path}.choices`,
      "APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID",
      "Only strings and numbers have choices",
    );
  if (choices.length > 0 && option.autocomplete === true)
    problems.add(
      `${path}.autocomplete`,
      "APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_CHOICES",
      "Autocomplete and choices exclude each other",
    );
  for (const [index, { name, value }] of choices.entries()) {
    problems.length(`${path}.choices.${index}.name`, name, { least: 1, most: 100 });
    if (typeof value === "string")
      problems.length(`${path}.choices.${index}.value`, value, { most: 100 });
  }
  checkOptions(fieldsIn(option.options), `${path}.options`, problems);
}

/** Names, descriptions and values, nested ones too. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + sizeOf(one), 0);
  if (!isFields(value)) return 0;
  const { name, description, options, choices } = value;
  const own = [name, description, value.value].map((text) => stringIn(text).length);
  return own.reduce((sum, length) => sum + length, 0) + sizeOf(options) + sizeOf(choices);
}
