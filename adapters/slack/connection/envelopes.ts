import { z } from "zod";
import { EVENTS } from "./listeners.ts";

const Frame = z.object({ type: z.string(), envelope_id: z.string().optional() });
const Envelope = z.object({
  type: z.enum(["events_api", "interactive", "slash_commands"]),
  envelope_id: z.string(),
  payload: z.looseObject({}),
});
const EventCallback = z.looseObject({ event: z.looseObject({ type: z.enum(EVENTS) }) });

/** What to do with a frame. */
type Reading =
  | { readonly kind: "handle" }
  | { readonly kind: "drop"; readonly why: string; readonly acknowledge?: string };

/**
 * Socket Mode's client reads frames without a check: it fails on most that are malformed, and takes the name of an event for
 * one of its own signals. So it gets only frames that are sound and meant for us.
 */
export function readFrame(data: unknown): Reading {
  const frame = Frame.safeParse(parsed(data));
  if (!frame.success) return { kind: "drop", why: "not an envelope" };
  const { type, envelope_id: id } = frame.data;
  if (type === "hello" || type === "disconnect") return { kind: "handle" };
  const acknowledge = id === undefined ? {} : { acknowledge: id };
  const envelope = Envelope.safeParse(parsed(data));
  if (!envelope.success) return { kind: "drop", why: "malformed envelope", ...acknowledge };
  const isSound = type !== "events_api" || EventCallback.safeParse(envelope.data.payload).success;
  return isSound ? { kind: "handle" } : { kind: "drop", why: "unexpected event", ...acknowledge };
}

function parsed(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}
