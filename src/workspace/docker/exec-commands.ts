import { isDeepStrictEqual } from "node:util";

/** Starts a process in a workspace's container. The engine proxy admits these and no others. */
export interface ExecCommand {
  readonly command: readonly string[];
  readonly user: string;
}

const AS_ROOT = "0:0";
const AS_AGENT = "1000:1000";

// Run by the workspace's own user and not through Docker's archive requests: those act as root and
// follow whatever links the workload has put in the way.
const UNPACK = 'mkdir -p -- "$1" && exec tar -x -f - -C "$1" --no-same-owner';
// tar writes an archive even of what it cannot read, so that is found out first.
const PACK = `cd -- "$1" && ls -d -- "$2" > /dev/null || exit
[ -L "$2" ] || [ -r "$2" ] || { echo "Permission denied" >&2; exit 1; }
exec tar -c -f - -- "$2"`;

/** Both are started as root; the second one drops its rights for the command that it starts. */
export const ONE_CALL_SERVERS = {
  root: { command: ["/opt/deckhand/init", "root"], user: AS_ROOT },
  agent: { command: ["/opt/deckhand/init", "approved"], user: AS_ROOT },
} as const satisfies Record<string, ExecCommand>;

/** As root: the workload cannot hide a directory from it, and the state is root's own. */
export const MEASURE: ExecCommand = {
  command: ["du", "-sk", "/workspace", "/home/agent", "/var/lib/deckhand"],
  user: AS_ROOT,
};

export function unpackInto(directory: string): ExecCommand {
  return { command: ["sh", "-c", UNPACK, "upload", directory], user: AS_AGENT };
}

export function pack(directory: string, name: string): ExecCommand {
  return { command: ["sh", "-c", PACK, "download", directory, name], user: AS_AGENT };
}

/** Those that are always the same. What is listed here is admitted by the engine proxy. */
const FIXED: readonly ExecCommand[] = [...Object.values(ONE_CALL_SERVERS), MEASURE];

/** The one with the same words; undefined: the bot never starts such a command. */
export function ownExec(command: readonly string[]): ExecCommand | undefined {
  const [, , , , directory = "", name = ""] = command;
  const candidates = [...FIXED, unpackInto(directory), pack(directory, name)];
  return candidates.find((one) => isDeepStrictEqual(one.command, command));
}
