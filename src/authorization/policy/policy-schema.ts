import { z } from "zod";
import { AskedLevel } from "../../contract/permission/level.ts";
import { durationProblem } from "../grants/durations.ts";

const PERSON = /^[a-z][a-z0-9-]*(:[A-Za-z0-9_.-]+){1,2}$/;
const GROUP = /^group:[a-z][a-z0-9-]*(:[A-Za-z0-9_.-]+){1,2}$/;
const OPERATION = /^(\*|[A-Za-z0-9_-]+(\.(\*|[A-Za-z0-9_.-]+))?)$/;

/** A person, a group of the platform, a role of this file, or one of three words. Never a name that can be changed. */
export const Who = z
  .string()
  .refine(
    (text) =>
      ["requester", "members", "owner"].includes(text) ||
      /^role:[A-Za-z0-9_-]+$/.test(text) ||
      GROUP.test(text) ||
      (PERSON.test(text) && !text.startsWith("role:") && !text.startsWith("group:")),
    {
      error:
        "must be an id such as platform:team:user, group:platform:team:group, role:name, requester, members or owner; display names are not accepted because people can change them",
    },
  );

export const Person = z.string().refine((text) => PERSON.test(text) || GROUP.test(text), {
  error: "must be an id such as platform:team:user or group:platform:team:group",
});

const Levels = z.array(AskedLevel).transform((levels) => [...new Set(levels)]);

/** When an operation asks: never, outside the workspace, always with a click, always with a phrase; or it is forbidden. */
const OperationLevel = z
  .enum(["safe", "standard", "elevated", "high", "denied", "free", "click", "phrase"], {
    error: "must be safe (free), standard, elevated (click), high (phrase) or denied",
  })
  .transform((word) =>
    word === "free" || word === "click" || word === "phrase" ? OPERATION_LEVELS[word] : word,
  );

const OPERATION_LEVELS = { free: "safe", click: "elevated", phrase: "high" } as const;

const OperationPattern = z.string().regex(OPERATION, {
  error: "write tool.operation, tool.* or *",
});

const ApproverRule = z.strictObject({
  who: z.array(Who),
  /** Where: `platform:team:channel`; everywhere when left out. */
  channels: z.array(z.string().min(1)).optional(),
  operations: z.array(OperationPattern).default(["*"]),
  risks: Levels.default(["click"]),
});

const PathRule = z.strictObject({
  path: z.string().min(1, "must be a path or a pattern such as **/.env"),
  effect: z.enum(["allow", "ask", "deny"], { error: "must be allow, ask or deny" }),
  access: z
    .array(z.enum(["read", "write", "delete"], { error: "must be read, write or delete" }))
    .default(["read", "write", "delete"]),
});

const Time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as "08:30"');
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const WorkingHours = z.strictObject({
  timeZone: z.string().refine(isTimeZone, { error: 'must be a time zone such as "Europe/Berlin"' }),
  days: z.array(z.enum(DAYS)).min(1).default(["mon", "tue", "wed", "thu", "fri"]),
  from: Time,
  to: Time,
  /** What is denied outside these hours. */
  risks: Levels.default(["click", "phrase"]),
});
export type WorkingHours = z.infer<typeof WorkingHours>;

const Duration = z.string().superRefine((text, context) => {
  const problem = durationProblem(text);
  if (problem) context.addIssue({ code: "custom", message: problem });
});

/** The policy file. Every list is taken as it stands: an empty one means nobody. */
export const PolicyFile = z.strictObject({
  version: z.literal(1, { error: "write version: 1" }),
  roles: z.record(z.string().regex(/^[A-Za-z0-9_-]+$/), z.array(Person)).default({}),
  /** May change settings of the whole bot and turn auto-approve on. */
  admins: z.array(Who).default(["owner"]),
  /** May change the settings of a conversation. */
  settings: z.array(Who).default(["members", "owner"]),
  /** Whether guests and people of other teams may talk to the bot. */
  guests: z.enum(["talk", "ignored"], { error: "write talk or ignored" }).default("ignored"),
  approvers: z.array(ApproverRule).default([
    { who: ["requester", "owner"], operations: ["*"], risks: ["click"] },
    { who: ["owner"], operations: ["*"], risks: ["phrase"] },
  ]),
  /** For these, whoever asked may not be the one who approves. */
  anotherPerson: Levels.default([]),
  /** For these, two different people must approve. */
  twoPersons: Levels.default([]),
  operations: z.record(OperationPattern, OperationLevel).default({}),
  paths: z.array(PathRule).default([]),
  outsideReads: z.enum(["allow", "ask"], { error: "write allow or ask" }).default("allow"),
  workingHours: WorkingHours.optional(),
  autoApprove: z
    .strictObject({ permitted: z.boolean(), longest: Duration.default("1h") })
    .default({ permitted: true, longest: "1h" }),
  /** When an approval that nobody answers counts as denied; never when left out. */
  approvalsExpireAfter: Duration.optional(),
});
export type PolicyFile = z.infer<typeof PolicyFile>;

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    // The only way to ask whether a zone exists.
    return false;
  }
}
