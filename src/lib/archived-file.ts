import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { extract, pack } from "tar-stream";

/** What was archived is not what was wanted, and why. */
export class UnfitFileError extends Error {
  override readonly name = "UnfitFileError";
}

/** The one file of a tar archive. Throws an UnfitFileError for what is none, or larger than wanted. */
export async function archivedFile(
  archive: NodeJS.ReadableStream,
  { mostBytes }: { readonly mostBytes: number },
): Promise<Buffer> {
  const reader = extract();
  archive.on("error", (error) => reader.destroy(error));
  archive.pipe(reader);
  try {
    for await (const entry of reader) {
      const { type, size = 0 } = entry.header;
      if (type !== "file") throw new UnfitFileError("It is not a file.");
      if (size > mostBytes)
        throw new UnfitFileError(`It has ${size} bytes; the limit is ${mostBytes}.`);
      return await buffer(entry);
    }
  } finally {
    if (archive instanceof Readable) archive.destroy(); // Docker waits for a stream that nobody reads
  }
  throw new UnfitFileError("The archive is empty.");
}

/** A tar archive of these files, which everyone may read. */
export function archiveOf(
  files: Iterable<{ readonly name: string; readonly bytes: Uint8Array }>,
): NodeJS.ReadableStream {
  const archive = pack();
  for (const { name, bytes } of files) archive.entry({ name, mode: 0o644 }, Buffer.from(bytes));
  archive.finalize();
  return archive.pipe(new PassThrough());
}
