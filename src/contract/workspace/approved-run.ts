import { z } from "zod";
import type { DeepReadonly } from "../../lib/deep-readonly.ts";
import { saying } from "../display.ts";
import { defineTool } from "../tools/operation.ts";
import { Shell } from "./shell.ts";

/** Below it lie the verified copies of files that approved commands execute; only root can write there. */
const COPIES_DIR = "/run/deckhand/code";

/** Larger code is not bound. */
export const CODE_FILE_LIMIT_BYTES = 16 * 1024 * 1024;
export const CODE_FILES_LIMIT = 64;
/** Data of one command, each file and all together: it is read for the card and copied for the run. */
export const DATA_LIMIT_BYTES = 256 * 1024 * 1024;
/** Paths that one command of root may change. */
export const CHANGED_PATHS_LIMIT = 256;
/** Paths of the workload that one command of root may read where they are. */
export const READABLE_LIMIT = 256;

/** A file that an approved command executes or reads as code, as it was when the approval was asked for. */
const CodeFile = z.object({
  /** Holds no link. */
  path: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().min(0),
  mode: z.int(),
});
export type CodeFile = DeepReadonly<z.infer<typeof CodeFile>>;

/** A path as the command names it, absolute, its `..` in place: behind a link they lead elsewhere than the text says. */
const ChangedPath = z.object({
  path: z.string().max(4096),
  /** A link in the last place is removed itself; everything else is done to the file that it leads to. */
  isRemoved: z.boolean(),
});
export type ChangedPath = DeepReadonly<z.infer<typeof ChangedPath>>;

/** A push that a command names, for git to say what it would do. */
const PushQuestion = z.object({
  /** Where git runs. */
  directory: z.string().max(4096),
  /** Settings of the call itself: `push.default=current`. */
  settings: z.array(z.string().max(4096)).max(32),
  options: z.array(z.string().max(4096)).max(32),
  repository: z.string().max(4096).exactOptional(),
  refspecs: z.array(z.string().max(4096)).max(64),
  /** The branch that the command switches to before. */
  branch: z.string().max(1000).exactOptional(),
  /** Branches that the command may make before. */
  mayMake: z.array(z.string().max(1000)).max(64).default([]),
});
export type PushQuestion = DeepReadonly<z.infer<typeof PushQuestion>>;

/** What git says that it would do. */
const PushAnswer = z.discriminatedUnion("kind", [
  /** There is no repository. */
  z.object({ kind: z.literal("nothing") }),
  /** Git refuses it, or cannot tell without its remote. */
  z.object({ kind: z.literal("unknown"), why: z.string() }),
  /** No card could show it. */
  z.object({ kind: z.literal("refused"), why: z.string() }),
  z.object({
    kind: z.literal("push"),
    gitDir: z.string(),
    /** SHA-256 of which repository it is, with all its settings. */
    repository: z.string(),
    remote: z.string(),
    addresses: z.array(z.string()),
    /** Those of the question, with whole names as destinations. */
    refspecs: z.array(z.string()),
    /** An empty source deletes. */
    refs: z.array(z.object({ from: z.string(), to: z.string(), object: z.string() })),
  }),
]);
export type PushAnswer = DeepReadonly<z.infer<typeof PushAnswer>>;

/** A push as its card shows it. Git is asked again before it runs, and must say the same. */
const BoundPush = z.object({
  question: PushQuestion,
  answer: PushAnswer,
  /** The command is this push and nothing else: it runs in a repository that holds still. */
  isWhole: z.boolean(),
  setsUpstream: z.boolean(),
});
export type BoundPush = DeepReadonly<z.infer<typeof BoundPush>>;

/** A directory in which git must use the same repository with the same settings. */
const BoundRepository = z.object({
  directory: z.string(),
  sha256: z.string(),
  /** Its git directories and the top of its work tree. */
  places: z.array(z.string()).default([]),
});

/** Everything that fixes how an approved command runs. The approval's digest covers it. */
export const ApprovedRun = z.object({
  /** The real path of the directory in which it starts. */
  directory: z.string(),
  /** The command, with each file that can be replaced by its verified copy replaced. */
  command: z.string(),
  /** The thread's shell, where bash may read the command differently. */
  shell: Shell.exactOptional(),
  files: z.array(CodeFile).max(CODE_FILES_LIMIT),
  /** Paths that must not exist, because they did not when the approval was asked for. */
  missing: z.array(z.string()).max(CODE_FILES_LIMIT),
  /** Paths of files of the system, without a digest: the agent must not be able to change where they lead. */
  system: z.array(z.string()).max(CODE_FILES_LIMIT),
  /** Paths among the files that the command only reads: their copies have the same name, mode, owner and time. */
  data: z.array(z.string()).max(CODE_FILES_LIMIT).default([]),
  /** Settings that take the place of those in the repository that would make git run programs. */
  git: z.array(z.tuple([z.string(), z.string()])),
  repositories: z.array(BoundRepository).default([]),
  pushes: z.array(BoundPush).default([]),
  /** What root changes: the workload must not be able to make any of these paths lead elsewhere. */
  changed: z.array(ChangedPath).max(CHANGED_PATHS_LIMIT).default([]),
  /** Directories that the command names, by their real paths: each must still lead to itself. */
  directories: z.array(z.string()).max(CODE_FILES_LIMIT).default([]),
  /** Real paths of the workload that root may read and execute where they are, each with everything below it. */
  readable: z.array(z.string().max(4096)).max(READABLE_LIMIT).default([]),
  /** The kernel keeps root from all other files of the workload. False only where it cannot, and the card says so. */
  confined: z.boolean().default(true),
});
export type ApprovedRun = DeepReadonly<z.infer<typeof ApprovedRun>>;

/** Where the verified copy of a file lies: named by its content, so that the path cannot mean other bytes. */
export function copyOf({ path, sha256 }: Pick<CodeFile, "path" | "sha256">): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return `${COPIES_DIR}/${sha256}/${/^[\w.+-]{1,100}$/.test(name) && !/^\.{1,2}$/.test(name) ? name : "code"}`;
}

/** Where the copy of a file lies that is only read; undefined for a name that a card could not show. */
export function dataCopyOf({ path, sha256 }: Pick<CodeFile, "path" | "sha256">, index: number) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return /^[^\p{C}\p{Z}]{1,200}$/u.test(name)
    ? `${COPIES_DIR}/data-${sha256}-${index}/${name}`
    : undefined;
}

export const COPIES = COPIES_DIR;

/** What the guard needs to know about a file before an approval can bind it. */
const InspectedFile = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("file"), asked: z.string(), file: CodeFile }),
  z.object({
    kind: z.literal("missing"),
    asked: z.string(),
    path: z.string(),
    /** The workload could create it. */
    isWorkloads: z.boolean().default(true),
  }),
  /** The agent cannot change it. */
  z.object({ kind: z.literal("system"), asked: z.string(), path: z.string() }),
  z.object({ kind: z.literal("directory"), asked: z.string(), path: z.string() }),
  /** It cannot be bound: `why` says so in a sentence's second half. */
  z.object({
    kind: z.literal("unfit"),
    asked: z.string(),
    path: z.string(),
    why: z.string(),
    /** The workload made it, or could put something else in its place. */
    isWorkloads: z.boolean().default(true),
  }),
]);
export type InspectedFile = z.infer<typeof InspectedFile>;

export const Inspection = z.object({
  /** The real path of the directory; null when there is none. */
  directory: z.string().nullable(),
  files: z.array(InspectedFile),
  /** The settings of the git repositories around the given directories; null where there is none. */
  git: z
    .object({
      repositories: z.array(BoundRepository),
      settings: z.array(z.tuple([z.string(), z.string()])),
      overrides: z.array(z.tuple([z.string(), z.string()])),
      /** Keys of settings that make git run programs and that nothing can replace. */
      obeyed: z.array(z.string()),
    })
    .nullable(),
  /** In the order of the questions. */
  pushes: z.array(PushAnswer).default([]),
  /** Parts of the changed paths that the workload could replace by a link. */
  replaceable: z.array(z.string()).default([]),
  /** The kernel can keep root from files of the workload. */
  confines: z.boolean().default(false),
});
export type Inspection = z.infer<typeof Inspection>;

/** Served by the one-call server alone; the model never sees it. */
export const approvedCode = defineTool({
  name: "approved_code",
  description: "Inspect the files that a command would execute, for its approval.",
  operations: {
    inspect: {
      summary: "Digests of files that a command executes or reads as code.",
      params: z.object({
        directory: z.string().max(4096),
        paths: z.array(z.string().max(4096)).max(CODE_FILES_LIMIT),
        git: z.array(z.string().max(4096)).max(4).default([]),
        pushes: z.array(PushQuestion).max(8).default([]),
        changed: z.array(ChangedPath).max(CHANGED_PATHS_LIMIT).default([]),
      }),
      repeat: "safe",
      level: "safe",
      category: "read",
      line: saying("Looking at the files of a command"),
    },
  },
});
