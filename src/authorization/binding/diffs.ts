import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { PlannedCall } from "../../contract/permission/gate.ts";
import type { PathEffect } from "../../contract/workspace/workspace.ts";
import { printable, printableLine } from "../printable.ts";
import type { FileText } from "./file-texts.ts";

/** A change to one file, ready to be shown. */
interface ShownDiff {
  readonly path: string;
  readonly diff: string;
}

export interface Changes {
  readonly diffs: readonly ShownDiff[];
  /** The parameters that the diffs say in full, so that they need not be shown as well. */
  readonly said: readonly string[];
}

const NOTHING: Changes = { diffs: [], said: [] };
const DEADLINE_MS = 500;
const MOST_EDITS = 5000;

/** What a call would change in files, as unified diffs; nothing where that cannot be known. */
export function changesOf(
  { tool, operation, params }: PlannedCall,
  paths: readonly PathEffect[],
  texts: readonly FileText[],
): Changes {
  if (tool !== "file_operations") return NOTHING;
  if (operation === "apply_patch") return patchItself(String(params.patchContent), paths);
  const path = paths.find(({ access }) => access !== "read");
  if (!path) return NOTHING;
  const before = path.exists ? texts.find((file) => file.path === path.resolved)?.text : "";
  if (before === undefined) return NOTHING;
  const change = CHANGES[operation]?.(before, params);
  if (!change) return NOTHING;
  const diff = diffBetween(path.resolved, before, change.after);
  return diff === undefined
    ? NOTHING
    : { diffs: [{ path: printableLine(path.resolved), diff }], said: change.said };
}

interface Change {
  readonly after: string;
  readonly said: readonly string[];
}

type Params = Readonly<Record<string, unknown>>;

const CHANGES: Readonly<Record<string, (before: string, params: Params) => Change | undefined>> = {
  create_file: (_before, { content }) => ({ after: String(content), said: ["content"] }),
  replace_string: (before, { oldString, newString }) => {
    const after = before.split(String(oldString)).join(String(newString));
    return after === before ? undefined : { after, said: ["oldString", "newString"] };
  },
  multi_replace_string: (before, { replacements }) => {
    const pairs = replacements as readonly { oldString: string; newString: string }[];
    const after = pairs.reduce(
      (text, { oldString, newString }) => text.split(oldString).join(newString),
      before,
    );
    return after === before ? undefined : { after, said: ["replacements"] };
  },
  insert_edit: (before, params) => {
    const after = withLine(before, params);
    return after === undefined
      ? undefined
      : { after, said: ["lineNumber", "newText", "insertOperation"] };
  },
  delete_file: () => ({ after: "", said: [] }),
};

function withLine(before: string, { lineNumber, newText, insertOperation }: Params) {
  const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const at = Number(lineNumber) - 1;
  const replaces = insertOperation === "replace" ? 1 : 0;
  if (at > lines.length - replaces) return undefined;
  const ending = lines.some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  const text = String(newText);
  lines.splice(at, replaces, text.endsWith("\n") ? text : `${text}${ending}`);
  return lines.join("");
}

/** A patch is what will be applied, in its author's own lines. */
function patchItself(patch: string, paths: readonly PathEffect[]): Changes {
  const touched = paths.filter(({ parameter }) => parameter === "patchContent");
  const path = touched.map(({ resolved }) => printableLine(resolved)).join(", ");
  return { diffs: [{ path, diff: printable(patch) }], said: ["patchContent"] };
}

function diffBetween(path: string, before: string, after: string): string | undefined {
  const name = printableLine(path);
  const diff = createTwoFilesPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    timeout: DEADLINE_MS,
    maxEditLength: MOST_EDITS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return diff === undefined ? undefined : printable(diff.replace(/\n$/, ""));
}
