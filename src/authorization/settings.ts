import { z } from "zod";
import { durationProblem, parseDuration } from "./grants/durations.ts";
import { Person } from "./policy/policy-schema.ts";

/** What an operator sets for permissions besides the policy file. */
export const AuthorizationSettings = z.object({
  /** Who may approve what; without a file the default policy holds. */
  policyFile: z.string().min(1).optional(),
  /** Who owns the bot: ids of people or groups, with commas between them. Without it the platforms' own owners count. */
  owners: z
    .string()
    .default("")
    .transform((text) => text.split(",").map((one) => one.trim()))
    .transform((all) => all.filter((one) => one !== ""))
    .pipe(z.array(Person)),
  /** How long "Approve 5 min" permits. What is no duration at all is warned about later, and means five minutes. */
  grantDuration: z
    .string()
    .default("5m")
    .refine((text) => parseDuration(text) === undefined || !durationProblem(text), {
      error: "must be from 1s to 24h",
    }),
  /** Whether a typed 👍 approves and a typed 👎 denies, as "yes" and "no" do. */
  emojiAnswers: z.stringbool().default(false),
});
export type AuthorizationSettings = z.infer<typeof AuthorizationSettings>;
