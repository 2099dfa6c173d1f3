import { checkpointOperations } from "../contract/checkpoints.ts";
import type { OperationResult } from "../contract/operation.ts";
import type { WorkspaceCall } from "../contract/workspace.ts";
import { Channel } from "./channel.ts";
import type { Container } from "./container.ts";
import type { Engine } from "./docker.ts";
import { ChannelLost } from "./errors.ts";
import type { Link } from "./link.ts";
import type { Log } from "./options.ts";
import {
  type ChannelSource,
  cancelCall,
  type PerformOptions,
  performCall,
} from "./perform-call.ts";

const ROOT_SERVER = ["/opt/deckhand/init", "root"];
const ROOT_ANSWER_MS = 20_000;
const ANNOTATION_LIMIT_CHARS = 60 * 1024;

export interface RootParts {
  readonly engine: Engine;
  readonly container: Container;
  readonly link: Link;
  readonly log: Log;
  readonly forgotSince: (moment: number) => boolean;
}

/** Runs one approved call in a server of its own, as root of the same container. */
export async function performRootCall(
  parts: RootParts,
  call: WorkspaceCall,
  options: PerformOptions,
): Promise<OperationResult> {
  const source = new RootSource(parts, (point) => options.probe(`root-${point}`));
  try {
    const probe = (point: string) => options.probe(`root-${point}`);
    const result = await performCall(source, call, { ...options, probe });
    await annotate(parts, call, result, options.meta);
    return result;
  } finally {
    source.close();
  }
}

/** Ends a call that may run in another server of its own. */
export async function cancelRootCall(
  parts: RootParts,
  call: Pick<WorkspaceCall, "id">,
  options: Pick<PerformOptions, "meta">,
): Promise<OperationResult> {
  const source = new RootSource(parts, () => undefined);
  try {
    return await cancelCall(source, call, options);
  } finally {
    source.close();
  }
}

/** Each channel is a new process; the latch that it finds on disk makes the same call id run once. */
class RootSource implements ChannelSource {
  readonly #parts: RootParts;
  readonly #probe: (point: string) => void;
  #channel: Channel | undefined;

  constructor(parts: RootParts, probe: (point: string) => void) {
    this.#parts = parts;
    this.#probe = probe;
  }

  async channel(): Promise<Channel> {
    const { engine, container, link, log } = this.#parts;
    this.close();
    await link.channel(); // wakes the container if need be
    this.#probe("before-exec");
    const exec = await engine.exec(container.name, { command: ROOT_SERVER, user: "0:0" });
    if (typeof exec === "string") throw new ChannelLost(`The container is ${exec}.`);
    this.#probe("started");
    this.#channel = await Channel.open(exec.stream, {
      initializeTimeoutMs: ROOT_ANSWER_MS,
      onStderr: (text) => log("debug", text.trimEnd(), { container: container.name }),
    });
    return this.#channel;
  }

  restart(): Promise<void> {
    return this.#parts.link.restart();
  }

  forgotSince(moment: number): boolean {
    return this.#parts.forgotSince(moment);
  }

  close(): void {
    this.#channel?.close();
  }
}

/** What ran as root is part of the terminal's history. A failure to note it does not change the result. */
async function annotate(
  { link, log }: RootParts,
  call: WorkspaceCall,
  result: OperationResult,
  meta: Readonly<Record<string, unknown>>,
): Promise<void> {
  // The bot's own doing, before every turn: nobody asked for it.
  if (call.tool === checkpointOperations.name) return;
  try {
    const channel = await link.channel();
    // With the conversation: the server may not have been told yet whose terminal it is.
    await channel.request("annotate", { call: call.id, text: describe(call, result) }, meta);
  } catch (error) {
    log("warn", "A root call is missing in the terminal's history.", { call: call.id, error });
  }
}

function describe({ tool, args }: WorkspaceCall, result: OperationResult): string {
  const command =
    typeof args.command === "string" ? args.command : `${tool} ${JSON.stringify(args)}`;
  const output = typeof result.output === "string" ? result.output : (result.message ?? "");
  return `[root] # ${command}\n${output}`.slice(0, ANNOTATION_LIMIT_CHARS);
}
