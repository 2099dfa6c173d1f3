import { createHash } from "node:crypto";
import { BoundedMap } from "../../../src/lib/bounded.ts";
import { addressGroup } from "../../../src/lib/limit-connections.ts";

const WINDOW_MS = 60_000;
const MOST = 20;
const MOST_ADDRESSES = 1_000;

interface Tries {
  readonly until: number;
  /** Tries per digest of a token; at most MOST + 1 entries. */
  readonly perToken: Map<string, number>;
}

/**
 * Counts bad tokens per address. The same bad token counts once for its address, so a page with an outdated token
 * that keeps retrying exhausts only its own budget. Good tokens are never looked up here.
 */
export class BadTokens {
  readonly #addresses = new BoundedMap<string, Tries>(MOST_ADDRESSES);
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get addresses(): number {
    return this.#addresses.size;
  }

  /** Counts one bad token. True: this address or this token has had too many tries for now. */
  isOverLimit(address: string, token: string): boolean {
    const tries = this.#tries(addressGroup(address));
    const digest = createHash("sha256").update(token).digest("base64url").slice(0, 16);
    const sameToken = tries.perToken.get(digest) ?? 0;
    if (sameToken === 0 && tries.perToken.size >= MOST) return true;
    tries.perToken.set(digest, Math.min(sameToken + 1, MOST + 1));
    return sameToken >= MOST;
  }

  #tries(address: string): Tries {
    const known = this.#addresses.get(address);
    if (known && known.until > this.#now()) return known;
    const fresh: Tries = { until: this.#now() + WINDOW_MS, perToken: new Map() };
    this.#addresses.set(address, fresh);
    return fresh;
  }
}
