import type { ReminderItem } from "../../contract/model.ts";
import { minisText, type StandingRequest } from "../briefing.ts";

/** What people want at all times, once more where it might have been forgotten. */
export function miniPromptReminder(minis: readonly StandingRequest[]): ReminderItem | undefined {
  if (minis.length === 0) return undefined;
  const head =
    "The standing requests of the people here have priority over your usual ways, for this message as well:";
  return { type: "reminder", element: "miniPromptReminder", text: `${head}\n${minisText(minis)}` };
}
