import { type Mutant, mutantsOf } from "../mutant.ts";

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
    `${SOURCE}/approvals/people-needed.ts`,
    "...(another && requester !== undefined ? [requester] : []),",
    "",
  ],
  [
    "an approver of any risk may approve every risk",
    `${SOURCE}/authorize.ts`,
    "rule.risks.includes(risk) &&",
    "",
  ],
  [
    "an approver of one channel approves in all",
    `${SOURCE}/authorize.ts`,
    "(rule.channels === undefined || nearestPlace(rule.channels, channel) !== undefined)",
    "true",
  ],
  [
    "an approver of one tool approves all",
    `${SOURCE}/authorize.ts`,
    "rule.operations.some((pattern) => covers(pattern, operation)) &&",
    "",
  ],
  [
    "the others approve beside the approvers of the channel",
    `${SOURCE}/authorize.ts`,
    "if (own !== undefined) return [channelApprovers[own] ?? []];",
    "",
  ],
  [
    "a channel's approvers count where another's name begins with the same letters",
    "src/lib/nearest-place.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    "place.startsWith(`${name}:`)",
    "place.startsWith(name)",
  ],
]);

const words = mutantsOf(`${TESTS}/approvals/words.test.ts`, [
  [
    "an approval wins over a rejection",
    `${SOURCE}/approvals/words.ts`,
    'if (REJECTION.some((word) => contains(text, word))) return "reject";',
    "",
  ],
  [
    "words count inside other words",
    `${SOURCE}/approvals/words.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    "` ${text} `.includes(` ${word} `)",
    "text.includes(word)",
  ],
  [
    "a reservation does not matter",
    `${SOURCE}/approvals/words.ts`,
    "|| RESERVATIONS.test(text) ",
    "",
  ],
  [
    "an approval counts anywhere in the answer",
    `${SOURCE}/approvals/words.ts`,
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
      "?? notApprovable(asParams, call, { limits, mask })",
      "?? asParams",
    ],
    [
      "the model's own words stand among the parameters",
      `${SOURCE}/effect.ts`,
      "name !== EXPLANATION || call.definition.foreign",
      "true",
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

export const peopleMutants: readonly Mutant[] = [...roles, ...words, ...display];
