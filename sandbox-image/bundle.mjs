// @ts-check
// Bundles each program of the workspace server into one file of the directory given as argument.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const PROGRAMS = ["supervisor", "worker", "one-call"];

// In a snapshot `require` knows Node's own modules only; the terminal's native part lies beside the bundle.
const REQUIRE =
  'require = ((builtin) => (id) => id.startsWith("@lydell/") ? ' +
  'process.getBuiltinModule("node:module").createRequire("/opt/deckhand/worker.js")(id) : builtin(id))(require);';

/**
 * zod brings its messages in fifty languages: a third of each program, in the memory of every workspace.
 * @type {import("esbuild").Plugin}
 */
const ENGLISH_ONLY = {
  name: "english-only",
  setup(build) {
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

await build({
  entryPoints: PROGRAMS.map((name) =>
    fileURLToPath(new URL(`server/programs/${name}.ts`, import.meta.url)),
  ),
  outdir: process.argv[2] ?? "",
  bundle: true,
  platform: "node",
  target: "node24",
  format: "cjs",
  minify: true,
  banner: { js: REQUIRE },
  plugins: [ENGLISH_ONLY],
});
