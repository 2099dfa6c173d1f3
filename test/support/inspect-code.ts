import { tmpdir } from "node:os";
import { join } from "node:path";
import { approvedCodeHandlers } from "../../sandbox-image/server/approved/handlers.ts";
import type { CodeFile, InspectedFile } from "../../src/contract/workspace/approved-run.ts";
import { Inspection } from "../../src/contract/workspace/approved-run.ts";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { superviseProgram } from "./supervise.ts";

const WORKSPACE = "/workspace";

/** The real inspection of files, for a directory of this machine that stands for /workspace. */
export function inspectsIn(directory: string): Workspace["inspectCode"] {
  const there = (path: string) =>
    path === WORKSPACE || path.startsWith(`${WORKSPACE}/`)
      ? directory + path.slice(WORKSPACE.length)
      : path;
  const back = (path: string) =>
    path === directory || path.startsWith(`${directory}/`)
      ? WORKSPACE + path.slice(directory.length)
      : path;
  const fileBack = (file: CodeFile) => ({ ...file, path: back(file.path) });
  const seen = (one: InspectedFile): InspectedFile =>
    one.kind === "file"
      ? { ...one, asked: back(one.asked), file: fileBack(one.file) }
      : { ...one, asked: back(one.asked), path: back(one.path) };
  return async (question) => {
    const params = {
      directory: there(question.directory),
      paths: question.paths.map(there),
      git: question.git.map(there),
      pushes: (question.pushes ?? []).map((one) => ({
        ...one,
        directory: there(one.directory),
        settings: [...one.settings],
        options: [...one.options],
        refspecs: [...one.refspecs],
        mayMake: [...one.mayMake],
      })),
      changed: (question.changed ?? []).map((one) => ({ ...one, path: there(one.path) })),
    };
    const answer = await approvedCodeHandlers(
      { supervise: superviseProgram() },
      join(tmpdir(), "deckhand-copies"),
    ).inspect(params, {
      callId: "inspect",
      conversation: "A",
      signal: new AbortController().signal,
      progress: () => {},
    });
    const { files, git, replaceable, pushes, ...inspection } = Inspection.parse(answer);
    return {
      // Root's home is not there on a machine where tests are not root.
      directory: back(inspection.directory ?? question.directory),
      files: files.map(seen),
      replaceable: replaceable.map(back),
      git: git && {
        ...git,
        repositories: git.repositories.map((one) => ({
          ...one,
          directory: back(one.directory),
          places: one.places.map(back),
        })),
      },
      pushes: pushes.map((one) =>
        one.kind === "push" ? { ...one, gitDir: back(one.gitDir) } : one,
      ),
      confines: true,
    };
  };
}
