import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessage,
  type APIMessageApplicationCommandInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  ApplicationCommandType,
  ComponentType,
  InteractionType,
  MessageFlags,
  PermissionFlagsBits,
} from "discord.js";
import type { Presence } from "../../../src/contract/platform/actor.ts";
import { openingOf } from "../../../src/contract/platform/form-click.ts";
import type { Incoming, ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { PlatformHooks } from "../../../src/contract/platform/platform.ts";
import type { Log } from "../../../src/lib/log.ts";
import type { DiscordCalls } from "../connection/calls.ts";
import type { DiscordConnection } from "../connection/connection.ts";
import { memberIn, typedIn, userIn } from "../connection/payloads.ts";
import { common } from "../inbound.ts";
import { NO_THREADS } from "../places/explaining.ts";
import type { DiscordPeople } from "../places/people.ts";
import type { DiscordPlaces } from "../places/places.ts";
import { type Clickable, formWindow, keptForm, readCustomId } from "../rendering/buttons.ts";
import { allWords } from "../rendering/text.ts";
import { askedId, decodeThread, encodeThread, isDirect, threadKey, timeOf } from "../thread.ts";
import { type Answers, type Interaction, RESPONSE } from "./answers.ts";
import { ASK_ABOUT, completions, readCommand, type Said } from "./commands.ts";
import type { KeptForms } from "./kept.ts";
import { COULD_NOT, type Taking } from "./taking.ts";

export interface DoorParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
  readonly people: DiscordPeople;
  readonly places: DiscordPlaces;
  readonly taking: Taking;
  readonly answers: Answers;
  readonly kept: KeptForms;
  readonly hooks: PlatformHooks;
  readonly log: Log;
}

/** What people do with buttons, lists, windows and commands. */
export class Doors {
  readonly #parts: DoorParts;

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  async onInteraction(interaction: APIInteraction): Promise<void> {
    try {
      await this.#handle(interaction);
    } catch (error) {
      this.#parts.log("error", "Failed to process a Discord interaction.", {
        interaction: interaction.id,
        error,
      });
      await this.#sayTo(interaction, COULD_NOT).catch(() => undefined);
    }
  }

  async #handle(interaction: APIInteraction): Promise<void> {
    switch (interaction.type) {
      case InteractionType.MessageComponent:
        return this.#onClick(interaction);
      case InteractionType.ModalSubmit:
        return this.#onWindow(interaction);
      case InteractionType.ApplicationCommandAutocomplete:
        return this.#onTyping(interaction);
      case InteractionType.ApplicationCommand:
        return this.#onCommand(interaction);
      default:
        return undefined;
    }
  }

  /** Where a button opens a window, that comes first: Discord takes it as the first answer or not at all. */
  async #onClick(interaction: APIMessageComponentInteraction): Promise<void> {
    const { data } = interaction;
    const [value = data.custom_id] = "values" in data ? data.values : [];
    const picked = PICKED.exec(data.custom_id)?.[1];
    if (picked !== undefined) return this.#onPicked(interaction, picked, value);
    const clicked = readCustomId(value);
    const thread = clicked && (await this.#threadOf(interaction, clicked));
    if (!clicked || thread === undefined) return this.#sayTo(interaction, NOT_HERE);
    if (clicked.form !== undefined) {
      return this.#openWindow(interaction, thread, { ...clicked, form: clicked.form, id: value });
    }
    return this.#click(interaction, thread, { action: clicked.action });
  }

  /** People who may not send the form learn that at once, and see no window. */
  async #openWindow(
    interaction: APIMessageComponentInteraction,
    thread: ThreadId,
    { action, form, id }: { readonly action: string; readonly form: string; readonly id: string },
  ): Promise<void> {
    const { hooks, answers, kept, log } = this.#parts;
    const presence = async () => presenceOf(await this.#doneBy(interaction, thread));
    const opening = await openingOf(hooks.openForm, { thread, action, presence }, (error) =>
      log("warn", "Failed to check a Discord user's rights.", { thread, error }),
    );
    if (opening && "refusal" in opening) return this.#sayTo(interaction, opening.refusal);
    const shown = opening ? keptForm(opening.form) : await kept.form(form);
    await answers.respond(interaction, RESPONSE.window, formWindow(shown, id));
  }

  async #onWindow(interaction: APIModalSubmitInteraction): Promise<void> {
    const { custom_id } = interaction.data;
    const typed = typedIn(interaction);
    const asked = ASKED.exec(custom_id);
    if (asked) return this.#onAsked(interaction, { message: asked[1] ?? "", text: typed });
    const clicked = readCustomId(custom_id);
    const thread = clicked && (await this.#threadOf(interaction, clicked));
    if (!clicked || thread === undefined) return this.#sayTo(interaction, NOT_HERE);
    return this.#click(interaction, thread, { action: clicked.action, typed });
  }

  #click(
    interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
    thread: ThreadId,
    deed: { readonly action: string; readonly typed?: string },
  ): Promise<void> {
    const id = `click:${interaction.id}`;
    return this.#parts.taking.take(interaction, thread, { id, isCommand: false }, async () => ({
      ...(await this.#doneBy(interaction, thread)),
      ...{ id, at: timeOf(interaction.id), type: "click", ...deed },
    }));
  }

  async #onTyping({ id, token, data }: APIApplicationCommandAutocompleteInteraction) {
    const choices = completions(data, this.#parts.hooks.commands?.() ?? []);
    await this.#parts.answers.respond({ id, token }, RESPONSE.choices, { choices });
  }

  async #onCommand(interaction: APIApplicationCommandInteraction): Promise<void> {
    const { data } = interaction;
    if (data.type === ApplicationCommandType.Message)
      return this.#onMenu(interaction as APIMessageApplicationCommandInteraction);
    if (data.type !== ApplicationCommandType.ChatInput) return undefined;
    const { name, options } = (interaction as APIChatInputApplicationCommandInteraction).data;
    const said = readCommand({ name, options });
    const place = await this.#parts.places.placeOf(interaction.channel.id);
    return place
      ? this.#say(interaction, encodeThread(place), said)
      : this.#outside(interaction, said);
  }

  #say(
    interaction: APIApplicationCommandInteraction | APIMessageComponentInteraction,
    thread: ThreadId,
    { kind, text }: Said,
  ): Promise<void> {
    return kind === "ask"
      ? this.#ask(interaction, thread, { text })
      : this.#command(interaction, thread, text);
  }

  /** The menu of a message: its thread is the one that it stands in, or the one that begins at it. */
  async #onMenu(interaction: APIMessageApplicationCommandInteraction): Promise<void> {
    const { data, channel } = interaction;
    const message = data.target_id;
    if (data.name === ASK_ABOUT) {
      const window = formWindow(ASK_FORM, `ask.${message}`);
      await this.#parts.answers.respond(interaction, RESPONSE.window, window);
      return;
    }
    const { text } = readCommand({ name: data.name });
    const place = await this.#parts.places.placeOf(channel.id, message);
    if (!place) return this.#sayTo(interaction, NO_THREADS);
    return this.#command(interaction, encodeThread(place), text);
  }

  /** A question about a message: the same as saying it below it. */
  async #onAsked(
    interaction: APIModalSubmitInteraction,
    { message, text }: { readonly message: string; readonly text: string },
  ): Promise<void> {
    const { calls, connection, places } = this.#parts;
    const channel = interaction.channel?.id ?? "";
    const place = await places.placeOf(channel, message);
    if (!place) return this.#sayTo(interaction, NO_THREADS);
    const answer = await calls.call("get", `/channels/${channel}/messages/${message}`);
    const target = answer as APIMessage;
    const pointedAt = connection.wordsOf({ ...target, content: allWords(target), channel });
    return this.#ask(interaction, encodeThread(place), { text, pointedAt });
  }

  #ask(
    interaction: APIInteraction,
    thread: ThreadId,
    { text, pointedAt }: { readonly text: string; readonly pointedAt?: string },
  ): Promise<void> {
    const id = askedId(interaction.id);
    const channel = interaction.channel?.id ?? "";
    const words = this.#parts.connection.wordsOf({ content: text, channel });
    return this.#parts.taking.take(interaction, thread, { id, isCommand: true }, async () => ({
      ...(await this.#doneBy(interaction, thread)),
      ...{ id, at: timeOf(interaction.id), type: "message", messageId: id, text: words },
      ...{ isMention: true, isDirect: isDirect(decodeThread(thread)), attachments: [] },
      ...(pointedAt === undefined ? {} : { pointedAt }),
    }));
  }

  #command(interaction: APIInteraction, thread: ThreadId, text: string): Promise<void> {
    const id = `command:${interaction.id}`;
    return this.#parts.taking.take(interaction, thread, { id, isCommand: true }, async () => ({
      ...(await this.#doneBy(interaction, thread)),
      ...{ id, at: timeOf(interaction.id), type: "command", text },
    }));
  }

  /** Outside of all threads nobody knows which one is meant: the only one there is, or the one that is then chosen. */
  async #outside(interaction: APIApplicationCommandInteraction, said: Said): Promise<void> {
    const { connection, answers, kept } = this.#parts;
    const channel = interaction.channel.id;
    const isSeen = BigInt(interaction.app_permissions) & PermissionFlagsBits.ViewChannel;
    if (!isSeen) return this.#sayTo(interaction, CANNOT_SEE);
    if (connection.client.channels.cache.get(channel)?.isVoiceBased())
      return this.#sayTo(interaction, NO_THREADS);
    const found = [...connection.client.channels.cache.values()].flatMap((one) =>
      one.isThread() && one.parentId === channel && one.ownerId === connection.self && !one.archived
        ? [one]
        : [],
    );
    const newest = found.sort((one, other) => (BigInt(other.id) > BigInt(one.id) ? 1 : -1));
    const [first, second] = newest;
    if (!first) return this.#sayTo(interaction, NO_THREAD_YET);
    const { guildId: guild } = first;
    if (!second) {
      const thread = encodeThread({ guild, parent: channel, channel: first.id });
      return this.#say(interaction, thread, said);
    }
    const key = await kept.keepWords(said);
    const options = newest
      .slice(0, 25)
      .map(({ id, name }) => ({ label: name.slice(0, 100).toWellFormed(), value: id }));
    await answers.respondWith(interaction, [
      { type: ComponentType.TextDisplay, content: "Which thread?" },
      {
        type: ComponentType.ActionRow,
        components: [{ type: ComponentType.StringSelect, custom_id: `pick.${key}`, options }],
      },
    ]);
  }

  async #onPicked(interaction: APIMessageComponentInteraction, key: string, value: string) {
    const { kept, places } = this.#parts;
    const [place, said] = await Promise.all([places.placeOf(value), kept.words(key)]);
    if (!place) return this.#sayTo(interaction, NOT_HERE);
    if (!said) return this.#sayTo(interaction, TYPE_AGAIN);
    return this.#say(interaction, encodeThread(place), said);
  }

  async #sayTo(interaction: Interaction, text: string): Promise<void> {
    const content = [{ type: ComponentType.TextDisplay as const, content: text }];
    await this.#parts.answers.respondWith(interaction, content);
  }

  /**
   * In which thread a button stands. The button says it, and where it was clicked must say the same: a card counts where
   * it was posted and nowhere else. What was whispered says so itself, and stands where one person alone sees it.
   */
  async #threadOf(
    interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
    { thread: key }: Clickable,
  ): Promise<ThreadId | undefined> {
    const { kept, places } = this.#parts;
    const channel = interaction.channel?.id;
    const place = channel === undefined ? undefined : await places.placeOf(channel);
    const here = place && encodeThread(place);
    // Nothing has to be looked up: there may be no time for it.
    if (here !== undefined && threadKey(here) === key) return here;
    const isAlone = ((interaction.message?.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
    return isAlone || (place && isDirect(place)) ? kept.thread(key) : undefined;
  }

  /** Who did it, and whether they belong to the thread that it is about. */
  async #doneBy(interaction: APIInteraction, thread: ThreadId) {
    const { people } = this.#parts;
    const place = decodeThread(thread);
    const user = userIn(interaction);
    const channel = interaction.channel?.id;
    const isThere = channel === place.channel || (!isDirect(place) && channel === place.parent);
    const person = isDirect(place)
      ? await people.doerInDirect(user)
      : await people.doer(place, user, isThere ? memberIn(interaction) : undefined);
    const done = common(place, person);
    if (isThere) return done;
    const presence = await people.presence(place, user.id);
    return { ...done, isChannelMember: presence?.place.isChannelMember ?? false };
  }
}

function presenceOf({
  actor,
  channel,
  isChannelMember,
}: Pick<Incoming, "actor" | "channel" | "isChannelMember">): Presence {
  const { platform, team } = actor;
  return { actor, place: { platform, team, channel, isChannelMember } };
}

const PICKED = /^pick\.(.+)$/s;
const ASKED = /^ask\.(\d{1,20})$/;
const ASK_FORM = {
  title: "Ask about this",
  label: "What about this message?",
  hint: "",
  isLong: true,
  shows: [],
};

const NOT_HERE = "This button is out of date. Use the newest card in the thread.";
const CANNOT_SEE =
  "I cannot see this channel. Ask a server admin to give my role the permission View Channels here.";
const NO_THREAD_YET =
  "I have no thread in this channel yet. Mention me in a message and say what you want.";
const TYPE_AGAIN = "This choice has expired. Type the command again.";
