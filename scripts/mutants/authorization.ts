import { type Mutant, mutantsOf } from "./mutant.ts";

const SOURCE = "src/authorization";
const TESTS = "test/src/authorization";

const roles = mutantsOf(`${TESTS}/authorize.test.ts`, [
  [
    "bots may do what members may",
    `${SOURCE}/authorize.ts`,
    'actor.kind === "self" || actor.kind === "bot"',
    "false",
  ],
  [
    "who has left the channel still decides",
    `${SOURCE}/authorize.ts`,
    "!place.isChannelMember",
    "false",
  ],
  [
    "people of another team count as members",
    `${SOURCE}/authorize.ts`,
    " || actor.team !== place.team",
    "",
  ],
  [
    "ids of another platform count",
    `${SOURCE}/authorize.ts`,
    "actor.platform !== place.platform",
    "false",
  ],
  [
    "whoever asked may approve what needs another person",
    `${SOURCE}/authorize.ts`,
    "isRequester && policy.anotherPerson.includes(act.risk)",
    "false",
  ],
  [
    "an approver of any risk may approve every risk",
    `${SOURCE}/authorize.ts`,
    "rule.risks.includes(act.risk) &&",
    "",
  ],
  [
    "an approver of one channel approves in all",
    `${SOURCE}/authorize.ts`,
    "(rule.channels === undefined || rule.channels.includes(channel)) &&",
    "",
  ],
  [
    "an approver of one tool approves all",
    `${SOURCE}/authorize.ts`,
    "rule.operations.some((pattern) => covers(pattern, act.operation)) &&",
    "",
  ],
]);

const words = mutantsOf(`${TESTS}/words.test.ts`, [
  [
    "an approval wins over a rejection",
    `${SOURCE}/words.ts`,
    'if (REJECTION.some((word) => contains(text, word))) return "reject";',
    "",
  ],
  [
    "words count inside other words",
    `${SOURCE}/words.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    "` ${text} `.includes(` ${word} `)",
    "text.includes(word)",
  ],
  ["a reservation does not matter", `${SOURCE}/words.ts`, "|| RESERVATIONS.test(text) ", ""],
  [
    "an approval counts anywhere in the answer",
    `${SOURCE}/words.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    "opening.startsWith(`${word} `)",
    "contains(opening, word)",
  ],
]);

const display = [
  ...mutantsOf(`${TESTS}/printable.test.ts`, [
    [
      "a written-out escape looks like a real one",
      `${SOURCE}/printable.ts`,
      "String.raw`\\\\(?=u\\{)`,",
      "",
    ],
    [
      "letters of other scripts are shown as they are",
      `${SOURCE}/printable.ts`,
      "[^\\n\\x20-\\x7e]",
      "[^\\n\\x20-\\x7e\\p{L}]",
    ],
  ]),
  ...mutantsOf(`${TESTS}/effect.test.ts`, [
    [
      "what does not fit is cut and can be approved",
      `${SOURCE}/effect.ts`,
      "?? notApprovable(asParams, call, limits)",
      "?? asParams",
    ],
    [
      "the model's own words stand on the card",
      `${SOURCE}/effect.ts`,
      'new Set(["explanation"])',
      "new Set([])",
    ],
    [
      "the command on the card is not escaped",
      `${SOURCE}/effect.ts`,
      "{ command: printable(command.text) }",
      "{ command: command.text }",
    ],
    [
      "root can be granted for a time",
      `${SOURCE}/assess.ts`,
      'identity === "root" ||\n    call.definition',
      "call.definition",
    ],
  ]),
];

const guard = mutantsOf(`${TESTS}/decide.test.ts`, [
  [
    "a denial of the policy is not looked at",
    `${SOURCE}/decide.ts`,
    "if (assessment.denied !== undefined)",
    "if (false as boolean)",
  ],
  [
    "a direct command passes the high list",
    `${SOURCE}/decide.ts`,
    'risk === "high" || policy.twoPersons',
    "policy.twoPersons",
  ],
  [
    "a direct command passes whoever its author is",
    `${SOURCE}/decide.ts`,
    "if (!authorize(author.actor, act, author.place).allowed) return undefined;",
    "",
  ],
  [
    "auto-approve passes the high list",
    `${SOURCE}/decide.ts`,
    'assessment.risk === "high" || !(await',
    "!(await",
  ],
  [
    "auto-approve does not end",
    `${SOURCE}/auto-approve.ts`,
    "Date.parse(autoApproveUntil) > now().getTime()",
    "true",
  ],
  [
    "anybody turns auto-approve on",
    `${SOURCE}/auto-approve.ts`,
    'const may = authorize(actor, { kind: "autoApprove" }, place);',
    'const may = authorize(actor, { kind: "talk" }, place);',
  ],
  [
    "writes outside do not ask",
    `${SOURCE}/assess.ts`,
    'if (!inside) concerns.push({ risk: "standard", reason: outside });',
    "",
  ],
  [
    "git hooks are files like any other",
    `${SOURCE}/assess.ts`,
    "if (sensitive) {",
    "if (false as boolean) {",
  ],
  [
    "working hours are not kept",
    `${SOURCE}/assess.ts`,
    "!hours.risks.includes(risk) || isWithin(hours, now())",
    "true",
  ],
  [
    "an allow is stronger than a deny",
    `${SOURCE}/policy-rules.ts`,
    "effects.includes(effect));",
    'effects.includes(effect) && effect !== "deny");',
  ],
]);

const commands = mutantsOf(`${TESTS}/commands.test.ts`, [
  [
    "what cannot be read as bash reads it runs",
    `${SOURCE}/assess.ts`,
    'return [{ risk: "elevated", reason: `The command cannot',
    'return [].slice() ?? [{ risk: "elevated", reason: `The command cannot',
  ],
  [
    "root is used in a link's place",
    `${SOURCE}/bind.ts`,
    'if (identity !== "root") return params;',
    "if (identity) return params;",
  ],
  [
    "a task's arguments are not looked at",
    `${SOURCE}/command-text.ts`,
    '[command, ...quoted].join(" ")',
    "command",
  ],
  [
    "half a line is forgotten",
    `${SOURCE}/decide.ts`,
    "keyboards.typed({ conversation, session }, String(call.params.input), place);",
    "",
  ],
  [
    "sudo in the background runs",
    `${SOURCE}/assess.ts`,
    'identity !== "root" || params.isBackground !== true',
    "true",
  ],
  ["a typed line is not judged", `${SOURCE}/keyboards.ts`, "look(input);", 'look("");'],
]);

const policy = mutantsOf(`${TESTS}/policy.test.ts`, [
  [
    "the end of the working hours belongs to them",
    `${SOURCE}/policy-rules.ts`,
    "from <= time && time < to",
    "from <= time && time <= to",
  ],
  [
    "a role that is nowhere is accepted",
    `${SOURCE}/policy.ts`,
    "role === undefined || Object.hasOwn(file.roles, role)",
    "true",
  ],
]);

const binding = [
  ...mutantsOf(`${TESTS}/bind.test.ts`, [
    [
      "only the parameters are bound",
      `${SOURCE}/bind.ts`,
      "sha256(canonicalJson(call))",
      "sha256(canonicalJson(call.params))",
    ],
    [
      "the digest of a grant is not compared",
      `${SOURCE}/grants.ts`,
      "return scope.digest === need.digest;",
      "return true;",
    ],
  ]),
  ...mutantsOf(`${TESTS}/approvals.test.ts`, [
    [
      "the requester is not bound",
      `${SOURCE}/bind.ts`,
      "requester: context.userId ?? null",
      "requester: null",
    ],
    ["the policy is not bound", `${SOURCE}/bind.ts`, "policy: policy.hash", 'policy: ""'],
    [
      "the resolved paths are not bound",
      `${SOURCE}/bind.ts`,
      "({ parameter, access, resolved }))",
      '({ parameter, access, resolved: "" }))',
    ],
    [
      "the contents of the file are not bound",
      `${SOURCE}/bind.ts`,
      'file.text === undefined ? "unreadable" : sha256(file.text)',
      '"unreadable"',
    ],
  ]),
];

const approvals = mutantsOf(`${TESTS}/approvals.test.ts`, [
  [
    "nobody checks who clicks",
    `${SOURCE}/approvals.ts`,
    'if (refusal) return { answer: { outcome: "refused", reason: refusal } };',
    "",
  ],
  [
    "any phrase will do",
    `${SOURCE}/approvals.ts`,
    "if (isSame(phrase, wanted)) return undefined;",
    "return undefined;",
  ],
  [
    "phrases can be tried for ever",
    `${SOURCE}/approvals.ts`,
    "tries >= PHRASE_TRIES",
    "tries > 1000",
  ],
  [
    "one person counts as two",
    `${SOURCE}/approvals.ts`,
    "votes.some((vote) => vote.by === by)",
    "false",
  ],
  [
    "who may not approve any more still counts",
    `${SOURCE}/approvals.ts`,
    "approval.votes.filter((vote) => !lapsed.has(vote.by))",
    "approval.votes",
  ],
  [
    "the wider of two clicks counts",
    `${SOURCE}/approvals.ts`,
    'all.every((vote) => vote.choice === "timed")',
    'all.some((vote) => vote.choice === "timed")',
  ],
  [
    "a timed answer counts where none was offered",
    `${SOURCE}/approvals.ts`,
    'choice === "timed" && !approval.timedScope',
    "false",
  ],
  [
    "what cannot be shown in full is approved",
    `${SOURCE}/approvals.ts`,
    'return choice === "once" || choice === "timed" ? approval.effect.notApprovable : undefined;',
    "return undefined;",
  ],
  [
    "a click at the deadline counts",
    `${SOURCE}/click.ts`,
    "Date.parse(expiresAt) > now.getTime()",
    "Date.parse(expiresAt) >= now.getTime()",
  ],
  [
    "the same call is asked about twice",
    `${SOURCE}/approvals.ts`,
    "one.digest === question.digest && isOpen(one, now)",
    "false",
  ],
]);

const grants = [
  ...mutantsOf(`${TESTS}/grants.test.ts`, [
    [
      "a grant lasts one instant too long",
      `${SOURCE}/grants.ts`,
      "Date.parse(grant.expiresAt) > now.getTime()",
      "Date.parse(grant.expiresAt) >= now.getTime()",
    ],
    [
      "a one-time grant is not used up",
      `${SOURCE}/grants.ts`,
      "if (!grant?.oneTime)",
      "if (true as boolean)",
    ],
    [
      "a wide grant serves root and the high list",
      `${SOURCE}/grants.ts`,
      "if (!need.timedScope) return false;",
      "if (!need.timedScope) return true;",
    ],
    [
      "a grant serves every operation",
      `${SOURCE}/grants.ts`,
      "if (grant.operation !== need.operation) return false;",
      "",
    ],
    [
      "one end of a rename in the directory is enough",
      `${SOURCE}/grants.ts`,
      "wanted.every((one)",
      "wanted.some((one)",
    ],
    [
      "a grant for one program serves all",
      `${SOURCE}/grants.ts`,
      "&& need.timedScope.program === scope.program",
      "",
    ],
    [
      "what was revoked still serves",
      `${SOURCE}/ledger.ts`,
      "for (const id of revoked.grants) grants.delete(id);",
      "",
    ],
  ]),
  ...mutantsOf(`${TESTS}/races.test.ts`, [
    [
      "what was not written counts as written",
      `${SOURCE}/ledger.ts`,
      'if (appended.outcome === "written") return proposal.answer;',
      "if (appended.outcome) return proposal.answer;",
    ],
  ]),
  ...mutantsOf(`${TESTS}/questions.test.ts`, [
    [
      "every answer grants",
      `${SOURCE}/questions.ts`,
      'meaning === "approve" ? this.#grantOf(question, by) : undefined',
      "this.#grantOf(question, by)",
    ],
  ]),
];

export const authorizationMutants: readonly Mutant[] = [
  ...roles,
  ...words,
  ...display,
  ...guard,
  ...commands,
  ...policy,
  ...binding,
  ...approvals,
  ...grants,
];
