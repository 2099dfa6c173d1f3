import { type Mutant, mutantsOf } from "../mutant.ts";

const SHELL = "src/authorization/shell";
const RULES = `${SHELL}/rules`;

/** Faults in how the guard follows what a command makes itself: files, links, names and copies of the environment. */
export const madeThingMutants: readonly Mutant[] = mutantsOf(
  "test/src/authorization/shell/classify.test.ts",
  [
    [
      "a shell behind >( ) reads nothing",
      `${SHELL}/walk.ts`,
      'node.text.trimStart().startsWith(">(") ? SOME_OUTPUT : NO_INPUT',
      "NO_INPUT",
    ],
    [
      "a function has no redirections",
      `${SHELL}/walk.ts`,
      "redirects.length > 0 && body ? redirected(body, redirects) : body",
      "body",
    ],
    [
      "a descriptor is no input",
      `${SHELL}/redirections.ts`,
      'operator === "<&" && !/^(?:0|-)$/.test(first.shape)',
      'operator === "none"',
    ],
    [
      "exec never gives the shell another input",
      `${RULES}/wrappers.ts`,
      "if (call.args.length === 0 && (text || file))",
      "if (call.args.length < 0 && (text || file))",
    ],
    [
      "nobody writes to a coprocess",
      `${RULES}/wrappers.ts`,
      "inspect.runs(call.args, SOME_OUTPUT)",
      "inspect.runs(call.args)",
    ],
    [
      "links lead nowhere",
      `${SHELL}/links.ts`,
      "if (target !== shape) return",
      'if (target === "") return',
    ],
    [
      "a link's own name is not followed",
      `${SHELL}/links.ts`,
      "if (alsoLast) return this.#targets.get(shape);",
      "",
    ],
    [
      "cp -s makes no links",
      `${RULES}/files.ts`,
      '(program === "cp" && (links || isLinking(args)))',
      'program === "no program"',
    ],
    [
      "code that the command wrote is not looked at",
      `${SHELL}/call-judge.ts`,
      "if (authored.size === 0) return;",
      "if (authored.size >= 0) return;",
    ],
    [
      "contents that the text does not show count as shown",
      `${SHELL}/written-code.ts`,
      'return /[$`]/.test(plain) || ESCAPES.test(segment) ? "hidden" : "shown";',
      'return "shown";',
    ],
    [
      "a copy of written code is new",
      `${SHELL}/file-effects.ts`,
      "for (const copy of content ? copies : [])",
      "for (const copy of content ? [] as string[] : [])",
    ],
    [
      "read and printf -v assign nothing",
      `${RULES}/builtins.ts`,
      'inspect.assigns(readable(shape).replace(/\\[.*$/, ""), { text, shape: UNKNOWN });',
      "void [text, shape, UNKNOWN];",
    ],
    [
      "a script on awk's or sed's input is not read",
      `${RULES}/text-tools.ts`,
      "if (files.some(isUnknown)) inspect.hides",
      "if (files.length < 0) inspect.hides",
    ],
    [
      "dc starts nothing",
      `${RULES}/reading.ts`,
      'if (code === undefined) continue;\n    inspect.hides("makes dc',
      'if (code !== null) continue;\n    inspect.hides("makes dc',
    ],
    [
      "cmake -E only builds",
      `${RULES}/cmake.ts`,
      "if (own) inspect.runs(",
      "if (own === null) inspect.runs(",
    ],
    [
      "all package indexes are usual",
      `${RULES}/package-indexes.ts`,
      "if (isUnknown(value)) return /^[a-z+]+:\\/\\//.test(text);",
      'if (text !== "-") return false;',
    ],
    [
      "git aliases stand for nothing",
      `${RULES}/git-settings.ts`,
      "inspect.gitAliases.set(name, words);\n  inspect.runs(",
      "inspect.gitAliases.delete(name);\n  [].includes(",
    ],
    [
      "a name that is only known when it runs is harmless",
      `${SHELL}/guessed-names.ts`,
      "return named.length > 0 ? named : HARMFUL;",
      "return [];",
    ],
    [
      "the environment in an address is only text",
      `${SHELL}/call-judge.ts`,
      "(holdsEnvironment(call, sheet.environmentCopies, scope.directories) ||",
      '(call.program === "" ||',
    ],
    [
      "a whole home directory is read unasked",
      `${SHELL}/secrets.ts`,
      'path === homeDir || path === "/home" ||',
      'path === "/none" ||',
    ],
    [
      "zero replicas in a patch are ignored",
      `${RULES}/outward.ts`,
      "    texts.some((text) => REPLICAS_ZERO.test(text)) ||\n",
      "",
    ],
    [
      "kubectl apply --prune deletes nothing",
      `${RULES}/containers.ts`,
      "/^--prune(?:$|=true$)/",
      "/^--none$/",
    ],
    [
      "kafka's options delete nothing",
      `${RULES}/queues.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      "inspect.phrase(`${program} deletes`)",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      "inspect.notes(`${program} deletes`)",
    ],
    [
      "SQLite changes no file",
      `${RULES}/queues.ts`,
      "if (/^:memory:$|^$/.test(path.shape)) return;",
      'if (path.shape !== "") return;',
    ],
    [
      "lists of words in code start nothing",
      `${RULES}/code-arguments.ts`,
      "for (const words of startedPrograms(text)) inspect.mayRun(words.map(literalWord));",
      "",
    ],
    ["code sends nothing", `${RULES}/code-arguments.ts`, "if (effects.sends) inspect.sends();", ""],
    [
      "a variable leads to no program that the command wrote",
      `${SHELL}/written-code.ts`,
      "if (authored.size === 0 || !NAMES_PROGRAM.test(name)) return false;",
      "if (authored.size >= 0) return false;",
    ],
    [
      "a file system in a program's name says nothing",
      `${SHELL}/programs.ts`,
      "DISK_PROGRAMS.test(program) ? disks : undefined",
      "undefined",
    ],
    [
      "a version behind its name makes a program a stranger",
      `${SHELL}/programs.ts`,
      'if (name !== "") return RULES.get(name);',
      "",
    ],
    [
      "a shell with another grammar runs anything",
      `${RULES}/shells.ts`,
      'inspect.click("a shell with another grammar");',
      "",
    ],
    [
      "TeX never starts programs",
      `${RULES}/typesetting.ts`,
      'inspect.hides("lets TeX start programs");',
      "",
    ],
    [
      "the shell's own connections do not take the environment",
      `${SHELL}/file-effects.ts`,
      "if (NETWORK.test(path.shape))",
      "if (path.shape === NETWORK.source)",
    ],
    [
      "a descriptor is never a connection",
      `${SHELL}/judge.ts`,
      "holdsAll && this.sheet.hasConnection &&",
      "!holdsAll && this.sheet.hasConnection &&",
    ],
    [
      "the last of too many directories is forgotten",
      `${SHELL}/scope.ts`,
      "...(this.#entered.length === 1 ? this.#entered : [])",
      "",
    ],
  ],
);
