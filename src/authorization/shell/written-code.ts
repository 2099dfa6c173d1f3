import { posix } from "node:path";
import type { CodeOperand } from "./code-operand.ts";
import { pathsOfOperand } from "./code-uses.ts";
import { absoluteShapes } from "./paths.ts";
import type { Call, Input } from "./rule.ts";
import type { Assignment } from "./visitor.ts";
import { hasMarks, isUnknown } from "./word.ts";

/** Whether the text of the command shows what a file that it wrote holds. */
export type Content = "shown" | "hidden" | "edited";

/** They make other text of what they read. */
const TRANSFORMS =
  /^(?:base64|base32|basenc|xxd|openssl|gpg2?|gunzip|gzip|zcat|bzip2|bunzip2|xz|unxz|zstd|tr|rev|tac|uudecode|dd|envsubst|curl|wget2?|nc|ncat|python[\d.]*|perl|ruby|node|php|od|fold|paste|shuf|m4|cut|age|)$/;
/** What they write is made of the file itself and of words that stand in the command. */
const EDITS = /^(?:g?sed|jq|yq|[gmn]?awk|perl|ruby|patch|sponge)$/;

/** What a redirection of this statement writes. */
export function contentOf(segment: string, { upstream, text }: Input): Content {
  const [, program = ""] = /^\s*(?:[({]\s*)?(?:\w+=\S*\s+)*(?:\S*\/)?([\w.-]+)/.exec(segment) ?? [];
  if (TRANSFORMS.test(program) || upstream.some((call) => hides(call))) return "hidden";
  if (text && isUnknown(text)) return "hidden";
  if (EDITS.test(program)) return "edited";
  // A here-document with a quoted end, and single quotes, are taken as they stand.
  const plain = segment.replace(/<<-?\s*(["'\\])[\s\S]*$/, "").replaceAll(/'[^']*'/g, "");
  return /[$`]/.test(plain) || ESCAPES.test(segment) ? "hidden" : "shown";
}

/** What a call writes into a file that it names. */
export function contentOfCall(call: Call): Content {
  const { program, input, segment, args } = call;
  if (program === "tee" || program === "sponge") return contentOf(segment, input);
  if (EDITS.test(program)) return args.some(hasMarks) ? "hidden" : "edited";
  return "hidden";
}

function hides({ program, args, input }: Call): boolean {
  if (TRANSFORMS.test(program) || (input.text && isUnknown(input.text))) return true;
  return /^(?:echo|printf|cat)$/.test(program) && args.some(isUnknown);
}

/** `printf '\151'`, `echo -e '\x69'`. */
const ESCAPES = /\\(?:x[0-9a-f]{2}|0?[0-7]{3}|u[0-9a-f]{4})/i;

/** Tools that run code of the project without being given its name. */
const RUNS_PROJECT =
  /^(?:g?make|ninja|just|task|rake|invoke|inv|mage|nox|tox|npm|npx|pnpm|pnpx|yarn|bun|bunx|cargo|go|mvn|mvnw|gradle|gradlew|sbt|lein|mix|composer|bundle|rails|dotnet|jest|vitest|mocha|ava|pytest|py\.test|nose2|rspec|phpunit|cypress|playwright|karma|bats|eslint|prettier|stylelint|webpack|rollup|vite|esbuild|parcel|babel|next|nuxt|astro|turbo|gulp|grunt|tailwindcss|postcss|nodemon|knex|sequelize|alembic|flask|django-admin|uvicorn|gunicorn|celery|ansible|ansible-playbook|terraform|tofu|vagrant|docker-compose|pre-commit|lerna|nx|poetry|pdm|pipenv|uv|hatch|pip3?|scons|bazel|buck|meson|cmake|ctest|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|javac|kotlinc|ghc|tsc|tsx|ts-node|deno|julia|scala|scala-cli|groovy|elixir|jshell|emacs|tclsh|expect|java|python[\d.]*|node)$/;

/** Files with commands for a shell in them, and files of code. */
const COMMANDS =
  /(?:^|\/)(?:GNUmakefile|[Mm]akefile|\.?justfile|Justfile|Taskfile\.ya?ml|package\.json|composer\.json|Rakefile|tox\.ini|Dockerfile|docker-compose\.ya?ml|Vagrantfile|\.pre-commit-config\.yaml)$|\.mk$|\.sh$/;
const CODE =
  /\.(?:py|pth|c?js|mjs|jsx|c?ts|mts|tsx|rb|pl|pm|php|lua|go|rs|c|cc|cpp|h|hpp|java|kts?|scala|groovy|gradle|exs?|el|jl|r|R|cs|fs|swift|hs|ml|clj|tf|cmake|awk|sed|toml|cfg|ini)$|(?:^|\/)(?:build\.xml|pom\.xml|CMakeLists\.txt|setup\.cfg|\.npmrc|\.babelrc|\.eslintrc)$/;

/** `GROFF_BIN_PATH`, `FZF_OPENER`: names of variables that tell a program what to start, or where to find it. */
const NAMES_PROGRAM =
  /(?:^|_)(?:PATH|BIN|BINDIR|EXE|EXEC|PROG|PROGRAM|COMMAND|CMD|SHELL|WRAPPER|HELPER|LOADER|HOOK|HOOKS|PLUGINS?|LAUNCHER|RUNNER|TOOL|OPENER|VIEWER|HANDLER|FILTER|COMPILER|LINKER)(?:_DIR)?$/i;

/** Whether a variable leads programs to one that the command wrote. Programs have no extension, or one of a script. */
export function leadsToWritten(
  { name, value }: Assignment,
  authored: ReadonlyMap<string, Content>,
  directories: readonly string[],
): boolean {
  if (authored.size === 0 || !NAMES_PROGRAM.test(name)) return false;
  const places = new Set(value.shape.split(":").flatMap((one) => absoluteShapes(one, directories)));
  const programs = [...authored.keys()].filter((path) =>
    /\/[^/.]+(?:\.(?:sh|py|pl|rb))?$/.test(path),
  );
  return programs.some((path) => places.has(path) || places.has(posix.dirname(path)));
}

/** Programs whose own language runs commands. */
const RUNS_COMMANDS = /make$|^just$|sed$|awk$|^dc$|^bc$|^gdb$|^psql$/;

/** Files that the command wrote and the call runs, each with whether an objection to its text would be seen. */
export function writtenCodeRun(
  call: Call,
  operands: readonly CodeOperand[],
  authored: ReadonlyMap<string, Content>,
): { readonly path: string; readonly isPlain: boolean }[] {
  const named = operands
    .filter(({ kind, candidates }) => kind === "run" || candidates)
    .flatMap((operand) => pathsOfOperand(operand, call));
  const found = RUNS_PROJECT.test(call.program)
    ? [...authored.keys()].filter((path) => CODE.test(path) || COMMANDS.test(path))
    : [];
  return [...new Set([...named, ...found])].flatMap((path) => {
    const content = authored.get(path);
    if (content === undefined) return [];
    const isScript =
      COMMANDS.test(path) || (named.includes(path) && RUNS_COMMANDS.test(call.program));
    const isPlain = content !== "hidden" && !(content === "shown" && isScript);
    return [{ path, isPlain }];
  });
}
