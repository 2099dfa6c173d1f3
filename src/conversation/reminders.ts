import type { Reminders } from "../agent/prompt.ts";
import { documentReminder } from "../agent/reminders/documents.ts";
import { miniPromptReminder } from "../agent/reminders/mini-prompts.ts";
import { memoryReminder } from "../agent/reminders/recent-memories.ts";
import { completionReminder, todoReminder } from "../agent/reminders/todo-list.ts";
import {
  answerReminder,
  reminding,
  repetitionReminder,
  stepReminder,
} from "../agent/reminders/turn.ts";
import type { ReminderItem } from "../contract/model.ts";
import { checkName } from "../journal/conversation/checks.ts";
import type { OpenTurn } from "../journal/conversation/state.ts";
import type { Briefing } from "./briefings.ts";
import type { ConversationParts } from "./parts.ts";
import { REPEATS_TOLD, repeats } from "./turn/next.ts";

export interface ReminderParts
  extends Pick<ConversationParts, "todos" | "memories" | "scopeOf" | "archiveNote" | "log"> {}

export interface Reminding extends Pick<Briefing, "minis"> {
  readonly conversation: string;
  readonly turn: OpenTurn;
  /** Where nothing was ever stored, nobody has to look. */
  readonly hasStored: boolean;
}

interface Reminded {
  readonly item: ReminderItem | undefined;
  /** What it tells has changed after the newest message came. */
  readonly isNew?: boolean;
}

/**
 * What is true of this step alone, in one order. What is as it was when the newest message came stands before that
 * message, where it stays from step to step; everything else at the end, and what was stored just now last of all.
 */
export async function remindersOf(
  parts: ReminderParts,
  { conversation, turn, minis, hasStored }: Reminding,
): Promise<Reminders> {
  const scope = async () => parts.scopeOf(conversation);
  const lists = await all(parts, conversation, {
    "mini prompts": async () => ({ item: turn.isFirst ? undefined : miniPromptReminder(minis) }),
    todos: async () => {
      const list = await parts.todos.read(conversation);
      return { item: todoReminder(list?.items ?? []), isNew: turn.hasChangedTodos };
    },
    documents: async () => {
      if (!hasStored) return { item: undefined };
      const documents = await parts.memories.documents(await scope(), conversation);
      const isNew = documents.some(({ importedAt }) => importedAt >= turn.spokenAt);
      return { item: documentReminder(documents), isNew };
    },
  });
  const notes = await all(parts, conversation, {
    "archived context": async () => {
      const note = await parts.archiveNote?.(conversation);
      return { item: note === undefined ? undefined : reminding(note) };
    },
    steps: async () => ({ item: stepReminder(turn) }),
    repetition: async () => {
      const times = repeats(turn.ended);
      return { item: times >= REPEATS_TOLD ? repetitionReminder(times) : undefined };
    },
    "passed checks": async () => {
      if (turn.checks.size === 0) return { item: undefined };
      const list = await parts.todos.read(conversation);
      const hasPassed = (check: string) => turn.checks.get(checkName(check)) === true;
      return { item: completionReminder(list?.items ?? [], hasPassed) };
    },
    answer: async () => ({ item: wasAnswered(turn) ? answerReminder() : undefined }),
    memories: async () => {
      if (!hasStored) return { item: undefined };
      return { item: memoryReminder(await parts.memories.recent(await scope(), conversation)) };
    },
  });
  return {
    before: lists.filter(({ isNew }) => !isNew).flatMap(itemOf),
    after: [...lists.filter(({ isNew }) => isNew), ...notes].flatMap(itemOf),
  };
}

/** Each fails alone: a step without a reminder is better than no step. */
async function all(
  { log }: ReminderParts,
  conversation: string,
  reminders: Readonly<Record<string, () => Promise<Reminded>>>,
): Promise<Reminded[]> {
  return await Promise.all(
    Object.entries(reminders).map(async ([what, make]) => {
      try {
        return await make();
      } catch (error) {
        log("warn", "A reminder could not be built and is omitted.", {
          conversation,
          reminder: what,
          error,
        });
        return { item: undefined };
      }
    }),
  );
}

function itemOf({ item }: Reminded): ReminderItem[] {
  return item ? [item] : [];
}

const ASKING = "user_collaboration";

function wasAnswered({ calls }: OpenTurn): boolean {
  return calls.some(({ name, result }) => name === ASKING && result?.success);
}
