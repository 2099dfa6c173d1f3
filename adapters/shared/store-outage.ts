import { DeliveryError } from "../../src/contract/platform/adapter.ts";
import { StoreError } from "../../src/contract/store.ts";

/** Work on the store for a delivery. While the store is unavailable, the delivery fails with an error that asks for a retry. */
export async function retriedLater<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const away = new DeliveryError("later", "The bot's store is unavailable.", { cause: error });
    throw away;
  }
}
