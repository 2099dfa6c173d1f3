import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type FileParts, fileHandlers } from "../../../sandbox-image/server/files/handlers.ts";
import { imageSettings, type ServerSettings } from "../../../sandbox-image/server/settings.ts";
import { serve } from "../../../sandbox-image/server/tools.ts";
import { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import { failed, type OperationResult, ToolError } from "../../../src/contract/tools/operation.ts";

/** A workspace in a temporary directory of this machine, with the operations that serve it. */
export interface TestWorkspace extends Disposable {
  readonly dir: string;
  readonly settings: ServerSettings;
  call(operation: string, params?: object, options?: CallOptions): Promise<OperationResult>;
  write(name: string, content: string | Buffer): string;
  read(name: string): string;
  path(name: string): string;
}

interface CallOptions {
  readonly conversation?: string;
  readonly signal?: AbortSignal;
  readonly checkedPaths?: ReadonlySet<string>;
}

export function makeWorkspace(parts: FileParts = {}): TestWorkspace {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "files-")));
  const dir = join(top, "workspace");
  mkdirSync(dir);
  const settings = settingsFor(dir, join(top, "home"));
  const served = serve(fileOperations, fileHandlers(settings, parts));
  const path = (name: string) => join(dir, name);
  return {
    dir,
    settings,
    path,
    read: (name) => readFileSync(path(name), "utf8"),
    write: (name, content) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
    call: async (operation, params = {}, options = {}) => {
      const { conversation = "main", signal, checkedPaths } = options;
      const context = {
        callId: "call",
        conversation,
        checkedPaths,
        signal: signal ?? new AbortController().signal,
        progress: () => {},
      };
      try {
        const result = await served.prepare({ operation, ...params }).run(context);
        if (result.message?.startsWith("The workspace server failed"))
          throw new Error("a bug, see the log");
        return result;
      } catch (error) {
        if (error instanceof ToolError) return failed(error);
        throw error;
      }
    },
    [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }),
  };
}

export function settingsFor(workspaceDir: string, homeDir: string): ServerSettings {
  const settings = imageSettings();
  const PATH = process.env.PATH ?? "";
  return {
    ...settings,
    workspaceDir,
    homeDir,
    childEnv: { ...settings.childEnv, HOME: homeDir, PATH },
  };
}
