import type { OfferRequest, RequestedTools } from "../../contract/tools/toolbox.ts";
import type { ToolRegistry } from "../registry.ts";
import { meantBy } from "./names.ts";
import { exclusionOf } from "./offer.ts";

/** Of the running turns: what each was offered last, and which tools it has asked for. */
export class TurnRequests {
  readonly #turns = new Map<string, { request: OfferRequest; requested: Set<string> }>();
  readonly #registry: ToolRegistry;

  constructor(registry: ToolRegistry) {
    this.#registry = registry;
  }

  /** Notes the offer that is being made, and gives back what was asked for so far. */
  noteOffer(request: OfferRequest): ReadonlySet<string> {
    const requested = this.#turns.get(request.conversation)?.requested ?? new Set();
    this.#turns.set(request.conversation, { request, requested });
    return requested;
  }

  request(conversation: string, names: readonly string[]): RequestedTools {
    const turn = this.#turns.get(conversation);
    const offered: string[] = [];
    const unknown: string[] = [];
    const excluded: string[] = [];
    for (const name of names) {
      const meant = meantBy(name, (called) => this.#registry.get(called));
      const tool = meant?.tool.tool.definition.name;
      if (tool === undefined) unknown.push(name);
      else if (turn && exclusionOf(tool, turn.request) !== undefined) excluded.push(tool);
      else {
        offered.push(tool);
        turn?.requested.add(tool);
      }
    }
    return { offered, unknown, excluded };
  }

  forget(conversation: string): void {
    this.#turns.delete(conversation);
  }
}
