import { hasOption, operandsOf, valuesOfOption } from "../options.ts";
import {
  type Call,
  changes,
  each,
  type Inspector,
  type Rules,
  tool,
  writesOutputs,
} from "../rule.ts";
import { isUnknown, literalWord, readable, type Word } from "../word.ts";
import { endsEverywhere, verbsAmong } from "./client-verbs.ts";
import { actsElsewhere, emptiesDatabase } from "./places.ts";
import { OUTWARD } from "./verbs.ts";

/** Tools of a project that act on its queues, databases and accounts as well. */
const SERVES =
  /^(?:celery|flask|django-admin|rails|prisma|typeorm|knex|sequelize|drizzle-kit|jupyter)$/;

/** Targets of makefiles that act on the machine or on others, beside those of all scripts. */
const OUTWARD_TARGET = /^(?:.*[-_:])?(?:install|uninstall|upload|apply)(?:[-_:].*)?$/i;

/** Building, testing, formatting: the project's own rules run, as the workspace's user. */
export const building: Rules = {
  ...each("make gmake ninja just task rake invoke inv mage nox tox", make),
  ...each(
    "gcc g++ cc c++ clang clang++ ld as gfortran rustc javac kotlinc swiftc nasm strip objcopy ranlib ctest meson " +
      "configure autoconf automake libtool bazel buck pants ant",
    (call, inspect) => {
      tool("builds the project")(call, inspect);
      // gcc -wrapper sh,-c,CODE: the words have commas between them.
      const at = call.args.findIndex(({ shape }) => shape === "-wrapper");
      const words = readable(call.args[at + 1]?.shape ?? "").split(",");
      if (at >= 0) inspect.runs(words.map(literalWord));
      if (
        call.args.some(({ shape }, index) =>
          /^-(?:fplugin=|B|specs=|Xlinker|plugin)|^(?:-C)?linker=/.test(
            (call.args[index - 1]?.shape === "-C" ? "-C" : "") + shape,
          ),
        )
      )
        inspect.click("loads code into a compiler");
    },
  ),
  ...each(
    "jest vitest mocha ava pytest py.test unittest nose2 coverage rspec phpunit cypress playwright karma bats shellcheck eslint " +
      "prettier biome tsc tslint stylelint standard xo oxlint dprint ruff black isort flake8 pylint mypy pyright autopep8 yapf " +
      "bandit rubocop gofmt goimports golangci-lint staticcheck rustfmt clippy-driver clang-format clang-tidy hadolint yamllint " +
      "markdownlint ktlint checkstyle cppcheck knip depcheck madge depcruise webpack rollup vite esbuild parcel swc babel next " +
      "nuxt astro turbo gulp grunt sass postcss tailwindcss nodemon concurrently http-server serve storybook prisma " +
      "typeorm knex sequelize drizzle-kit alembic flask django-admin uvicorn gunicorn celery jupyter rails hugo jekyll sphinx-build pre-commit husky lint-staged",
    (call, inspect) => {
      tool("runs a tool of the project")(call, inspect);
      actsElsewhere(call, inspect);
      emptiesDatabase(call, inspect);
      const verbs = verbsAmong(call.args);
      const [verb = "", object = ""] = verbs;
      if (SERVES.test(call.program) && verbs.slice(0, 3).some(endsEverywhere))
        inspect.phrase(`${call.program} permanently deletes something`);
      if (call.program === "celery" && /^(?:control|multi|upgrade|migrate)$/.test(verb))
        inspect.click("celery acts on its workers");
      if (verb === "deploy" || (/^(?:migrate|run|db)$/.test(verb) && object === "deploy"))
        inspect.click(`${call.program} ${verb} probably acts outside the workspace`);
      const loads = call.args.some(({ shape }) =>
        /^-p(?!no:|$)\w|^--(?:rootdir|confcutdir)/.test(shape),
      );
      const names = valuesOfOption(call.args, { short: "p" }).some(
        ({ shape }) => !/^no:/.test(shape),
      );
      if (/^py/.test(call.program) && /^py\.?test$/.test(call.program) && (loads || names))
        inspect.click("loads code into pytest");
    },
  ),
  ...each(
    "protoc buf thrift graphql-codegen openapi-generator swagger-codegen",
    changes("writes generated code"),
  ),
  ...each("pandoc dot pdftotext qpdf gs inkscape tesseract", changes("converts files")),
  ...each("ffmpeg convert magick sox cwebp dwebp avifenc lame", (call, inspect) => {
    changes("converts files")(call, inspect);
    // They write the file that they name last, behind the one that they read.
    const [before, last] = call.args.slice(-2);
    const isInput = before?.shape === "-i" || call.args.length < 2;
    if (last && !isInput && /^[^-]/.test(last.shape)) inspect.outputs(last);
  }),
  exiftool: ({ args }, inspect) => {
    inspect.notes("converts files");
    writesOutputs(args, inspect);
    const sets = args.filter(({ shape }) => /^-[\w:]+[-+]?<?=/.test(shape));
    // Without `-o` it changes the files themselves; two tags are their names.
    if (sets.length > 0)
      for (const file of operandsOf(args, { valued: "ow" })) inspect.writes(file);
    for (const [index, { shape }] of args.entries())
      if (/^-(?:[wW]|textOut|tagOut)[+!]*$/i.test(shape) && args[index + 1])
        inspect.outputs(args[index + 1] as Word);
    for (const { text, shape } of sets) {
      const [, path] =
        /^-(?:filename|directory|testname|hardlink|symlink)[+]?<?=(.+)$/i.exec(shape) ?? [];
      if (path !== undefined) inspect.writes({ text, shape: path });
    }
  },
  ...each("virtualenv venv", ({ args }, inspect) => {
    inspect.notes("makes an environment");
    for (const path of operandsOf(args, { valued: "p", valuedLong: ["python", "prompt"] }))
      inspect.writes(path);
  }),
  nvm: changes("changes the Node version"),
  pyenv: changes("changes the Python version"),
  clear: () => {},
  reset: () => {},
  tput: () => {},
  stty: changes("changes the terminal"),
};

function make(call: Call, inspect: Inspector): void {
  const { args, program } = call;
  inspect.notes("runs the project's rules");
  emptiesDatabase(call, inspect);
  if (/^(?:just|task|tox|nox|inv|invoke|mage)$/.test(program)) inspect.mayRun(args);
  if (
    args.some(({ shape }) =>
      /^(?:SHELL|MAKEFLAGS|\.SHELLFLAGS|CC|CXX|LD)[:+?]?=.*[\s;|&$`(]/.test(readable(shape)),
    )
  )
    inspect.click("gives make another program to run");
  const evaluates = { long: "eval", ...(/^g?make$/.test(program) && { short: "E" }) };
  if (hasOption(args, evaluates)) inspect.hides("gives make rules to run");
  const targets = operandsOf(args, {
    valued: "CfIojlW",
    valuedLong: ["directory", "file", "makefile", "jobs"],
  });
  const staged = args.some(({ shape }) =>
    /^(?:DESTDIR|PREFIX|prefix)=(?!\/(?!workspace(?:\/|$)|tmp\/|home\/agent\/))/.test(shape),
  );
  if (args.some(({ shape }) => /^(?:-n|--dry-run|--just-print|--recon|--list)$/.test(shape)))
    return;
  const outward = targets.find(
    ({ shape }) => OUTWARD.test(readable(shape)) || OUTWARD_TARGET.test(readable(shape)),
  );
  if (outward && !(staged && outward.shape === "install"))
    inspect.click(`${program} ${readable(outward.shape)} probably acts outside the workspace`);
  if (targets.some(({ shape }) => /^(?:publish|destroy)$|^release$/.test(shape)))
    inspect.phrase(`${program} publishes or destroys`);
  if (inspect.cameFromElsewhere({ text: "Makefile", shape: "Makefile" }))
    inspect.click("runs a downloaded file");
  for (const file of valuesOfOption(args, { short: "f", long: "file" }))
    if (file.shape === "-" || /^\/dev\//.test(file.shape) || isUnknown(file))
      inspect.hides("gives make rules to run");
}
