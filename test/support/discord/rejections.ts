import { expect, it } from "vitest";
import { type Answer, DiscordLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";
import type { DiscordChannel } from "./world.ts";

/** Something that Discord refuses, where its documentation says so, and what it takes instead. */
export interface Rejection {
  readonly what: string;
  /** Below https://docs.discord.com/developers/ */
  readonly page: string;
  /** Discord's own number; where it has none, the HTTP status. */
  readonly code: number;
  /** The field that the answer points at. */
  readonly at?: string;
  readonly refused: Attempt;
  /** The same within the rules: a double that refuses everything would be no use. */
  readonly taken?: Attempt;
}

export type Attempt = (lab: DiscordLab) => Promise<Answer>;

export function itRejects(rejections: readonly Rejection[]): void {
  it.each(rejections)("$what: $code ($page)", async ({ code, at, refused, taken }) => {
    await using lab = await DiscordLab.start();
    lab.discord.rates.isEnforced = false;
    const { status, body } = await refused(lab);
    expect(status).toBeGreaterThanOrEqual(400);
    if (code < 1_000) expect({ status, code: body.code }).toEqual({ status: code, code: 0 });
    else expect(body).toMatchObject({ code });
    if (at !== undefined) expect(errorsAt(body.errors, at)).not.toEqual([]);
    if (!taken) return;
    const instead = await taken(lab);
    expect(instead.body).not.toHaveProperty("code");
    expect(instead.status).toBeLessThan(300);
  });
}

function errorsAt(errors: unknown, path: string): unknown {
  let place = errors as Fields | undefined;
  for (const part of path.split(".").filter(Boolean)) place = place?.[part] as Fields | undefined;
  return place?._errors ?? [];
}

/** A message like this in the lab's channel. */
export function posting(body: Fields): Attempt {
  return (lab) => lab.post(body);
}

/** A message of the new components. */
export function showing(...components: readonly Fields[]): Attempt {
  return posting({ flags: 1 << 15, components });
}

/** An answer with a window to a click. */
export function opening(modal: Fields): Attempt {
  return async (lab) => lab.respond(await lab.clicked(), { type: 9, data: modal });
}

/** A command for all guilds. */
export function registering(command: Fields): Attempt {
  return (lab) => lab.call(`POST /applications/${lab.discord.app.id}/commands`, command);
}

/** A thread of Ada's. */
export function newThread(lab: DiscordLab): DiscordChannel {
  return lab.ada.startsThread(lab.channel, "Topic");
}

/** A public thread of the bot's, at no message. */
export function standalone(body: Fields = {}): Attempt {
  const form = { name: "Topic", type: 11, ...body };
  return (lab) => lab.call(`POST /channels/${lab.channel.id}/threads`, form);
}
