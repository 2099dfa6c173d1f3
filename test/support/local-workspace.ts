import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { extract, pack } from "tar-stream";
import { resolveAll } from "../../sandbox-image/server/paths.ts";
import { pathsOf } from "../../src/contract/paths-of.ts";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type { Workspace, WorkspaceCall } from "../../src/contract/workspace/workspace.ts";
import { makeWorkspace, type TestWorkspace } from "../sandbox-image/files/workspace.ts";
import { inspectsIn } from "./inspect-code.ts";

/** File operations and files of a directory on this machine, behind the port of a workspace. */
export interface LocalWorkspace extends Disposable {
  readonly files: TestWorkspace;
  readonly workspace: Workspace;
  readonly calls: WorkspaceCall[];
}

export function localWorkspace(): LocalWorkspace {
  const files = makeWorkspace();
  const calls: WorkspaceCall[] = [];
  const workspace: Partial<Workspace> = {
    id: "local",
    conversation: "A",
    call: async (call): Promise<OperationResult> => {
      calls.push(call);
      const { operation, ...params } = call.args;
      const checkedPaths = call.checkedPaths && new Set(call.checkedPaths);
      return files.call(String(operation), params, checkedPaths ? { checkedPaths } : {});
    },
    pathsOf: async ({ tool, args }) => {
      const uses = pathsOf(tool, String(args.operation), args);
      const places = await resolveAll(files.settings, uses);
      return uses.flatMap((use, index) => {
        const place = places[index];
        return place ? [{ ...place, ...use, resolved: place.path }] : [];
      });
    },
    inspectCode: inspectsIn(files.dir),
    download: async (path) => {
      const file = files.path(path);
      const archive = pack();
      if (statSync(file).isDirectory()) archive.entry({ name: basename(file), type: "directory" });
      else archive.entry({ name: basename(file) }, readFileSync(file));
      archive.finalize();
      return archive.pipe(new PassThrough());
    },
    upload: async (tar, directory) => {
      const reader = tar.pipe(extract());
      for await (const entry of reader) {
        const file = join(files.path(directory), entry.header.name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, await buffer(entry));
      }
    },
  };
  // What these tests do not use is missing.
  return {
    files,
    workspace: workspace as Workspace,
    calls,
    [Symbol.dispose]: () => files[Symbol.dispose](),
  };
}
