import { createHash, randomBytes } from "node:crypto";

export const INSTANCE_LABEL = "deckhand.instance";
export const WORKSPACE_LABEL = "deckhand.workspace";
export const SPEC_LABEL = "deckhand.spec";

const KEY_CHARS = 40;

/** A conversation's name in file and container names: fixed length, no character that needs care. */
export function conversationKey(conversation: string): string {
  return createHash("sha256").update(conversation).digest("hex").slice(0, KEY_CHARS);
}

export function newWorkspaceId(): string {
  return randomBytes(8).toString("hex");
}

/** Names of one bot's containers and volumes. Two bots on one engine never share one. */
export class Names {
  readonly instance: string;
  readonly #prefix: string;

  constructor(instance: string) {
    this.instance = instance;
    this.#prefix = `deckhand-${instance}-`;
  }

  claimed(key: string): string {
    return `${this.#prefix}${key}`;
  }

  pooled(workspace: string): string {
    return `${this.#prefix}pool-${workspace}`;
  }

  volume(workspace: string, part: VolumePart): string {
    return `${this.#prefix}${workspace}-${part}`;
  }

  /** The key of a claimed container, undefined for one of the pool. */
  keyOf(container: string): string | undefined {
    const key = container.slice(this.#prefix.length);
    return container.startsWith(this.#prefix) && /^[0-9a-f]{40}$/.test(key) ? key : undefined;
  }

  labels(workspace: string): Record<string, string> {
    return { [INSTANCE_LABEL]: this.instance, [WORKSPACE_LABEL]: workspace };
  }

  get label(): string {
    return `${INSTANCE_LABEL}=${this.instance}`;
  }

  isPooled(container: string): boolean {
    return container.startsWith(`${this.#prefix}pool-`);
  }
}

export const VOLUME_PARTS = ["files", "home", "state"] as const;
export type VolumePart = (typeof VOLUME_PARTS)[number];
