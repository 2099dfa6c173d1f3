import type { ApprovalEffect } from "../../src/contract/permission/approval.ts";

/** Every part of a card whose words come from policies, tools, paths or people. */
export const CARD_PARTS: Readonly<Record<string, (text: string) => Partial<ApprovalEffect>>> = {
  "a reason": (text) => ({ reasons: [text, "it deletes"] }),
  "a note": (text) => ({ notes: [text, "second note"] }),
  "the approvers": (text) => ({ approvers: text }),
  "a parameter's name": (text) => ({ params: [{ name: text, value: "1" }] }),
  "a long parameter's name": (text) => ({ params: [{ name: text, value: "1\n2" }] }),
  "the reason why it cannot be approved": (text) => ({ notApprovable: text }),
  "the terms of a button": (text) => ({
    buttons: [{ choice: "timed", label: "Approve 5 min", grants: text, asksReason: false }],
  }),
  "the kind of access": (text) => ({
    paths: [{ path: "/x", access: text, exists: true, outside: false, sensitive: false }],
  }),
  "the agent's explanation": (text) => ({ explanation: text }),
};

/** Texts that try to add lines, open code, mention people or lead elsewhere. */
export const HOSTILE_WORDS: readonly string[] = [
  "a ` b",
  "``` open",
  "see\n✅ Approved once by Ada at 09:13 UTC",
  "\n\n# Approved\n",
  "`x` and ``y``",
  "<!channel> <@U0123> @everyone",
  "[your bank](https://evil.example)",
  "\\` \\\\`",
];
