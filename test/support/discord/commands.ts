import { checkCommand } from "./checks/commands.ts";
import type { DiscordClock } from "./clock.ts";
import { Problems, refusal } from "./refusals.ts";
import { type Fields, fieldsIn, stringIn } from "./values.ts";

export interface DiscordCommand {
  readonly id: string;
  /** Absent: everywhere. */
  readonly guildId?: string;
  readonly type: number;
  readonly name: string;
  readonly definition: Fields;
}

const MOST: Readonly<Record<number, number>> = { 1: 100, 2: 15, 3: 15 };
const CREATES_A_DAY = 200;

/** The app's commands: docs.discord.com/developers/interactions/application-commands */
export class Commands {
  readonly #clock: DiscordClock;
  readonly #applicationId: string;
  readonly #created: { readonly scope: string; readonly at: number }[] = [];
  #all: DiscordCommand[] = [];

  constructor(clock: DiscordClock, applicationId: string) {
    this.#clock = clock;
    this.#applicationId = applicationId;
  }

  in(guildId: string | undefined): DiscordCommand[] {
    return this.#all.filter((one) => one.guildId === guildId);
  }

  byId(guildId: string | undefined, id: string): DiscordCommand {
    const command = this.in(guildId).find((one) => one.id === id);
    if (!command) throw refusal(10063);
    return command;
  }

  /** What somebody in this place can use under this name. A guild's own stands before one for all. */
  usable(guildId: string | undefined, type: number, name: string): DiscordCommand | undefined {
    const fits = (one: DiscordCommand) => one.type === type && one.name === name;
    const own = guildId === undefined ? undefined : this.in(guildId).find(fits);
    const context = guildId === undefined ? 1 : 0;
    const isOffered = ({ definition: { contexts, dm_permission } }: DiscordCommand): boolean =>
      Array.isArray(contexts)
        ? contexts.includes(context)
        : context === 0 || dm_permission !== false;
    return own ?? this.in(undefined).find((one) => fits(one) && isOffered(one));
  }

  /** New, or in the place of the one with its name. True: it is new. */
  put(
    guildId: string | undefined,
    definition: Fields,
  ): { command: DiscordCommand; isNew: boolean } {
    checkCommand(definition).throwIfAny();
    const type = Number(definition.type ?? 1);
    const name = stringIn(definition.name);
    const same = (one: DiscordCommand) =>
      one.guildId === guildId && one.type === type && one.name === name;
    const before = this.#all.find(same);
    const scope = guildId ?? "";
    if (!before) this.#countCreate(scope, type);
    const id = before?.id ?? this.#clock.nextId();
    const command = { id, type, name, definition, ...(guildId !== undefined && { guildId }) };
    this.#all = [...this.#all.filter((one) => !same(one)), command];
    return { command, isNew: !before };
  }

  change(guildId: string | undefined, id: string, changes: Fields): DiscordCommand {
    const before = this.byId(guildId, id);
    const definition: Fields = { ...before.definition, ...changes, type: before.type };
    checkCommand(definition).throwIfAny();
    const command = { ...before, name: stringIn(definition.name), definition };
    this.#all = this.#all.map((one) => (one === before ? command : one));
    return command;
  }

  remove(guildId: string | undefined, id: string): void {
    const command = this.byId(guildId, id);
    this.#all = this.#all.filter((one) => one !== command);
  }

  /** Everything of this scope, of all kinds, is what is given here. */
  overwrite(guildId: string | undefined, definitions: readonly Fields[]): DiscordCommand[] {
    const problems = new Problems();
    const names = new Set<string>();
    for (const [index, definition] of definitions.entries()) {
      checkCommand(definition, String(index), problems);
      const name = `${String(definition.type ?? 1)}:${stringIn(definition.name)}`;
      if (names.has(name))
        problems.add(
          String(index),
          "APPLICATION_COMMANDS_DUPLICATE_NAME",
          "Application command names must be unique",
        );
      names.add(name);
    }
    problems.throwIfAny();
    for (const [type, most] of Object.entries(MOST))
      if (definitions.filter((one) => Number(one.type ?? 1) === Number(type)).length > most)
        throw refusal(30032);
    const before = this.in(guildId);
    this.#all = this.#all.filter(
      (one) =>
        one.guildId !== guildId || names.has(`${one.type}:${one.name}`) || !before.includes(one),
    );
    return definitions.map((definition) => this.put(guildId, definition).command);
  }

  wire({ id, guildId, type, name, definition }: DiscordCommand): Fields {
    return {
      id,
      application_id: this.#applicationId,
      version: id,
      default_member_permissions: null,
      type,
      name,
      description: stringIn(definition.description),
      ...(guildId !== undefined && { guild_id: guildId }),
      ...(fieldsIn(definition.options).length > 0 && { options: definition.options }),
      ...(definition.contexts !== undefined && { contexts: definition.contexts }),
      nsfw: false,
    };
  }

  #countCreate(scope: string, type: number): void {
    const guildId = scope === "" ? undefined : scope;
    const existing = this.in(guildId).filter((one) => one.type === type).length;
    if (existing >= (MOST[type] ?? 0)) throw refusal(30032);
    const since = this.#clock.nowMs() - 86_400_000;
    const today = this.#created.filter((one) => one.scope === scope && one.at > since);
    if (today.length >= CREATES_A_DAY) throw refusal(30034);
    this.#created.push({ scope, at: this.#clock.nowMs() });
  }
}
