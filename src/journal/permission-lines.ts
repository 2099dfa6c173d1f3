import { z } from "zod";
import { Approval, Choice, Decision, Grant } from "../contract/permission/approval.ts";

const By = z.object({ by: z.string(), at: z.string() });

/** The lines that permissions leave in a conversation's journal. */
export const permissionLines = {
  "approval.asked": Approval.omit({
    votes: true,
    wrongPhrases: true,
    decision: true,
    rerun: true,
  }),
  "approval.voted": By.extend({
    approval: z.string(),
    choice: Choice.extract(["once", "timed", "thread"]),
    name: z.string().optional(),
  }),
  "approval.mistyped": By.extend({ approval: z.string() }),
  "approval.decided": Decision.extend({ approval: z.string() }),
  "grant.given": Grant,
  "grant.used": z.object({
    grant: z.string(),
    callId: z.string(),
    digest: z.string(),
    at: z.string(),
  }),
  "grant.revoked": By.extend({ grants: z.array(z.string()) }),
  /** The call for which hosts were open has ended. */
  "host.closed": z.object({ grants: z.array(z.string()), callId: z.string(), at: z.string() }),
  /** People are not asked about these hosts any more, and their connections are refused. */
  "host.denied": By.extend({ hosts: z.array(z.string()).min(1) }),
  /** What denied these hosts holds no longer. */
  "host.undenied": By.extend({ hosts: z.array(z.string()).min(1) }),
  /** The command of a host's card runs again, as a call of its own. */
  "host.rerun": By.extend({ approval: z.string(), event: z.string() }),
  "autoApprove.set": By.extend({ until: z.string().nullable() }),
  "question.asked": z.object({
    callId: z.string(),
    prompt: z.string(),
    context: z.string().optional(),
    authorizeOperation: z.string().optional(),
    requester: z.string().nullable(),
    contributors: z.array(z.string()).optional(),
    askedAt: z.string(),
  }),
  "question.answered": By.extend({
    callId: z.string(),
    name: z.string().optional(),
    text: z.string(),
    meaning: z.enum(["approve", "reject", "neither", "cancelled"]),
  }),
};
