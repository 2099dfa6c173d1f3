/** How much is kept. Whatever exceeds a limit is named, never dropped in silence. */
export interface CheckpointLimits {
  /** Files, directories and links of one workspace. */
  readonly maxEntries: number;
  /** A larger file is noted as not covered, and a restore leaves it alone. */
  readonly maxFileBytes: number;
  /** One open file per level. */
  readonly maxDepth: number;
  /** Of the store; the oldest checkpoints go first. */
  readonly maxStoreBytes: number;
  readonly maxCheckpoints: number;
  /** Paths below the workspace that are neither kept nor touched. */
  readonly exclude: readonly string[];
}

const MB = 1024 * 1024;

export const DEFAULT_LIMITS: CheckpointLimits = {
  maxEntries: 200_000,
  maxFileBytes: 512 * MB,
  maxDepth: 256,
  maxStoreBytes: 4096 * MB,
  maxCheckpoints: 100,
  exclude: [],
};
