import { mostTokensIn, type RequestTokens, tokensIn } from "../../agent/tokens.ts";
import type { Model, StepRequest, TranscriptItem } from "../../contract/model.ts";
import { takenOut } from "../../journal/conversation/cut.ts";
import type { ConversationState, OpenTurn } from "../../journal/conversation/state.ts";
import type { LineData } from "../../journal/lines.ts";
import type { ConversationParts } from "../parts.ts";
import type { TurnScope } from "../turn/turn-scope.ts";
import { digestOf } from "./digest.ts";
import { messagesOf } from "./messages.ts";
import { type Cut, planCut } from "./plan.ts";
import { shorten } from "./shorten.ts";

/**
 * Of what there is room for, so much is left after a cut. Less would be forgotten sooner than it has to be; with more the
 * next cut is near, and each of them costs all that the provider has cached.
 */
const LEFT = 0.3;
/** Whatever is archived is told of in a note, and where the rest just fits the note needs a second cut. */
const MOST_CUTS = 2;
/** After a refusal, so much of what was there is left. */
const LEFT_AFTER_REFUSAL = 0.5;
/** Below what was refused, by so much. */
const REFUSED_MARGIN = 0.9;
/** For those who set `smallContext`. */
const SMALL_CONTEXT_TOKENS = 32_000;
/** A server that reports more than this against our count reports something else. */
const MOST_RATIO = 4;

interface Fitting {
  readonly model: Model;
  readonly ask: () => Promise<StepRequest>;
}

interface FittedRequest {
  readonly request: StepRequest;
  /** Absent where it is too short to be worth counting. */
  readonly countedTokens?: number;
}

/** What the model is asked with, short enough for it: where it is not, the oldest part of the transcript is archived. */
export async function fittedRequest(
  scope: TurnScope,
  turn: OpenTurn,
  { model, ask }: Fitting,
): Promise<FittedRequest> {
  const { parts, run } = scope;
  const { conversation } = run;
  const { smallContext } = await parts.settings.load(conversation);
  const most = budgetOf(model, await run.state(), smallContext);
  let request = await ask();
  if (mostTokensIn(request) <= most) return { request };
  let { total } = await tokensIn(model.name, request);
  for (let cuts = 0; total > most && cuts < MOST_CUTS; cuts += 1) {
    if (!(await archiveOldest(scope, turn, { model, request, most }))) break;
    request = await ask();
    ({ total } = await tokensIn(model.name, request));
  }
  // The model may take it nevertheless: it knows better than we do.
  if (total > most) parts.log("warn", tooSmall(model, total), { conversation });
  return { request, countedTokens: total };
}

function tooSmall({ name, inputTokens }: Model, total: number): string {
  return (
    `The request needs ${total} tokens, but ${name} has room for ${inputTokens}. Set MODEL_CONTEXT_TOKENS ` +
    "to its real size, use a model with a larger context, or turn smallContext on."
  );
}

/** The model says that it was too long. False: nothing could be taken out of it. */
export async function archiveRefused(
  scope: TurnScope,
  turn: OpenTurn,
  { model, request }: { readonly model: Model; readonly request: StepRequest },
): Promise<boolean> {
  const { total } = await tokensIn(model.name, request);
  return archiveOldest(scope, turn, { model, request, refused: total });
}

/** In our own count, which is made good by what the server has reported. */
function budgetOf(
  model: Model,
  { counted, archived }: ConversationState,
  isSmall: boolean,
): number {
  const known = counted?.model === model.name ? counted.ratio : 1;
  const ratio = Math.min(MOST_RATIO, Math.max(1, known));
  const refusals = archived.flatMap(({ refused }) =>
    refused?.model === model.name ? [refused.tokens * REFUSED_MARGIN] : [],
  );
  const most = isSmall ? Math.min(model.inputTokens, SMALL_CONTEXT_TOKENS) : model.inputTokens;
  return Math.floor(Math.min(most / ratio, ...refusals));
}

interface TooLong {
  readonly model: Model;
  readonly request: StepRequest;
  /** How long it may be. */
  readonly most?: number;
  /** How long it was when the model refused it. */
  readonly refused?: number;
}

/** One line in the journal, and nothing else: what was taken out stands in the lines before it. */
async function archiveOldest(scope: TurnScope, turn: OpenTurn, given: TooLong): Promise<boolean> {
  const { parts, run } = scope;
  const { conversation } = run;
  const { model, refused } = given;
  const state = await run.state();
  const transcript = [...state.transcript];
  const tokens = await tokensIn(model.name, { ...given.request, items: transcript });
  const cut = planCut({
    transcript,
    about: new Set(state.open?.about),
    keepsLastStep: turn.steps > 0,
    tokensOf: tokens.of,
    ...(await roomFor(given, tokens)),
  });
  if (!cut) return false;
  const data = await lineOf(parts, conversation, { turn, state, transcript, cut, tokens });
  await run.write(({ open, transcript: now }) => {
    // Transcripts only grow, so that one of the same length is the same.
    if (open?.id !== turn.id || now.length !== transcript.length) return [];
    const because =
      refused === undefined ? {} : { refused: { model: model.name, tokens: refused } };
    return [{ kind: "archived", data: { ...data, ...because } }];
  });
  const { messages } = data;
  parts.log("info", "Archived the oldest part of a conversation.", { conversation, messages });
  return true;
}

/** What the transcript may have, once the prompt, the tools and the reminders have what they need. */
async function roomFor(
  { model, request, most = Number.POSITIVE_INFINITY, refused }: TooLong,
  transcript: RequestTokens,
): Promise<{ readonly room: number; readonly target: number }> {
  const { total } = await tokensIn(model.name, request);
  const said = transcript.total - transcript.fixed;
  const room = Math.max(0, most - (total - said));
  if (refused === undefined) return { room, target: room * LEFT };
  const target = said * LEFT_AFTER_REFUSAL;
  return { room: target, target };
}

interface Planned {
  readonly turn: OpenTurn;
  readonly state: ConversationState;
  readonly transcript: readonly TranscriptItem[];
  readonly cut: Cut;
  readonly tokens: RequestTokens;
}

async function lineOf(
  parts: Pick<ConversationParts, "redactor" | "results">,
  conversation: string,
  { turn, state, transcript, cut, tokens }: Planned,
): Promise<LineData<"archived">> {
  const shortened = await Promise.all(
    cut.shortened.map(async ({ item: place, chars }) => {
      const item = transcript[place];
      return { item: place, text: item ? await shorten(parts, conversation, { item, chars }) : "" };
    }),
  );
  const before = { transcript, remnants: state.remnants };
  const out = takenOut(before, { ...cut, kept: [...cut.kept], shortened });
  const timeOf = (item: TranscriptItem) => state.times.get(item) ?? turn.startedAt;
  const messages = messagesOf(parts.redactor, out, timeOf);
  const times = out.map(timeOf).toSorted();
  return {
    turn: turn.id,
    items: cut.items,
    kept: [...cut.kept],
    shortened,
    from: times[0] ?? turn.startedAt,
    to: times.at(-1) ?? turn.startedAt,
    ...digestOf(messages, { request: parts.redactor.redact(turn.messages[0]?.text ?? "") }),
    messages: messages.length,
    tokens: out.reduce((sum, item) => sum + tokens.of(item), 0),
  };
}
