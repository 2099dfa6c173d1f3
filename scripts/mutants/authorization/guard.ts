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
    'risk === "phrase" || policy.twoPersons',
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
    'assessment.risk === "phrase" || assessment.isUnparsed',
    "assessment.isUnparsed",
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
    'if (!inside) concerns.push({ risk: "click", reason: outside });',
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
    "auto-approve passes text that cannot be parsed",
    `${SOURCE}/decide.ts`,
    'assessment.risk === "phrase" || assessment.isUnparsed',
    'assessment.risk === "phrase"',
  ],
  [
    "authors approve text that cannot be parsed",
    `${SOURCE}/decide.ts`,
    "userId === undefined || isUnparsed)",
    "userId === undefined)",
  ],
  [
    "parts of text that cannot be parsed are not judged",
    `${SHELL}/judge.ts`,
    "      this.readParts(text);\n",
    "",
  ],
  [
    "a checkpoint that failed still frees deletions",
    `${SOURCE}/assess.ts`,
    "!command.class.discards || gap === undefined",
    "gap !== command.class.unparsed",
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
    "a forced push is a push like any other",
    `${SHELL}/rules/git-push.ts`,
    'if (hasAnyOption(args, FORCED)) inspect.phrase("overwrites or deletes branches of a remote");',
    "",
  ],
  [
    "protected branches are branches like any other",
    `${SHELL}/rules/git-push.ts`,
    'if (refs.some(isProtected)) inspect.phrase("pushes to a protected branch");',
    "",
  ],
  [
    "credentials may leave by a click",
    `${SHELL}/sheet.ts`,
    "if (this.readsCredentials && this.sends)",
    "if (false as boolean)",
  ],
  [
    "arguments of unknown programs are no commands",
    `${SHELL}/judge.ts`,
    "for (const candidate of candidatesIn(words)) this.#probe(candidate, segment);",
    "",
  ],
  [
    "what find matches is what its tests name",
    `${SHELL}/rules/find.ts`,
    "filtered && !widened ?",
    "filtered ?",
  ],
  ["IFS splits nothing", `${SHELL}/scope.ts`, "(this.hasOtherSplitting && !isQuoted)", "false"],
  [
    "git outside the workspace has a checkpoint, too",
    `${SHELL}/file-effects.ts`,
    'isKept ? "free" : "click"',
    '"free"',
  ],
  [
    "recursive deletion outside is a click",
    `${SHELL}/effects.ts`,
    'const isBroad = recursive || zone === "device" ||',
    "const isBroad =",
  ],
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
    'if (first) this.#visitor.unreadable("words after a redirection", first.text);',
    "",
  ],
  [
    "any expansion counts as a plain one",
    `${SHELL}/node-doubts.ts`,
    "PLAIN_EXPANSION.test(text) || NAMES.test(text)\n",
    "true\n",
  ],
  [
    "subscripts run nothing",
    `${SHELL}/word.ts`,
    "return /\\[[^[\\]]*(?:\\$\\(|`)/.test(text);",
    "return text === undefined;",
  ],
  [
    "split --filter runs nothing",
    `${SHELL}/rules/files.ts`,
    'inspect.runsCode(code, "split --filter");',
    "void code;",
  ],
  [
    "tar keeps what it has packed",
    `${SHELL}/rules/archives.ts`,
    'if (hasOption(args, { long: "remove-files" })) {',
    "if (false as boolean) {",
  ],
  [
    "7z keeps what it has packed",
    `${SHELL}/rules/archives.ts`,
    "if (args.some(({ shape }) => /^-sdel/i.test(shape))) removesPacked(packed, inspect);",
    "",
  ],
  [
    "read-tree discards nothing",
    `${SHELL}/rules/git-options.ts`,
    'if (program === "read-tree" && hasAnyOption',
    'if (program === "" && hasAnyOption',
  ],
  [
    "run0 is a program like any other",
    `${SHELL}/rules/wrappers.ts`,
    "machinectl run0",
    "machinectl",
  ],
  [
    "the input of xargs chooses no program",
    `${SHELL}/rules/xargs.ts`,
    'inspect.click("xargs lets its input choose what runs");',
    "",
  ],
  [
    "downloads run unasked",
    `${SHELL}/call-judge.ts`,
    'inspect.click("runs a downloaded file");',
    'inspect.notes("runs a downloaded file");',
  ],
  [
    "publishing is a verb like any other",
    `${SHELL}/rules/verbs.ts`,
    "if (!isDryRun && mayMean(verb, publishing)) inspect.phrase(`${call.program} ${verb} publishes`);",
    "",
  ],
  [
    "one help flag frees the whole call",
    `${SHELL}/call-judge.ts`,
    "args.length > 0 && args.every(",
    "args.some(",
  ],
]);

const long = mutantsOf(`${TESTS}/shell/long-commands.test.ts`, [
  [
    "what is too long asks for a click only",
    `${SHELL}/sheet.ts`,
    'this.say("phrase", "it does more than the guard can look at", segment);',
    "",
  ],
  [
    "a walk that ends early says nothing",
    `${SHELL}/judge.ts`,
    "if (!proceeds) this.sheet.tooLong(segment);",
    "",
  ],
  ["too many pieces are left out", `${SHELL}/part-reader.ts`, "    reader.tooLong();\n", ""],
  [
    "directories multiply",
    `${SHELL}/scope.ts`,
    "if (directories.length <= MAXIMUM_DIRECTORIES) return directories;",
    "if (directories.length >= 0) return directories;",
  ],
  [
    "a text of too many nodes is read in parts",
    `${SHELL}/judge.ts`,
    "if (parsed.isTooLong) this.sheet.tooLong(text);",
    "if (false as boolean) this.sheet.tooLong(text);",
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
      "return scope.digest === need.digest && scope.callId === need.callId;",
      "return scope.callId === need.callId;",
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
  ...long,
  ...policy,
  ...binding,
];
