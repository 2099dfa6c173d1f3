import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Attachment, ThreadId } from "../../src/contract/platform/incoming.ts";
import type { Documents } from "../../src/contract/store.ts";

const ID = /^f[0-9a-f]{32}$/;

/** Somebody sent more than fits. */
export class UploadTooLargeError extends Error {
  override readonly name = "UploadTooLargeError";
}

/** The bytes of what people attach and of what the bot shares; each under an id that cannot be guessed. */
export class Files {
  readonly #directory: string;
  readonly #documents: Documents;

  constructor(directory: string, documents: Documents) {
    this.#directory = directory;
    this.#documents = documents;
  }

  async write(bytes: Uint8Array, id: string): Promise<void> {
    await this.#prepare();
    await writeFile(this.#path(id), bytes, { mode: 0o600 });
  }

  /** Leaves nothing behind when the stream breaks off or is too long. */
  async receive(
    thread: ThreadId,
    { name, mimeType }: Pick<Attachment, "name" | "mimeType">,
    body: ReadableStream<Uint8Array>,
    mostBytes: number,
  ): Promise<Attachment> {
    await this.#prepare();
    const id = `f${randomBytes(16).toString("hex")}`;
    let bytes = 0;
    async function* bounded(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        bytes += chunk.byteLength;
        if (bytes > mostBytes) throw new UploadTooLargeError(`At most ${mostBytes} bytes.`);
        yield chunk;
      }
    }
    try {
      await pipeline(
        Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
        bounded,
        createWriteStream(this.#path(id), { flags: "wx", mode: 0o600 }),
      );
    } catch (error) {
      await rm(this.#path(id), { force: true });
      throw error;
    }
    const attachment = { id, name, mimeType, bytes };
    await this.#documents.set(`upload:${thread}:${id}`, attachment);
    return attachment;
  }

  /** What somebody uploaded to this thread under that id. */
  async attachment(thread: ThreadId, id: string): Promise<Attachment | undefined> {
    if (!ID.test(id)) return undefined;
    return (await this.#documents.get(`upload:${thread}:${id}`)) as unknown as
      | Attachment
      | undefined;
  }

  read(id: string): Promise<Buffer> {
    return readFile(this.#path(id));
  }

  /** Its bytes as they are wanted: a reader that waits keeps none of them in memory. */
  async open(id: string): Promise<ReadableStream<Uint8Array>> {
    const file = await open(this.#path(id));
    return Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>;
  }

  #path(id: string): string {
    if (!ID.test(id)) throw new Error("This is not a file id.");
    return join(this.#directory, id);
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
  }
}
