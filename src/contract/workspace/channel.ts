import { z } from "zod";
import { OperationResult } from "../tools/operation.ts";
import { ApprovedRun } from "./approved-run.ts";
import { Shell } from "./shell.ts";

/**
 * What bot and workspace server say to each other beyond plain MCP. A call is MCP's own `tools/call`;
 * these keys of its `_meta` make it safe to send again. Other MCP clients leave them out.
 */
export const CallMeta = z.looseObject({
  /** The call's id. The server runs one id at most once and answers a repeated one with what became of it. */
  "deckhand/call": z
    .string()
    .regex(/^\S.{0,199}$/s)
    .optional(),
  /** The caller's fencing token; one older than the highest seen is refused. */
  "deckhand/fence": z.int().min(0).optional(),
  /** Whose workspace this is; the first call binds it, and any other conversation is refused. */
  "deckhand/conversation": z.string().min(1).max(500).optional(),
  /** Where the guard saw the call's paths lead. A write that would lead elsewhere by now is refused. */
  "deckhand/paths": z.array(z.string()).max(5000).optional(),
  /** How an approved command has to run. */
  "deckhand/run": ApprovedRun.optional(),
  /** The terminal that the call uses, where that is not the conversation's own, and where it starts. */
  "deckhand/terminal": z
    .object({ name: z.string().regex(/^[\w-]{1,64}$/), directory: z.string().min(1).max(4096) })
    .optional(),
  /** The shell that the command was judged for, where that is not bash: a terminal of another one does not run it. */
  "deckhand/shell": Shell.optional(),
  /** The person who asked for the call, as a commit names them. */
  "deckhand/requester": z.string().min(1).max(300).optional(),
});
export type CallMeta = z.infer<typeof CallMeta>;

/** Longest line either side accepts; longer results are paged. */
export const LINE_LIMIT_BYTES = 8 * 1024 * 1024;

/** One process of a workspace, as the server's process table has it. */
const CensusProcess = z.object({
  pid: z.int(),
  ppid: z.int(),
  state: z.string(),
  command: z.string(),
  /** The call, terminal or background command it descends from; absent for one that nobody owns. */
  owner: z.string().optional(),
});

/** Everything that runs in the workspace besides its init and its server. */
export const Census = z.object({ processes: z.array(CensusProcess) });
export type Census = z.infer<typeof Census>;

/** One open terminal, or one that ended and whose history is still readable. */
export const TerminalInfo = z.object({
  session_id: z.string(),
  tty_name: z.string(),
  pid: z.int(),
  created: z.string(),
  working_directory: z.string(),
  state: z.enum(["idle", "busy", "exited"]),
  /** Bash when left out. */
  shell: Shell.exactOptional(),
  exit_code: z.int().nullable(),
  rows: z.int(),
  cols: z.int(),
  end_index: z.int(),
});
export type TerminalInfo = z.infer<typeof TerminalInfo>;

const TerminalList = z.object({ terminals: z.array(TerminalInfo) });

const ContainerName = z.string().regex(/^[\w.-]{1,200}$/);

/** How the workspace is doing: what the idle clock, the watchdog and people want to know. */
export const WorkspaceState = z.object({
  /** Null: no thread has claimed it yet. */
  owner: ContainerName.nullable(),
  conversation: z.string().nullable(),
  fence: z.int(),
  runningCalls: z.array(z.string()),
  backgroundRunning: z.int(),
  disk: z.object({ totalBytes: z.number(), freeBytes: z.number() }),
});
export type WorkspaceState = z.infer<typeof WorkspaceState>;

/** Where a path really leads, as the workspace's own file system has it. */
export const ResolvedPath = z.object({
  /** Holds no link any more. */
  path: z.string(),
  /** The workspace itself or below it. */
  inside: z.boolean(),
  /** Below /tmp, which every command may write. */
  scratch: z.boolean(),
  exists: z.boolean(),
  /** What is written there may run by itself later: git hooks, shell start-up files, editor settings. */
  sensitive: z.boolean(),
});
export type ResolvedPath = z.infer<typeof ResolvedPath>;

const Session = z.object({ session_id: z.string() });

/** A client's own name for its watch: notifications reach every client that is attached. */
const NetworkWatcher = z.string().regex(/^[\w-]{1,64}$/);

/** The methods that people and the bot use, never the model. */
export const channelMethods = {
  census: { method: "deckhand/census", params: z.object({}), result: Census },
  state: { method: "deckhand/state", params: z.object({}), result: WorkspaceState },
  /**
   * Gives a workspace of the pool to the container of that name. The first claim counts, for good, and every later one
   * is answered with its owner: Docker's rename decides nothing, because two renames of one container can both succeed.
   */
  claim: {
    method: "deckhand/claim",
    params: z.object({ owner: ContainerName }),
    result: z.object({ owner: ContainerName }),
  },
  terminals: { method: "deckhand/terminals", params: z.object({}), result: TerminalList },
  /** For the guard: the same resolver that the operations themselves use. */
  resolve: {
    method: "deckhand/resolve",
    params: z.object({
      paths: z.array(z.object({ path: z.string(), link: z.enum(["follow", "itself"]) })).max(1000),
    }),
    result: z.object({ paths: z.array(ResolvedPath) }),
  },
  resize: {
    method: "deckhand/resize",
    params: Session.extend({ rows: z.int().min(1).max(1000), cols: z.int().min(1).max(1000) }),
    result: z.object({}),
  },
  /** Ends everything in every terminal and in the background; the census afterwards is the proof. */
  killAll: { method: "deckhand/kill-all", params: z.object({}), result: Census },
  /** Starts to push a terminal's output as `deckhand/output`, at most one window ahead of the acks. */
  follow: {
    method: "deckhand/follow",
    params: Session.extend({ from_index: z.int().min(0) }),
    result: z.object({ from_index: z.int(), dropped: z.int() }),
  },
  /** Stops a call; answers with its result once nothing of it runs any more. An id not seen yet never will run. */
  cancel: {
    method: "deckhand/cancel",
    params: z.object({ call: z.string().min(1).max(200) }),
    result: OperationResult,
  },
  /** Opens a terminal at its prompt in advance, for the first command to find. */
  prewarm: { method: "deckhand/prewarm", params: z.object({}), result: z.object({}) },
  unfollow: { method: "deckhand/unfollow", params: Session, result: z.object({}) },
  /** Adds to the terminal's history what ran elsewhere in this workspace, i.e. as root. Once per call id. */
  annotate: {
    method: "deckhand/annotate",
    params: z.object({ call: z.string(), text: z.string() }),
    result: z.object({}),
  },
  /** From now on the server says `deckhand/network` when a program waits for the proxy. "none": it has a network of its own. */
  watchNetwork: {
    method: "deckhand/watch-network",
    params: z.object({ watcher: NetworkWatcher }),
    result: z.object({ gate: z.enum(["kept", "lost", "none"]) }),
  },
} as const;

/**
 * Pushed by the server. "wanted": a program has connected to the proxy and no tunnel serves it. "lost": the process that kept
 * the proxy's port has ended, so that nothing says "wanted" any more.
 */
export const NetworkNews = z.object({ watcher: NetworkWatcher, news: z.enum(["wanted", "lost"]) });
export type NetworkNews = z.infer<typeof NetworkNews>;
export const NETWORK_METHOD = "deckhand/network";

/** Pushed by the server: a piece of a followed terminal. `ended` comes with the last one. */
export const OutputPiece = z.object({
  session_id: z.string(),
  from_index: z.int(),
  output: z.string(),
  ended: z.boolean().optional(),
});
export type OutputPiece = z.infer<typeof OutputPiece>;
export const OUTPUT_METHOD = "deckhand/output";

/** Sent by the follower: everything before this index has arrived. */
export const OutputAck = z.object({ session_id: z.string(), upto_index: z.int() });
export type OutputAck = z.infer<typeof OutputAck>;
export const ACK_METHOD = "deckhand/ack";

/** How far the server may run ahead of the acks; well below what a terminal keeps, so nothing is dropped. */
export const FOLLOW_WINDOW_CHARS = 512 * 1024;
