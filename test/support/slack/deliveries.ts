import { afterOwnMs } from "../own-clock.ts";
import type { SlackFaults } from "./faults.ts";
import type { Envelope, Receipt } from "./socket-mode.ts";
import type { Fields } from "./values.ts";

/** One thing that Slack tells the app, however often. */
export interface Delivery {
  readonly id: string;
  readonly type: Envelope["type"];
  readonly payload: Fields;
  attempts: number;
  isAcknowledged: boolean;
  /** Slack has given up: the event is lost. */
  isLost: boolean;
  reason: string;
}

interface DeliveryOptions {
  readonly faults: SlackFaults;
  readonly transport: () => { send(envelope: Envelope): Promise<Receipt> };
  /** The pause before each further attempt. Slack: at once, after a minute, after five. */
  readonly retryMs: readonly number[];
}

/**
 * Carries events and actions to the app. Events come again until they are acknowledged, three times at most; actions
 * come once, and the person sees that it has failed.
 */
export class Deliveries {
  readonly all: Delivery[] = [];
  readonly #options: DeliveryOptions;
  readonly #unsent = new Set<Delivery>();
  #held: { readonly deliveries: (() => void)[]; left: number } | undefined;
  #isClosed = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Does not wait for the app. */
  event(id: string, payload: Fields): Delivery {
    const delivery = this.#add(id, "events_api", payload);
    for (let copy = 0; copy < this.#options.faults.copies; copy += 1)
      this.#inOrder(() => void this.#attempt(delivery));
    return delivery;
  }

  /** Resolves with the app's answer, or with why there is none. */
  async action(id: string, type: "interactive" | "slash_commands", payload: Fields) {
    const delivery = this.#add(id, type, payload);
    const receipt = await this.#send(delivery);
    return { delivery, receipt };
  }

  async again(delivery: Delivery): Promise<Receipt> {
    return this.#send(delivery);
  }

  find(id: string): Delivery | undefined {
    return this.all.find((one) => one.id === id);
  }

  /** What could not be sent goes at once when somebody connects; the real one would wait for its next turn. */
  flush(): void {
    const waiting = [...this.#unsent];
    this.#unsent.clear();
    for (const delivery of waiting) void this.#attempt(delivery);
  }

  close(): void {
    this.#isClosed = true;
  }

  #add(id: string, type: Delivery["type"], payload: Fields): Delivery {
    const state = { attempts: 0, isAcknowledged: false, isLost: false, reason: "" };
    const delivery = { id, type, payload, ...state };
    this.all.push(delivery);
    return delivery;
  }

  async #attempt(delivery: Delivery): Promise<void> {
    if (this.#isClosed || delivery.isAcknowledged) return;
    const receipt = await this.#send(delivery);
    if (this.#isClosed || receipt.isAcknowledged || receipt.reason === "no_retry") return;
    if (receipt.reason === "no_connection") {
      delivery.attempts -= 1;
      this.#unsent.add(delivery);
      return;
    }
    const pause = this.#options.retryMs[delivery.attempts - 1];
    if (pause === undefined) delivery.isLost = true;
    else setTimeout(() => void this.#attempt(delivery), pause).unref();
  }

  async #send(delivery: Delivery): Promise<Receipt> {
    const { faults, transport } = this.#options;
    if (faults.deliverAfterMs > 0)
      await new Promise<void>((resolve) => afterOwnMs(faults.deliverAfterMs, resolve));
    const { type, payload, attempts, reason } = delivery;
    delivery.attempts += 1;
    const unreachable: Receipt = { isAcknowledged: false, reason: "no_connection" };
    const envelope = { type, payload, retryAttempt: attempts, retryReason: reason };
    const receipt = faults.isReachable ? await transport().send(envelope) : unreachable;
    if (receipt.isAcknowledged) delivery.isAcknowledged = true;
    else delivery.reason = receipt.reason;
    return receipt;
  }

  /** Slack promises no order; tests can ask for a bad one. */
  #inOrder(deliver: () => void): void {
    const reordered = this.#options.faults.takeReordering();
    if (reordered > 0) this.#held = { deliveries: [], left: reordered };
    if (!this.#held) {
      deliver();
      return;
    }
    this.#held.deliveries.unshift(deliver);
    this.#held.left -= 1;
    if (this.#held.left > 0) return;
    const { deliveries } = this.#held;
    this.#held = undefined;
    for (const one of deliveries) one();
  }
}
