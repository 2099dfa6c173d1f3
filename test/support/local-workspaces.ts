import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type { TerminalInfo } from "../../src/contract/workspace/channel.ts";
import type {
  CallOptions,
  Workspace,
  WorkspaceCall,
  Workspaces,
} from "../../src/contract/workspace/workspace.ts";
import { type LocalWorkspace, localWorkspace } from "./local-workspace.ts";

/** Directories on this machine in place of containers: they outlive bots, and know every call by its id. */
export class LocalWorkspaces implements Disposable {
  readonly #kept = new Map<string, Kept>();
  /** What has really begun, in order. */
  readonly begun: WorkspaceCall[] = [];
  checkpoints = 0;
  /** As long as this takes, all are in use. */
  inUse: Promise<void> | undefined;

  of(conversation: string): LocalWorkspace {
    return this.#of(conversation).local;
  }

  readonly port: Workspaces = {
    open: async (conversation, options) => {
      if (this.inUse !== undefined) options?.onQueued?.({ place: 1, cap: 1 });
      await this.inUse;
      return this.#of(conversation).workspace;
    },
    reset: async () => undefined,
    keep: async () => undefined,
    list: async () => [],
    recordedTerminals: async () => [],
    close: async () => undefined,
  };

  [Symbol.dispose](): void {
    for (const { local } of this.#kept.values()) local[Symbol.dispose]();
  }

  #of(conversation: string): Kept {
    const known = this.#kept.get(conversation);
    if (known) return known;
    const local = localWorkspace();
    const ledger = new Map<string, Promise<OperationResult>>();
    const stops = new Map<string, AbortController>();
    const workspace: Workspace = {
      ...local.workspace,
      conversation,
      terminals: async () => [TERMINAL],
      call: (call, options) => {
        const before = ledger.get(call.id);
        if (before) return before;
        if (call.args.operation === "create_directory") {
          mkdirSync(join(local.files.dir, String(call.args.dirPath)), { recursive: true });
          return Promise.resolve({ success: true });
        }
        this.begun.push(call);
        const stop = new AbortController();
        const signal = AbortSignal.any([stop.signal, ...(options?.signal ? [options.signal] : [])]);
        const running =
          call.tool === "terminal_operations"
            ? runCommand(
                join(local.files.dir, call.terminal?.directory ?? "."),
                String(call.args.command),
                { ...options, signal },
              )
            : local.workspace.call(call, options);
        stops.set(call.id, stop);
        ledger.set(call.id, running);
        return running;
      },
      cancel: ({ id }) => {
        stops.get(id)?.abort();
        const known = ledger.get(id) ?? Promise.resolve(NEVER_BEGUN);
        ledger.set(id, known);
        return known;
      },
      checkpoints: {
        create: async () => {
          this.checkpoints += 1;
          return {
            checkpoint: `c${this.checkpoints}-00000000`,
            label: "",
            automatic: false,
            created: "",
            files: 0,
            bytes: 0,
            added_bytes: 0,
            not_covered: 0,
          };
        },
        list: () => Promise.reject(new Error("not in these tests")),
        diff: () => Promise.reject(new Error("not in these tests")),
        restore: () => Promise.reject(new Error("not in these tests")),
      },
    };
    const kept = { local, workspace };
    this.#kept.set(conversation, kept);
    return kept;
  }
}

interface Kept {
  readonly local: LocalWorkspace;
  readonly workspace: Workspace;
}

const NEVER_BEGUN: OperationResult = {
  success: false,
  kind: "executionFailed",
  message: "Stopped before it started; nothing was run.",
};

const TERMINAL: TerminalInfo = {
  session_id: "s",
  tty_name: "pts/0",
  pid: 1,
  created: "2030-01-01T00:00:00.000Z",
  working_directory: "/workspace",
  state: "idle",
  exit_code: null,
  rows: 24,
  cols: 80,
  end_index: 0,
};

function runCommand(
  cwd: string,
  command: string,
  { signal, onProgress }: CallOptions = {},
): Promise<OperationResult> {
  const child = spawn("bash", ["-c", command], { cwd, detached: true });
  let output = "";
  const hear = (chunk: Buffer) => {
    output += chunk.toString();
    onProgress?.({ message: output });
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself, and only its last words are still on their way.
    }
  };
  signal?.addEventListener("abort", kill, { once: true });
  if (signal?.aborted) kill();
  return new Promise((resolve) => {
    child.on("close", (code) => {
      signal?.removeEventListener("abort", kill);
      resolve({ success: code === 0, output, exit_code: code ?? -1, message: output });
    });
  });
}
