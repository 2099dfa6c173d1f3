import { DiscordjsError, DiscordjsErrorCodes, GatewayCloseCodes } from "discord.js";
import { OperatorError } from "../../../src/lib/operator-error.ts";

const TURN_ON_CONTENT =
  "Turn it on at discord.com/developers (Bot → Privileged Gateway Intents) and restart the bot.";
const NEW_TOKEN =
  "Set DISCORD_BOT_TOKEN to a new token from Bot → Reset Token at discord.com/developers.";
/** How the bot works on where it may not read everything. */
export const NO_CONTENT = `Without Message Content Intent the bot reads only messages that mention it, also in its own threads. ${TURN_ON_CONTENT}`;

/** Discord lets nobody come back. */
export function endedWith(code: number): string {
  return `Discord closed the connection and refuses a new one, so the bot receives nothing from Discord. ${remedyFor(code)}`;
}

function remedyFor(code: number): string {
  switch (code) {
    case GatewayCloseCodes.AuthenticationFailed:
      return `${NEW_TOKEN} Then restart the bot.`;
    case GatewayCloseCodes.DisallowedIntents:
      return `The bot lacks Message Content Intent. ${TURN_ON_CONTENT}`;
    case GatewayCloseCodes.InvalidShard:
    case GatewayCloseCodes.ShardingRequired:
      return "Unset DISCORD_SHARD_COUNT or set it to what Discord requires, and restart the bot.";
    default:
      return "Restart the bot.";
  }
}

export function isDisallowedIntent(error: unknown): boolean {
  return error instanceof Error && /disallowed intents/i.test(error.message);
}

/** What the operator has to do where it cannot begin. */
export function startError(error: unknown): OperatorError {
  const isToken =
    error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
  const why = isToken ? `The token is invalid. ${NEW_TOKEN}` : "Discord cannot be reached.";
  return new OperatorError(`The bot cannot connect to Discord. ${why}`, { cause: error });
}
