import { type Mutant, mutantsOf } from "../mutant.ts";

const SHELL = "src/authorization/shell";
const RULES = `${SHELL}/rules`;

/** Faults in what the guard knows about programs, for the tables in test/data to find. */
export const ruleMutants: readonly Mutant[] = mutantsOf(
  "test/src/authorization/shell/classify.test.ts",
  [
    [
      "a redirection behind && belongs to the first directory",
      `${SHELL}/walk.ts`,
      'return body?.type === "list" && body.children.length === 3;',
      "return body === null;",
    ],
    [
      "texts that may become commands are not tried",
      `${SHELL}/parser.ts`,
      "judge.tryHiddenCommands(visiblePart(command));",
      "",
    ],
    [
      "replacements inside the command are not followed",
      `${SHELL}/hidden-texts.ts`,
      "...replacedTexts(command), ",
      "",
    ],
    [
      "encoded commands are not decoded",
      `${SHELL}/hidden-texts.ts`,
      ", ...decodedTexts(command)]",
      "]",
    ],
    [
      "the words that xargs gets from echo are not tried",
      `${RULES}/xargs.ts`,
      "  if (printed) {",
      "  if (false as boolean && printed) {",
    ],
    [
      "gcc -wrapper starts nothing",
      `${RULES}/building.ts`,
      "if (at >= 0) inspect.runs(words.map(literalWord));",
      "void words;",
    ],
    [
      "go -exec starts nothing",
      `${RULES}/packages.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      "if (option && code) inspect.runsCode(code, `go ${option}`);",
      "void code;",
    ],
    [
      "outputs of programs are written nowhere",
      `${SHELL}/rule.ts`,
      "if (option === undefined) continue;",
      "if (option !== null) continue;",
    ],
    [
      "a name with a pattern is no obeyed file",
      `${SHELL}/effects.ts`,
      " || findsObeyed(shape) ||",
      " ||",
    ],
    [
      "unknown programs publish unasked",
      `${RULES}/unknown.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      "if (first.some((verb) => PUBLISHES.test(verb))) inspect.phrase(`${program} publishes`);",
      "",
    ],
    [
      "unknown programs destroy unasked",
      `${RULES}/unknown.ts`,
      "if (isGone) inspect.phrase(",
      "if (isGone && !inspect) inspect.phrase(",
    ],
    [
      "scaling to zero is a change like any other",
      `${RULES}/outward.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      "if (scalesToZero(args) && !working?.some(begins)) inspect.phrase(`${does} scales to zero`);",
      "",
    ],
    [
      "code removes trees outside by a click",
      `${RULES}/code-arguments.ts`,
      "for (const path of effects.removes) inspect.deletes(literalWord(path), { recursive: true });",
      "",
    ],
    [
      "code writes outside unasked",
      `${RULES}/code-arguments.ts`,
      "for (const path of effects.writes) inspect.writes(literalWord(path));",
      "",
    ],
    [
      "code fetches what runs unasked",
      `${RULES}/code-arguments.ts`,
      "if (effects.fetches) inspect.downloads(undefined);",
      "",
    ],
    [
      "variables keep what is assigned to them",
      `${RULES}/builtins.ts`,
      'inspect.click("a variable that changes what is assigned to it");',
      "",
    ],
    [
      "an alias takes no arguments",
      `${RULES}/builtins.ts`,
      'inspect.runs([...words, { text: "…", shape: UNKNOWN_WORDS }]);',
      "void words;",
    ],
    [
      "an alias may replace cd",
      `${RULES}/builtins.ts`,
      'if (name === "" || CHANGES_SHELL.test(name)) {',
      'if (name === "") {',
    ],
    [
      "git-push is an unknown program",
      `${SHELL}/programs.ts`,
      "if (/^git-[a-z]/.test(program)) return dashedGit;",
      "",
    ],
    [
      "git init --template brings nothing along",
      `${RULES}/git-options.ts`,
      'if (program === "init" && hasOption(args, { long: "template" }))',
      "if (false as boolean)",
    ],
    [
      "a package from any address is installed unasked",
      `${RULES}/verbs.ts`,
      "&& rest.some(isArchiveAddress))",
      "&& rest === undefined)",
    ],
    [
      "package managers look elsewhere unasked",
      `${RULES}/packages.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      "inspect.click(`a setting that decides where ${program} finds packages`);",
      "void program;",
    ],
    [
      "an image may be published by its output",
      `${RULES}/containers.ts`,
      "/type=registry|push=true/",
      "/type=nothing/",
    ],
    [
      "tar --recursive-unlink keeps directories",
      `${RULES}/archives.ts`,
      'if (hasAnyOption(args, [{ long: "recursive-unlink" }]))',
      "if (false as boolean)",
    ],
    [
      "an editor's w command writes nothing",
      `${RULES}/editors.ts`,
      "?([^\\s|]+)/g,\n    ))\n      inspect.writes(literalWord(path));",
      "?([^\\s|]+)/g,\n    ))\n      void path;",
    ],
    [
      "yq -i writes nothing",
      `${RULES}/reading.ts`,
      "for (const file of operandsOf(args).slice(1)) inspect.writes(file);",
      "",
    ],
    [
      "crontab lines are not judged",
      `${RULES}/system.ts`,
      "inspect.mayRun([literalWord(line.replace(",
      "void ([literalWord(line.replace(",
    ],
    [
      "npx --call without a program starts nothing",
      `${RULES}/verbs.ts`,
      "at < 0 ? words.length : at",
      "Math.max(at, 0)",
    ],
    [
      "corepack starts nothing",
      `${RULES}/packages.ts`,
      "startsProgram(call.args, inspect);\n  },",
      "void 0;\n  },",
    ],
    [
      "a script that was just written hides nothing",
      `${RULES}/shells.ts`,
      'inspect.hides("runs a file that it has just written")',
      'inspect.click("runs a file that it has just written")',
    ],
    [
      "rules from a substitution are the project's own",
      `${RULES}/building.ts`,
      " || isUnknown(file))",
      ")",
    ],
    [
      "removal of everything is a click",
      `${SHELL}/effects.ts`,
      'if (coversAll(shape, "/")) return { risk: "phrase"',
      'if (coversAll(shape, "/")) return { risk: "click"',
    ],
    [
      "ownership outside as root is a click",
      `${RULES}/files.ts`,
      "if ((recursive || inspect.asRoot) && isOutside(path, directories, inspect))",
      "if (false as boolean)",
    ],
    [
      "a dropped table is a change like any other",
      `${RULES}/databases.ts`,
      'inspect.phrase("drops or empties data");',
      "void statements;",
    ],
    [
      "deleting verbs of accounts are changes like any other",
      `${RULES}/cloud.ts`,
      "if (ENDS_ACCOUNT.test(` ${text}`) || ",
      "if (",
    ],
    [
      "deleting verbs of other machines are changes like any other",
      `${RULES}/outward.ts`,
      "if (ending?.some(begins) || (endsSomething(all) && !reading?.some(begins)))",
      "if (ending?.length === -1)",
    ],
    [
      "kubectl reads secrets like anything else",
      `${RULES}/containers.ts`,
      'inspect.credentials("reads or uses credentials");\n  if (texts.includes("token"))',
      'void texts;\n  if (texts.includes("token"))',
    ],
    [
      "the environment may leave by a click",
      `${RULES}/network.ts`,
      'if (!local && fromEnvironment(input)) inspect.phrase("sends the environment to another machine");',
      "",
    ],
    [
      "a change at another host is a read",
      `${RULES}/network.ts`,
      "if (!local && (acts || verb || (sends && !inQuery)))",
      "if (false as boolean)",
    ],
    [
      "zip keeps what it has packed",
      `${RULES}/archives.ts`,
      'if (hasOption(args, { short: "m", long: "move" })) removesPacked(packed, inspect);',
      "",
    ],
    [
      "mvn and gradle publish unasked",
      `${RULES}/publishers.ts`,
      "if (args.some(({ shape }) => goals.test(readable(shape))))",
      "if (false as boolean)",
    ],
    [
      "publishers publish unasked",
      `${RULES}/publishers.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      "if (names && hasNeeded) inspect.phrase(`${program} publishes`);",
      "",
    ],
    [
      "git hooks are files like any other for commands",
      `${SHELL}/effects.ts`,
      "if (OBEYED.test(readable(shape))",
      'if (OBEYED.test("")',
    ],
    [
      "another user is no root",
      `${RULES}/wrappers.ts`,
      'inspect.click("runs a command as another user");',
      "",
    ],
    [
      "a computed program name runs unasked",
      `${SHELL}/judge.ts`,
      'else this.sheet.say("click", odd, segment);',
      "",
    ],
    [
      "checkout of a path discards nothing",
      `${RULES}/git-verbs.ts`,
      "if (forced || (!creates",
      "if (forced || (false && !creates",
    ],
    [
      "find deletes what it finds by a click",
      `${RULES}/find.ts`,
      "for (const path of found) inspect.deletes(path, { recursive: true });\n    else",
      "for (const path of found) inspect.deletes(path, { recursive: false });\n    else",
    ],
  ],
);
