import { type Fields, isFields } from "./values.ts";

/** Discord's own numbers: docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const REFUSALS = {
  10003: [404, "Unknown Channel"],
  10004: [404, "Unknown Guild"],
  10007: [404, "Unknown Member"],
  10008: [404, "Unknown Message"],
  10013: [404, "Unknown User"],
  10014: [400, "Unknown Emoji"],
  10015: [404, "Unknown Webhook"],
  10062: [404, "Unknown interaction"],
  10063: [404, "Unknown application command"],
  20012: [403, "You are not authorized to perform this action on this application"],
  30010: [400, "Maximum number of reactions reached (20)"],
  30015: [400, "Maximum number of attachments in a message reached (10)"],
  30032: [400, "Maximum number of application commands reached"],
  30034: [400, "Maximum number of daily application command creates has been reached (200)"],
  30046: [429, "Maximum number of edits to messages older than 1 hour reached. Try again later"],
  40005: [413, "Request entity too large"],
  40060: [400, "Interaction has already been acknowledged."],
  40333: [403, "internal network error"],
  50001: [403, "Missing Access"],
  50003: [403, "Cannot execute action on a DM channel"],
  50005: [403, "Cannot edit a message authored by another user"],
  50006: [400, "Cannot send an empty message"],
  50007: [403, "Cannot send messages to this user"],
  50008: [400, "Cannot send messages in a non-text channel"],
  50013: [403, "Missing Permissions"],
  50016: [400, "Provided too few or too many messages to delete."],
  50021: [403, "Cannot execute action on a system message"],
  50024: [400, "Cannot execute action on this channel type"],
  50027: [401, "Invalid Webhook Token"],
  50033: [400, "Invalid Recipient(s)"],
  50035: [400, "Invalid Form Body"],
  50041: [400, "Invalid API version"],
  50045: [413, "File uploaded exceeds the maximum size"],
  50083: [400, "Thread is archived"],
  50109: [400, "The request body contains invalid JSON."],
  50278: [403, "Cannot send messages to this user due to having no mutual guilds"],
  160002: [403, "Cannot reply without permission to read message history"],
  160004: [400, "A thread has already been created for this message"],
  160005: [403, "Thread is locked"],
  160006: [400, "Maximum number of active threads reached"],
} as const satisfies Record<number, readonly [number, string]>;

type RefusalCode = keyof typeof REFUSALS;

/** A "no" of Discord: its HTTP status, its own number, and where something is wrong with which field. */
export class DiscordRefusedError extends Error {
  override readonly name = "DiscordRefusedError";
  readonly status: number;
  readonly body: Fields;

  constructor(status: number, body: Fields) {
    super(String(body.message));
    this.status = status;
    this.body = body;
  }
}

export function refusal(code: RefusalCode, more: Fields = {}): DiscordRefusedError {
  const [status, message] = REFUSALS[code];
  return new DiscordRefusedError(status, { message, code, ...more });
}

/** Refusals without a number of their own. */
export function plainRefusal(status: number, message: string): DiscordRefusedError {
  return new DiscordRefusedError(status, { message: `${status}: ${message}`, code: 0 });
}

/** Everything that is wrong with a form, each at its field: docs.discord.com/developers/reference#error-messages */
export class Problems {
  readonly #tree: Fields = {};

  /** The path is a list of fields, with dots between; empty for the whole. */
  add(path: string, code: string, message: string): void {
    let place = this.#tree;
    for (const part of path.split(".").filter(Boolean)) {
      const next = isFields(place[part]) ? place[part] : {};
      place[part] = next;
      place = next;
    }
    place._errors = [...(Array.isArray(place._errors) ? place._errors : []), { code, message }];
  }

  required(path: string): void {
    this.add(path, "BASE_TYPE_REQUIRED", "This field is required");
  }

  /** The text must be one, and of such a length. */
  length(path: string, value: unknown, range: { least?: number; most: number }): void {
    const { least = 0, most } = range;
    if (typeof value !== "string") {
      this.add(path, "BASE_TYPE_STRING", "Could not interpret value as string.");
      return;
    }
    if (value.length >= least && value.length <= most) return;
    if (least === 0) this.add(path, "BASE_TYPE_MAX_LENGTH", `Must be ${most} or fewer in length.`);
    else this.add(path, "BASE_TYPE_BAD_LENGTH", `Must be between ${least} and ${most} in length.`);
  }

  optionalLength(path: string, value: unknown, range: { least?: number; most: number }): void {
    if (value !== undefined && value !== null) this.length(path, value, range);
  }

  choice(path: string, value: unknown, choices: readonly unknown[]): void {
    if (!choices.includes(value))
      this.add(path, "BASE_TYPE_CHOICES", `Value must be one of (${choices.join(", ")}).`);
  }

  range(path: string, value: unknown, { least, most }: { least: number; most: number }): void {
    if (value === undefined || value === null) return;
    if (typeof value !== "number" || !Number.isInteger(value))
      this.add(path, "NUMBER_TYPE_COERCE", `Value "${String(value)}" is not int.`);
    else if (value < least)
      this.add(path, "NUMBER_TYPE_MIN", `int value should be greater than or equal to ${least}.`);
    else if (value > most)
      this.add(path, "NUMBER_TYPE_MAX", `int value should be less than or equal to ${most}.`);
  }

  get isEmpty(): boolean {
    return Object.keys(this.#tree).length === 0;
  }

  throwIfAny(): void {
    if (!this.isEmpty) throw refusal(50035, { errors: this.#tree });
  }
}
