import { type Mutant, mutantsOf } from "../mutant.ts";

const SHELL = "src/authorization/shell";
const RULES = `${SHELL}/rules`;

/** Faults in what the guard knows about families of programs, and about programs that it does not know. */
export const familyMutants: readonly Mutant[] = mutantsOf(
  "test/src/authorization/shell/classify.test.ts",
  [
    [
      "an unknown program may have any login",
      `${RULES}/unknown.ts`,
      "args.some(isLogin) || logsIn(args)",
      "logsIn(args)",
    ],
    [
      "a secret beside a host is nothing",
      `${RULES}/unknown.ts`,
      "args.some(isLogin) || logsIn(args)",
      "args.some(isLogin)",
    ],
    [
      "launchers start nothing",
      `${SHELL}/launchers.ts`,
      "if (dashes < 0 && !LAUNCHERS.has(program)) return undefined;",
      "if (dashes < 0) return undefined;",
    ],
    [
      "what follows two dashes is data",
      `${SHELL}/launchers.ts`,
      "if (dashes < 0 && !LAUNCHERS.has(program)) return undefined;",
      "if (!LAUNCHERS.has(program)) return undefined;",
    ],
    [
      "only well-known shells have startup files",
      `${SHELL}/effects.ts`,
      "if (!shape.startsWith(`${homeDir}/.`)) return false;",
      "if (shape !== homeDir) return false;",
    ],
    [
      "services delete by click",
      `${RULES}/services.ts`,
      "if (endsSomething(words.slice(0, 4)) || hasDeletingOption(args)) {",
      "if (words.length < 0) {",
    ],
    [
      "verbs in one word with their object are not read",
      `${RULES}/client-verbs.ts`,
      ".map(({ shape }) => kebab(readable(shape)));",
      ".map(({ shape }) => readable(shape));",
    ],
    [
      "what follows an acting verb is a verb, too",
      `${RULES}/client-verbs.ts`,
      'if (ACTS.test(word)) return "acts";',
      'if (ACTS.test(word) && index === 3) return "acts";',
    ],
    [
      "backups elsewhere are files of the workspace",
      `${RULES}/services.ts`,
      "args.some(isRemotePlace) || ",
      "",
    ],
    ["files of a cluster are removed by click", `${RULES}/services.ts`, "rm|rmr|rmdir", "rmr"],
    [
      "a service's methods only read",
      `${RULES}/senders.ts`,
      "looks || args.some(isOwnServer)",
      "true",
    ],
    [
      "a look at the machine is any word",
      `${RULES}/machine.ts`,
      "alsoLooks?.test(word) || LOOKS.test(word)",
      "true",
    ],
    [
      "without words nothing happens",
      `${RULES}/machine.ts`,
      "args.length === 0 && !ACTS_AT_ONCE.test(program)",
      "args.length === 0",
    ],
    ["the clock may be set", `${RULES}/machine.ts`, "if (sets || /^\\d/", "if (/^\\d/"],
    [
      "the clock may be set by digits",
      `${RULES}/machine.ts`,
      '|| /^\\d/.test(first?.shape ?? "")',
      "",
    ],
    [
      "duplicates are only listed",
      `${RULES}/leftovers.ts`,
      'if (!hasOption(args, { short: "d", long: "delete" })) return;',
      "return;",
    ],
    [
      "old files are only listed",
      `${RULES}/leftovers.ts`,
      "for (const place of operandsOf(args).slice(1)) inspect.deletes",
      "for (const place of operandsOf([])) inspect.deletes",
    ],
    [
      "encrypted files show nothing",
      `${RULES}/cloud.ts`,
      'if (!encrypts && !asksState) inspect.credentials("shows what is encrypted in files");',
      "",
    ],
    [
      "an archive of objects lies anywhere",
      `${RULES}/archives.ts`,
      "inspect.outputs(archived);",
      'inspect.notes("writes an archive");',
    ],
    [
      "xargs knows nothing about what find has found",
      `${RULES}/xargs.ts`,
      'if (origin?.program !== "find") return [];',
      'if (origin?.program !== "xargs") return [];',
    ],
    [
      "libraries behind options are data",
      `${SHELL}/call-judge.ts`,
      "if (loadsLibrary(call, reader.place))",
      "if (false as boolean)",
    ],
    [
      "options of unknown programs start nothing",
      `${RULES}/unknown.ts`,
      'for (const code of startedByOptions(args)) inspect.runsCode(code, "an option");',
      "",
    ],
    [
      "an encrypted connection carries nothing",
      `${RULES}/network.ts`,
      "if (carriesData(input)) {",
      "if (carriesData(input) && !input) {",
    ],
    [
      "registries only publish",
      `${RULES}/publishers.ts`,
      'verb === "delete" || object === "delete"',
      "false as boolean",
    ],
    [
      "temporary files lie anywhere",
      `${RULES}/files.ts`,
      "if (template && !usesTemporary) inspect.touches(template);",
      "",
    ],
  ],
);
