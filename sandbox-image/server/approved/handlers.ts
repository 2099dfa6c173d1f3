import {
  type ApprovedRun,
  type approvedCode,
  COPIES,
  DATA_LIMIT_BYTES,
  type InspectedFile,
  type PushAnswer,
  type PushQuestion,
} from "../../../src/contract/workspace/approved-run.ts";
import type { Answer, CallContext, Handlers } from "../handlers.ts";
import { runOnce } from "../processes/run-once.ts";
import type { ServerSettings } from "../settings.ts";
import { outcome } from "../terminal/command-handlers.ts";
import { assertShell } from "../terminal/manager.ts";
import { openBoundDirectory, realDirectory } from "./bound-directory.ts";
import { inspectFile } from "./code-file.ts";
import { boundaryNotices, canConfine, confinementOf } from "./confinement.ts";
import { approvedEnvironment } from "./environment.ts";
import { pinCode } from "./pin-code.ts";
import { replaceablePart } from "./route.ts";

/** Answers the guard's questions about the files of a command. */
export function approvedCodeHandlers(
  settings: Pick<ServerSettings, "supervise">,
  copies = COPIES,
): Handlers<typeof approvedCode> {
  return {
    inspect: async ({ directory, paths, git, changed, pushes }) => {
      const real = realDirectory(directory);
      const { gitSettings } = await import("./git-settings.ts");
      return {
        directory: real,
        files: inspectFiles(paths),
        replaceable: changed.flatMap((one) => replaceablePart(one) ?? []),
        git: git.length > 0 ? await gitSettings(settings, git) : null,
        pushes: await answersTo(settings, pushes, copies),
        confines: await canConfine(settings),
      };
    },
  };
}

async function answersTo(
  settings: Pick<ServerSettings, "supervise">,
  questions: readonly PushQuestion[],
  copies: string,
): Promise<PushAnswer[]> {
  const { resolvePush } = await import("./git/push.ts");
  const answers: PushAnswer[] = [];
  for (const question of questions) {
    using resolved = await resolvePush(settings, question, copies);
    answers.push(resolved.answer);
  }
  return answers;
}

/** All of them together are no more than one command may read. */
function inspectFiles(paths: readonly string[]): InspectedFile[] {
  let leftBytes = DATA_LIMIT_BYTES;
  return paths.map((path) => {
    const found = inspectFile(path, leftBytes);
    if (found.kind === "file") leftBytes -= found.file.size;
    return found;
  });
}

interface ApprovedCommand {
  readonly run: ApprovedRun;
  readonly as: "root" | "agent";
  readonly timeoutMs: number;
}

/** Runs an approved command: a fresh shell, in the approved directory, with the approved files, or not at all. */
export async function runApproved(
  settings: ServerSettings,
  { run, as, timeoutMs }: ApprovedCommand,
  { signal, progress }: Pick<CallContext, "signal" | "progress">,
): Promise<Answer> {
  if (run.shell) assertShell(settings, run.shell);
  using directory = openBoundDirectory(run.directory);
  pinCode(run);
  const { holdPushes } = await import("./git/run-push.ts");
  using held = await holdPushes(settings, run);
  using confinement = await confinementOf(settings, run, as);
  const env = approvedEnvironment(as, run.git, confinement?.temporaryDir);
  const fresh = {
    directory: directory.descriptor,
    as,
    ...(run.shell && { shell: run.shell }),
    ...(confinement && { readable: confinement.descriptors }),
  };
  const result = await runOnce(settings, run.command, {
    cwd: run.directory,
    fresh: { ...fresh, env: { ...env, ...held.env } },
    timeoutMs,
    signal,
    onOutput: progress,
    onEnd: (leftRunning) => {
      if (leftRunning === 0) confinement?.removeTemporaryFiles();
    },
  });
  if (result.exit_code === 0 && held.afterwards !== undefined)
    await runOnce(settings, held.afterwards, {
      cwd: run.directory,
      fresh: { ...fresh, env },
      timeoutMs,
      signal,
    });
  const notFound = result.exit_code === NOT_FOUND ? [PATH_HINT] : [];
  const denied =
    confinement && result.exit_code !== 0 ? await boundaryNotices(settings, result.output) : [];
  const notices = [...(result.notice === undefined ? [] : [result.notice]), ...notFound, ...denied];
  return {
    ...outcome(result.exit_code),
    ...result,
    ...(notices.length > 0 && { notice: notices.join(" ") }),
    working_directory: run.directory,
    as,
  };
}

const NOT_FOUND = 127;
const PATH_HINT =
  "Approved commands run in a fresh shell: functions, aliases, variables and PATH of the terminal do not apply. " +
  "Call programs in the workspace by their path.";
