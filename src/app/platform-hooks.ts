import { approves } from "../contract/permission/approves.ts";
import type { PlatformHooks } from "../contract/platform/platform.ts";
import { readAction } from "../contract/platform/view-actions.ts";
import type { Core } from "./core.ts";
import { commandHelp, needsThread } from "./help.ts";

/** What platforms ask the bot about. */
export function platformHooks({
  authorization,
  openForm,
}: Pick<Core, "authorization" | "openForm">): PlatformHooks {
  return {
    openForm,
    needsThread,
    commands: commandHelp,
    usesGroups: () => authorization.usesGroups,
    mayRead: ({ actor, place }) =>
      authorization.authorize(actor, { kind: "readThread" }, place).allowed,
    problemWith: async ({ thread, action, typed }) => {
      const meant = readAction(action);
      if (meant?.kind !== "approval" || !approves(meant.choice)) return undefined;
      const approval = await authorization.approvals.find(thread, meant.approval);
      const phrase = approval?.decision ? undefined : approval?.effect.phrase;
      return phrase === undefined || phrase === typed.trim()
        ? undefined
        : "The phrase does not match the one above.";
    },
  };
}
