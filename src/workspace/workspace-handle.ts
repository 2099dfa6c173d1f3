import { randomUUID } from "node:crypto";
import { pathsOf } from "../contract/paths-of.ts";
import { type OperationResult, type Tool, ToolError } from "../contract/tools/operation.ts";
import { parseCall } from "../contract/tools/tool-schema.ts";
import { workspaceTools } from "../contract/tools/workspace-tools.ts";
import { approvedCode, Inspection } from "../contract/workspace/approved-run.ts";
import type { Census, TerminalInfo, WorkspaceState } from "../contract/workspace/channel.ts";
import type {
  CallOptions,
  CodeQuestion,
  FollowOptions,
  PathEffect,
  Workspace,
  WorkspaceCall,
  WorkspaceCheckpoints,
} from "../contract/workspace/workspace.ts";
import { download, upload } from "./archive.ts";
import type { ArchiveLimits } from "./archive-entries.ts";
import type { Channel } from "./channel/channel.ts";
import { followTerminal } from "./channel/follow.ts";
import { checkpointsOf } from "./checkpoints.ts";
import type { Engine } from "./docker/docker.ts";
import { ChannelLostError } from "./errors.ts";
import type { LiveWorkspace } from "./live-workspace.ts";

/** A tool that does not run in workspaces has no paths there. */
function parseArguments(tool: string, args: WorkspaceCall["args"]): Record<string, unknown> {
  const definition: Tool | undefined = workspaceTools.find(({ name }) => name === tool);
  return definition ? parseCall(definition, args).params : {};
}

export interface HandleParts {
  readonly engine: Engine;
  readonly conversation: string;
  readonly fence: number;
  readonly limits: ArchiveLimits;
  /** The conversation's workspace as it is now, running and counted. */
  readonly awake: () => Promise<LiveWorkspace>;
  /** Somebody has finished using it. */
  readonly released: () => void;
}

/** What a turn holds of a workspace: everything it asks carries the turn's fence. */
export class WorkspaceHandle implements Workspace {
  readonly id: string;
  readonly conversation: string;
  readonly checkpoints: WorkspaceCheckpoints;
  readonly #parts: HandleParts;

  constructor(id: string, parts: HandleParts) {
    this.id = id;
    this.conversation = parts.conversation;
    this.#parts = parts;
    const ask: Parameters<typeof checkpointsOf>[0] = (call, how) => this.#callUnseen(call, how);
    this.checkpoints = checkpointsOf(ask, parts.limits.bytes);
  }

  call(call: WorkspaceCall, options: CallOptions = {}): Promise<OperationResult> {
    return this.#use((live) => live.call(call, { ...options, meta: this.#metaOf(call) }));
  }

  cancel(call: Pick<WorkspaceCall, "id" | "as">): Promise<OperationResult> {
    return this.#use((live) => live.cancel(call, { meta: this.#meta() }));
  }

  async pathsOf({ tool, args }: WorkspaceCall): Promise<PathEffect[]> {
    const uses = pathsOf(tool, String(args.operation), parseArguments(tool, args));
    const paths = uses.map(({ path, link }) => ({ path, link }));
    const found = await this.#ask((channel) => channel.request("resolve", { paths }, this.#meta()));
    return uses.flatMap((use, index) => {
      const place = found.paths[index];
      return place ? [{ ...place, ...use, resolved: place.path }] : [];
    });
  }

  async inspectCode(question: CodeQuestion): Promise<Inspection> {
    const args = { operation: "inspect", ...question };
    const call = { id: randomUUID(), tool: approvedCode.name, args, as: "root" } as const;
    const result = await this.#callUnseen(call, {});
    const inspection = Inspection.safeParse(result);
    if (result.success && inspection.success) return inspection.data;
    throw new ToolError(
      "executionFailed",
      result.message ?? "The files of the command could not be checked. Try again.",
    );
  }

  census(): Promise<Census> {
    return this.#ask((channel) => channel.request("census", {}, this.#meta()));
  }

  state(): Promise<WorkspaceState> {
    return this.#ask((channel) => channel.request("state", {}, this.#meta()));
  }

  async terminals(): Promise<TerminalInfo[]> {
    const list = await this.#ask((channel) => channel.request("terminals", {}, this.#meta()));
    return list.terminals;
  }

  async resize(sessionId: string, size: { rows: number; cols: number }): Promise<void> {
    const params = { session_id: sessionId, ...size };
    await this.#ask((channel) => channel.request("resize", params, this.#meta()));
  }

  killAll(): Promise<Census> {
    return this.#ask((channel) => channel.request("killAll", {}, this.#meta()));
  }

  follow(sessionId: string, options: FollowOptions): Promise<void> {
    const open = async () => (await this.#parts.awake()).channel();
    return this.#use(() => followTerminal(open, sessionId, options));
  }

  upload(tar: NodeJS.ReadableStream, directory: string): Promise<void> {
    const { engine, limits } = this.#parts;
    return this.#use(async ({ container, link }) => {
      await link.channel();
      await upload(engine, container.name, tar, { directory, limits });
    });
  }

  download(path: string): Promise<NodeJS.ReadableStream> {
    return this.#use(async ({ container, link }) => {
      await link.channel();
      return download(this.#parts.engine, container.name, path);
    });
  }

  #metaOf(call: WorkspaceCall): Record<string, unknown> {
    return {
      ...this.#meta(),
      "deckhand/call": call.id,
      ...(call.checkedPaths ? { "deckhand/paths": call.checkedPaths } : {}),
      ...(call.run ? { "deckhand/run": call.run } : {}),
      ...(call.terminal ? { "deckhand/terminal": call.terminal } : {}),
      ...(call.shell ? { "deckhand/shell": call.shell } : {}),
      ...(call.requester ? { "deckhand/requester": call.requester } : {}),
    };
  }

  #callUnseen(call: WorkspaceCall, options: CallOptions): Promise<OperationResult> {
    return this.#use((live) => live.callUnseen(call, { ...options, meta: this.#metaOf(call) }));
  }

  /** These may all be asked twice, so a lost channel only means to ask once more. */
  #ask<T>(ask: (channel: Channel) => Promise<T>): Promise<T> {
    return this.#use(async (live) => {
      try {
        return await ask(await live.channel());
      } catch (error) {
        if (!(error instanceof ChannelLostError)) throw error;
        return ask(await live.channel());
      }
    });
  }

  async #use<T>(work: (live: LiveWorkspace) => Promise<T>): Promise<T> {
    const live = await this.#parts.awake();
    try {
      return await live.use(() => work(live));
    } finally {
      this.#parts.released();
    }
  }

  #meta(): Record<string, unknown> {
    const { conversation, fence } = this.#parts;
    return { "deckhand/conversation": conversation, "deckhand/fence": fence };
  }
}
