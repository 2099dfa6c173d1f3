import { z } from "zod";
import { ErrorKind, OperationResult } from "../../../src/contract/tools/operation.ts";
import { OutputPiece } from "../../../src/contract/workspace/channel.ts";
import type { Shell } from "../../../src/contract/workspace/shell.ts";
import { Exchange } from "../files/exchange-log.ts";

/**
 * The link between supervisor and worker: a socket with one JSON message per line. The worker has the workload's user
 * id, so the supervisor validates every line and cuts a worker off that sends anything else.
 */

const MOST_EXCHANGES = 10_000;
const LONGEST_TEXT = 16 * 1024;
const Id = z.int().min(1);
const Mark = z.string().min(1).max(64);

/** Written by the launcher before the worker starts, so it is true. */
export const Greeting = z.object({ worker: z.int().min(2), launcher: z.int().min(2) });
export type Greeting = z.infer<typeof Greeting>;

export const WorkerMessage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), id: Id, result: OperationResult }),
  z.object({ kind: z.literal("progress"), id: Id, text: z.string().max(LONGEST_TEXT) }),
  z.object({ kind: z.literal("answer"), id: Id, value: z.unknown() }),
  z.object({
    kind: z.literal("refused"),
    id: Id,
    error: z.object({
      kind: ErrorKind,
      message: z.string().max(LONGEST_TEXT),
      details: z.record(z.string(), z.unknown()),
    }),
  }),
  z.object({ kind: z.literal("output"), piece: OutputPiece }),
  z.object({
    kind: z.literal("begin"),
    mark: Mark,
    exchanges: z.array(Exchange).min(2).max(MOST_EXCHANGES),
  }),
  z.object({ kind: z.literal("exchanged"), mark: Mark }),
  z.object({ kind: z.literal("end"), mark: Mark }),
  z.object({ kind: z.literal("pong") }),
  z.object({ kind: z.literal("log"), text: z.string().max(LONGEST_TEXT) }),
]);
export type WorkerMessage = z.infer<typeof WorkerMessage>;

/** What a handler needs to know about a call, besides what stays in the supervisor. */
export interface RemoteContext {
  readonly callId: string;
  readonly conversation: string;
  readonly startDirectory?: string | undefined;
  readonly shell?: Shell | undefined;
  readonly checkedPaths?: readonly string[] | undefined;
  readonly requester?: string | undefined;
}

/** Trusted by the worker: the supervisor is above it. `call` is [tool, operation, parsed parameters]. */
export type SupervisorMessage =
  | {
      readonly kind: "call";
      readonly id: number;
      /** The worker has to wait for `recorded` before the call takes effect. */
      readonly waits: boolean;
      readonly context: RemoteContext;
      readonly call: readonly [string, string, Readonly<Record<string, unknown>>];
    }
  | { readonly kind: "recorded"; readonly id: number }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "ask"; readonly id: number; readonly name: AskName; readonly params: unknown }
  | { readonly kind: "ack"; readonly session_id: string; readonly upto_index: number }
  | { readonly kind: "stored"; readonly mark: string }
  | { readonly kind: "ping" };

/** Requests about the worker's terminals and unfinished file changes. */
export interface Asks {
  terminals: { params: object };
  resize: { params: { session_id: string; rows: number; cols: number } };
  prewarm: { params: object };
  follow: { params: { session_id: string; from_index: number } };
  unfollow: { params: { session_id: string } };
  annotate: { params: { conversation: string; call: string; text: string } };
  activity: { params: object };
  killTerminals: { params: object };
  takeBack: { params: { exchanges: readonly Exchange[]; isDone: boolean } };
}
export type AskName = keyof Asks;

/** Which processes belong to which terminal or background command, and how many of the latter run. */
export const Activity = z.object({
  owners: z.array(z.object({ pid: z.int(), id: z.string().max(500) })).max(10_000),
  backgroundRunning: z.int().min(0),
});
export type Activity = z.infer<typeof Activity>;
