import { z } from "zod";
import { childrenPrefix } from "../../contract/conversation/subagent.ts";
import type { Documents } from "../../contract/store.ts";
import { BoundedMap } from "../../lib/bounded.ts";

/** What a subagent was told to do, by whom, and what it may. It never changes. */
export const KeptOrder = z.object({
  /** The conversation that asked, and its call. */
  parent: z.string(),
  callId: z.string(),
  /** 1 for the subagent of a thread's own agent. */
  depth: z.int().min(1),
  task: z.string(),
  instructions: z.string(),
  /** Who stands behind the turn that asked, and their name for showing. */
  requester: z.string(),
  name: z.string(),
  /** Everybody else whose words went into it. */
  contributors: z.array(z.string()),
  /** Nobody is there who could answer a question. */
  isExternalCall: z.literal(true).exactOptional(),
  model: z.string().exactOptional(),
  temperature: z.number().exactOptional(),
  topP: z.number().exactOptional(),
  enableReasoning: z.boolean().exactOptional(),
  systemPromptId: z.string().exactOptional(),
  maxIterations: z.int().min(1),
  enableTerminalAccess: z.boolean(),
  enableWorkflowMode: z.boolean(),
  enableDynamicIterations: z.boolean(),
  /** The topic whose memory and workspace it shares; absent where it works by itself. */
  topic: z.string().exactOptional(),
  /** What the parent has to know about the order itself. */
  notice: z.string().exactOptional(),
  at: z.string(),
});
export type KeptOrder = z.infer<typeof KeptOrder>;

/** The orders of all subagents, by their conversations. A store that cannot answer throws. */
export class Orders {
  readonly #documents: Documents;
  /** Of those that somebody has asked about: an order never changes. */
  readonly #known = new BoundedMap<string, KeptOrder>(KEPT_ORDERS);

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** As far as it was looked up here before. */
  known(child: string): KeptOrder | undefined {
    return this.#known.get(child);
  }

  async find(child: string): Promise<KeptOrder | undefined> {
    const known = this.#known.get(child);
    if (known) return known;
    const kept = await this.#documents.get(child);
    return kept === undefined ? undefined : this.#remember(child, KeptOrder.parse(kept));
  }

  /** The first order of a call counts: after a crash the same call finds it. */
  async keep(child: string, make: () => Promise<KeptOrder>): Promise<KeptOrder> {
    const known = await this.find(child);
    if (known) return known;
    const order = await make();
    await this.#documents.set(child, order);
    return this.#remember(child, order);
  }

  /** All that ever worked in a thread. */
  ofThread(thread: string): Promise<string[]> {
    return this.#documents.keys(childrenPrefix(thread));
  }

  #remember(child: string, order: KeptOrder): KeptOrder {
    this.#known.set(child, order);
    return order;
  }
}

const KEPT_ORDERS = 10_000;
