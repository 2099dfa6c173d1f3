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

/** Faults in what the guard makes of a command that root runs. */
export const rootMutants: readonly Mutant[] = [...sourceMutants, ...programMutants];
