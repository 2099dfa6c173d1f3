import { z } from "zod";
import { defineTool } from "./operation.ts";
import { flag, integer, text } from "./params.ts";

/** Lines of one answer when nobody asks for another number. */
export const READ_DEFAULT_LINES = 2000;
/** About 10,000 tokens: one answer never carries more of a file than this. */
export const READ_LIMIT_CHARS = 40_000;
/** Entries, files or results of one answer at most. */
export const LIST_LIMIT = 1000;

// The model sees one flat list of parameters for all operations. A name that several of them use is
// therefore defined once, here, and carries no default: each operation fills in its own.

const path = (what: string) =>
  z
    .string()
    .trim()
    .min(1, `${what} must not be empty`)
    .refine((value) => !value.includes("\0"), `${what} must not contain a NUL character`);

/** Text that goes into a file. A NUL would make the file binary, which no operation here could read again. */
const body = (what: string) =>
  z
    .string()
    .refine(
      (value) => !value.includes("\0"),
      `${what} must not contain a NUL character; write binary files with a command`,
    );

const phrase = (what: string) =>
  text(what).max(10_000, `${what} must be at most 10,000 characters`);

const filePath = path("filePath").describe("Path of the file; relative to the workspace.");
const filePaths = z
  .array(path("filePaths"))
  .min(1, "filePaths must not be empty; leave it out to mean all files")
  .max(1000, "filePaths must name at most 1000 files")
  .optional()
  .describe("get_errors: only these files. list_usages: hits in these files come first.");
const rootPath = path("rootPath")
  .optional()
  .describe("Directory to search in; the workspace when left out.");
const query = phrase("query").describe(
  "file_search: a glob such as src/**/*.ts (* stays within a directory, ** does not). grep_search: text, " +
    "or a regular expression with isRegexp. semantic_search: words. search_index: part of a name or path.",
);
const includePattern = phrase("includePattern")
  .optional()
  .describe("Glob of the files to search in, e.g. **/*.ts.");
const limit = integer({ min: 1 })
  .optional()
  .describe(
    "How many at most. read_file: lines (2000). list_dir, file_search: entries (100, at most 1000). semantic_search: results (20).",
  );
const offset = integer({ min: 0 })
  .optional()
  .describe("read_file: first line, from 1. list_dir, file_search: how many entries to skip.");
const maxResults = integer({ min: 1 })
  .optional()
  .describe("grep_search: matches at most (200, at most 1000). file_search: the same as limit.");
const line = (which: string) => integer({ min: 1 }).optional().describe(which);
const newString = body("newString");
const oldString = body("oldString").min(1, "oldString must not be empty");

export const fileOperations = defineTool({
  name: "file_operations",
  description:
    "Work with the files of this thread's workspace. Paths may be relative to the workspace. Edits are exact " +
    "and all-or-nothing: when one fails, nothing was changed.",
  operations: {
    read_file: {
      summary: "read a text file, whole or a range of lines",
      repeat: "safe",
      params: z.object({
        filePath,
        offset,
        limit,
        startLine: line("First line, from 1; another way to say offset."),
        endLine: line("Last line, included."),
      }),
    },
    list_dir: {
      summary: "list a directory, not recursive, without hidden entries",
      repeat: "safe",
      params: z.object({
        path: path("path").optional().describe("The directory; the workspace when left out."),
        limit: limit.refine((value) => value === undefined || value <= LIST_LIMIT, {
          error: `limit must be from 1 to ${LIST_LIMIT}`,
        }),
        offset,
      }),
    },
    get_errors: {
      summary:
        "run the project's checkers (tsc, eslint, ruff, go vet, cargo …) and list the problems",
      repeat: "safe",
      params: z.object({
        filePaths,
        workspace_path: path("workspace_path")
          .optional()
          .describe("Directory of the project; the workspace when left out."),
      }),
    },
    get_search_results: {
      summary: "what the latest searches of this conversation found",
      repeat: "safe",
      params: z.object({}),
    },
    file_search: {
      summary: "find files by glob",
      repeat: "safe",
      params: z.object({ query, rootPath, limit, maxResults, offset }),
    },
    grep_search: {
      summary: "find text in files, ignoring case",
      repeat: "safe",
      params: z.object({
        query,
        isRegexp: flag().default(false).describe("Take query as a regular expression."),
        includePattern,
        maxResults,
      }),
    },
    semantic_search: {
      summary: "find the pieces of code that fit some words best",
      repeat: "safe",
      params: z.object({ query, rootPath, includePattern, limit }),
    },
    list_usages: {
      summary: "where a symbol is defined, called and mentioned",
      repeat: "safe",
      params: z.object({
        symbolName: phrase("symbolName").describe("The symbol, matched as a whole word."),
        filePaths,
        rootPath,
      }),
    },
    search_index: {
      summary: "look up names in the index of the workspace's files, or its statistics",
      repeat: "safe",
      params: z.object({
        query: query.optional(),
        extension: text("extension")
          .max(100)
          .optional()
          .describe("Only files of this kind: ts or .ts."),
        indexOperation: z
          .enum(["stats", "refresh"])
          .optional()
          .describe("stats: totals per extension. refresh: scan everything anew."),
      }),
    },
    create_file: {
      summary: "create a file with its directories",
      repeat: "unsafe",
      params: z.object({
        filePath,
        content: body("content").describe("All of the file's text; may be empty."),
        overwrite: flag().default(false).describe("Replace the file if it exists."),
      }),
    },
    replace_string: {
      summary: "replace every occurrence of an exact text in a file",
      repeat: "unsafe",
      params: z.object({
        filePath,
        oldString: oldString.describe("Exact text to replace, with its white space."),
        newString: newString.describe("Text to put there; may be empty."),
        expectedReplacements: integer({ min: 1 })
          .optional()
          .describe("How many occurrences there must be; otherwise nothing is written."),
      }),
    },
    multi_replace_string: {
      summary: "several exact replacements in one file, in order, all or none",
      repeat: "unsafe",
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
      params: z.object({
        filePath,
        lineNumber: integer({ min: 1 }).describe(
          "The line, from 1; number of lines + 1 inserts at the end.",
        ),
        newText: body("newText").describe("One or more lines."),
        insertOperation: z
          .enum(["insert", "replace"])
          .describe("insert: before that line. replace: instead of it."),
      }),
    },
    rename_file: {
      summary: "rename or move a file or directory; never overwrites",
      repeat: "unsafe",
      params: z.object({
        oldPath: path("oldPath").describe("What to move."),
        newPath: path("newPath").describe("Where to; its directories are made."),
      }),
    },
    delete_file: {
      summary: "delete one file, or a link and not what it points to",
      repeat: "unsafe",
      params: z.object({ filePath }),
    },
    apply_patch: {
      summary:
        "apply a unified or git diff, or a *** Begin Patch block, to several files, all or none",
      repeat: "unsafe",
      params: z.object({
        patchContent: body("patchContent")
          .min(1, "patchContent must not be empty")
          .describe("The patch."),
        filePath: filePath.optional(),
        target_directory: path("target_directory")
          .optional()
          .describe("Directory that the patch's paths start from; the workspace when left out."),
        dry_run: flag().default(false).describe("Only say what would change."),
      }),
    },
  },
});
