import { answer, type Call, DONE, type Routes } from "../call.ts";
import { FLAG } from "../checks/message.ts";
import type { Interaction } from "../interactions.ts";
import { refusal } from "../refusals.ts";
import type { DiscordMessage } from "../world.ts";
import { addAnswer, editAnswer } from "./interactions.ts";

const DEFERRED_MESSAGE = 5;

/** What can be done with an interaction's token after the first answer. */
export const webhookRoutes: Routes = {
  "POST /webhooks/:application/:token": (call) => {
    const interaction = interactionOf(call);
    const { original, response } = interaction;
    // After a deferred answer the first further one takes its place.
    if (response === DEFERRED_MESSAGE && original && (original.flags & FLAG.loading) !== 0) {
      const data = { ...call.fields, flags: Number(call.fields.flags ?? 0) & ~FLAG.ephemeral };
      editAnswer(call, interaction, { message: original, data });
      return answer(call.discord.wire.message(original));
    }
    const message = addAnswer(call, interaction, call.fields);
    interaction.followUps.push(message);
    return answer(call.discord.wire.message(message));
  },
  "GET /webhooks/:application/:token/messages/:message": (call) =>
    answer(call.discord.wire.message(messageOf(call))),
  "PATCH /webhooks/:application/:token/messages/:message": (call) => {
    const message = messageOf(call);
    editAnswer(call, interactionOf(call), { message, data: call.fields });
    return answer(call.discord.wire.message(message));
  },
  "DELETE /webhooks/:application/:token/messages/:message": (call) => {
    const message = messageOf(call);
    call.discord.world.remove(message);
    if (message.onlyFor === undefined) call.discord.events.deleted(message);
    return DONE;
  },
};

function interactionOf(call: Call): Interaction {
  if (call.param("application") !== call.discord.app.id) throw refusal(10015);
  return call.discord.interactions.answered(call.param("token"));
}

function messageOf(call: Call): DiscordMessage {
  const { original, followUps } = interactionOf(call);
  const id = call.param("message");
  const message =
    id === "@original" ? original : [original, ...followUps].find((one) => one?.id === id);
  const isThere =
    message && call.discord.world.messages(message.channelId).some((one) => one === message);
  if (!message || !isThere) throw refusal(10008);
  return message;
}
