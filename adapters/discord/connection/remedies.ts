import { DiscordjsError, DiscordjsErrorCodes, GatewayCloseCodes } from "discord.js";
import { OperatorError } from "../../../src/lib/operator-error.ts";

const TURN_ON_CONTENT =
  "Turn on Message Content Intent at discord.com/developers (Bot, Privileged Gateway Intents) and start the bot again.";
const NEW_TOKEN = "Copy DISCORD_BOT_TOKEN anew from Bot, Reset Token at discord.com/developers.";
/** How the bot works on where it may not read everything. */
export const NO_CONTENT = `On Discord the bot may not read what is not said to it: in its threads everybody has to mention it each time. ${TURN_ON_CONTENT}`;

/** Discord lets nobody come back. */
export function endedWith(code: number): string {
  return `Discord has ended the line and takes no other: the bot hears nothing from there any more. ${remedyFor(code)}`;
}

function remedyFor(code: number): string {
  switch (code) {
    case GatewayCloseCodes.AuthenticationFailed:
      return `${NEW_TOKEN} Then start the bot again.`;
    case GatewayCloseCodes.DisallowedIntents:
      return TURN_ON_CONTENT;
    case GatewayCloseCodes.InvalidShard:
    case GatewayCloseCodes.ShardingRequired:
      return "Leave DISCORD_SHARD_COUNT out, or set it as high as Discord demands, and start the bot again.";
    default:
      return "Start the bot again.";
  }
}

export function isDisallowedIntent(error: unknown): boolean {
  return error instanceof Error && /disallowed intents/i.test(error.message);
}

/** What the operator has to do where it cannot begin. */
export function startError(error: unknown): OperatorError {
  const isToken =
    error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
  const why = isToken ? `Its token is not valid. ${NEW_TOKEN}` : "Discord cannot be reached.";
  return new OperatorError(`The bot cannot join Discord. ${why}`, { cause: error });
}
