import { createHash } from "node:crypto";
import { posix } from "node:path";
import { buffer } from "node:stream/consumers";
import { extract } from "tar-stream";
import {
  CODE_FILE_LIMIT_BYTES,
  type CodeFile,
  type InspectedFile,
} from "../../contract/workspace/approved-run.ts";
import type { Workspace } from "../../contract/workspace/workspace.ts";
import { pathsMentioned } from "../shell/code-uses.ts";
import { isFixedVariable } from "../shell/fixed-environment.ts";
import type { Found } from "./code-files.ts";
import { textsOf } from "./file-texts.ts";
import { isWorkloadPath } from "./workload-paths.ts";

interface Surroundings {
  readonly workspace: Workspace;
  readonly directory: string;
  readonly identity: "agent" | "root";
}

/** The kernel follows no more interpreters that are scripts themselves. */
const MOST_INTERPRETERS = 4;

/**
 * A program that begins with `#!` has the kernel start another one, which may be a file of the workload. The agent's
 * are bound as the program itself is; root starts none that the workload can write.
 */
export async function takeInterpreters(found: Found, surroundings: Surroundings): Promise<void> {
  let programs: readonly CodeFile[] = found.programs.filter(({ path }) => isWorkloadPath(path));
  for (let step = 0; programs.length > 0; step++) {
    if (step === MOST_INTERPRETERS) {
      found.problems.push("its interpreters are scripts that refer to each other");
      return;
    }
    const next: CodeFile[] = [];
    for (const program of programs)
      next.push(...(await takeInterpreter(program, found, surroundings)));
    programs = next;
  }
}

/** Gives back the interpreter that is a file of the workload: it may name another one. */
async function takeInterpreter(
  program: CodeFile,
  found: Found,
  { workspace, directory, identity }: Surroundings,
): Promise<CodeFile[]> {
  const head = await verifiedHead(program, workspace);
  if (head === undefined) {
    found.problems.push(`the first line of ${program.path} cannot be read`);
    return [];
  }
  const started = startedBy(head);
  if ("problem" in started) {
    found.problems.push(`the first line of ${program.path} ${started.problem}`);
    return [];
  }
  const unusual = started.paths.filter((path) => !SYSTEM_PROGRAM.test(path));
  if (unusual.length === 0) return [];
  const { files } = await workspace.inspectCode({ directory, paths: unusual, git: [] });
  return files.flatMap((file) => takeFile(file, { program, found, identity }));
}

const SYSTEM_PROGRAM = /^\/(?:usr\/(?:local\/)?)?s?bin\/[\w.+-]+$/;

interface Interpreted {
  readonly program: CodeFile;
  readonly found: Found;
  readonly identity: "agent" | "root";
}

function takeFile(file: InspectedFile, { program, found, identity }: Interpreted): CodeFile[] {
  if (file.kind === "system") found.system.push(file.asked);
  if (file.kind === "missing") found.missing.push(file.path);
  const isFixed =
    file.kind === "system" ||
    (file.kind === "missing" && identity === "agent") ||
    (file.kind === "file" && file.file.path === file.asked && identity === "agent");
  if (!isFixed)
    found.problems.push(`${program.path} is run by ${file.asked}, which the workload can replace`);
  if (file.kind !== "file") return [];
  found.files.push(file.file);
  found.ran.push(file.file);
  return [file.file];
}

type Started = { readonly paths: readonly string[] } | { readonly problem: string };

/** The kernel reads no longer first line. */
const LINE_BYTES = 256;

/** The programs and files that the first line of a script names. */
function startedBy(head: Buffer): Started {
  const [, interpreter, argument = ""] =
    /^#![ \t]*([^ \t\n]+)(?:[ \t]+([^\n]*))?/.exec(head.toString("latin1")) ?? [];
  if (interpreter === undefined) return { paths: [] };
  const words = argument.split(/[ \t]+/).filter((word) => word !== "");
  const isEnv = posix.basename(interpreter) === "env";
  const started = isEnv ? startedByEnv(words) : { paths: filesIn(argument) };
  if ("problem" in started) return started;
  const paths = [interpreter, ...started.paths];
  return paths.every((path) => path.startsWith("/"))
    ? { paths }
    : { problem: `names ${paths.find((path) => !path.startsWith("/"))} by a relative path` };
}

/** `env -S python3 -u`: options and variables of env change what its program does. */
function startedByEnv(words: readonly string[]): Started {
  const split = words.map((word) => word.replace(/^(?:-v?S|--split-string=)/, ""));
  const rest = split.filter((word) => word !== "" && word !== "--split-string");
  const at = rest.findIndex((word) => !/^\w+=/.test(word));
  const [program = "", ...args] = at < 0 ? [] : rest.slice(at);
  const variables = rest
    .slice(0, at < 0 ? undefined : at)
    .map((word) => word.split("=", 1)[0] ?? "");
  const changed = variables.find((name) => isFixedVariable(name) || LOADS_CODE.test(name));
  if (changed !== undefined) return { problem: `changes ${changed}` };
  if (program.startsWith("-")) return { problem: `has env change the environment (${program})` };
  return { paths: filesIn([program, ...args].join(" ")) };
}

function filesIn(text: string): string[] {
  return pathsMentioned(text).filter((piece) => piece.includes("/"));
}

const LOADS_CODE = /^(?:LD_\w+|PYTHON\w+|NODE_\w+|PERL5\w*|RUBY\w+|BASH\w*|GIT_\w+|JAVA_\w+)$/;

/** The first bytes of a file, if it is still the one that root has looked at. */
async function verifiedHead(file: CodeFile, workspace: Workspace): Promise<Buffer | undefined> {
  const [text] = await textsOf(workspace, [file.path]);
  const bytes =
    text?.text === undefined ? await bytesOf(file.path, workspace) : Buffer.from(text.text);
  if (bytes === undefined) return undefined;
  const isSame = createHash("sha256").update(bytes).digest("hex") === file.sha256;
  return isSame ? bytes.subarray(0, LINE_BYTES) : undefined;
}

/** The bytes of a file that is no text; undefined where it is gone, or too large for code. */
async function bytesOf(path: string, workspace: Workspace): Promise<Buffer | undefined> {
  const reader = extract();
  try {
    const archive = await workspace.download(path);
    archive.on("error", (error) => reader.destroy(error));
    archive.pipe(reader);
    for await (const entry of reader) {
      const { type, size = 0 } = entry.header;
      return type === "file" && size <= CODE_FILE_LIMIT_BYTES ? await buffer(entry) : undefined;
    }
    return undefined;
  } catch {
    return undefined; // the caller says that it is not fixed
  } finally {
    reader.destroy();
  }
}
