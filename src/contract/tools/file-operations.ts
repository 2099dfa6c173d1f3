import { z } from "zod";
import { LINE_CHARS, naming, quoting, saying } from "../display.ts";
import { checkLine, fileDetails, indexLine, patchLine, renameLine } from "./file-display.ts";
import {
  body,
  filePath,
  filePaths,
  includePattern,
  limit,
  line,
  maxResults,
  newString,
  offset,
  oldString,
  path,
  phrase,
  query,
  rootPath,
} from "./file-parameters.ts";
import { defineTool } from "./operation.ts";
import { flag, integer, text } from "./params.ts";

/** Lines of one answer when nobody asks for another number. */
export const READ_DEFAULT_LINES = 2000;
/** About 10,000 tokens: one answer never carries more of a file than this. */
export const READ_LIMIT_CHARS = 40_000;
/** Entries, files or results of one answer at most. */
export const LIST_LIMIT = 1000;

export const fileOperations = defineTool({
  name: "file_operations",
  position: 130,
  description:
    "Work with the files of this thread's workspace. Paths may be relative to the workspace. Edits are exact " +
    "and all-or-nothing: if one fails, nothing is changed.",
  operations: {
    read_file: {
      summary: "read a text file, whole or a range of lines",
      repeat: "safe",
      level: "safe",
      category: "read",
      line: naming("Reading file", "filePath"),
      details: fileDetails.read_file,
      params: z.object({
        filePath,
        offset,
        limit,
        startLine: line("First line, from 1; alias of offset."),
        endLine: line("Last line, included."),
      }),
    },
    list_dir: {
      summary: "list a directory, not recursive, without hidden entries",
      repeat: "safe",
      level: "safe",
      category: "read",
      line: naming("Listing directory", "path"),
      details: fileDetails.list_dir,
      params: z.object({
        path: path("path").optional().describe("The directory. Default: the workspace."),
        limit: limit.refine((value) => value === undefined || value <= LIST_LIMIT, {
          error: `limit must be from 1 to ${LIST_LIMIT}`,
        }),
        offset,
      }),
    },
    get_errors: {
      summary: "run the project's checkers and list the problems",
      repeat: "safe",
      level: "safe",
      category: "read",
      line: checkLine,
      details: fileDetails.get_errors,
      params: z.object({
        filePaths,
        workspace_path: path("workspace_path")
          .optional()
          .describe("Directory of the project. Default: the workspace."),
      }),
    },
    get_search_results: {
      summary: "results of the latest searches in this conversation",
      repeat: "safe",
      level: "safe",
      category: "search",
      line: saying("Looking at recent searches"),
      params: z.object({}),
    },
    file_search: {
      summary: "find files by glob",
      repeat: "safe",
      level: "safe",
      category: "search",
      line: quoting("Finding files", "query", LINE_CHARS.query),
      details: fileDetails.file_search,
      params: z.object({ query, rootPath, limit, maxResults, offset }),
    },
    grep_search: {
      summary: "find text in files, ignoring case",
      repeat: "safe",
      level: "safe",
      category: "search",
      line: quoting("Searching code", "query", LINE_CHARS.query),
      details: fileDetails.grep_search,
      params: z.object({
        query,
        isRegexp: flag().default(false).describe("query is a regular expression."),
        includePattern,
        maxResults,
        offset,
      }),
    },
    semantic_search: {
      summary: "find the code that best matches some words",
      repeat: "safe",
      level: "safe",
      category: "search",
      line: quoting("Searching by meaning", "query", LINE_CHARS.query),
      details: fileDetails.semantic_search,
      params: z.object({ query, rootPath, includePattern, limit, offset }),
    },
    list_usages: {
      summary: "where a symbol is defined, called and mentioned",
      repeat: "safe",
      level: "safe",
      category: "search",
      line: quoting("Finding usages", "symbolName", LINE_CHARS.query),
      details: fileDetails.list_usages,
      params: z.object({
        symbolName: phrase("symbolName").describe("The symbol, matched as a whole word."),
        filePaths,
        rootPath,
        maxResults,
        offset,
      }),
    },
    search_index: {
      summary: "look up file names in the workspace's index, or the index statistics",
      repeat: "safe",
      level: "safe",
      category: "search",
      line: indexLine,
      details: fileDetails.search_index,
      params: z.object({
        query: query.optional(),
        extension: text("extension")
          .max(100)
          .optional()
          .describe("Only files with this extension: ts or .ts."),
        indexOperation: z
          .enum(["stats", "refresh"])
          .optional()
          .describe("stats: totals per extension. refresh: scan everything again."),
      }),
    },
    create_file: {
      summary: "create a file with its directories",
      repeat: "unsafe",
      level: "standard",
      category: "write",
      execution: "serial",
      line: naming("Creating file", "filePath"),
      details: fileDetails.create_file,
      params: z.object({
        filePath,
        content: body("content").describe("The file's full text; may be empty."),
        overwrite: flag().default(false).describe("Replace the file if it exists."),
      }),
    },
    replace_string: {
      summary: "replace every occurrence of an exact text in a file",
      repeat: "unsafe",
      level: "standard",
      category: "write",
      execution: "serial",
      line: naming("Editing file", "filePath"),
      details: fileDetails.replace_string,
      params: z.object({
        filePath,
        oldString: oldString.describe("Exact text to replace, including white space."),
        newString: newString.describe("Replacement text; may be empty."),
        expectedReplacements: integer({ min: 1 })
          .optional()
          .describe("Expected number of occurrences; otherwise nothing is written."),
      }),
    },
    multi_replace_string: {
      summary: "several exact replacements in one file, in order, all or none",
      repeat: "unsafe",
      level: "standard",
      category: "write",
      execution: "serial",
      line: naming("Editing file", "filePath"),
      details: fileDetails.multi_replace_string,
      params: z.object({
        filePath,
        replacements: z
          .array(z.object({ oldString, newString }))
          .min(1, "replacements must not be empty")
          .describe("Applied in order; each replaces every occurrence."),
      }),
    },
    insert_edit: {
      summary: "insert text before a line, or replace a line",
      repeat: "unsafe",
      level: "standard",
      category: "write",
      execution: "serial",
      line: naming("Editing file", "filePath"),
      details: fileDetails.insert_edit,
      params: z.object({
        filePath,
        lineNumber: integer({ min: 1 }).describe(
          "The line, from 1; number of lines + 1 inserts at the end.",
        ),
        newText: body("newText").describe("One or more lines."),
        insertOperation: z
          .enum(["insert", "replace"])
          .describe("insert: before the line. replace: instead of it."),
      }),
    },
    rename_file: {
      summary: "rename or move a file or directory; never overwrites",
      repeat: "unsafe",
      level: "standard",
      category: "write",
      execution: "serial",
      line: renameLine,
      details: fileDetails.rename_file,
      params: z.object({
        oldPath: path("oldPath").describe("What to move."),
        newPath: path("newPath").describe("Target path; missing directories are created."),
      }),
    },
    delete_file: {
      summary: "delete one file, or a link without its target",
      repeat: "unsafe",
      level: "elevated",
      category: "write",
      execution: "serial",
      line: naming("Deleting file", "filePath"),
      details: fileDetails.delete_file,
      params: z.object({ filePath }),
    },
    apply_patch: {
      summary:
        "apply a unified or git diff, or a *** Begin Patch block, to several files, all or none",
      repeat: "unsafe",
      level: "standard",
      category: "write",
      execution: "serial",
      line: patchLine,
      details: fileDetails.apply_patch,
      params: z.object({
        patchContent: body("patchContent")
          .min(1, "patchContent must not be empty")
          .describe("The patch."),
        filePath: filePath.optional(),
        target_directory: path("target_directory")
          .optional()
          .describe("Directory that the patch's paths start from. Default: the workspace."),
        dry_run: flag().default(false).describe("Only report what would change."),
      }),
    },
  },
});
