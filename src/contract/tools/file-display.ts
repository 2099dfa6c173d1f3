import {
  count,
  DETAIL_CHARS,
  detail,
  details,
  fileName,
  LINE_CHARS,
  phrase,
  short,
} from "../display.ts";
import type { RawArgs } from "./operation.ts";
import { isSet } from "./params.ts";

// What people see of file operations. All of these are given arguments that nobody has checked.

export function checkLine({ filePaths }: RawArgs): string {
  const files = Array.isArray(filePaths) ? filePaths : [];
  return phrase(
    "Checking for errors",
    files.length > 1 ? count(files.length, "file") : fileName(files[0]),
  );
}

export function indexLine(args: RawArgs): string {
  if (args.indexOperation === "stats") return "Reading file index statistics";
  if (args.indexOperation === "refresh") return "Refreshing file index";
  return phrase("Searching file index", short(args.query ?? args.extension, LINE_CHARS.query));
}

export function renameLine(args: RawArgs): string {
  const [from, to] = [fileName(args.oldPath), fileName(args.newPath)];
  if (from === undefined || to === undefined || from === to) {
    return phrase("Moving file", from ?? to);
  }
  return `Renaming file: ${from} to ${to}`;
}

export function patchLine(args: RawArgs): string {
  return phrase(isSet(args.dry_run) ? "Trying patch" : "Applying patch", fileName(args.filePath));
}

export const fileDetails = {
  read_file: (args: RawArgs) => details(detail("File", fileName(args.filePath)), rangeOf(args)),
  list_dir: (args: RawArgs) => details(detail("Directory", fileName(args.path))),
  get_errors: (args: RawArgs) => details(detail("Project", fileName(args.workspace_path))),
  file_search: (args: RawArgs) =>
    details(detail("Pattern", short(args.query, DETAIL_CHARS.command)), whereOf(args)),
  grep_search: (args: RawArgs) =>
    details(
      detail("Pattern", short(args.query, DETAIL_CHARS.command)),
      detail("Files", short(args.includePattern, DETAIL_CHARS.command)),
      isSet(args.isRegexp) ? "regular expression" : undefined,
    ),
  semantic_search: (args: RawArgs) =>
    details(
      detail("Words", short(args.query, DETAIL_CHARS.command)),
      detail("Files", short(args.includePattern, DETAIL_CHARS.command)),
      whereOf(args),
    ),
  list_usages: (args: RawArgs) =>
    details(detail("Symbol", short(args.symbolName, DETAIL_CHARS.command)), whereOf(args)),
  search_index: (args: RawArgs) =>
    details(
      detail("Name", short(args.query, DETAIL_CHARS.command)),
      detail("Extension", short(args.extension, LINE_CHARS.query)),
    ),
  create_file: (args: RawArgs) =>
    details(
      detail("File", fileName(args.filePath)),
      linesIn(args.content),
      isSet(args.overwrite) ? "replaces the file if it exists" : undefined,
    ),
  replace_string: (args: RawArgs) =>
    details(
      detail("File", fileName(args.filePath)),
      detail("Replaces", short(args.oldString, DETAIL_CHARS.input)),
    ),
  multi_replace_string: (args: RawArgs) =>
    details(
      detail("File", fileName(args.filePath)),
      Array.isArray(args.replacements) ? count(args.replacements.length, "replacement") : undefined,
    ),
  insert_edit: (args: RawArgs) =>
    details(
      detail("File", fileName(args.filePath)),
      detail("Line", numeral(args.lineNumber)),
      linesIn(args.newText),
    ),
  rename_file: (args: RawArgs) =>
    details(detail("From", fileName(args.oldPath)), detail("To", fileName(args.newPath))),
  delete_file: (args: RawArgs) => details(detail("File", fileName(args.filePath))),
  apply_patch: (args: RawArgs) =>
    details(
      detail("File", fileName(args.filePath)),
      linesIn(args.patchContent),
      isSet(args.dry_run) ? "changes nothing" : undefined,
    ),
};

function rangeOf({ offset, startLine, endLine, limit }: RawArgs): string | undefined {
  const first = numeral(startLine ?? offset);
  const last = numeral(endLine);
  if (last !== undefined) return `lines ${first ?? "1"} to ${last}`;
  if (first !== undefined) return `from line ${first}`;
  const lines = numeral(limit);
  if (lines === undefined) return undefined;
  return lines === "1" ? "first line" : `first ${lines} lines`;
}

function whereOf(args: RawArgs): string | undefined {
  return detail("In", fileName(args.rootPath));
}

function numeral(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : short(value, 20);
}

/** A last line without an end counts as well. */
function linesIn(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const ends = value.match(/\r\n|\n|\r/g)?.length ?? 0;
  return count(value === "" || /[\r\n]$/.test(value) ? ends : ends + 1, "line");
}
