import { DeliveryError } from "../../src/contract/platform/adapter.ts";
import { BodyTooLargeError, boundedBody } from "../../src/lib/bounded-body.ts";

const TRANSFER_MS = 120_000;

/** Asks a platform for a file, or brings it one. Throws a DeliveryError that says whether to try again. */
export async function transfer(
  platform: string,
  address: string,
  init: RequestInit,
): Promise<Response> {
  try {
    return await fetch(address, { ...init, signal: AbortSignal.timeout(TRANSFER_MS) });
  } catch (cause) {
    const away = new DeliveryError("later", `${platform}'s file server cannot be reached.`, {
      cause,
    });
    throw away;
  }
}

/** The bytes of a file, as long as they are not more than the platform had said. */
export async function transferred(
  platform: string,
  response: Response,
  most: number,
): Promise<Uint8Array> {
  try {
    return await boundedBody(response, most);
  } catch (cause) {
    throw cause instanceof BodyTooLargeError
      ? new DeliveryError("never", `The file is larger than ${platform} announced.`, { cause })
      : new DeliveryError("later", `${platform} cut the file off.`, { cause });
  }
}
