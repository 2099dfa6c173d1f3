import { type Mutant, mutantsOf } from "../mutant.ts";

const SOURCE = "src/authorization";
const TESTS = "test/src/authorization";
const SHELL = `${SOURCE}/shell`;

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

const shell = mutantsOf(`${TESTS}/shell/classify.test.ts`, [
  [
    "lines that bash joins are judged apart",
    `${SHELL}/syntax.ts`,
    "if (joined === asWritten.source) return asWritten;",
    "if (joined !== undefined) return asWritten;",
  ],
  [
    "joined lines do not end a here-document",
    `${SHELL}/here-documents.ts`,
    "isVerbatim(heredoc) ? text : joinLines(text)",
    "text",
  ],
  [
    "a here-document's first line counts as behind its command",
    `${SHELL}/here-documents.ts`,
    "if (heredoc.children.some(isLate))",
    "if (false as boolean)",
  ],
  [
    "a word behind a closed descriptor is its target",
    `${SHELL}/node-doubts.ts`,
    " ?? doubtAboutRedirection(node)",
    "",
  ],
  [
    "a pipeline behind == is a pattern",
    `${SHELL}/node-doubts.ts`,
    " ?? unlessPatternsAreWords(node)",
    "",
  ],
  [
    "a descriptor's name is a word",
    `${SHELL}/doubts.ts`,
    'return "a descriptor that looks like a word";',
    "return undefined;",
  ],
  [
    "words behind redirections are lost",
    `${SHELL}/walk.ts`,
    'if (first) this.#visitor.unreadable("words behind a redirection", first.text);',
    "",
  ],
  [
    "any expansion counts as a plain one",
    `${SHELL}/node-doubts.ts`,
    "PLAIN_EXPANSION.test(text)",
    "true",
  ],
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
    "role === undefined || Object.hasOwn(roles, role)",
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

export const guardMutants: readonly Mutant[] = [
  ...guard,
  ...commands,
  ...shell,
  ...policy,
  ...binding,
];
