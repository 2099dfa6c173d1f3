import { z } from "zod";
import { DeliveryError, type PostId } from "../../../src/contract/platform/adapter.ts";
import type { FileShare } from "../../../src/contract/platform/view.ts";
import { hasWebLink } from "../../../src/lib/text/links.ts";
import { neutral, visible } from "../../../src/lib/text/neutral.ts";
import type { Attempt, Attempts } from "../../shared/attempts.ts";
import { transfer, transferred } from "../../shared/platform-file.ts";
import { isRefusal, type SlackCalls, SlackError } from "../connection/calls.ts";
import { shortEscaped } from "../format.ts";
import type { SlackPlace } from "../thread.ts";

export const FILE_BYTES = 25 * 1024 * 1024;

const Share = z.object({ ts: z.string(), thread_ts: z.string().optional() });
const Shares = z.record(z.string(), z.array(Share));
export const FileInfo = z.object({
  id: z.string(),
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().default(0),
  channels: z.array(z.string()).default([]),
  groups: z.array(z.string()).default([]),
  ims: z.array(z.string()).default([]),
  url_private: z.string().optional(),
  url_private_download: z.string().optional(),
  shares: z.object({ public: Shares.optional(), private: Shares.optional() }).optional(),
});
export type FileInfo = z.infer<typeof FileInfo>;

const Announced = z.object({ upload_url: z.string(), file_id: z.string() });

const SHARE_MS = 8_000;
const LOOK_MS = 100;
const LONGEST_LOOK_MS = 1_000;

interface FileParts {
  readonly calls: SlackCalls;
  readonly attempts: Attempts;
  readonly botToken: string;
  readonly apiUrl: string;
}

/** Files on their way to Slack and from it. */
export class SlackFiles {
  readonly #parts: FileParts;

  constructor(parts: FileParts) {
    this.#parts = parts;
  }

  /** Announce, send, complete; and then find out where it was shown, which the answer does not say. */
  async upload(place: SlackPlace, share: FileShare, attempt: Attempt): Promise<PostId> {
    if (share.bytes.byteLength > FILE_BYTES)
      throw new DeliveryError("never", `The file is larger than ${FILE_BYTES} bytes.`);
    // What was completed is known to Slack, and shown soon.
    const isDone = attempt.isInDoubt && attempt.file && (await this.info(attempt.file));
    if (!isDone) {
      const { file, bytes } = await this.#announce(share);
      await this.#parts.attempts.announced(attempt, file.file_id);
      await this.#send(file.upload_url, bytes);
      await this.#complete(place, share, attempt);
    }
    const post = await this.#whereShown(place, attempt.file, SHARE_MS);
    if (post !== undefined) return post;
    throw new DeliveryError("later", "Slack accepted the file but does not show it yet.");
  }

  async fetch({ channel }: SlackPlace, id: string): Promise<Uint8Array> {
    const file = await this.info(id);
    const places = [...(file?.channels ?? []), ...(file?.groups ?? []), ...(file?.ims ?? [])];
    const isHere = places.includes(channel) || sharesIn(file, channel).length > 0;
    const address = file?.url_private_download ?? file?.url_private;
    if (!file || !isHere || !address)
      throw new DeliveryError("never", "This file is not attached to this thread.");
    if (file.size > FILE_BYTES)
      throw new DeliveryError("never", `The file is larger than ${FILE_BYTES} bytes.`);
    return this.#download(address, file);
  }

  /** Undefined: there is no such file, or we may not see it. */
  async info(id: string): Promise<FileInfo | undefined> {
    try {
      const answer = await this.#parts.calls.call("files.info", { file: id });
      return z.object({ file: FileInfo }).parse(answer).file;
    } catch (error) {
      const isGone = isRefusal(error, "file_not_found", "file_deleted", "not_visible");
      if (isGone || isRefusal(error, "invalid_arguments")) return undefined;
      throw error;
    }
  }

  /** Slack takes no empty files: then a line feed stands for nothing. */
  async #announce({ name, bytes: given }: FileShare) {
    const bytes = given.byteLength === 0 ? new TextEncoder().encode("\n") : given;
    const filename =
      visible(name)
        .replaceAll(/[\n\t/]/g, "_")
        .slice(0, 200)
        .trim() || "file";
    const args = { filename, length: bytes.byteLength };
    const answer = await this.#parts.calls.call("files.getUploadURLExternal", args);
    return { file: Announced.parse(answer), bytes };
  }

  async #send(address: string, bytes: Uint8Array): Promise<void> {
    this.#mustBeSlack(address);
    const body = bytes as Uint8Array<ArrayBuffer>;
    const headers = { "content-type": "application/octet-stream" };
    const response = await transfer("Slack", address, { method: "POST", body, headers });
    await response.arrayBuffer();
    if (!response.ok)
      throw new DeliveryError("later", `Slack rejected the file: HTTP ${response.status}.`);
  }

  async #complete(place: SlackPlace, { name, comment }: FileShare, attempt: Attempt) {
    const words =
      comment === undefined
        ? ""
        : shortEscaped(hasWebLink(comment) ? neutral(comment) : visible(comment), 3_000);
    const args = {
      files: [{ id: attempt.file, title: visible(name).slice(0, 200) }],
      channel_id: place.channel,
      thread_ts: place.root,
      ...(words.trim() === "" ? {} : { initial_comment: words }),
    };
    // Until it is known where it is shown.
    attempt.isInDoubt = true;
    try {
      await this.#parts.calls.call("files.completeUploadExternal", args);
    } catch (error) {
      attempt.isInDoubt = error instanceof SlackError && error.isInDoubt;
      throw error;
    }
  }

  async #whereShown(
    { channel }: SlackPlace,
    file: string | undefined,
    withinMs: number,
  ): Promise<PostId | undefined> {
    if (file === undefined) return undefined;
    const deadline = performance.now() + withinMs;
    for (let pauseMs = LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
      const [share] = sharesIn(await this.info(file), channel);
      if (share || performance.now() >= deadline) return share?.ts;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  async #download(address: string, { mimetype, size }: FileInfo): Promise<Uint8Array> {
    this.#mustBeSlack(address);
    const headers = { authorization: `Bearer ${this.#parts.botToken}` };
    const response = await transfer("Slack", address, { headers, redirect: "manual" });
    const type = response.headers.get("content-type") ?? "";
    // Who may not see a file is sent to the page where people log in, or shown it.
    const isPage = type.startsWith("text/html") && mimetype !== "text/html";
    const isLogin = isPage || (response.status >= 300 && response.status < 400);
    if (!response.ok || isLogin) {
      await response.body?.cancel();
      const why = isLogin ? "Add the scope files:read to your app." : `HTTP ${response.status}.`;
      const when = response.status >= 500 || response.status === 429 ? "later" : "never";
      throw new DeliveryError(when, `Slack did not deliver the file. ${why}`);
    }
    return transferred("Slack", response, Math.min(FILE_BYTES, Math.max(size, 0) || FILE_BYTES));
  }

  /** Our token goes to nobody else, whatever an answer says. */
  #mustBeSlack(address: string): void {
    const { protocol, hostname, host } = new URL(address);
    const api = new URL(this.#parts.apiUrl);
    const isSlack = protocol === "https:" && /(^|\.)slack(-files|-edge)?\.com$/.test(hostname);
    if (isSlack || (host === api.host && api.hostname !== "slack.com")) return;
    throw new DeliveryError("never", `The file's address is not one of Slack's: ${host}.`);
  }
}

function sharesIn(file: FileInfo | undefined, channel: string) {
  const { public: open = {}, private: closed = {} } = file?.shares ?? {};
  return [...(open[channel] ?? []), ...(closed[channel] ?? [])];
}
