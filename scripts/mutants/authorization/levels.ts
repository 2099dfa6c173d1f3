import { type Mutant, mutantsOf } from "../mutant.ts";

const SOURCE = "src/authorization";
const TESTS = "test/src/authorization";

// Faults in the three levels, in the people who approve them, and in the words that they type.

const levels = [
  ...mutantsOf(`${TESTS}/decide.test.ts`, [
    [
      "a phrase is granted for a time",
      `${SOURCE}/assess.ts`,
      'risk === "phrase" ||\n    identity',
      "identity",
    ],
    [
      "the level high asks for a click",
      `${SOURCE}/assess.ts`,
      'const risk = level === "high" ? "phrase" : "click";',
      'const risk = "click";',
    ],
    [
      "the level elevated asks nothing",
      `${SOURCE}/assess.ts`,
      'if (level !== "elevated" && level !== "high") return [];',
      'if (level !== "high") return [];',
    ],
    [
      "deleting a file asks nothing",
      `${SOURCE}/assess.ts`,
      'if (access === "delete") {',
      "if (false as boolean) {",
    ],
    [
      "paths that a command writes obey no rule",
      `${SOURCE}/assess.ts`,
      "...written.flatMap((path) => aboutRule(path, policy)),",
      "",
    ],
    [
      "a call without a conversation is asked about",
      `${SOURCE}/decide.ts`,
      'if (context.conversation === "") {',
      "if (false as boolean) {",
    ],
    [
      "auto-approve holds where the policy forbids it",
      `${SOURCE}/grants/auto-approve.ts`,
      "if (!this.#parts.policy.autoApprove.permitted) return false;",
      "",
    ],
    [
      "auto-approve lasts longer than the policy permits",
      `${SOURCE}/grants/auto-approve.ts`,
      "Math.min(seconds, longest)",
      "seconds === Infinity ? longest : seconds",
    ],
  ]),
  ...mutantsOf(`${TESTS}/policy/policy.test.ts`, [
    [
      "the word click of a policy frees an operation",
      `${SOURCE}/policy/policy-schema.ts`,
      'click: "elevated"',
      'click: "safe"',
    ],
    [
      "the word phrase of a policy means click",
      `${SOURCE}/policy/policy-schema.ts`,
      'phrase: "high"',
      'phrase: "elevated"',
    ],
    [
      "owners are no part of the policy's version",
      `${SOURCE}/policy/policy.ts`,
      "...(owners.length > 0 ? { owners } : {}),",
      "",
    ],
  ]),
  ...mutantsOf(`${TESTS}/commands.test.ts`, [
    [
      "text that cannot be parsed is free",
      `${SOURCE}/assess.ts`,
      'if (risk === "free" && unparsed === undefined) return [];',
      "if (unparsed !== undefined) return [];",
    ],
    [
      "a phrase command asks for a click",
      `${SOURCE}/assess.ts`,
      'const level = risk === "phrase" ? "phrase" : "click";',
      'const level = "click";',
    ],
    [
      "the field for text that cannot be parsed is lost",
      `${SOURCE}/assess.ts`,
      "isUnparsed: command?.class.unparsed !== undefined,",
      "isUnparsed: false,",
    ],
    [
      "text that cannot be parsed is granted for a time",
      `${SOURCE}/assess.ts`,
      "if (unparsed !== undefined) return undefined;",
      'if (unparsed !== undefined) return { kind: "program", program: "" };',
    ],
    [
      "the question does not say that text cannot be parsed",
      `${SOURCE}/decide.ts`,
      "...(isUnparsed ? { isUnparsed: true } : {}),",
      "",
    ],
  ]),
];

const documents = mutantsOf(`${TESTS}/documents.test.ts`, [
  [
    "a path rule that asks is ignored",
    `${SOURCE}/assess.ts`,
    'if (rule !== "ask") return [];',
    "if (rule) return [];",
  ],
  [
    "documents obey no path rule",
    `${SOURCE}/assess.ts`,
    'if (call.tool === "document_operations") return lookIntoDocument(call, context);',
    "",
  ],
  [
    "the name that a document gets is not looked at",
    `${SOURCE}/assess.ts`,
    "paths: found.map((path) => ({ ...path, parameter }))",
    "paths: found.map((path) => ({ ...path, parameter })).slice(1)",
  ],
  [
    "the conversation's setting for reads outside is ignored",
    `${SOURCE}/assess.ts`,
    'policy.outsideReads === "ask" || (await parts.outsideReadsAsk(context.conversation))',
    'policy.outsideReads === "ask"',
  ],
  ["reads inside ask, too", `${SOURCE}/assess.ts`, "!inside && readsAsk ?", "readsAsk ?"],
]);

const approvers = [
  ...mutantsOf(`${TESTS}/approvals/eligible.test.ts`, [
    [
      "the card counts the author among the approvers of text that cannot be parsed",
      `${SOURCE}/decide.ts`,
      "    isUnparsed,\n    ...behind(context),",
      "    ...behind(context),",
    ],
    [
      "a call that no one could approve waits",
      `${SOURCE}/approvals/eligible.ts`,
      "if (isSure && found.names.size < needed) {",
      "if (false as boolean) {",
    ],
    [
      "one approver is enough where two are needed",
      `${SOURCE}/approvals/eligible.ts`,
      "found.names.size < needed",
      "found.names.size < 1",
    ],
    [
      "a failed lookup refuses the call",
      `${SOURCE}/approvals/eligible.ts`,
      "if (presence === undefined) isComplete = false;",
      "",
    ],
    [
      "a list that is not complete refuses the call",
      `${SOURCE}/approvals/eligible.ts`,
      "isComplete &&= isFull;",
      "",
    ],
    [
      "people who may not approve are named",
      `${SOURCE}/approvals/eligible.ts`,
      "if (!presence || !parts.authorize(presence.actor, act, presence.place).allowed) continue;",
      "if (!presence) continue;",
    ],
    [
      "a card names everyone",
      `${SOURCE}/approvals/eligible.ts`,
      "const MOST_NAMES = 3;",
      "const MOST_NAMES = 30;",
    ],
    [
      "platform administrators count beside OWNERS",
      `${SOURCE}/authorize.ts`,
      "if (owners.length === 0) return isApproval && actor.isAdministrator === true;",
      "if (isApproval && actor.isAdministrator === true) return true;",
    ],
    [
      "platform administrators administer the bot",
      `${SOURCE}/authorize.ts`,
      "return isApproval && actor.isAdministrator === true;",
      "return actor.isAdministrator === true;",
    ],
    [
      "groups in OWNERS do not count",
      `${SOURCE}/authorize.ts`,
      "return names.some((name) => owners.includes(name));",
      "return owners.includes(actorKey(actor));",
    ],
    [
      "a gap of one level is not reported",
      `${SOURCE}/approvals/approver-gaps.ts`,
      'const LEVELS: readonly AskedLevel[] = ["click", "phrase"];',
      'const LEVELS: readonly AskedLevel[] = ["click"];',
    ],
    ["the web has no owner", `${SOURCE}/approvals/approver-gaps.ts`, " || hasTokenOwner;", ";"],
  ]),
  ...mutantsOf(`${TESTS}/authorize.test.ts`, [
    [
      "requesters approve text that cannot be parsed",
      `${SOURCE}/authorize.ts`,
      "if (act.isUnparsed && isRequester",
      "if (false && isRequester",
    ],
    [
      "guests talk where the policy ignores them",
      `${SOURCE}/authorize.ts`,
      'if (act.kind === "talk" && policy.guests === "talk") return YES;',
      'if (act.kind === "talk") return YES;',
    ],
    [
      "a deactivated account still decides",
      `${SOURCE}/authorize.ts`,
      'if (actor.kind === "deactivated") return "This account is deactivated.";',
      "",
    ],
  ]),
  ...mutantsOf(`${TESTS}/approvals/approvals.test.ts`, [
    [
      "a person out of tries opens the window again",
      `${SOURCE}/approvals/approvals.ts`,
      "return tries >= PHRASE_TRIES ? MISTYPED : undefined;",
      "return undefined;",
    ],
    [
      "blanks around a phrase count",
      `${SOURCE}/approvals/approvals.ts`,
      "isSame(phrase.trim(), wanted)",
      "isSame(phrase, wanted)",
    ],
  ]),
  ...mutantsOf("test/adapters/slack/approvers.test.ts", [
    [
      "the refusal does not say who may approve",
      `${SOURCE}/approvals/approvals.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      "return approvers ? `${may.reason} It can be approved by ${approvers}.` : may.reason;",
      "return may.reason;",
    ],
    [
      "Slack opens the window before it checks rights",
      "adapters/slack/entry-points/doors.ts",
      'if (opening && "refusal" in opening) return receiving.refuse(thread, user.id, opening.refusal);',
      "",
    ],
  ]),
  ...mutantsOf("test/adapters/discord/approvers.test.ts", [
    [
      "Discord opens the window before it checks rights",
      "adapters/discord/entry-points/doors.ts",
      'if (opening && "refusal" in opening) return this.#sayTo(interaction, opening.refusal);',
      "",
    ],
  ]),
  ...mutantsOf("test/conversations/doors.test.ts", [
    [
      "grants survive the archiving of their thread",
      "src/intake/handle.ts",
      "await parts.grants.revoke(conversation, { by });",
      "",
    ],
    [
      "auto-approve survives the archiving of its thread",
      "src/intake/handle.ts",
      "await parts.autoApprove.revoke(conversation, { by });",
      "",
    ],
    [
      "open requests survive the archiving of their thread",
      "src/intake/handle.ts",
      "await parts.approvals.cancelAll(conversation, by, incoming.actorName);",
      "",
    ],
  ]),
  ...mutantsOf("test/src/tools/perform-call.test.ts", [
    [
      "the audit takes auto-approve for a call without risk",
      "src/tools/call/call-report.ts",
      'if (ground === "auto-approve") return "autoApprove";',
      "",
    ],
    [
      "a call runs before the audit has it",
      "src/tools/perform-call.ts",
      "      await audit.record(report.entry());\n      startedAt",
      "      void audit.record(report.entry()).catch(() => {});\n      startedAt",
    ],
    [
      "a call runs before the journal has it",
      "src/tools/perform-call.ts",
      "await journal.started(call.callId, planned, verdict);",
      "journal.started(call.callId, planned, verdict).catch(() => {});",
    ],
    [
      "a call runs without the checkpoint",
      "src/tools/perform-call.ts",
      "await journal.checkpoint(planned);",
      "journal.checkpoint(planned).catch(() => {});",
    ],
  ]),
];

const words = [
  ...mutantsOf(`${TESTS}/approvals/phrase.test.ts`, [
    [
      "phrases may be long",
      `${SOURCE}/approvals/phrase.ts`,
      "const MOST_CHARS = 40;",
      "const MOST_CHARS = 400;",
    ],
    [
      "one word is a phrase",
      `${SOURCE}/approvals/phrase.ts`,
      "( [A-Za-z0-9._/:@=+,~*-]+)+$/;",
      "( [A-Za-z0-9._/:@=+,~*-]+)*$/;",
    ],
    [
      "a phrase repeats a secret",
      `${SOURCE}/approvals/phrase.ts`,
      "const isSecret = (text: string) => mask(text) !== text;",
      "const isSecret = (text: string) => mask(text) === undefined;",
    ],
    [
      "a phrase names the launcher",
      `${SOURCE}/approvals/phrase.ts`,
      "const isWrapper = WRAPPERS.has(posix.basename(first));",
      "const isWrapper = false as boolean;",
    ],
    [
      "a phrase names one of several effects",
      `${SOURCE}/approvals/phrase.ts`,
      "const rest = others.length + more;",
      "const rest = 0 * (others.length + more);",
    ],
    [
      "a push is named without its branch",
      `${SOURCE}/approvals/phrase.ts`,
      "targets: objects.slice(1) };\n  }\n  if (verb",
      "targets: [] };\n  }\n  if (verb",
    ],
    [
      "the values of options are operands",
      `${SOURCE}/approvals/phrase.ts`,
      "!isValue(args[index - 1]) &&",
      "",
    ],
  ]),
  ...mutantsOf(`${TESTS}/printable.test.ts`, [
    [
      "letters count in any case under the flag i",
      `${SOURCE}/printable.ts`,
      '  "gu",\n',
      '  "giu",\n',
    ],
    ["three backticks end the code block", `${SOURCE}/printable.ts`, '"`{3,}",', '"`{9,}",'],
  ]),
];

export const levelMutants: readonly Mutant[] = [...levels, ...documents, ...approvers, ...words];
