import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { ModelServer, type ModelServerOptions, type Script } from "./model-server/server.ts";

/**
 * A model that says what its script says, as strict as the real one and as odd as its compatibles:
 *
 *   await using model = await startModelServer();
 *   model.script([call("file_operations", { operation: "read_file" }), say("Read it.")], { when: "marker" });
 *   createApp({ env: { ...model.env } });
 *
 * On its own: node test/support/model-server.ts --script FILE, where FILE is JSON (a list of scripts) or a module
 * whose default export is one. It prints its settings as one line of JSON. GET /_requests gives what was asked.
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = new ModelServer(options);
  await server.listen();
  return server;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      script: { type: "string" },
      port: { type: "string", default: "0" },
      model: { type: "string" },
      key: { type: "string" },
    },
  });
  const { script, port, model, key } = values;
  const server = await startModelServer({
    port: Number(port),
    ...(model ? { model } : {}),
    ...(key ? { key } : {}),
  });
  // The first script that fits answers, as they stand in the file.
  for (const { replies, ...rest } of (script ? await scriptsIn(script) : []).toReversed())
    server.script(replies, rest);
  process.stdout.write(`${JSON.stringify(server.env)}\n`);
}

async function scriptsIn(file: string): Promise<readonly Script[]> {
  if (file.endsWith(".json")) return JSON.parse(readFileSync(file, "utf8"));
  return (await import(pathToFileURL(resolve(file)).href)).default;
}
