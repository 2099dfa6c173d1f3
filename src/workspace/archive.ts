import { posix } from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pack } from "tar-stream";
import { WorkspaceError } from "../contract/workspace/workspace.ts";
import { type ArchiveLimits, copyChecked } from "./archive-entries.ts";
import { Demux } from "./channel/demux.ts";
import type { Engine, Exec } from "./docker/docker.ts";
import { type ExecCommand, pack as packCommand, unpackInto } from "./docker/exec-commands.ts";

const ROOT = "/workspace";
const COMPLAINT_LIMIT_CHARS = 500;
const STALL_LIMIT_MS = 60_000;

/** Unpacks a tar stream below a directory of the workspace. */
export async function upload(
  engine: Engine,
  container: string,
  source: NodeJS.ReadableStream,
  { directory, limits }: { directory: string; limits: ArchiveLimits },
): Promise<void> {
  const exec = await startExec(engine, container, unpackInto(belowWorkspace(directory)));
  const ended = collect(exec);
  const archive = pack();
  const sending = pipeline(archive, exec.stream);
  try {
    await Promise.all([copyChecked(source, archive, limits), sending]);
  } catch (error) {
    archive.destroy();
    exec.stream.destroy();
    await sending.catch(() => undefined); // the first error is the one to tell
    throw error;
  }
  const complaint = await ended;
  if ((await engine.exitCode(exec.id)) !== 0) {
    throw new WorkspaceError(`The upload could not be unpacked: ${complaint || "no reason given"}`);
  }
}

/** A tar stream of one path. Rejects when there is nothing to read at all. */
export async function download(
  engine: Engine,
  container: string,
  path: string,
): Promise<NodeJS.ReadableStream> {
  const whole = belowWorkspace(path);
  const [directory, name] =
    whole === ROOT ? [ROOT, "."] : [posix.dirname(whole), posix.basename(whole)];
  const exec = await startExec(engine, container, packCommand(directory, name));
  const output = new PassThrough();
  const begun = Promise.withResolvers<void>();
  const complaint = collect(exec, (piece) => {
    begun.resolve();
    if (!output.write(piece)) waitForReader(exec, output);
  });
  void complaint.then(async (text) => {
    const code = await engine.exitCode(exec.id).catch(() => null); // unknown is not 0
    if (code === 0) output.end();
    else output.destroy(new WorkspaceError(`${whole} could not be read: ${text}`));
    if (code !== 0) begun.reject(new WorkspaceError(`${whole} could not be read: ${text}`));
  });
  output.on("close", () => exec.stream.destroy());
  output.on("error", () => undefined); // the reader gets it as well
  await begun.promise;
  return output;
}

/**
 * Lexically inside: where links lead is the kernel's business, which knows only uid 1000 here.
 * @internal
 */
export function belowWorkspace(path: string): string {
  const whole = posix.resolve(ROOT, path);
  if (path.includes("\0") || (whole !== ROOT && !whole.startsWith(`${ROOT}/`))) {
    throw new WorkspaceError(
      `Files can only be copied to and from ${ROOT}, and ${JSON.stringify(path)} is outside.`,
    );
  }
  return whole;
}

async function startExec(engine: Engine, container: string, command: ExecCommand): Promise<Exec> {
  const exec = await engine.exec(container, command);
  if (typeof exec === "string") throw new WorkspaceError("The workspace stopped. Try again.");
  return exec;
}

/** Reads everything the process writes; resolves with its complaints when it has ended. */
function collect({ stream }: Exec, onStdout: (piece: Buffer) => void = () => {}): Promise<string> {
  let complaint = "";
  const demux = new Demux(onStdout, (piece) => {
    complaint = (complaint + piece.toString("utf8")).slice(0, COMPLAINT_LIMIT_CHARS);
  });
  stream.on("data", (chunk: Buffer) => demux.push(chunk));
  return new Promise((resolve) => {
    stream.on("error", () => resolve(complaint.trim()));
    stream.on("close", () => resolve(complaint.trim()));
    stream.on("end", () => resolve(complaint.trim()));
  });
}

/** A reader may be slow, but not for ever: Docker hangs on a container whose stream is not read. */
function waitForReader({ stream }: Exec, output: PassThrough): void {
  stream.pause();
  const stalled = setTimeout(
    () => output.destroy(new WorkspaceError("The download stalled.")),
    STALL_LIMIT_MS,
  );
  output.once("drain", () => {
    clearTimeout(stalled);
    stream.resume();
  });
  output.once("close", () => clearTimeout(stalled));
}
