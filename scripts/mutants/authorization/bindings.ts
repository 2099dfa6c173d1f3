import { type Mutant, mutantsOf } from "../mutant.ts";
import { rootMutants } from "./root-commands.ts";

const AUTHORIZATION = "src/authorization";
const GIT = `${AUTHORIZATION}/git`;
const SHELL = `${AUTHORIZATION}/shell`;
const FROZEN = "sandbox-image/server/approved/git";

const pushMutants = mutantsOf("test/src/authorization/git/pushes.test.ts", [
  [
    "a push is rated by its text alone",
    `${AUTHORIZATION}/command-text.ts`,
    'if (worse.length === 0 || judged.risk === "phrase") return { ...command, pushes };',
    "if (worse.length >= 0) return { ...command, pushes };",
  ],
  [
    "a push that cannot be resolved is like any other",
    `${GIT}/resolve-pushes.ts`,
    "return { segment, reason: UNKNOWN_TARGET, ...nothing };",
    "return { segment, reason: undefined, ...nothing };",
  ],
  [
    "what git says about a push is not bound",
    `${GIT}/bound-pushes.ts`,
    "const bound = pushes.flatMap((push) => push.bound);",
    "const bound = pushes.flatMap((push) => push.bound).slice(0, 0);",
  ],
  [
    "a branch that leads to another keeps its own name",
    `${FROZEN}/frozen-repository.ts`,
    'if (leadsTo !== "") putLink(target, name, leadsTo);',
    'if (leadsTo !== "") putLink(target, name, name);',
  ],
  [
    "a mirror is a remote like any other",
    `${GIT}/push-view.ts`,
    'call.options.includes("--mirror") ||',
    'call.options.includes("--mirror") || call.options.length < 0 &&',
  ],
  [
    "a forced refspec of the settings is like any other",
    `${GIT}/push-view.ts`,
    '[...call.refspecs, ...own("push")]',
    "[...call.refspecs]",
  ],
  [
    "another address is shown than git uses",
    `${FROZEN}/push.ts`,
    "return found.code === 0 ? linesOf(found) : [];",
    "return found.code === 0 ? [asked] : [];",
  ],
  [
    "old files of remotes are obeyed",
    `${FROZEN}/push.ts`,
    'if (old !== undefined) return { kind: "refused", why: old };',
    "",
  ],
  [
    "branches that the command enters do not count",
    `${GIT}/resolve-pushes.ts`,
    "const branches = [undefined, ...(isImplicit ? code.branches : [])];",
    "const branches = [undefined];",
  ],
  [
    "aliases count only in small letters",
    `${SHELL}/git-pushes.ts`,
    "lookUp(name.toLowerCase());",
    "lookUp(name);",
  ],
  [
    "settings inside an alias do not count",
    `${SHELL}/git-pushes.ts`,
    "settings: [...before.settings, ...leading.settings],",
    "settings: before.settings,",
  ],
  [
    "git started again by git pushes nothing",
    `${SHELL}/git-pushes.ts`,
    "if (STARTS_GIT.test(name)) {",
    'if (name === "") {',
  ],
  [
    "a short destination stays for the remote to choose",
    `${FROZEN}/push.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    "return `${source}:${to}`;",
    "return refspec;",
  ],
  [
    "a script before a push changes nothing",
    `${SHELL}/git-pushes.ts`,
    "if (!git) return HARMLESS.test(call.program) || isShellText(call) ? NO_CHANGE : OPEN;",
    "if (!git) return NO_CHANGE;",
  ],
  [
    "heads/main is no protected branch",
    `${SHELL}/rules/git-push.ts`,
    'return PROTECTED.test(name.replace(/^(?:refs\\/)?heads\\//i, ""));',
    'return PROTECTED.test(name.replace(/^refs\\/heads\\//i, ""));',
  ],
  [
    "git-push in git's own folder is another program",
    `${SHELL}/git-places.ts`,
    "if (verb === undefined) return undefined;",
    "if (verb !== null) return undefined;",
  ],
]);

const settingMutants = mutantsOf("test/src/authorization/git/setting-notes.test.ts", [
  [
    "settings beyond the limit are left out of the card",
    `${GIT}/setting-notes.ts`,
    "return all.length > MOST_SHOWN",
    "return all.length < 0",
  ],
  [
    "a long setting is cut",
    `${GIT}/setting-notes.ts`,
    "const long = all.find((setting) => textOf(setting).length > MOST_CHARS);",
    "const long = all.find(() => false);",
  ],
  [
    "programs of the settings are run",
    `${AUTHORIZATION}/bind-command.ts`,
    "overrides: [...overrides, ...programOverrides(settings)],",
    "overrides,",
  ],
  [
    "the alias that a command uses is not shown",
    `${GIT}/setting-notes.ts`,
    "if (used.has(key)) return true;",
    "",
  ],
]);

const repositoryMutants = mutantsOf("test/src/authorization/fixed-environment.test.ts", [
  [
    "the settings of a repository are no part of what is bound",
    `${FROZEN}/repository.ts`,
    ".update(JSON.stringify(repository))",
    ".update(JSON.stringify({ ...repository, settings: [] }))",
  ],
  [
    "a repository that the agent cannot read counts",
    `${FROZEN}/repository.ts`,
    "(found.mode & needed) !== needed",
    "found.mode < 0",
  ],
]);

const hiddenRepositoryMutants = mutantsOf("test/sandbox-image/approved/repository.test.ts", [
  [
    "a repository that may not be read counts as none",
    `${FROZEN}/repository.ts`,
    "if (hidden !== undefined)",
    "if (hidden !== undefined && hidden.length < 0)",
  ],
  [
    "a repository elsewhere is found only from its own directory",
    `${FROZEN}/repository.ts`,
    "[...READABLE, ...placesOfRepositories(directory)]",
    "[...READABLE]",
  ],
]);

const codeMutants = mutantsOf("test/src/authorization/binding/interpreters.test.ts", [
  [
    "first lines of programs are not read",
    `${AUTHORIZATION}/bind-command.ts`,
    "await takeInterpreters(found, { workspace, directory: inspection.directory, identity });",
    "",
  ],
  [
    "an interpreter's own first line is not read",
    `${AUTHORIZATION}/interpreters.ts`,
    "    programs = next;",
    "    programs = next.slice(next.length);",
  ],
  [
    "variables of env in a first line are harmless",
    `${AUTHORIZATION}/interpreters.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    "if (changed !== undefined) return { problem: `changes ${changed}` };",
    "",
  ],
  [
    "project files count in the directory alone",
    `${SHELL}/project-files.ts`,
    ".flatMap((place) => ancestorsOf(place))",
    ".flatMap((place) => ancestorsOf(place).slice(0, 1))",
  ],
  [
    "open operands are not on the card",
    `${AUTHORIZATION}/bind-command.ts`,
    "      ...openNotes(code),\n",
    "",
  ],
  [
    "root sends files that are only known when it runs by a click",
    `${SHELL}/call-judge.ts`,
    "if (isRoot && READS_FILES.test(program) && args.some(isUnknown))",
    "if (isRoot && READS_FILES.test(program) && args.length < 0)",
  ],
]);

const environmentMutants = mutantsOf("test/src/authorization/fixed-environment.test.ts", [
  [
    "approved commands may clear their environment",
    `${SHELL}/fixed-environment.ts`,
    'if (flags.includes("i")) return "env -i clears the environment";',
    "",
  ],
  [
    "approved commands may change variables of their environment",
    `${SHELL}/fixed-environment.ts`,
    "return !HARMLESS.some(([names, values]) => names.test(name) && values.test(shape));",
    "return false;",
  ],
  [
    "a login shell is a shell like any other",
    `${SHELL}/fixed-environment.ts`,
    'if (given.includes("l") || (given.includes("o") && isNamed))',
    'if (given.includes("o") && isNamed)',
  ],
  [
    "git may look elsewhere for its programs",
    `${SHELL}/fixed-environment.ts`,
    'if (options.some((shape) => shape.startsWith("--exec-path=")))',
    "if (options.length < 0)",
  ],
  [
    "a second -C leads nowhere",
    `${SHELL}/git-places.ts`,
    "places = values.flatMap((one) => absoluteShapes(one, before));",
    "places = values.flatMap((one) => absoluteShapes(one, directories));",
  ],
  [
    "--git-dir is an option like any other",
    `${SHELL}/git-places.ts`,
    'if (word.shape.startsWith("--git-dir=")) gitDir = word.shape.slice("--git-dir=".length);',
    "",
  ],
  [
    "a repository of another name is followed",
    `${SHELL}/git-places.ts`,
    'return posix.basename(gitDir) === ".git" ? posix.dirname(gitDir) : UNKNOWN;',
    "return posix.dirname(gitDir);",
  ],
]);

const pathMutants = mutantsOf("test/src/authorization/binding/named-paths.test.ts", [
  [
    "named paths may lead through links",
    `${AUTHORIZATION}/named-paths.ts`,
    "return linkRefusal(file.asked, real);",
    "return undefined;",
  ],
  [
    "root uses patterns where the workload can create files",
    `${AUTHORIZATION}/named-paths.ts`,
    "return open === undefined ? undefined : patternRefusal(open);",
    "return open && undefined;",
  ],
  [
    "patterns above the workload's directories are root's own",
    `${AUTHORIZATION}/named-paths.ts`,
    "|| (isDeep && isAtOrBelow(one, place))",
    "",
  ],
]);

/** Faults in what an approval binds, and in what its card says about that. */
export const bindingMutants: readonly Mutant[] = [
  ...pushMutants,
  ...settingMutants,
  ...repositoryMutants,
  ...hiddenRepositoryMutants,
  ...codeMutants,
  ...environmentMutants,
  ...pathMutants,
  ...rootMutants,
];
