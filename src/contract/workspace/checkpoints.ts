import { z } from "zod";
import { count, LINE_CHARS, quoting, saying } from "../display.ts";
import { defineTool } from "../tools/operation.ts";
import { text } from "../tools/params.ts";

/** The number tells the order; the letters keep a reset workspace's ids apart from those before it. */
export const CheckpointId = z
  .string()
  .regex(/^c\d{1,9}-[0-9a-f]{8}$/, "must be a checkpoint's id as list shows it, e.g. c12-9f3a2b1c");

/** One kept state of the workspace. */
export const CheckpointInfo = z.object({
  checkpoint: CheckpointId,
  label: z.string(),
  /** Made by a restore of its own accord, so that the restore can be taken back. */
  automatic: z.boolean(),
  created: z.string(),
  files: z.int(),
  bytes: z.int(),
  /** What this checkpoint added to the store. */
  added_bytes: z.int(),
  /** Files whose content was not kept, because of their size or because they never stood still. */
  not_covered: z.int(),
  /** How many older checkpoints had to go for this one. */
  evicted: z.int().exactOptional(),
});
export type CheckpointInfo = z.infer<typeof CheckpointInfo>;

/** How many old checkpoints were removed, to hold the limit of the store. */
const evicted = z.int().min(0);

/** What the thread sees of it. */
export function evictionText(removed: number): string {
  return `Removed ${count(removed, "old checkpoint")} of this thread because of the disk limit. \`undo\` can go back to the remaining ones.`;
}

/** A restore that was cut off. Restoring the same again completes it. */
export const UnfinishedRestore = z.object({
  checkpoint: CheckpointId,
  path: z.string().nullable(),
  /** The state before it began. */
  before: CheckpointId,
  started: z.string(),
});
export type UnfinishedRestore = z.infer<typeof UnfinishedRestore>;

/** Newest first. */
export const CheckpointList = z.object({
  checkpoints: z.array(CheckpointInfo),
  unfinished: UnfinishedRestore.nullable(),
});
export type CheckpointList = z.infer<typeof CheckpointList>;

export const PathChange = z.object({
  path: z.string(),
  change: z.enum(["added", "removed", "changed"]),
});
export type PathChange = z.infer<typeof PathChange>;

/** What happened between a checkpoint and a later state, for people to read. */
export const CheckpointDiff = z.object({
  checkpoint: CheckpointId,
  against: z.string(),
  added: z.int(),
  removed: z.int(),
  changed: z.int(),
  /** The first thousand. */
  changes: z.array(PathChange),
  diff: z.string(),
  /** Some of the text was left out; the numbers count everything. */
  truncated: z.boolean(),
});
export type CheckpointDiff = z.infer<typeof CheckpointDiff>;

/** What a restore did, and what it did not do. */
export const RestoreReport = z.object({
  checkpoint: CheckpointId,
  path: z.string().nullable(),
  /** Restoring this one takes the restore back. */
  before: CheckpointId,
  /** The tree was looked at afterwards and is what the checkpoint says. */
  complete: z.boolean(),
  restored: z.int(),
  deleted: z.int(),
  /** The first two hundred each. */
  restored_paths: z.array(z.string()),
  deleted_paths: z.array(z.string()),
  skipped: z.array(z.object({ path: z.string(), why: z.string() })),
  skipped_total: z.int(),
  evicted: evicted.exactOptional(),
});
export type RestoreReport = z.infer<typeof RestoreReport>;

export const TrimReport = z.object({ evicted });

/** What the workspace's settings allow its checkpoints to take. */
const storeLimit = z.int().min(0).optional();

const place = text("path").describe("Relative to the workspace.");

/** Kept states of a workspace. The bot calls these as root; no model is offered them. */
export const checkpointOperations = defineTool({
  name: "checkpoint_operations",
  description: "Save, compare and restore the state of the whole workspace.",
  operations: {
    create: {
      summary: "Save the workspace as it is now.",
      params: z.object({
        label: z
          .string()
          .max(200)
          .default("")
          .describe("Its name for people; at most 200 characters."),
        store_limit_bytes: storeLimit,
      }),
      repeat: "unsafe",
      level: "safe",
      category: "write",
      execution: "serial",
      line: quoting("Saving a checkpoint", "label", LINE_CHARS.title),
    },
    list: {
      summary: "All checkpoints, newest first.",
      params: z.object({}),
      repeat: "safe",
      level: "safe",
      category: "read",
      line: saying("Listing checkpoints"),
    },
    diff: {
      summary: "What changed between a checkpoint and now, or another checkpoint.",
      params: z.object({
        checkpoint: CheckpointId,
        against: z.union([z.literal("now"), CheckpointId]).default("now"),
        paths: z.array(place).min(1).max(1000).optional(),
      }),
      repeat: "safe",
      level: "safe",
      category: "read",
      line: quoting("Comparing with checkpoint", "checkpoint", LINE_CHARS.title),
    },
    restore: {
      summary: "Restore the workspace, or one path in it, from a checkpoint.",
      params: z.object({
        checkpoint: CheckpointId,
        path: place.optional(),
        store_limit_bytes: storeLimit,
      }),
      repeat: "unsafe",
      level: "elevated",
      category: "write",
      execution: "serial",
      line: quoting("Restoring checkpoint", "checkpoint", LINE_CHARS.title),
    },
    trim: {
      summary: "Remove the oldest checkpoints until the rest fit the limit.",
      params: z.object({ store_limit_bytes: z.int().min(0) }),
      repeat: "safe",
      level: "safe",
      category: "write",
      execution: "serial",
      line: saying("Removing old checkpoints"),
    },
  },
});
