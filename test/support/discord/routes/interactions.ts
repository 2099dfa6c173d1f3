import { problemsInLabel } from "../../own-words.ts";
import { attachmentsOf } from "../attachments.ts";
import { answer, type Call, DONE, type Routes } from "../call.ts";
import { FLAG, messageForm } from "../checks/message.ts";
import { checkModal } from "../checks/modal.ts";
import { INTERACTION, type Interaction } from "../interactions.ts";
import { addMessage, editMessage } from "../posting.ts";
import { Problems } from "../refusals.ts";
import type { DiscordServices } from "../services.ts";
import { type Fields, fieldsIn, isFields, numberIn, stringIn } from "../values.ts";
import type { DiscordFile, DiscordMessage } from "../world.ts";

const CALLBACK = {
  pong: 1,
  message: 4,
  deferMessage: 5,
  deferUpdate: 6,
  update: 7,
  autocomplete: 8,
  modal: 9,
} as const;

export const interactionRoutes: Routes = {
  "POST /interactions/:interaction/:token/callback": (call) => {
    const { interactions } = call.discord;
    const interaction = interactions.waiting(call.param("interaction"), call.param("token"));
    const type = numberIn(call.fields.type);
    mustFit(interaction, type);
    respond(call, interaction, type);
    interaction.response = type;
    if (call.query.get("with_response") !== "true") return DONE;
    return answer(callbackAnswer(call, interaction));
  },
};

function respond(call: Call, interaction: Interaction, type: number): void {
  const data = isFields(call.fields.data) ? call.fields.data : {};
  switch (type) {
    case CALLBACK.message:
      interaction.original = addAnswer(call, interaction, data);
      return;
    case CALLBACK.deferMessage:
      interaction.original = addLoading(call.discord, interaction, numberIn(data.flags));
      return;
    case CALLBACK.deferUpdate:
      if (interaction.source) interaction.original = interaction.source;
      return;
    case CALLBACK.update:
      updateSource(call, interaction, data);
      return;
    case CALLBACK.modal:
      checkModal(data);
      interaction.modal = data;
      return;
    default:
      takeChoices(interaction, data);
  }
}

/** Which answers an interaction takes. */
function mustFit({ type, source }: Interaction, callback: number): void {
  const problems = new Problems();
  const messages: number[] = [CALLBACK.message, CALLBACK.deferMessage];
  const updates: number[] = source ? [CALLBACK.deferUpdate, CALLBACK.update] : [];
  const fitting: Record<number, number[]> = {
    [INTERACTION.command]: [...messages, CALLBACK.modal],
    [INTERACTION.component]: [...messages, ...updates, CALLBACK.modal],
    [INTERACTION.autocomplete]: [CALLBACK.autocomplete],
    [INTERACTION.modal]: [...messages, ...updates],
  };
  problems.choice("type", callback, fitting[type] ?? []);
  problems.throwIfAny();
}

/** A new message in answer to an interaction, also a further one. */
export function addAnswer(call: Call, interaction: Interaction, data: Fields): DiscordMessage {
  const { discord } = call;
  const attached = filesOf(call, interaction, { attachments: data.attachments });
  const fileNames = attached.map(({ filename }) => filename);
  const form = messageForm(data, { fileNames, flags: "interaction" });
  const message = addMessage(discord.world, {
    ...answerFields(discord, interaction, form.flags),
    ...form,
    files: attached,
  });
  if (message.onlyFor === undefined) discord.events.posted(message);
  return message;
}

function addLoading(discord: DiscordServices, interaction: Interaction, flags: number) {
  const problems = new Problems();
  if ((flags & ~FLAG.ephemeral) !== 0)
    problems.add("data.flags", "INTERACTION_DEFER_FLAGS", "Only EPHEMERAL can be set here.");
  problems.throwIfAny();
  const message = addMessage(discord.world, {
    ...answerFields(discord, interaction, flags),
    flags: flags | FLAG.loading,
  });
  if (message.onlyFor === undefined) discord.events.posted(message);
  return message;
}

function answerFields({ app }: DiscordServices, interaction: Interaction, flags: number) {
  const { channel, id, type, userId, source } = interaction;
  const commandType = type === INTERACTION.command ? 20 : 0;
  const isReply = type === INTERACTION.component && source !== undefined;
  return {
    channel,
    authorId: app.user.id,
    webhookId: app.id,
    type: isReply ? 19 : commandType,
    interaction: { id, type, userId },
    ...(isReply && { reference: { messageId: source.id, channelId: source.channelId } }),
    ...((flags & FLAG.ephemeral) !== 0 && { onlyFor: userId }),
  };
}

function updateSource(call: Call, interaction: Interaction, data: Fields): void {
  const { source } = interaction;
  if (!source) return;
  interaction.original = source;
  editAnswer(call, interaction, { message: source, data });
}

/** Changes a message with the interaction's token; what was loading is there now. */
export function editAnswer(
  call: Call,
  interaction: Interaction,
  { message, data }: { message: DiscordMessage; data: Fields },
): void {
  const { discord } = call;
  const { attachments } = data;
  const files = filesOf(call, interaction, { attachments, existing: message.files });
  editMessage(discord.world, message, { body: data, files, flags: "interaction" });
  message.flags &= ~FLAG.loading;
  if (message.onlyFor === undefined) discord.events.edited(message);
}

function filesOf(
  { discord, files, bytes }: Call,
  { channel }: Interaction,
  given: { attachments: unknown; existing?: DiscordFile[] },
): DiscordFile[] {
  return attachmentsOf(discord.world, { files, bytes, channel, ...given });
}

function takeChoices(interaction: Interaction, data: Fields): void {
  const choices = fieldsIn(data.choices);
  const problems = new Problems();
  if (choices.length > 25)
    problems.add("data.choices", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
  for (const [index, { name, value }] of choices.entries()) {
    for (const problem of problemsInLabel(stringIn(name)))
      problems.add(`data.choices.${index}.name`, "WORDS_NOT_FOR_PEOPLE", problem);
    problems.length(`data.choices.${index}.name`, name, { least: 1, most: 100 });
    if (typeof value === "string")
      problems.length(`data.choices.${index}.value`, value, { least: 1, most: 100 });
  }
  problems.throwIfAny();
  interaction.choices = choices;
}

function callbackAnswer({ discord }: Call, interaction: Interaction): Fields {
  const { id, type, response, original } = interaction;
  const isMessage = response === CALLBACK.message || response === CALLBACK.update;
  return {
    interaction: {
      id,
      type,
      ...(original && {
        response_message_id: original.id,
        response_message_loading: (original.flags & FLAG.loading) !== 0,
        response_message_ephemeral: original.onlyFor !== undefined,
      }),
    },
    resource: {
      type: response,
      ...(original &&
        (isMessage || response === CALLBACK.deferMessage) && {
          message: discord.wire.message(original),
        }),
    },
  };
}
