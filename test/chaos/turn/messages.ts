import type { Receipt } from "../../../src/contract/platform/adapter.ts";
import type { Incoming } from "../../../src/contract/platform/incoming.ts";

/** Where a bot dies: at the n-th time that it comes by there. */
export interface CrashPlan {
  readonly point: string;
  readonly hit: number;
}

/** What a bot is made with. */
export interface BotSetup {
  readonly env: Readonly<Record<string, string>>;
  readonly limits: object;
  readonly plan: CrashPlan | undefined;
}

/** What the platform does at a bot's word. */
export const ADAPTER_VERBS = [
  "post",
  "edit",
  "remove",
  "whisper",
  "upload",
  "fetchAttachment",
  "earlier",
  "mark",
  "presence",
  "link",
] as const;
export type AdapterVerb = (typeof ADAPTER_VERBS)[number];

/** How something ended, across the line between two processes. */
export type Ending =
  | { readonly value: unknown }
  | {
      readonly error: string;
      readonly when?: "later" | "never";
      readonly retryAfterMs?: number | undefined;
    };

export type ToBot =
  | { readonly kind: "go"; readonly setup: BotSetup }
  /** From here on the visits are counted anew. */
  | { readonly kind: "arm"; readonly plan: CrashPlan | undefined }
  | { readonly kind: "event"; readonly id: number; readonly incoming: Incoming }
  | { readonly kind: "done"; readonly id: number; readonly ending: Ending }
  | { readonly kind: "report" };

export type FromBot =
  /** Everything is imported: it can begin. */
  | { readonly kind: "loaded" }
  | { readonly kind: "listening" }
  | {
      readonly kind: "act";
      readonly id: number;
      readonly verb: AdapterVerb;
      readonly args: unknown[];
    }
  | {
      readonly kind: "receipt";
      readonly id: number;
      readonly receipt?: Receipt;
      readonly error?: string;
    }
  | { readonly kind: "visits"; readonly visits: Readonly<Record<string, number>> }
  | { readonly kind: "problem"; readonly text: string };
