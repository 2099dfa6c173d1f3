import type { DiscordCommand } from "./commands.ts";
import { type Fields, fieldsIn, lengthOf, stringIn } from "./values.ts";

export type Given = Readonly<Record<string, string | number | boolean>>;

const SUBCOMMANDS: readonly unknown[] = [1, 2];

/** What Discord sends when somebody has filled in a command; throws where Discord's client would not let them. */
export function commandData(
  command: DiscordCommand,
  path: readonly string[],
  given: Given,
): Fields {
  const options = optionsOf(command.definition, path, given);
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(options.length > 0 && { options }),
    ...(command.guildId !== undefined && { guild_id: command.guildId }),
  };
}

function optionsOf(definition: Fields, path: readonly string[], given: Given): Fields[] {
  const defined = fieldsIn(definition.options);
  const subcommands = defined.filter(({ type }) => SUBCOMMANDS.includes(type));
  const [next, ...rest] = path;
  if (subcommands.length > 0) {
    const chosen = subcommands.find(({ name }) => name === next);
    if (!chosen) throw new Error(`There is no subcommand ${next ?? "(none given)"}.`);
    const options = optionsOf(chosen, rest, given);
    return [{ name: chosen.name, type: chosen.type, options }];
  }
  if (next !== undefined) throw new Error(`There is no subcommand ${next}.`);
  const unknown = Object.keys(given).filter((name) => !defined.some((one) => one.name === name));
  if (unknown.length > 0) throw new Error(`There is no option ${unknown.join(", ")}.`);
  return defined.flatMap((option) => valuesOf(option, given[stringIn(option.name)]));
}

function valuesOf(option: Fields, value: string | number | boolean | undefined): Fields[] {
  const name = stringIn(option.name);
  if (value === undefined) {
    if (option.required === true) throw new Error(`${name} must be filled in`);
    return [];
  }
  const choices = fieldsIn(option.choices);
  if (choices.length > 0 && !choices.some((choice) => choice.value === value))
    throw new Error(`${name} has no choice ${String(value)}`);
  const most = Number(option.max_length ?? 6_000);
  if (typeof value === "string" && lengthOf(value) > most)
    throw new Error(`${name} takes ${most} characters`);
  return [{ name, type: option.type, value }];
}

/** What Discord sends for a window that somebody has filled in. */
export function modalData(modal: Fields, typed: Readonly<Record<string, string>>): Fields {
  let id = 0;
  const nextId = () => {
    id += 1;
    return id;
  };
  const fill = (field: Fields): Fields => {
    const customId = stringIn(field.custom_id);
    const value = typed[customId] ?? stringIn(field.value);
    checkTyped(field, value);
    const filled = field.type === 4 ? { value } : { values: value === "" ? [] : [value] };
    return { type: field.type, id: nextId(), custom_id: customId, ...filled };
  };
  const components = fieldsIn(modal.components).map((part) => {
    const common = { type: part.type, id: nextId() };
    if (part.type === 18) return { ...common, component: fill(part.component as Fields) };
    if (part.type === 1) return { ...common, components: fieldsIn(part.components).map(fill) };
    return common;
  });
  return { custom_id: modal.custom_id, components };
}

/** The custom_ids of its fields. */
export function fieldsOfModal(modal: Fields): string[] {
  return fieldsIn(modal.components)
    .flatMap((part) => [part.component, ...fieldsIn(part.components)])
    .flatMap((field) => fieldsIn([field]))
    .map(({ custom_id }) => stringIn(custom_id));
}

function checkTyped(field: Fields, value: string): void {
  const name = stringIn(field.custom_id);
  if (value === "" && field.required !== false) throw new Error(`${name} must be filled in`);
  const most = Number(field.max_length ?? 4_000);
  const least = Number(field.min_length ?? 0);
  if (lengthOf(value) > most) throw new Error(`${name} takes ${most} characters`);
  if (value !== "" && lengthOf(value) < least) throw new Error(`${name} needs ${least} characters`);
}
