import { type Authorize, actorKey, type Presence } from "../../contract/platform/actor.ts";
import { NAMELESS } from "../../contract/platform/nameless.ts";
import { plainLine } from "../../lib/text/write-markdown.ts";
import type { Ledger } from "../approvals/ledger.ts";
import type { Policy } from "../policy/policy.ts";
import { parseDuration, sayDuration } from "./durations.ts";

export interface AutoApproveParts {
  readonly ledger: Ledger;
  readonly policy: Policy;
  readonly authorize: Authorize;
  readonly now: () => Date;
  readonly warn: (message: string) => void;
  /** Another conversation whose auto-approve holds in this one, too. */
  readonly autoApproveBehind?: (conversation: string) => Promise<string | undefined>;
}

export type AutoApproveOutcome =
  /** The announcement belongs into the thread, for everybody to see. */
  | { readonly outcome: "set"; readonly until: string | null; readonly announcement: string }
  | { readonly outcome: "refused"; readonly reason: string };

/** Lets everything but the high list pass in one conversation, for a while. Off unless a permitted person turns it on. */
export class AutoApprove {
  readonly #parts: AutoApproveParts;

  constructor(parts: AutoApproveParts) {
    this.#parts = parts;
  }

  async isOn(conversation: string): Promise<boolean> {
    if (!this.#parts.policy.autoApprove.permitted) return false;
    if (await this.#isOnIn(conversation)) return true;
    const behind = await this.#parts.autoApproveBehind?.(conversation);
    return behind !== undefined && (await this.#isOnIn(behind));
  }

  /** For as long as the policy permits at most. */
  async turnOn(
    conversation: string,
    { actor, place, name }: Presence,
    seconds = Infinity,
  ): Promise<AutoApproveOutcome> {
    const { authorize, policy, now, warn } = this.#parts;
    const may = authorize(actor, { kind: "autoApprove" }, place);
    if (!may.allowed) return { outcome: "refused", reason: may.reason };
    const longest = parseDuration(policy.autoApprove.longest) ?? 0;
    const lasts = Math.min(seconds, longest);
    const until = new Date(now().getTime() + lasts * 1000).toISOString();
    await this.#write(conversation, actorKey(actor), until);
    const announcement = `Auto-approve is on for ${sayDuration(lasts)}, turned on by ${plainLine(name ?? NAMELESS)}. Only phrase calls still ask.`;
    warn(`${conversation}: ${announcement} (${actorKey(actor)})`);
    return { outcome: "set", until, announcement };
  }

  /** Everybody who may talk here may make it safer. */
  async turnOff(conversation: string, { actor, place }: Presence): Promise<AutoApproveOutcome> {
    const may = this.#parts.authorize(actor, { kind: "command" }, place);
    if (!may.allowed) return { outcome: "refused", reason: may.reason };
    await this.#write(conversation, actorKey(actor), null);
    return { outcome: "set", until: null, announcement: "Auto-approve is off." };
  }

  /** Ends it with its thread. */
  async revoke(conversation: string, { by }: { readonly by: string }): Promise<void> {
    if (await this.#isOnIn(conversation)) await this.#write(conversation, by, null);
  }

  async #isOnIn(conversation: string): Promise<boolean> {
    const { ledger, now } = this.#parts;
    const { autoApproveUntil } = await ledger.read(conversation);
    return autoApproveUntil !== null && Date.parse(autoApproveUntil) > now().getTime();
  }

  #write(conversation: string, by: string, until: string | null): Promise<void> {
    const at = this.#parts.now().toISOString();
    return this.#parts.ledger.write<void>(conversation, () => ({
      lines: [{ kind: "autoApprove.set", data: { by, at, until } }],
      answer: undefined,
    }));
  }
}
