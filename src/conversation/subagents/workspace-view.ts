import { subagentTerminal } from "../../contract/conversation/subagent.ts";
import type {
  CallTerminal,
  PathEffect,
  Workspace,
  WorkspaceCall,
} from "../../contract/workspace/workspace.ts";

const WORKSPACE_DIR = "/workspace";
/** Below a hidden directory: whoever searches the workspace does not find a subagent's notes there. */
const SUBAGENTS_DIR = ".deckhand/subagents";

export interface ViewOptions {
  /** Of the subagent, for the names of its directory and its terminal. */
  readonly id: string;
  /** It works in the workspace's own directory, as its parent does. */
  readonly isShared: boolean;
  /** The checkpoint of the turn that all this is done for: what a subagent changes is undone with that. */
  readonly checkpoint: () => Promise<string>;
}

/** What a subagent has of its parent's workspace: the same files, a directory and a terminal of its own. */
export function workspaceView(workspace: Workspace, options: ViewOptions): Workspace {
  const { id, isShared, checkpoint } = options;
  const directory = isShared ? undefined : subagentDirectory(id);
  const terminal: CallTerminal = {
    name: subagentTerminal(id),
    directory: directory ?? ".",
  };
  const placed = (call: WorkspaceCall): WorkspaceCall => ({
    ...call,
    args: directory === undefined ? call.args : placedArgs(call.args, directory),
    terminal,
  });
  let made: Promise<unknown> | undefined;
  const ready = () => {
    if (directory === undefined) return undefined;
    made ??= makeDirectory(workspace, id, directory).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  return {
    id: workspace.id,
    conversation: workspace.conversation,
    terminal: terminal.name,
    ...(directory === undefined ? {} : { directory: `${WORKSPACE_DIR}/${directory}` }),
    call: async (call, how) => {
      await ready();
      return workspace.call(placed(call), how);
    },
    cancel: (call) => workspace.cancel(call),
    pathsOf: async (call) => {
      if (directory === undefined) return workspace.pathsOf(call);
      await ready();
      const paths = await workspace.pathsOf(placed(call));
      return paths.length === 0
        ? paths
        : insideOnly(paths, await rootOf(workspace, call), directory);
    },
    inspectCode: (question) => workspace.inspectCode(question),
    census: () => workspace.census(),
    state: () => workspace.state(),
    terminals: async () =>
      (await workspace.terminals()).filter(({ session_id }) => session_id === terminal.name),
    resize: (session, size) => workspace.resize(session, size),
    killAll: () => workspace.killAll(),
    follow: (session, how) => workspace.follow(session, how),
    upload: (tar, path) => workspace.upload(tar, placedPath(path, directory)),
    download: (path) => workspace.download(placedPath(path, directory)),
    checkpoints: {
      create: async () => ({ ...KEPT, checkpoint: await checkpoint() }),
      list: (how) => workspace.checkpoints.list(how),
      diff: (which, how) => workspace.checkpoints.diff(which, how),
      restore: (which, how) => workspace.checkpoints.restore(which, how),
    },
  };
}

/** Relative to the workspace. */
export function subagentDirectory(id: string): string {
  return `${SUBAGENTS_DIR}/${id}`;
}

/** Only its name is used of it. */
const KEPT = {
  label: "",
  automatic: true,
  created: "",
  files: 0,
  bytes: 0,
  added_bytes: 0,
  not_covered: 0,
};

/** The same id always: it is made once, and whoever comes after a crash finds it made. */
async function makeDirectory(workspace: Workspace, id: string, directory: string): Promise<void> {
  const args = { operation: "create_directory", dirPath: directory };
  const made = await workspace.call({
    id: `directory-of-${id}`,
    tool: "terminal_operations",
    args,
  });
  if (!made.success) throw new Error(made.message ?? "A subagent's directory could not be made.");
}

/** Where the workspace really is. */
async function rootOf(workspace: Workspace, { id }: WorkspaceCall): Promise<string> {
  const args = { operation: "list_dir", path: "." };
  const [root] = await workspace.pathsOf({ id, tool: "file_operations", args });
  return root?.resolved ?? WORKSPACE_DIR;
}

/**
 * What lies beyond the subagent's directory can be read like the workspace, since it is one, but is not its own to change. The
 * workspace's user may write there: nothing has to run as root for it.
 */
function insideOnly(paths: readonly PathEffect[], root: string, directory: string): PathEffect[] {
  const own = `${root}/${directory}`;
  return paths.map((path) => {
    const isOwn = path.resolved === own || path.resolved.startsWith(`${own}/`);
    if (!path.inside || isOwn || path.access === "read") return path;
    return { ...path, inside: false, scratch: true };
  });
}

const PATHS = [
  "filePath",
  "path",
  "oldPath",
  "newPath",
  "dirPath",
  "rootPath",
  "workspace_path",
  "target_directory",
  "working_directory",
  "workspaceFolder",
  "repositoryPath",
];

/** Where an operation works when it is not told: that is the workspace, and for a subagent its directory. */
const USUAL_PATH: Readonly<Record<string, string>> = {
  list_dir: "path",
  get_errors: "workspace_path",
  file_search: "rootPath",
  semantic_search: "rootPath",
  list_usages: "rootPath",
  apply_patch: "target_directory",
  create_and_run_task: "workspaceFolder",
  run_task: "workspaceFolder",
  git_commit: "repositoryPath",
  get_changed_files: "repositoryPath",
};

function placedArgs(args: WorkspaceCall["args"], directory: string): WorkspaceCall["args"] {
  const operation = String(args.operation);
  const placed: Record<string, unknown> = { ...args };
  for (const name of PATHS) {
    // In a patch everything is relative to its target directory.
    if (name === "filePath" && operation === "apply_patch") continue;
    if (typeof args[name] === "string") placed[name] = placedPath(args[name], directory);
  }
  if (Array.isArray(args.filePaths)) {
    placed.filePaths = args.filePaths.map((path) => placedPath(String(path), directory));
  }
  const usual = USUAL_PATH[operation];
  if (usual !== undefined && args[usual] === undefined) placed[usual] = directory;
  return placed;
}

/** Results name files relative to the workspace: what was read there leads to the same file. */
function placedPath(path: string, directory: string | undefined): string {
  if (directory === undefined || path === "" || /^(?:\/|~$|~\/)/.test(path)) return path;
  return path === directory || path.startsWith(`${directory}/`) ? path : `${directory}/${path}`;
}
