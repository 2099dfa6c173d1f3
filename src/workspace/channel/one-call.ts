import type { OperationResult } from "../../contract/tools/operation.ts";
import { approvedCode } from "../../contract/workspace/approved-run.ts";
import { checkpointOperations } from "../../contract/workspace/checkpoints.ts";
import type { WorkspaceCall } from "../../contract/workspace/workspace.ts";
import type { Container } from "../docker/container.ts";
import type { Engine } from "../docker/docker.ts";
import { ONE_CALL_SERVERS } from "../docker/exec-commands.ts";
import { ChannelLostError } from "../errors.ts";
import type { Log } from "../options.ts";
import { Channel } from "./channel.ts";
import {
  type ChannelSource,
  cancelCall,
  type DeliveryOptions,
  deliverCall,
} from "./deliver-call.ts";
import type { Link } from "./link.ts";

const ANSWER_MS = 20_000;
const ANNOTATION_LIMIT_CHARS = 60 * 1024;

export interface OneCallParts {
  readonly engine: Engine;
  readonly container: Container;
  readonly link: Link;
  readonly log: Log;
  readonly forgotSince: (moment: number) => boolean;
}

type Identity = keyof typeof ONE_CALL_SERVERS;
type ApprovedCall = WorkspaceCall & { readonly as: Identity };

/** Runs one approved call in a server of its own in the same container, started from outside of it. */
export async function deliverOneCall(
  parts: OneCallParts,
  call: ApprovedCall,
  options: DeliveryOptions,
): Promise<OperationResult> {
  const source = new OneCallSource(parts, call.as, (point) => options.probe(`root-${point}`));
  try {
    const probe = (point: string) => options.probe(`root-${point}`);
    const result = await deliverCall(source, call, { ...options, probe });
    await annotate(parts, call, result, options.meta);
    return result;
  } finally {
    source.close();
  }
}

/** Ends a call that may run in another server of its own. */
export async function cancelOneCall(
  parts: OneCallParts,
  call: Pick<ApprovedCall, "id" | "as">,
  options: Pick<DeliveryOptions, "meta">,
): Promise<OperationResult> {
  const source = new OneCallSource(parts, call.as, () => undefined);
  try {
    return await cancelCall(source, call, options);
  } finally {
    source.close();
  }
}

/** Each channel is a new process; the latch that it finds on disk makes the same call id run once. */
class OneCallSource implements ChannelSource {
  readonly #parts: OneCallParts;
  readonly #as: Identity;
  readonly #probe: (point: string) => void;
  #channel: Channel | undefined;

  constructor(parts: OneCallParts, as: Identity, probe: (point: string) => void) {
    this.#parts = parts;
    this.#as = as;
    this.#probe = probe;
  }

  async channel(): Promise<Channel> {
    const { engine, container, link, log } = this.#parts;
    this.close();
    await link.channel(); // wakes the container if need be
    this.#probe("before-exec");
    const exec = await engine.exec(container.name, ONE_CALL_SERVERS[this.#as]);
    if (typeof exec === "string") throw new ChannelLostError(`The container is ${exec}.`);
    this.#probe("started");
    this.#channel = await Channel.open(exec.stream, {
      initializeTimeoutMs: ANSWER_MS,
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

/** An approved call is part of the terminal's history. A failure to note it does not change the result. */
async function annotate(
  { link, log }: OneCallParts,
  call: ApprovedCall,
  result: OperationResult,
  meta: Readonly<Record<string, unknown>>,
): Promise<void> {
  // The bot's own calls, which no one asked for.
  if (call.tool === checkpointOperations.name || call.tool === approvedCode.name) return;
  try {
    const channel = await link.channel();
    // With the conversation: the server may not have been told yet whose terminal it is.
    await channel.request("annotate", { call: call.id, text: describe(call, result) }, meta);
  } catch (error) {
    log("warn", "Failed to add an approved call to the terminal's history.", {
      call: call.id,
      error,
    });
  }
}

function describe({ tool, args, as }: ApprovedCall, result: OperationResult): string {
  const command =
    typeof args.command === "string" ? args.command : `${tool} ${JSON.stringify(args)}`;
  const output = typeof result.output === "string" ? result.output : (result.message ?? "");
  const prompt = as === "root" ? "[root] #" : "[approved] $";
  return `${prompt} ${command}\n${output}`.slice(0, ANNOTATION_LIMIT_CHARS);
}
