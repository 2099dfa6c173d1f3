import type { APIAttachment, APIMessage } from "discord.js";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";
import type { Attachment } from "../../../src/contract/platform/incoming.ts";
import { transfer, transferred } from "../../shared/platform-file.ts";
import { CODE, type DiscordCalls, isRefusal } from "../connection/calls.ts";

const MIB = 1024 * 1024;
/** What Discord takes everywhere, and what it takes by a server's level. */
export const FILE_BYTES = 10 * MIB;
const LEVEL_BYTES: readonly number[] = [FILE_BYTES, FILE_BYTES, 50 * MIB, 100 * MIB];
/** What people may attach, of which not everything is wanted. */
const MOST_FETCHED_BYTES = 500 * MIB;

export function fileBytesAt(level: number): number {
  return LEVEL_BYTES[level] ?? FILE_BYTES;
}

/** As Discord would make it by itself, so that the message can name it. */
export function fileName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, "_").replace(/^[._]+/, "");
  return plain.slice(-100) || "file";
}

/** The address of a file does not last, so it is named by where it stands. */
export function attachmentsOf(channel: string, message: APIMessage): Attachment[] {
  return filesIn(message).map((file) => ({
    id: `${channel}/${message.id}/${file.id}`,
    name: file.title ? titled(file.title, file.filename) : file.filename,
    mimeType: file.content_type ?? "application/octet-stream",
    bytes: file.size,
  }));
}

/** What was forwarded has its files inside. */
function filesIn({ attachments = [], message_snapshots: forwarded = [] }: APIMessage) {
  return [...attachments, ...forwarded.flatMap(({ message }) => message.attachments)];
}

/** Discord takes away from a name what it does not like, and keeps it as a title without its ending. */
function titled(title: string, filename: string): string {
  const ending = /\.[^.]+$/.exec(filename)?.[0] ?? "";
  return title.endsWith(ending) ? title : `${title}${ending}`;
}

export class DiscordFiles {
  readonly #calls: DiscordCalls;
  readonly #apiHost: string;

  constructor(calls: DiscordCalls, apiUrl: string) {
    this.#calls = calls;
    this.#apiHost = new URL(apiUrl).host;
  }

  async fetch(id: string): Promise<Uint8Array> {
    const [, channel, message, file] = /^(\d+)\/(\d+)\/(\d+)$/.exec(id) ?? [];
    if (!channel || !message) throw new DeliveryError("never", "The file does not exist.");
    const attachment = await this.#find(channel, message, file);
    return this.#download(attachment);
  }

  async #find(channel: string, message: string, file: string | undefined): Promise<APIAttachment> {
    try {
      const answer = await this.#calls.call("get", `/channels/${channel}/messages/${message}`);
      const found = filesIn(answer as APIMessage).find((one) => one.id === file);
      if (found) return found;
    } catch (error) {
      if (!isRefusal(error, CODE.unknownMessage, CODE.unknownChannel)) throw error;
    }
    throw new DeliveryError("never", "The message with this file was deleted.");
  }

  async #download({ url, size }: APIAttachment): Promise<Uint8Array> {
    this.#mustBeDiscord(url);
    const response = await transfer("Discord", url, { redirect: "error" });
    if (!response.ok) {
      await response.body?.cancel();
      const when = response.status >= 500 || response.status === 429 ? "later" : "never";
      throw new DeliveryError(when, `Discord did not deliver the file: HTTP ${response.status}.`);
    }
    return transferred("Discord", response, Math.min(size, MOST_FETCHED_BYTES));
  }

  /** We fetch from nobody else, whatever an answer says. */
  #mustBeDiscord(address: string): void {
    const { protocol, hostname, host } = new URL(address);
    const isDiscord =
      protocol === "https:" && /(^|\.)(discordapp\.(com|net)|discord\.com)$/.test(hostname);
    if (isDiscord || (host === this.#apiHost && !host.endsWith("discord.com"))) return;
    throw new DeliveryError("never", `The file's address is not one of Discord's: ${host}.`);
  }
}
