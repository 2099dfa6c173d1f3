import type { OperationResult } from "../contract/tools/operation.ts";
import type { TunnelHost } from "../contract/workspace/tunnel.ts";
import type { CallOptions, WorkspaceCall } from "../contract/workspace/workspace.ts";
import type { Channel } from "./channel/channel.ts";
import { type ChannelSource, cancelCall, deliverCall } from "./channel/deliver-call.ts";
import { Link } from "./channel/link.ts";
import { cancelOneCall, deliverOneCall, type OneCallParts } from "./channel/one-call.ts";
import { Tunnel } from "./channel/tunnel.ts";
import { Container, type EngineContext, type Revival } from "./docker/container.ts";
import type { Log } from "./options.ts";

/** What all live workspaces of this bot share. */
export interface WorkspaceContext extends EngineContext {
  readonly log: Log;
  readonly probe: (point: string) => void;
  readonly network: TunnelHost | undefined;
}

export interface LiveOptions {
  readonly workspace: string;
  readonly container: string;
  /** True for one whose shell nobody has used yet: then there is no state to lose. */
  readonly isNew: boolean;
  /** Where it is not that of the settings. */
  readonly image?: string | undefined;
}

/** "background": no call runs, only what earlier calls left running on purpose. */
type Activity = "busy" | "background" | "idle" | "stopped";

/** One workspace in memory: its container, the channel to it, and who uses it at the moment. */
export class LiveWorkspace {
  readonly container: Container;
  readonly link: Link;
  lastUsedAt = Date.now();
  /** Whose it is: undefined for one of the pool. */
  conversation: string | undefined;
  #context: WorkspaceContext;
  #inFlight = 0;
  #isNew: boolean;
  #notice: string | undefined;
  #forgotAt = Number.NEGATIVE_INFINITY;
  #stopping: Promise<void> | undefined;
  #fence = 0;
  readonly #tunnel: Tunnel;

  constructor(context: WorkspaceContext, { workspace, container, isNew, image }: LiveOptions) {
    this.#context = context;
    this.#isNew = isNew;
    this.container = new Container(context, workspace, container, image);
    this.#tunnel = new Tunnel({
      engine: context.engine,
      container: this.container,
      log: context.log,
      host: context.network,
      conversation: () => this.conversation,
      tell: (notice) => this.tell(notice),
    });
    this.link = new Link({
      engine: context.engine,
      container: this.container,
      log: context.log,
      onRevival: (revival) => this.#onRevival(revival),
      onOpen: (channel) => this.#tunnel.watch(channel),
      onClose: () => this.#tunnel.close("The workspace was stopped."),
    });
  }

  /** A newer turn holds it. Another replica may have held it before, and the server then tells that one who wants a tunnel. */
  heldBy(fence: number): void {
    if (fence <= this.#fence) return;
    this.#fence = fence;
    if (!this.link.isOpen) return;
    this.channel().then(
      (channel) => this.#tunnel.watch(channel),
      () => {}, // the next channel is watched from its start
    );
  }

  get isBusy(): boolean {
    return this.#inFlight > 0;
  }

  /** Runs something that needs the workspace; meanwhile it does not count as idle. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#inFlight += 1;
    try {
      await this.#stopping;
      return await work();
    } finally {
      this.#inFlight -= 1;
      this.lastUsedAt = Date.now();
    }
  }

  async call(
    call: WorkspaceCall,
    options: CallOptions & { meta: Readonly<Record<string, unknown>> },
  ): Promise<OperationResult> {
    const perform = { ...options, probe: this.#context.probe };
    const result =
      call.as !== undefined
        ? await deliverOneCall(this.#oneCallParts(), { ...call, as: call.as }, perform)
        : await deliverCall(this.#source(), call, perform);
    this.#isNew = false;
    return this.#withNotice(result);
  }

  /** For a call of the bot's own: a notice waits for a result that people read. */
  async callUnseen(
    call: WorkspaceCall,
    options: CallOptions & { meta: Readonly<Record<string, unknown>> },
  ): Promise<OperationResult> {
    const { notice, ...result } = await this.call(call, options);
    if (notice !== undefined) this.tell(notice);
    return result;
  }

  cancel(
    call: Pick<WorkspaceCall, "id" | "as">,
    options: { meta: Readonly<Record<string, unknown>> },
  ): Promise<OperationResult> {
    return call.as !== undefined
      ? cancelOneCall(this.#oneCallParts(), { id: call.id, as: call.as }, options)
      : cancelCall(this.#source(), call, options);
  }

  channel(): Promise<Channel> {
    return this.link.channel();
  }

  /** Starts a container that was just made, and looks once whether the disk limit holds in it. */
  async begin(): Promise<Channel> {
    const { disk } = this.#context;
    const channel = await this.link.begin();
    if (disk.needsProof) disk.prove((await channel.request("state", {})).disk.totalBytes);
    return channel;
  }

  /** Tells the next result's readers something. */
  tell(notice: string): void {
    if (this.#notice?.includes(notice)) return;
    this.#notice = this.#notice === undefined ? notice : `${this.#notice} ${notice}`;
  }

  /** What is going on in it. It is not woken to find out. */
  async activity(): Promise<Activity> {
    if (this.isBusy) return "busy";
    if (!this.link.isOpen && (await this.container.inspect())?.status !== "running")
      return "stopped";
    const state = await (await this.channel()).request("state", {});
    if (this.isBusy || state.runningCalls.length > 0) return "busy";
    return state.backgroundRunning > 0 ? "background" : "idle";
  }

  /** Stops the container; a call that comes meanwhile waits and wakes it again. */
  async stop(): Promise<void> {
    this.link.close();
    this.#stopping = this.container.stop().then(() => undefined);
    await this.#stopping.finally(() => {
      this.#stopping = undefined;
    });
  }

  #source(): ChannelSource {
    return {
      channel: () => this.link.channel(),
      restart: () => this.link.restart(),
      forgotSince: (moment) => this.#forgotAt >= moment,
    };
  }

  #oneCallParts(): OneCallParts {
    const { engine, log } = this.#context;
    const { container, link } = this;
    const { forgotSince } = this.#source();
    return { engine, log, container, link, forgotSince };
  }

  #onRevival(revival: Revival): void {
    if (revival === "recreated-empty") this.#forgotAt = Date.now();
    if (!this.#isNew && revival !== "was-running") this.tell(REVIVALS[revival]);
  }

  #withNotice(result: OperationResult): OperationResult {
    const notices = [this.#notice, result.notice].filter((one) => one !== undefined);
    this.#notice = undefined;
    return notices.length === 0 ? result : { ...result, notice: notices.join(" ") };
  }
}

const REVIVALS: Record<Exclude<Revival, "was-running">, string> = {
  started:
    "The workspace had stopped and was restarted: files are kept, but the shell is new and its programs have ended.",
  restarted:
    "The workspace's server did not respond, so the workspace was restarted: files are kept, but the shell is new and " +
    "its programs have ended.",
  recreated:
    "The workspace's container was lost and created again: files in /workspace and the home directory are kept, " +
    "but the shell, its programs and everything installed elsewhere are gone.",
  "recreated-empty": "The workspace and its files were lost; this is a new, empty one.",
};
