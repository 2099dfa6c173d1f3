/**
 * The beginning of an answer's body. Counts what comes out of the decompression, so that a small answer cannot become
 * a huge one.
 */
export async function firstBytes(
  body: AsyncIterable<Uint8Array> | null,
  limit: number,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), isCut: size > limit };
}
