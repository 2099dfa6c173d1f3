import type { APIInteraction, APIModalSubmitInteraction } from "discord.js";
import type { KnownUser, Membership } from "../places/people.ts";
import { FIELD } from "../rendering/buttons.ts";

/** Who did it. */
export function userIn({ member, user }: APIInteraction): KnownUser {
  const found = member?.user ?? user;
  if (!found) throw new Error("Discord sent an event without its author.");
  return found;
}

export function memberIn({ member }: APIInteraction): Membership | undefined {
  return member && "roles" in member ? member : undefined;
}

/** What was typed into a window. */
export function typedIn({ data }: APIModalSubmitInteraction): string {
  const parts = data.components.flatMap((part) => {
    if ("component" in part) return [part.component];
    return "components" in part ? part.components : [];
  });
  const field = parts.find((part) => "custom_id" in part && part.custom_id === FIELD);
  return field && "value" in field ? String(field.value) : "";
}
