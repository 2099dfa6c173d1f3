import type { ReminderItem } from "../../contract/model.ts";

/** Which step of its turn this is. */
export function stepReminder(turn: {
  readonly steps: number;
  readonly maximum: number;
  readonly hasWarned: boolean;
}): ReminderItem {
  const place = `This is step ${turn.steps + 1} of ${turn.maximum}.`;
  return reminding(
    turn.hasWarned ? `${place} Finish within those left, or say what remains.` : place,
  );
}

/** A question of the model was answered: that is no end. */
export function answerReminder(): ReminderItem {
  return reminding(
    "The user has answered your question. Use the answer and continue the task; do not end here.",
  );
}

export function repetitionReminder(times: number): ReminderItem {
  return reminding(
    `You have made the same call ${times} times with the same result. ` +
      "Do something else, or say what is blocking you.",
  );
}

export function reminding(text: string): ReminderItem {
  return { type: "reminder", text };
}
