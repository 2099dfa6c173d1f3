import { gitNames, headerName, withoutPrefixes } from "./names.ts";
import type { FilePatch, Hunk } from "./patch.ts";
import { malformed } from "./patch-error.ts";
import { isHunkHeader, readHunk } from "./unified-hunk.ts";

/** What the headers of one file said so far. */
interface Draft {
  /** Index of the first header line, for error texts. */
  readonly at: number;
  oldName: string | null | undefined;
  newName: string | null | undefined;
  kind: FilePatch["kind"];
  mode: number | undefined;
  /** Names of `rename from` and the like carry no prefix. */
  bare: boolean;
  readonly hunks: Hunk[];
}

/** Reads unified and git diffs; text around them, such as a commit message, is passed over. */
export function parseUnified(lines: readonly string[], filePath?: string): FilePatch[] {
  const drafts: Draft[] = [];
  let index = 0;
  while (index < lines.length) {
    const draft = drafts.at(-1);
    if (isHunkHeader(lines[index]) && (draft || filePath !== undefined)) {
      const target = draft ?? newDraft(index, [filePath, filePath]);
      if (!draft) drafts.push(target);
      const { hunk, next } = readHunk(lines, index);
      target.hunks.push(hunk);
      index = next;
    } else {
      index = readHeader(lines, index, drafts);
    }
  }
  return drafts.filter(saysSomething).map(finished);
}

function newDraft(at: number, [oldName, newName]: (string | null | undefined)[] = []): Draft {
  return { at, oldName, newName, kind: "modify", mode: undefined, bare: false, hunks: [] };
}

function readHeader(lines: readonly string[], index: number, drafts: Draft[]): number {
  const line = lines[index] ?? "";
  if (line.startsWith("diff --git ")) {
    drafts.push(newDraft(index, gitNames(line.slice(11))));
    return index + 1;
  }
  const next = lines[index + 1];
  if (line.startsWith("--- ") && next?.startsWith("+++ ")) {
    nameFiles(draftFor(lines, index, drafts), line.slice(4), next.slice(4));
    return index + 2;
  }
  const draft = drafts.at(-1);
  if (draft && draft.hunks.length === 0) readExtended(line, draft, index);
  return index + 1;
}

/** git's own header stands above these two lines; a plain diff begins with them. */
function draftFor(lines: readonly string[], index: number, drafts: Draft[]): Draft {
  const open = drafts.at(-1);
  if (open?.hunks.length === 0 && lines[open.at]?.startsWith("diff --git ")) return open;
  const draft = newDraft(index);
  drafts.push(draft);
  return draft;
}

function nameFiles(draft: Draft, oldRest: string, newRest: string): void {
  if (draft.bare) return;
  draft.oldName = headerName(oldRest);
  draft.newName = headerName(newRest);
}

const EXTENDED =
  /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to) (.+)$/;

function readExtended(line: string, draft: Draft, index: number): void {
  if (line.startsWith("GIT binary patch") || /^Binary files .* differ$/.test(line)) {
    throw malformed(
      index,
      "binary changes cannot be applied. Send text files only, or write the file with a command.",
    );
  }
  const [, key, value = ""] = EXTENDED.exec(line) ?? [];
  if (key === undefined) return;
  if (/^(rename|copy)/.test(key)) readMove(key, value, draft);
  else readMode(key, value, draft, index);
}

function readMove(key: string, value: string, draft: Draft): void {
  draft.kind = key.startsWith("rename") ? "rename" : "copy";
  draft.bare = true;
  const name = value.startsWith('"') ? headerName(value) : value;
  if (key.endsWith("from")) draft.oldName = name;
  else draft.newName = name;
}

function readMode(key: string, value: string, draft: Draft, index: number): void {
  if (key === "new file mode") draft.kind = "create";
  if (key === "deleted file mode") draft.kind = "delete";
  if (key.startsWith("new")) draft.mode = permissionBits(value, index);
}

function permissionBits(value: string, index: number): number {
  if (value === "100644" || value === "100755") return Number.parseInt(value.slice(3), 8);
  const what = value === "120000" ? "symbolic links" : `mode ${value.slice(0, 20)}`;
  throw malformed(index, `${what} cannot be applied by a patch. Use a command.`);
}

/** A header alone, without hunks, counts only where git says what is to happen. */
function saysSomething(draft: Draft): boolean {
  return draft.hunks.length > 0 || draft.kind !== "modify" || draft.mode !== undefined;
}

function finished(draft: Draft): FilePatch {
  const { at, bare, hunks, mode } = draft;
  if (draft.oldName === undefined || draft.newName === undefined) {
    throw malformed(at, "it is not clear which file is meant. Add --- a/path and +++ b/path.");
  }
  const [oldName, newName] = bare
    ? [draft.oldName, draft.newName]
    : withoutPrefixes(draft.oldName, draft.newName);
  const oldPath = oldName ?? newName;
  const newPath = newName ?? oldName;
  if (!oldPath || !newPath) throw malformed(at, "both files are /dev/null.");
  const kind = kindOf(draft, oldName, newName);
  // Plain diffs name a backup or another directory on the left; what is changed stands on the right.
  const from = kind === "rename" || kind === "copy" || kind === "delete" ? oldPath : newPath;
  const to = kind === "delete" ? oldPath : newPath;
  return { kind, oldPath: from, newPath: to, hunks, ...(mode === undefined ? {} : { mode }) };
}

function kindOf(draft: Draft, oldName: string | null, newName: string | null): FilePatch["kind"] {
  if (oldName === null) return "create";
  return newName === null ? "delete" : draft.kind;
}
