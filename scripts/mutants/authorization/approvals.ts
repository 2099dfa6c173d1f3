import { type Mutant, mutantsOf } from "../mutant.ts";

const SOURCE = "src/authorization";
const TESTS = "test/src/authorization";

const approvals = mutantsOf(`${TESTS}/approvals/approvals.test.ts`, [
  [
    "nobody checks who clicks",
    `${SOURCE}/approvals/approvals.ts`,
    'if (refusal) return { answer: { outcome: "refused", reason: refusal } };',
    "",
  ],
  [
    "any phrase will do",
    `${SOURCE}/approvals/approvals.ts`,
    "if (isSame(phrase.trim(), wanted)) return undefined;",
    "return undefined;",
  ],
  [
    "phrases can be tried for ever",
    `${SOURCE}/approvals/approvals.ts`,
    "if (tries >= PHRASE_TRIES) {",
    "if (tries > 1000) {",
  ],
  [
    "one person counts as two",
    `${SOURCE}/approvals/approvals.ts`,
    "votes.some((one) => one.by === by)",
    "false",
  ],
  [
    "who may not approve any more still counts",
    `${SOURCE}/approvals/approvals.ts`,
    "approval.votes.filter((one) => !lapsed.has(one.by))",
    "approval.votes",
  ],
  [
    "the wider of two clicks counts",
    `${SOURCE}/approvals/approvals.ts`,
    "APPROVING.find(",
    "APPROVING.findLast(",
  ],
  [
    "a timed answer counts where none was offered",
    `${SOURCE}/approvals/approvals.ts`,
    'choice === "timed" && !approval.timedScope',
    "false",
  ],
  [
    "what cannot be shown in full is approved",
    `${SOURCE}/approvals/approvals.ts`,
    "return approves(choice) ? approval.effect.notApprovable : undefined;",
    "return undefined;",
  ],
  [
    "a click at the deadline counts",
    `${SOURCE}/approvals/click.ts`,
    "Date.parse(expiresAt) > now.getTime()",
    "Date.parse(expiresAt) >= now.getTime()",
  ],
  [
    "whoever steered the turn counts as another person",
    `${SOURCE}/approvals/people-needed.ts`,
    "...(another || two ? contributors : []),",
    "",
  ],
  [
    "whoever steered the turn counts as one of two",
    `${SOURCE}/approvals/people-needed.ts`,
    "another || two ? contributors",
    "another ? contributors",
  ],
  [
    "the card's binding forgets who steered",
    `${SOURCE}/binding/bind.ts`,
    "...(contributors.length > 0 ? { contributors: [...contributors] } : {}),",
    "",
  ],
  [
    "a timed grant serves the request of whoever gave it",
    `${SOURCE}/grants/grants.ts`,
    "grant.approvers.filter((one) => !barred.includes(one)).length < count",
    "grant.approvers.length < count",
  ],
  [
    "one person's yes to a question is enough for two",
    `${SOURCE}/grants/grants.ts`,
    "if (grant.approvers.filter((one) => !barred.includes(one)).length < count) return false;",
    "if (grant.approvers.some((one) => barred.includes(one))) return false;",
  ],
  [
    "the same call is asked about twice",
    `${SOURCE}/approvals/approvals.ts`,
    "same.find((one) => isOpen(one, now)) ?? ",
    "",
  ],
]);

const grants = [
  ...mutantsOf(`${TESTS}/grant-reach.test.ts`, [
    [
      "a grant for one command covers every other",
      `${SOURCE}/grants/grants.ts`,
      "return isDeepStrictEqual(scope, need.timedScope);",
      'return need.timedScope.kind === "command";',
    ],
    [
      "a grant for one command ignores the files behind it",
      `${SOURCE}/binding/bind.ts`,
      "run: sha256(canonicalJson({ run, files })) };",
      "};",
    ],
    [
      "a grant ignores the files that a project's files name",
      `${SOURCE}/grants/grant-files.ts`,
      "let level = obeyed.filter(({ path }) => isWorkloadPath(path));",
      "let level: CodeFile[] = [];",
    ],
    [
      "a grant lasts though a whole directory decides",
      `${SOURCE}/grants/grant-files.ts`,
      "if (isOpen) return undefined;",
      "",
    ],
    [
      "a grant for make covers all its targets",
      `${SOURCE}/shell/grant-reach.ts`,
      "if (MAKES_ONLY.has(program))",
      'if (MAKES_ONLY.has(program) || program === "make")',
    ],
    [
      "variables before a command do not count for its grant",
      `${SOURCE}/shell/sheet.ts`,
      'grantReach === "program" && !this.assigns',
      'grantReach === "program"',
    ],
  ]),
  ...mutantsOf(`${TESTS}/grants/grants.test.ts`, [
    [
      "a grant lasts one instant too long",
      `${SOURCE}/grants/grants.ts`,
      "Date.parse(grant.expiresAt) > now.getTime()",
      "Date.parse(grant.expiresAt) >= now.getTime()",
    ],
    [
      "a one-time grant is not used up",
      `${SOURCE}/grants/grants.ts`,
      "if (!grant?.oneTime)",
      "if (true as boolean)",
    ],
    [
      "a wide grant serves root and the high list",
      `${SOURCE}/grants/grants.ts`,
      "if (!need.timedScope) return false;",
      "if (!need.timedScope) return true;",
    ],
    [
      "a grant serves every operation",
      `${SOURCE}/grants/grants.ts`,
      "if (grant.operation !== need.operation) return false;",
      "",
    ],
    [
      "one end of a rename in the directory is enough",
      `${SOURCE}/grants/grants.ts`,
      "wanted.every((one)",
      "wanted.some((one)",
    ],
    [
      "a grant for one program serves all",
      `${SOURCE}/grants/grants.ts`,
      "&& need.timedScope.program === scope.program",
      "",
    ],
    [
      "what was revoked still serves",
      "src/journal/permissions.ts",
      "for (const id of revoked.grants) grants.delete(id);",
      "",
    ],
  ]),
  ...mutantsOf(`${TESTS}/races.test.ts`, [
    [
      "what was not written counts as written",
      "src/journal/journal.ts",
      'if (outcome === "written") return answer;',
      "return answer;",
    ],
  ]),
  ...mutantsOf(`${TESTS}/approvals/questions.test.ts`, [
    [
      "every answer grants",
      `${SOURCE}/approvals/questions.ts`,
      'meaning === "approve" ? this.#grantOf(question, by) : undefined',
      "this.#grantOf(question, by)",
    ],
  ]),
];

export const approvalMutants: readonly Mutant[] = [...approvals, ...grants];
