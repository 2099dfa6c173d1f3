/** There is more of it than anybody had said. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
}

/** All bytes of an answer, as long as they are not more than so many. Throws what the network throws. */
export async function boundedBody(response: Response, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > most) throw new BodyTooLargeError(`The limit is ${most} bytes.`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
