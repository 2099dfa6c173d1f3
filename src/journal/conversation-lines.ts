import { z } from "zod";
import { TurnUsage } from "../contract/conversation/turn-usage.ts";
import { TranscriptItem } from "../contract/model.ts";
import { Attachment } from "../contract/platform/incoming.ts";
import { ToolResult } from "../contract/tools/tool-call.ts";
import { ApprovedRun } from "../contract/workspace/approved-run.ts";
import { Shell } from "../contract/workspace/shell.ts";
import type { DeepReadonly } from "../lib/deep-readonly.ts";

const DirectCall = z.object({ name: z.string(), arguments: z.record(z.string(), z.json()) });

/** What somebody has asked for. */
export const AskedMessage = z.object({
  /** The inbox row that brought it. */
  event: z.string(),
  messageId: z.string(),
  /** The key of who wrote it, and their name for showing. */
  author: z.string(),
  name: z.string(),
  text: z.string(),
  /** The words as they stand in the thread, where `text` leaves some of them out. */
  said: z.string().exactOptional(),
  at: z.string(),
  attachments: z.array(Attachment),
  pointedAt: z.string().exactOptional(),
  /** Everybody else whose words stand behind it, where it was written for another conversation. */
  contributors: z.array(z.string()).exactOptional(),
  /** Said by a program or a schedule: nobody is there who could answer a question. */
  isExternalCall: z.literal(true).exactOptional(),
  /** "queue": waits for a turn of its own. "turn": goes into the one that is open, if there is one. */
  mode: z.enum(["turn", "queue"]),
  /** A human's own command: it runs as it is, and no model is asked. */
  call: DirectCall.exactOptional(),
});
export type AskedMessage = DeepReadonly<z.infer<typeof AskedMessage>>;

/** "limit": it had no more steps. "failed": its text says why. */
export const TurnOutcome = z.enum(["done", "stopped", "failed", "limit"]);
export type TurnOutcome = z.infer<typeof TurnOutcome>;

/** On what ground a call runs again after it was cut off: the workspace knows it, it does no harm, or it must not. */
const Repeat = z.enum(["adopted", "safe", "unsafe"]);

const Turn = z.object({ turn: z.string() });
/** What became of one call, with its line on the card of its turn. */
const Finished = Turn.extend({
  callId: z.string(),
  result: ToolResult,
  title: z.string().exactOptional(),
});

/**
 * The oldest part of the transcript is out of the model's sight from here on. What it was stands in the lines before;
 * numbers are places in the transcript as it was then.
 */
const Archived = Turn.extend({
  /** So many of the first items are gone, but for those that stay. */
  items: z.int().min(0),
  kept: z.array(z.int().min(0)),
  /** Items that stay and are too long to be sent whole: what is left of each, with where the whole can be read. */
  shortened: z.array(z.object({ item: z.int().min(0), text: z.string() })),
  /** Times of the first and the last message in it. */
  from: z.string(),
  to: z.string(),
  summary: z.string(),
  topics: z.array(z.string()),
  messages: z.int(),
  tokens: z.int(),
  /** The model had refused a request as too long, which we took for so many tokens. */
  refused: z.object({ model: z.string(), tokens: z.int() }).exactOptional(),
});

/**
 * The facts of a conversation, beside those about permissions, todos and views. Each is written before it is acted
 * upon; what a conversation is, is the sum of them.
 */
export const conversationLines = {
  /** Something was said in a thread that we take part in. Whatever comes of it, the same message is not taken twice. */
  received: z.object({
    event: z.string(),
    /** Of what was written; commands have neither. */
    messageId: z.string().exactOptional(),
    author: z.string().exactOptional(),
    /** It was said to others. */
    isOverheard: z.literal(true).exactOptional(),
  }),
  message: AskedMessage,
  /** What people said to each other. The model may know it once it is asked again; it starts nothing. */
  overheard: z.object({
    event: z.string(),
    messageId: z.string(),
    author: z.string(),
    name: z.string(),
    text: z.string(),
  }),
  /** The rest is how the new words are understood, where the message still waits. */
  "message.edited": AskedMessage.pick({
    messageId: true,
    author: true,
    text: true,
    said: true,
    call: true,
  }).extend({ mode: AskedMessage.shape.mode.exactOptional() }),
  "message.deleted": z.object({ messageId: z.string() }),
  /** What others had written in the thread before anybody asked us. */
  earlier: z.object({
    messages: z.array(z.object({ author: z.string(), text: z.string() })),
    /** The names of all people among their authors. */
    humans: z.array(z.string()).exactOptional(),
  }),
  "turn.started": Turn.extend({
    /** Events of the messages it is about. */
    messages: z.array(z.string()),
    requester: z.string(),
    name: z.string(),
    mode: z.enum(["agent", "direct"]),
    maximum: z.int().min(1),
    /** Names what the model is told before everything else, from here to the turn's end. */
    briefing: z.string().exactOptional(),
  }),
  "turn.steered": Turn.extend({ messages: z.array(z.string()) }),
  /** What was attached is in the workspace now, or why not. */
  uploads: Turn.extend({
    messages: z.array(z.string()),
    saved: z.array(z.string()),
    /** Paths of those that are text, which can be imported. */
    texts: z.array(z.string()).optional(),
    problems: z.array(z.string()),
  }),
  "step.finished": Turn.extend({
    step: z.int().min(1),
    items: z.array(TranscriptItem),
    reason: z.enum(["stop", "calls", "length", "filtered"]),
    usage: TurnUsage.exactOptional(),
    /** How many tokens we took the request for, where that was counted: against `usage` it says how well we count. */
    countedTokens: z.int().exactOptional(),
    model: z.string(),
    ms: z.number(),
  }),
  "step.failed": Turn.extend({ why: z.string() }),
  archived: Archived,
  /** The state of the workspace before the turn's first change; without an id there is none, and why. */
  checkpoint: Turn.extend({
    checkpoint: z.string().exactOptional(),
    /** Files whose content the checkpoint does not have. */
    notCovered: z.int().exactOptional(),
    problem: z.string().exactOptional(),
  }),
  "call.started": Turn.extend({
    callId: z.string(),
    operationKey: z.string(),
    repeat: Repeat,
    /** What the guard said, so that the same call can go on without asking again. */
    as: z.enum(["agent", "root"]).exactOptional(),
    run: ApprovedRun.exactOptional(),
    paths: z.array(z.string()).exactOptional(),
    shell: Shell.exactOptional(),
    params: z.record(z.string(), z.json()).exactOptional(),
  }),
  "call.finished": Finished,
  /** A human was asked: an approval by its id, or a question that the call itself has. */
  "call.waiting": Turn.extend({
    callId: z.string(),
    title: z.string(),
    approval: z.string().exactOptional(),
    /** How often somebody had answered the subagent of this call when it was last looked at. */
    resumes: z.int().exactOptional(),
  }),
  /** Somebody has answered the subagent that works for a call: whoever gave it the work goes on with it. */
  "call.resumed": Turn.extend({ callId: z.string() }),
  "steps.raised": Turn.extend({ maximum: z.int().min(1) }),
  "steps.warned": Turn,
  /** `name` is how others know the person; absent in records of older versions. */
  stop: Turn.extend({ by: z.string(), name: z.string().optional() }),
  "turn.finished": Turn.extend({
    outcome: TurnOutcome,
    /** What people are told at the end. */
    text: z.string(),
    usage: TurnUsage.exactOptional(),
  }),
  /** People see how the turn ended. */
  "turn.shown": Turn,
};
