import { type Mutant, mutantsOf } from "../mutant.ts";
import { rootMutants } from "./root-commands.ts";

const AUTHORIZATION = "src/authorization";
const GIT = `${AUTHORIZATION}/git`;
const SHELL = `${AUTHORIZATION}/shell`;

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
    "return { ...nothing(push), reason: UNKNOWN_TARGET };",
    "return nothing(push);",
  ],
  [
    "the files that decide about a push are not bound",
    `${GIT}/bind-pushes.ts`,
    "return [...paths].map((path) => ({",
    "return [...paths].slice(paths.size).map((path) => ({",
  ],
  [
    "the workload's word for a ref is taken",
    `${GIT}/bind-pushes.ts`,
    "if (digestOf(file) !== digest) return changed(path);",
    "",
  ],
  [
    "a branch that leads to another keeps its own name",
    `${GIT}/ref-reader.ts`,
    "if (target !== undefined && links < MOST_LINKS) return this.#ref(target, links + 1);",
    "if (target !== undefined && links < MOST_LINKS) return { ...(await this.#ref(target, links + 1)), name };",
  ],
  [
    "packed refs are not read",
    `${GIT}/ref-reader.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    'const line = packed?.split("\\n").find((one) => one.endsWith(` ${name}`));',
    "const line = packed?.slice(0, 0) || undefined;",
  ],
  [
    "upstream branches do not count",
    `${GIT}/refspecs.ts`,
    "const destinations = isUpstream && merges.length > 0 ? merges : [source];",
    "const destinations = [source];",
  ],
  [
    "the remote's refspecs do not map a named branch",
    `${GIT}/refspecs.ts`,
    "if (first) return { ...first, isForced: first.isForced || given.isForced };",
    "",
  ],
  [
    "a mirror is a remote like any other",
    `${GIT}/refspecs.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    'if (push.whole === "mirror" || settings.isTrue(`remote.${remote}.mirror`))',
    'if (push.whole === "mirror")',
  ],
  [
    "the branch's own remote for pushes does not count",
    `${GIT}/remote.ts`,
    'return own ?? settings.last("remote.pushdefault") ?? upstreamRemote(branch, settings);',
    'return settings.last("remote.pushdefault") ?? upstreamRemote(branch, settings);',
  ],
  [
    "addresses are shown as they are written",
    `${GIT}/remote.ts`,
    "return best && best.name + url.slice(best.value.length);",
    "return best && url;",
  ],
  [
    "old files of remotes are obeyed",
    `${GIT}/resolve-pushes.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    "if (await reader.has(`${folder}/${remote}`))",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    "if ((await reader.has(`${folder}/${remote}`)) && folder === remote)",
  ],
  [
    "branches that the command enters do not count",
    `${GIT}/resolve-pushes.ts`,
    "const branches = isImplicit ? [current, ...code.branches] : [current];",
    "const branches = [current];",
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
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    "if (aliases.some((name) => key === `alias.${name}`)) return true;",
    "void aliases;",
  ],
]);

const codeMutants = mutantsOf("test/src/authorization/interpreters.test.ts", [
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

const pathMutants = mutantsOf("test/src/authorization/named-paths.test.ts", [
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
  ...codeMutants,
  ...environmentMutants,
  ...pathMutants,
  ...rootMutants,
];
