import { createHash } from "node:crypto";
import { z } from "zod";
import type { Documents, Json } from "../contract/store.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { ListedTool } from "./listed-tool.ts";

/** A tool that differs from what was accepted. It is not offered until an owner has approved the difference. */
export interface QuarantinedTool {
  readonly name: string;
  /** Absent: the server did not have it before. */
  readonly before?: ListedTool;
  readonly after: ListedTool;
}

export interface Judgement {
  readonly accepted: readonly ListedTool[];
  readonly quarantined: readonly QuarantinedTool[];
}

const Accepted = z.object({ tools: z.record(z.string(), ListedTool) });

/**
 * The tools of each server as they were accepted: those that it had when it was first seen, since the operator has
 * configured it, and what owners have approved since.
 */
export class Trust {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** Undefined: the server was never seen. */
  async accepted(server: string): Promise<Record<string, ListedTool> | undefined> {
    const document = await this.#documents.get(server);
    return document === undefined ? undefined : Accepted.parse(document).tools;
  }

  async judge(server: string, listed: readonly ListedTool[]): Promise<Judgement> {
    const known = await this.accepted(server);
    if (!known) {
      await this.#keep(server, Object.fromEntries(listed.map((tool) => [tool.name, tool])));
      return { accepted: listed, quarantined: [] };
    }
    const accepted: ListedTool[] = [];
    const quarantined: QuarantinedTool[] = [];
    for (const after of listed) {
      const before = Object.hasOwn(known, after.name) ? known[after.name] : undefined;
      if (before && isSame(before, after)) accepted.push(after);
      else quarantined.push({ name: after.name, ...(before && { before }), after });
    }
    return { accepted, quarantined };
  }

  /** From now on the tools are accepted as they are in quarantine. */
  async accept(server: string, tools: readonly QuarantinedTool[]): Promise<void> {
    const known = (await this.accepted(server)) ?? {};
    const added = Object.fromEntries(tools.map(({ name, after }) => [name, after]));
    await this.#keep(server, { ...known, ...added });
  }

  #keep(server: string, tools: Readonly<Record<string, ListedTool>>): Promise<void> {
    return this.#documents.set(server, { tools } as unknown as Json);
  }
}

/** Names exactly this difference: an owner approves what they were shown, and nothing that came later. */
export function digestOfChanges(tools: readonly QuarantinedTool[]): string {
  const shown = tools.map(({ name, before = null, after }) => ({ name, before, after }));
  return createHash("sha256").update(canonicalJson(shown)).digest("hex").slice(0, 8);
}

function isSame(one: ListedTool, other: ListedTool): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
