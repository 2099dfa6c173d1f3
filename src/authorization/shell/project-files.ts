import type { CodeOperand } from "./code-operand.ts";
import { operandsOf } from "./options.ts";
import { ancestorsOf } from "./paths.ts";
import type { Call } from "./rule.ts";
import { isUnknown, literalWord, readable, type Word } from "./word.ts";

/** Files that a project's tool obeys without being given their names, in its directory and in those above. */
const PROJECTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|corepack|lerna|nx|turbo)$/,
    ["package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml"],
  ],
  [/^deno$/, ["deno.json", "deno.jsonc", "package.json"]],
  [/^(?:tsc|tsx|ts-node)$/, ["tsconfig.json", "package.json"]],
  [
    /^(?:cargo|rustc|rustup)$/,
    ["Cargo.toml", "build.rs", ".cargo/config.toml", ".cargo/config", "rust-toolchain.toml"],
  ],
  [/^go$/, ["go.mod", "go.work"]],
  [/^just$/, ["justfile", "Justfile", "JUSTFILE", ".justfile", ".env"]],
  [
    /^(?:task|go-task)$/,
    ["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", ".env"],
  ],
  [
    /^(?:rake|bundle|bundler|cap)$/,
    ["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb", "Gemfile", "Capfile", ".bundle/config"],
  ],
  [/^(?:ninja|samu)$/, ["build.ninja"]],
  [/^(?:cmake|ctest|cpack)$/, ["CMakeLists.txt", "CMakePresets.json", "CMakeCache.txt"]],
  [/^meson$/, ["meson.build"]],
  [/^(?:bazel|bazelisk)$/, [".bazelrc", "MODULE.bazel", "WORKSPACE", "BUILD", "BUILD.bazel"]],
  [/^ant$/, ["build.xml", "build.properties"]],
  [/^grunt$/, ["Gruntfile.js", "gruntfile.js", "Gruntfile.coffee", "package.json"]],
  [/^gulp$/, ["gulpfile.js", "gulpfile.mjs", "gulpfile.ts", "package.json"]],
  [/^mix$/, ["mix.exs"]],
  [/^lein$/, ["project.clj"]],
  [/^sbt$/, ["build.sbt", "project/build.properties", "project/plugins.sbt", ".sbtopts"]],
  [/^(?:scons)$/, ["SConstruct", "Sconstruct", "sconstruct"]],
  [/^(?:foreman|honcho|overmind|hivemind)$/, ["Procfile", ".env"]],
  [/^pre-commit$/, [".pre-commit-config.yaml"]],
  [/^composer$/, ["composer.json"]],
  [/^mvn$/, ["pom.xml", ".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml"]],
  [
    /^gradle$/,
    [
      "build.gradle",
      "build.gradle.kts",
      "settings.gradle",
      "settings.gradle.kts",
      "gradle.properties",
    ],
  ],
  [
    /^(?:poetry|uv|uvx|hatch|flit|pdm|pipenv|twine)$/,
    ["pyproject.toml", "setup.py", "setup.cfg", "poetry.toml", "uv.toml", "Pipfile"],
  ],
  [
    /^(?:tox|nox|pytest|invoke|inv|fab)$/,
    [
      "pyproject.toml",
      "tox.ini",
      "pytest.ini",
      "conftest.py",
      "noxfile.py",
      "tasks.py",
      "fabfile.py",
    ],
  ],
  [/^ansible[\w-]*$/, ["ansible.cfg"]],
  [
    /^(?:docker-compose|podman-compose)$/,
    ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml", ".env"],
  ],
];

const COMPOSE = PROJECTS.at(-1)?.[1] ?? [];

/** Tools that start a program of the project by its name. */
const RUNS_LOCAL = /^(?:npx|pnpx|bunx|npm|pnpm|yarn|bun)$/;

/** One that appears later counts as a change, too. */
export function projectFiles(name: Word, call: Call): CodeOperand[] {
  const { program, args, directories } = call;
  const isCompose = /^(?:docker|podman)$/.test(program) && operandsOf(args)[0]?.shape === "compose";
  const names = isCompose ? COMPOSE : PROJECTS.find(([pattern]) => pattern.test(program))?.[1];
  if (!names) return [];
  const places = placesAbove(directories);
  const word = literalWord(readable(name.shape));
  const operand = (path: string): CodeOperand => ({
    kind: "read",
    word,
    candidates: [path],
    alsoMissing: true,
  });
  const local = RUNS_LOCAL.test(program) ? localPrograms(args) : [];
  return [
    ...places.flatMap((place) => names.map((file) => operand(`${place}/${file}`))),
    ...places.flatMap((place) =>
      local.map((file) => ({
        ...operand(`${place}/node_modules/.bin/${file}`),
        isMentioned: true,
      })),
    ),
  ];
}

/** `npx cow`, `npm exec cow`, `yarn cow`: the first words that may name a program. */
function localPrograms(args: readonly Word[]): string[] {
  return operandsOf(args)
    .map(({ shape }) => shape)
    .filter((shape) => /^[\w@][\w.@-]*$/.test(shape))
    .slice(0, 2);
}

/** The directory and all above it in which the workload can put files; the nearest first. */
function placesAbove(directories: readonly string[]): string[] {
  const places = directories
    .filter((place) => place.startsWith("/") && !isUnknown(literalWord(place)))
    .flatMap((place) => ancestorsOf(place))
    .filter((place) => /^\/(?:workspace|home\/agent|tmp)(?:\/|$)/.test(place));
  return [...new Set(places)];
}
