import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const BOT = fileURLToPath(new URL("./bot.ts", import.meta.url));

/** The whole bot in one file. */
export interface Bundle extends AsyncDisposable {
  readonly program: string;
}

/** It starts three times as fast so, and whoever changes a source meanwhile does not kill it before its time. */
export async function bundleBot(): Promise<Bundle> {
  const directory = await mkdtemp(join(tmpdir(), "deckhand-chaos-"));
  const outfile = join(directory, "bot.cjs");
  await build({
    entryPoints: [BOT],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    minifyWhitespace: true,
    logLevel: "warning",
    plugins: [placesOfSources, withoutUnused],
  });
  return {
    program: outfile,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Sources find their neighbours by where they stand themselves, and not by where the bundle does. */
const placesOfSources: Plugin = {
  name: "places-of-sources",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$|\/web-tree-sitter\/.*\.js$/ }, async ({ path }) => {
      const here = JSON.stringify(pathToFileURL(path).href);
      const source = await readFile(path, "utf8");
      const contents = source
        .replaceAll("import.meta.url", here)
        .replaceAll("import.meta.resolve(", `${RESOLVE}(${here}, `);
      return { loader: path.endsWith(".ts") ? "ts" : "js", contents };
    });
  },
};

const RESOLVE =
  '((here, name) => require("node:url").pathToFileURL(require("node:module").createRequire(here).resolve(name)).href)';

/** What the engine's client could speak besides: half of what it takes to start, and nobody here needs it. */
const withoutUnused: Plugin = {
  name: "without-unused",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(ssh2|@grpc\/(grpc-js|proto-loader))$/ }, ({ path }) => ({
      path,
      namespace: "unused",
    }));
    onLoad({ filter: /./, namespace: "unused" }, () => ({ contents: "module.exports = {}" }));
  },
};
