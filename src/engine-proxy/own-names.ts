import { VOLUME_PARTS } from "../workspace/names.ts";

const CONTAINER = /^deckhand-([0-9a-f]{8,64})-(?:pool-([0-9a-f]{16})|[0-9a-f]{40})$/;
const VOLUME = new RegExp(
  `^deckhand-([0-9a-f]{8,64})-([0-9a-f]{16})-(?:${VOLUME_PARTS.join("|")})$`,
);

interface ContainerName {
  readonly instance: string;
  /** Of a container that no conversation has claimed. */
  readonly pooled?: string | undefined;
}

/** Undefined for a name that no bot gives. */
export function parseContainerName(name: string): ContainerName | undefined {
  const [, instance, pooled] = CONTAINER.exec(name) ?? [];
  return instance === undefined ? undefined : { instance, pooled };
}

/** Undefined for a name that no bot gives. */
export function parseVolumeName(
  name: string,
): { readonly instance: string; readonly workspace: string } | undefined {
  const [, instance, workspace] = VOLUME.exec(name) ?? [];
  return instance === undefined || workspace === undefined ? undefined : { instance, workspace };
}
