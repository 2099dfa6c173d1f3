import { type Mutant, mutantsOf } from "../mutant.ts";

const AUTHORIZATION = "src/authorization";
const SHELL = `${AUTHORIZATION}/shell`;

const sourceMutants = mutantsOf("test/src/authorization/root/run-time-sources.test.ts", [
  [
    "a command of root may be decided when it runs by a click",
    `${SHELL}/sheet.ts`,
    "if (this.asksRoot) this.#askAboutSources();",
    "",
  ],
  [
    "a part of root's command that cannot be read decides nothing",
    `${SHELL}/sheet.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    "const unread = unparsed === undefined ? [] : [`a part that cannot be read: ${unparsed}`];",
    "const unread: string[] = unparsed === undefined ? [] : [];",
  ],
  [
    "arithmetic takes the output of any command of fixed form",
    `${SHELL}/run-time-sources.ts`,
    "if (calculates || isOwnName || !isInert(body))",
    "if (isOwnName || !isInert(body))",
  ],
  [
    "a function with the name of a program has its output",
    `${SHELL}/run-time-sources.ts`,
    "if (calculates || isOwnName || !isInert(body))",
    "if (calculates || (isOwnName && !isInert(body)) || !isInert(body))",
  ],
  [
    "variables carry outputs into arithmetic",
    `${SHELL}/run-time-sources.ts`,
    "if (isOpen) this.#inert.add(name);",
    "void isOpen;",
  ],
  [
    "the names of files in a loop decide nothing",
    `${SHELL}/run-time-sources.ts`,
    "found.sources.push(...values.flatMap(filesOf),",
    "found.sources.push(...values.slice(0, 0).flatMap(filesOf),",
  ],
  [
    "the names of files in an array decide nothing",
    `${SHELL}/run-time-sources.ts`,
    'if (node.type === "array")',
    'if (node.type === "no array")',
  ],
  [
    "read gives its variables known values",
    `${SHELL}/run-time-sources.ts`,
    "if (/^(?:read|mapfile|readarray|xargs|parallel)$/.test(program))",
    "if (/^(?:mapfile|readarray|xargs|parallel)$/.test(program))",
  ],
  [
    "names of variables may be decided when it runs",
    `${SHELL}/run-time-sources.ts`,
    "if (namesOfVariables(call).some(isUnknown))",
    "if (namesOfVariables(call).length < 0)",
  ],
  [
    "names that find gives to other programs decide nothing",
    `${SHELL}/run-time-sources.ts`,
    'if (program === "find") found.sources.push(...filesFound(call));',
    "",
  ],
  [
    "variables that the text does not set decide nothing",
    `${SHELL}/run-time-sources.ts`,
    "return [...new Set([...found.sources, ...found.variables()])];",
    "return [...new Set(found.sources)];",
  ],
]);

const programMutants = mutantsOf("test/src/authorization/root/unknown-programs.test.ts", [
  [
    "every program is known only to handle files",
    `${SHELL}/known-programs.ts`,
    'return operands !== undefined && (program !== "sed" || editsOnly(args, operands));',
    "return operands !== undefined || program.length > 0;",
  ],
  [
    "options that are not known change nothing",
    `${SHELL}/known-programs.ts`,
    'if (kind === undefined || (kind === "" && shape.includes("="))) return undefined;',
    "",
  ],
  [
    "a sed script may start programs",
    `${SHELL}/known-programs.ts`,
    "return effects && !effects.starts &&",
    "return effects &&",
  ],
  [
    "an awk program may start programs",
    `${SHELL}/known-programs.ts`,
    "return program !== undefined && !/system|getline|close|@|[|>]/.test(program.shape);",
    "return program !== undefined;",
  ],
  [
    "unknown programs get files as they are",
    `${AUTHORIZATION}/code-files.ts`,
    "    found.copies.set(use, copyOf(file));\n    found.maybeRan.push(file);",
    "    found.maybeRan.push(file);",
  ],
  [
    "the card does not say what may run",
    `${AUTHORIZATION}/code-files.ts`,
    "    found.maybeRan.push(file);\n",
    "",
  ],
  [
    "a directory for an unknown program is a click",
    `${AUTHORIZATION}/bind-command.ts`,
    "...(found.maybeRanIn.size > 0 ? { raised: OPEN_DIRECTORY } : {}),",
    "",
  ],
  [
    "paths inside longer words stay",
    `${AUTHORIZATION}/code-files.ts`,
    "if (use.isMentioned) found.unfixed.push(partOf(file.path, use.written));",
    "if (use.isMentioned) return;",
  ],
  [
    "unknown programs may create files of the workload",
    `${AUTHORIZATION}/code-files.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    'else if (written.includes("/")) found.unfixed.push(`${written} does not exist yet`);',
    'else if (written.includes("/")) return;',
  ],
  [
    "unknown programs may create files of the workload by a bare name",
    `${AUTHORIZATION}/code-files.ts`,
    "else found.unknown.push(written);",
    "",
  ],
  [
    "variables that programs see may lead to the workload",
    `${SHELL}/code-notes.ts`,
    "if (isExported && this.#isRoot())",
    "if (isExported && !this.#isRoot())",
  ],
  [
    "descriptors may lead to the workload",
    `${SHELL}/judge.ts`,
    "this.sheet.code.opens(file, this.scope.directories);",
    "void file;",
  ],
  [
    "text for an unknown program may name files",
    `${SHELL}/root-rules.ts`,
    'const texts = takesText(call) || handling === "starts" ? [] : textsOnInput(call.input);',
    "const texts: Word[] = [];",
  ],
  [
    "descriptors and directories of processes are files like any other",
    `${SHELL}/root-rules.ts`,
    "if (isPath && OPENED.test(shape))",
    "if (isPath && OPENED.test(shape) && shape.length < 0)",
  ],
  [
    "every program of root keeps the workload's directory",
    `${AUTHORIZATION}/command-text.ts`,
    'const directory = staysHere ? command.directory : "/";',
    "const { directory } = command; void staysHere;",
  ],
  [
    "root starts in the workload's directory where the call names it",
    `${AUTHORIZATION}/command-text.ts`,
    "(named !== undefined && !isWorkloadPath(named)) ||",
    "named !== undefined ||",
  ],
]);

const copyMutants = mutantsOf("test/src/authorization/binding/bind-command.test.ts", [
  [
    "data loses its copy where the command does something else as well",
    `${AUTHORIZATION}/code-files.ts`,
    "const isStill = confines && !changesUser && holdsStill(file.path);",
    "const isStill = false; void holdsStill;",
  ],
  [
    "another user is given a copy that it cannot read",
    `${AUTHORIZATION}/code-files.ts`,
    "confines && !changesUser &&",
    "confines &&",
  ],
  [
    "a hard or symbolic link to a file leads to its copy",
    `${SHELL}/data-operands.ts`,
    'flags: "adfiLnPprRTuvx",',
    'flags: "adfiLlnPprRsTuvx",',
  ],
]);

const moveMutants = mutantsOf("test/src/authorization/binding/root-moves.test.ts", [
  [
    "root moves whatever a file of the workload holds by then",
    `${AUTHORIZATION}/root-moves.ts`,
    "return isSystems ? undefined : moveRefusal(source);",
    "return isSystems ? undefined : void moveRefusal(source);",
  ],
  [
    "root moves files by a patch",
    `${AUTHORIZATION}/root-moves.ts`,
    "? BY_A_PATCH : undefined;",
    "? undefined : undefined; void BY_A_PATCH;",
  ],
  [
    "root moves files that the workload may create meanwhile",
    `${AUTHORIZATION}/root-moves.ts`,
    '(found?.kind === "missing" && !found.isWorkloads)',
    'found?.kind === "missing"',
  ],
]);

const taskMutants = mutantsOf("test/src/authorization/commands.test.ts", [
  [
    "a task runs a command that would need an approval",
    `${AUTHORIZATION}/approved-command.ts`,
    "return command && needsApproval(command) ? { denied: AS_A_TASK } : {};",
    "return command && needsApproval(command) ? {} : {}; void AS_A_TASK;",
  ],
  [
    "a task runs text that cannot be read",
    `${AUTHORIZATION}/approved-command.ts`,
    'return risk !== "free" || unparsed !== undefined;',
    'return risk === "phrase" && unparsed === undefined;',
  ],
]);

const homeMutants = mutantsOf("test/src/authorization/home-settings.test.ts", [
  [
    "settings in the home directory may change before the start",
    `${SHELL}/code-uses.ts`,
    "[...executedOperands(name, call), ...homeSettings(name, call)]",
    "[...executedOperands(name, call)]; void homeSettings",
  ],
]);

const enteredMutants = mutantsOf("test/src/authorization/grant-reach.test.ts", [
  [
    "a lasting grant ignores the directories that code enters",
    `${AUTHORIZATION}/grant-files.ts`,
    "for (const from of [...starts, ...entered]) {",
    "for (const from of starts) {",
  ],
  [
    "a grant lasts where code starts a whole directory",
    `${AUTHORIZATION}/grant-files.ts`,
    'if ([...named.started].some((path) => held.get(path) === "directory")) return undefined;',
    "",
  ],
]);

/** Faults in what the guard makes of a command that root runs. */
const handoverMutants = mutantsOf("test/src/authorization/root/handovers.test.ts", [
  [
    "root goes on where it has let the workload in",
    `${AUTHORIZATION}/bind-command.ts`,
    "refusedChange(code, { changed, inspection }) ??\n      refusedHandover(code, command.text);",
    "refusedChange(code, { changed, inspection });\n    void refusedHandover;",
  ],
  [
    "a loop gives nothing away before its next round",
    `${SHELL}/handovers.ts`,
    "(repeats ? at !== index : at > index)",
    "(at > index || (repeats && at > index))",
  ],
  [
    "root sets rights through links of the workload",
    `${SHELL}/handovers.ts`,
    'if (does === "rights") return paths.some(isInside ? isDeeper : isBelow);',
    'if (does === "rights") return false;',
  ],
  [
    "a mask lets nobody in",
    `${SHELL}/handovers.ts`,
    "[{ path: UNKNOWN, isInside: false }] : []",
    "[] : [{ path: UNKNOWN, isInside: false }].slice(1)",
  ],
  [
    "copies belong to root",
    `${SHELL}/handovers.ts`,
    "return keepsOwners(program, args)",
    "return keepsOwners(program, [])",
  ],
  [
    "root writes by redirections where it likes",
    `${SHELL}/code-notes.ts`,
    "if (this.#isRoot()) this.#report.handovers.writes(target, directories);",
    "if (!target) this.#report.handovers.writes(target, directories);",
  ],
]);

export const rootMutants: readonly Mutant[] = [
  ...handoverMutants,
  ...sourceMutants,
  ...programMutants,
  ...copyMutants,
  ...moveMutants,
  ...taskMutants,
  ...homeMutants,
  ...enteredMutants,
];
