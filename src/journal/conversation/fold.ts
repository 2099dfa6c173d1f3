import { addBy, type Fold, type Projection } from "../projection.ts";
import { archive } from "./cut.ts";
import { deleteMessage, editMessage } from "./fold-changes.ts";
import {
  callNamed,
  callOf,
  decisionFrom,
  directCall,
  endCall,
  openTurn,
  plus,
  quoted,
  take,
  textOf,
} from "./fold-turn.ts";
import { nextTurn, noState, type StateDraft } from "./state.ts";

/** Items come to the end of a transcript, and once to its beginning. */
function dateItems({ transcript, times }: StateDraft, at: string): void {
  for (const item of transcript) {
    if (times.has(item)) break;
    times.set(item, at);
  }
  for (let index = transcript.length - 1; index >= 0; index -= 1) {
    const item = transcript[index];
    if (!item || times.has(item)) return;
    times.set(item, at);
  }
}

const FOLD: Fold<StateDraft> = {
  received: (state, { event, messageId, author, isOverheard = false }, { seq, at }) => {
    state.received.set(event, { isOverheard, seq, at });
    if (author === undefined) return;
    const writer = state.writers.get(author);
    state.writers.set(author, {
      isHeard: !isOverheard || writer?.isHeard === true,
      isOverheard: isOverheard || writer?.isOverheard === true,
    });
    if (messageId !== undefined && !isOverheard) state.firstMessage ??= messageId;
  },
  message: (state, message) => {
    state.events.add(message.event);
    state.asked.push(message);
  },
  overheard: (state, overheard) => {
    state.events.add(overheard.event);
    state.overheard.push(overheard);
  },
  "message.edited": (state, edit, { seq }) => editMessage(state, edit, seq),
  "message.deleted": (state, { messageId }) => deleteMessage(state, messageId),
  earlier: (state, { messages, humans = [] }) => {
    state.humansBefore = humans;
    const items = messages.map(({ author, text }) => quoted(author, text));
    state.transcript.unshift(...items);
  },
  "turn.started": (state, { turn, messages, mode, briefing, ...started }, { at }) => {
    const { requester, name, maximum } = started;
    const { stopAhead } = state;
    delete state.stopAhead;
    state.turns += 1;
    if (mode === "agent") state.agentTurns += 1;
    const { taken, about } = take(state, messages);
    state.open = {
      id: turn,
      mode,
      requester,
      name,
      startedAt: at,
      spokenAt: at,
      ...(briefing === undefined ? {} : { briefing }),
      isFirst: state.agentTurns <= 1,
      hasChangedTodos: false,
      checks: new Map(),
      messages: taken,
      about,
      unsaved: taken.filter(({ attachments }) => attachments.length > 0),
      maximum,
      hasWarned: false,
      steps: 0,
      calls: mode === "direct" ? taken.flatMap((message) => directCall(turn, message)) : [],
      ended: [],
      said: "",
      saidLast: "",
      ...(stopAhead && messages.includes(stopAhead.event) ? withoutEvent(stopAhead) : {}),
    };
  },
  "turn.steered": (state, { turn, messages }, { at }) => {
    const open = openTurn(state, turn);
    if (!open) return;
    open.spokenAt = at;
    open.hasChangedTodos = false;
    const { taken, about } = take(state, messages);
    open.messages.push(...taken);
    open.about.push(...about);
    open.unsaved.push(...taken.filter(({ attachments }) => attachments.length > 0));
  },
  uploads: (state, { turn, messages, saved, texts = [], problems }) => {
    const open = openTurn(state, turn);
    if (!open) return;
    open.unsaved = open.unsaved.filter(({ event }) => !messages.includes(event));
    const files =
      saved.length > 0 ? [`Attached files are in the workspace: ${saved.join(", ")}`] : [];
    const text = [...files, ...importOffer(texts), ...problems].join("\n");
    if (text === "") return;
    const item = { type: "reminder", text } as const;
    state.transcript.push(item);
    open.about.push(item);
  },
  "step.finished": (state, { turn, step, items, reason, usage, countedTokens, model }) => {
    const open = openTurn(state, turn);
    if (!open) return;
    state.transcript.push(...items);
    open.steps = step;
    open.said = textOf(items);
    open.saidLast = open.said || open.saidLast;
    open.reason = reason;
    open.model = model;
    open.calls = items.filter((item) => item.type === "call").map(callOf);
    const sum = usage && plus(open.usage, usage);
    if (sum) open.usage = sum;
    if (usage && countedTokens) {
      state.counted = { model, ratio: usage.inputTokens / countedTokens };
    }
  },
  "step.failed": (state, { turn, why }) => {
    const open = openTurn(state, turn);
    if (open) open.failure = why;
  },
  archived: (state, archived) => archive(state, archived),
  checkpoint: (state, checkpoint) => {
    const open = openTurn(state, checkpoint.turn);
    if (open) open.checkpoint = checkpoint;
  },
  "call.started": (state, started) => {
    if (STORING.has(started.operationKey)) state.hasStored = true;
    const call = callNamed(state, started);
    if (call) call.started = started;
  },
  "call.finished": (state, { turn, callId, result, title }) => {
    const call = callNamed(state, { turn, callId });
    if (!call || !state.open || call.result) return;
    call.result = result;
    endCall(state, state.open, call, title);
  },
  "call.waiting": (state, { turn, callId, title, approval, resumes = 0 }) => {
    const call = callNamed(state, { turn, callId });
    if (!call) return;
    call.waits = true;
    call.resumes = resumes;
    call.title = title;
    if (approval !== undefined) state.approvalOf.set(callId, approval);
  },
  "call.resumed": (state, { callId }) => {
    state.resumes.set(callId, (state.resumes.get(callId) ?? 0) + 1);
  },
  "steps.raised": (state, { turn, maximum }) => {
    const open = openTurn(state, turn);
    if (open) open.maximum = maximum;
  },
  "steps.warned": (state, { turn }) => {
    const open = openTurn(state, turn);
    if (open) open.hasWarned = true;
  },
  stop: (state, { turn, by, name }) => {
    const open = openTurn(state, turn);
    const named = name === undefined ? {} : { stopperName: name };
    if (open && open.stoppedBy === undefined) Object.assign(open, { stoppedBy: by, ...named });
    const [next] = state.asked;
    if (!state.open && next && turn === nextTurn(state)) {
      state.stopAhead = { event: next.event, stoppedBy: by, ...named };
    }
  },
  "turn.finished": (state, { turn, outcome, text, usage }, { at }) => {
    const open = openTurn(state, turn);
    if (!open) return;
    delete state.open;
    // With that of the subagents which ended with it.
    if (usage) open.usage = usage;
    state.last = { turn: open, outcome, text, endedAt: at, isShown: false };
    if (outcome !== "done") state.transcript.push({ type: "reminder", text: ENDED[outcome] });
  },
  "turn.shown": (state, { turn }) => {
    if (state.last?.turn.id === turn) state.last.isShown = true;
  },
  "approval.asked": (state, { id, callId }) => {
    state.approvalOf.set(callId, id);
  },
  "approval.decided": (state, { approval, choice, by, reason }, { seq, at }) => {
    state.decisions.set(approval, decisionFrom(choice, reason));
    for (const one of by) state.answers.set(one, { seq, at });
  },
  "grant.used": (state, { callId, digest }) => {
    state.granted.set(callId, digest);
  },
  "question.answered": (state, { callId, by }, { seq, at }) => {
    state.answered.add(callId);
    if (by !== undefined) state.answers.set(by, { seq, at });
  },
  "view.posted": (state, { slot }) => {
    state.posted.add(slot);
  },
};

/** What is on the list is read by those who show it. */
const FACTS = {
  todo: (state: StateDraft) => {
    if (state.open) state.open.hasChangedTodos = true;
    for (const call of state.open?.calls ?? []) {
      if (call.started && !call.result) call.hasTodos = true;
    }
  },
};

const addLine = addBy(FOLD, { facts: FACTS, needs: ["message", "turn", "step", "steps", "call"] });

/** What a conversation is: the sum of its journal. */
export const conversationState: Projection<StateDraft> = {
  initial: noState,
  add(state, line, version) {
    addLine(state, line, version);
    dateItems(state, line.at);
    state.seq = line.seq;
  },
};

const STORING = new Set(["memory_operations.store_memory", "document_operations.document_import"]);

const ENDED = {
  stopped: "A person stopped the turn here. Do not resume it unless you are asked to.",
  failed: "The turn failed here; a message in the thread says why.",
  limit: "The turn ended here because it ran out of steps.",
} as const;

function importOffer(texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  const paths = texts.map((path) => JSON.stringify(path)).join(", ");
  return [
    `To search them later with search_memory, import them with document_operations.document_import: ${paths}. Short ones can simply be read.`,
  ];
}

function withoutEvent({ event: _, ...stop }: NonNullable<StateDraft["stopAhead"]>) {
  return stop;
}
