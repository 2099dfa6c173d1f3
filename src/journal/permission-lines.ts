import { z } from "zod";
import { Approval, Choice, Decision, Grant } from "../contract/permission/approval.ts";
import { type JournalLine, UnreadableError } from "../contract/store.ts";

const By = z.object({ by: z.string(), at: z.string() });

/** The lines that permissions leave in a conversation's journal. */
export const PermissionLine = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("approval.asked"),
    data: Approval.omit({ votes: true, wrongPhrases: true, decision: true }),
  }),
  z.object({
    kind: z.literal("approval.voted"),
    data: By.extend({
      approval: z.string(),
      choice: Choice.extract(["once", "timed"]),
      name: z.string().optional(),
    }),
  }),
  z.object({ kind: z.literal("approval.mistyped"), data: By.extend({ approval: z.string() }) }),
  z.object({
    kind: z.literal("approval.decided"),
    data: Decision.extend({ approval: z.string() }),
  }),
  z.object({ kind: z.literal("grant.given"), data: Grant }),
  z.object({
    kind: z.literal("grant.used"),
    data: z.object({ grant: z.string(), callId: z.string(), digest: z.string(), at: z.string() }),
  }),
  z.object({ kind: z.literal("grant.revoked"), data: By.extend({ grants: z.array(z.string()) }) }),
  z.object({
    kind: z.literal("autoApprove.set"),
    data: By.extend({ until: z.string().nullable() }),
  }),
  z.object({
    kind: z.literal("question.asked"),
    data: z.object({
      callId: z.string(),
      prompt: z.string(),
      context: z.string().optional(),
      authorizeOperation: z.string().optional(),
      requester: z.string().nullable(),
      contributors: z.array(z.string()).optional(),
      askedAt: z.string(),
    }),
  }),
  z.object({
    kind: z.literal("question.answered"),
    data: By.extend({
      callId: z.string(),
      name: z.string().optional(),
      text: z.string(),
      meaning: z.enum(["approve", "reject", "neither", "cancelled"]),
    }),
  }),
]);
export type PermissionLine = z.infer<typeof PermissionLine>;
export type LineData<Kind extends PermissionLine["kind"]> = Extract<
  PermissionLine,
  { kind: Kind }
>["data"];

const KINDS: ReadonlySet<string> = new Set(
  PermissionLine.options.map((option) => option.shape.kind.value),
);

/** Undefined for the lines of others. One of ours that cannot be read throws: what is not understood permits nothing. */
export function permissionLine({ seq, kind, data }: JournalLine): PermissionLine | undefined {
  if (!KINDS.has(kind)) return undefined;
  const line = PermissionLine.safeParse({ kind, data });
  if (line.success) return line.data;
  throw new UnreadableError(
    `Line ${seq} of a journal should be a "${kind}" and cannot be read. It may come from a newer version: ` +
      "run that version, or restore the store from a backup.",
    { cause: line.error },
  );
}

export type AskedQuestion = LineData<"question.asked"> & {
  readonly answer?: LineData<"question.answered">;
};
