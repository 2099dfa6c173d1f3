// @ts-check
// Bundles each program of the workspace server into one file of the directory given as argument.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const PROGRAMS = ["supervisor", "worker", "one-call", "tunnel"];

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

/**
 * MCP's server makes a JSON Schema validator for every connection, and only asks it about forms for people
 * (elicitation), which this server has none of.
 * @type {import("esbuild").Plugin}
 */
const NO_FORMS = {
  name: "no-forms",
  setup(build) {
    build.onLoad({ filter: /@modelcontextprotocol\/server\/dist\/shimsNode\.mjs$/ }, () => ({
      contents:
        'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator {}',
    }));
  },
};

const outdir = process.argv[2] ?? "";
await build({
  entryPoints: PROGRAMS.map((name) =>
    fileURLToPath(new URL(`server/programs/${name}.ts`, import.meta.url)),
  ),
  outdir,
  bundle: true,
  platform: "node",
  target: "node24",
  format: "cjs",
  minify: true,
  banner: { js: REQUIRE },
  plugins: [ENGLISH_ONLY, NO_FORMS],
});

// One character beyond ASCII makes V8 keep the whole program in two bytes a character, in the heap and in its snapshot.
// esbuild escapes them in strings, but not in regular expressions.
for (const name of PROGRAMS) {
  const beyond = /.{0,40}[\u0080-\u{10ffff}].{0,40}/u.exec(
    readFileSync(join(outdir, `${name}.js`), "utf8"),
  );
  if (beyond) throw new Error(`Escape the characters beyond ASCII (\\u2026) in: ${beyond[0]}`);
}
