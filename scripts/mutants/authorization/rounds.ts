import { type Mutant, mutantsOf } from "../mutant.ts";

const SHELL = "src/authorization/shell";
const RULES = `${SHELL}/rules`;

/** Faults in the rules that rounds of unseen commands asked for. */
export const roundMutants: readonly Mutant[] = mutantsOf(
  "test/src/authorization/shell/classify.test.ts",
  [
    [
      "a verb before a kind of thing acts on nothing",
      `${RULES}/client-verbs.ts`,
      'if (ACTS.test(words[0] ?? "") && SERVED.test(words[1] ?? "") && words.length > 2) return true;',
      "",
    ],
    [
      "what is sent does not come from the environment",
      `${SHELL}/call-judge.ts`,
      "      fromEnvironment(call.input))",
      "      !fromEnvironment)",
    ],
    [
      "rsync deletes nothing on other machines",
      `${RULES}/network.ts`,
      'inspect.phrase("deletes files on another machine")',
      'inspect.click("deletes files on another machine")',
    ],
    [
      "scripts of the workspace never act in production",
      `${RULES}/unknown.ts`,
      'written.includes("/") && args.some(isProduction) && OUTWARD',
      'written === "" && args.some(isProduction) && OUTWARD',
    ],
    [
      "a verb behind a kind of thing is a name",
      `${RULES}/unknown.ts`,
      "startedWords(call) ? undefined : verbOnKind(verbs)",
      "startedWords(call) ? undefined : undefined",
    ],
    [
      "removing with force is like removing",
      `${RULES}/unknown.ts`,
      "args.some(({ shape }) => INSISTS.test(shape))",
      "args.every((word) => word === null)",
    ],
    [
      "only programs without a rule act in production",
      `${SHELL}/call-judge.ts`,
      "changesProduction(call, isExported, inspector);",
      "void [changesProduction, isExported];",
    ],
    [
      "production before a command is not seen",
      `${RULES}/places.ts`,
      "PRODUCTION_FIRST.test(segment)",
      "segment === null",
    ],
    [
      "a service may be sent any text",
      `${RULES}/service-texts.ts`,
      "EMPTIES.test(text) || dropsData(text)",
      "dropsData(text) && EMPTIES.test(text)",
    ],
    [
      "what is printed into a connection is not read",
      `${RULES}/service-texts.ts`,
      "...args, ...words, ...printed]",
      "...args, ...words]",
    ],
    [
      "a connection may carry any text",
      `${SHELL}/judge.ts`,
      "this.sheet.carriesTexts && mayEmptyService(text)",
      "!this.sheet && mayEmptyService(text)",
    ],
    [
      "a file that is a connection carries nothing",
      `${SHELL}/file-effects.ts`,
      'if (zoneOf(shape, this.#place) === "network") this.#sheet.carriesTexts = true;',
      "",
    ],
    [
      "every database is the sandbox's own",
      `${RULES}/databases.ts`,
      "return named.length > 0 && named.every(isHere)",
      "return (named.length > 0 || named.every(isHere))",
    ],
    [
      "a prune keeps volumes",
      `${RULES}/containers.ts`,
      'words.includes("prune")',
      'words.includes("prunes")',
    ],
    [
      "an ad-hoc module of ansible deletes nothing",
      `${RULES}/cloud.ts`,
      'inspect.phrase("ansible deletes something on other machines");',
      "void inspect;",
    ],
    [
      "every short text asks a service how it is",
      `${RULES}/network.ts`,
      "args.every(({ shape }) => ASKS_STATE.test(readable(shape)))",
      "args.every(({ shape }) => shape.length < 40)",
    ],
    [
      "an address of any protocol is a page",
      `${RULES}/network.ts`,
      "if (args.some(speaksOtherwise)) {",
      "if (args.every((word) => word === null) && speaksOtherwise) {",
    ],
    [
      "looks at the machine are not known",
      `${RULES}/machine-looks.ts`,
      "return LOOKS[name]?.test(text) ?? false;",
      "return LOOKS[name]?.test(text) === null;",
    ],
    [
      "a template of parallel is a command without its values",
      `${RULES}/parallel.ts`,
      "shape: withValue(template, shape) }",
      "shape: template }",
    ],
    [
      "parallel with input runs nothing",
      `${RULES}/parallel.ts`,
      "inspect.runs(withAnything(template.split(/\\s+/).map(literalWord), incoming));",
      "void withAnything;",
    ],
    [
      "a backup without a named place is a local one",
      `${RULES}/services.ts`,
      "(isElsewhere || !isNamed) && removes",
      "isElsewhere && removes",
    ],
    [
      "a query of a warehouse may do anything",
      `${RULES}/services.ts`,
      'else if (verb === "query") judgeStatement(literalWord(words.join(" ")), inspect);',
      "",
    ],
    [
      "migrations look at a database",
      `${RULES}/services.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      "inspect.phrase(`${program} drops everything in a database`)",
      "void program",
    ],
    [
      "a restore drops nothing",
      `${RULES}/databases.ts`,
      'if (args.some(({ shape }) => shape === "--drop")) inspect.phrase("drops existing data before it restores");',
      'if (args === null) inspect.phrase("");',
    ],
    [
      "production is a name like any other",
      `${RULES}/places.ts`,
      "ACTS_ELSEWHERE.test(verb)) && args.some(namesElsewhere)",
      "ACTS_ELSEWHERE.test(verb)) && args.every((word) => word === null)",
    ],
    [
      "packages are installed in the workspace",
      `${RULES}/packages.ts`,
      "for (const place of valuesOfOption(args, option)) inspect.touches(place);",
      "void option;",
    ],
    [
      "a user's files stay",
      `${RULES}/system.ts`,
      'if (withFiles) inspect.phrase("deletes a user with all files");\n    else',
      "void withFiles;",
    ],
    [
      "at reads no other program's output",
      `${RULES}/system.ts`,
      'inspect.runsCode(literalWord(text), "at");',
      "void text;",
    ],
    ["IFS is no blank", `${SHELL}/hidden-texts.ts`, "...separators, ", ""],
    ["alternatives in braces are one word", `${SHELL}/hidden-texts.ts`, "...lists, ", ""],
    [
      "PowerShell removes nothing",
      `${RULES}/shells.ts`,
      "removesTrees(args, inspect);",
      "void removesTrees;",
    ],
    [
      "load on other machines is reading",
      `${RULES}/senders.ts`,
      'inspect.click("puts load on another machine");',
      "",
    ],
    [
      "tokens of accounts are states",
      `${RULES}/cloud.ts`,
      'inspect.credentials("shows a token");',
      "",
    ],
    [
      "a job of a cluster is a package",
      `${RULES}/packages.ts`,
      'inspect.click("changes jobs of a cluster");',
      "",
    ],
    [
      "an image that is looked at is published",
      `${RULES}/publishers.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      "      inspect.notes(`${call.program} looks at images`);\n      return;",
      "",
    ],
    [
      "quotes in arithmetic are parentheses",
      `${SHELL}/node-doubts.ts`,
      '.replaceAll(/(["\'])[\\w $./{}:@%+=,-]*\\1/g, "q")',
      "",
    ],
  ],
);
