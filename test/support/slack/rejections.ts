import { expect, it } from "vitest";
import { SlackLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";

/** Something that Slack refuses, where its documentation says so, and what it takes instead. */
export interface Rejection {
  readonly what: string;
  /** Below https://docs.slack.dev/, unless it is an address of its own. */
  readonly page: string;
  readonly error: string;
  /** What the answer points at. */
  readonly at?: string;
  readonly refused: Attempt;
  /** The same within the rules: a double that refuses everything would be no use. */
  readonly taken?: Attempt;
}

type Attempt = (lab: SlackLab) => Promise<{ readonly body: Fields }>;

export function itRejects(rejections: readonly Rejection[]): void {
  it.each(rejections)("$what: $error ($page)", async ({ error, at, refused, taken }) => {
    await using lab = await SlackLab.start();
    const { body } = await refused(lab);
    expect(body).toMatchObject({ ok: false, error });
    if (at !== undefined) expect(JSON.stringify(body)).toContain(`[json-pointer:${at}]`);
    if (taken) expect((await taken(lab)).body).toMatchObject({ ok: true });
  });
}

/** A post of these blocks. */
export function posting(...blocks: readonly unknown[]): Attempt {
  return (lab) => lab.call("chat.postMessage", { channel: lab.channel.id, text: "x", blocks });
}

/** A call about the lab's channel. */
export function calling(method: string, args: Fields = {}): Attempt {
  return (lab) => lab.call(method, { channel: lab.channel.id, ...args });
}
