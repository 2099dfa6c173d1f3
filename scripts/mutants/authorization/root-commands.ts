import { type Mutant, mutantsOf } from "../mutant.ts";

const SHELL = "src/authorization/shell";

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

/** Faults in what the guard makes of a command that root runs. */
export const rootMutants: readonly Mutant[] = [...sourceMutants];
