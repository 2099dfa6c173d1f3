import { z } from "zod";
import { integer, text } from "./params.ts";

// The model sees one flat list of parameters for all operations. A name that several of them use is
// therefore defined once, here, and carries no default: each operation fills in its own.

export const path = (what: string) =>
  z
    .string()
    .trim()
    .min(1, `${what} must not be empty`)
    .refine((value) => !value.includes("\0"), `${what} must not contain a NUL character`);

/** Text that goes into a file. A NUL would make the file binary, which no operation here could read again. */
export const body = (what: string) =>
  z
    .string()
    .refine(
      (value) => !value.includes("\0"),
      `${what} must not contain a NUL character; write binary files with a command`,
    );

export const phrase = (what: string) =>
  text(what).max(10_000, `${what} must be at most 10,000 characters`);

export const filePath = path("filePath").describe("Path of the file; relative to the workspace.");
export const filePaths = z
  .array(path("filePaths"))
  .min(1, "filePaths must not be empty; omit it for all files")
  .max(1000, "filePaths must name at most 1000 files")
  .optional()
  .describe("get_errors: only these files. list_usages: hits in these files come first.");
export const rootPath = path("rootPath")
  .optional()
  .describe("Directory to search in. Default: the workspace.");
export const query = phrase("query").describe(
  "file_search: a glob such as src/**/*.ts (* stays within a directory, ** does not). grep_search: text, " +
    "or a regular expression with isRegexp. semantic_search: words. search_index: part of a name or path.",
);
export const includePattern = phrase("includePattern")
  .optional()
  .describe("Glob of the files to search in, e.g. **/*.ts.");
export const limit = integer({ min: 1 })
  .optional()
  .describe(
    "How many at most. read_file: lines (2000). list_dir, file_search: entries (100, at most 1000). semantic_search: results (20).",
  );
export const offset = integer({ min: 0 })
  .optional()
  .describe(
    "read_file: first line, from 1. list_dir and the searches: how many to skip; nextOffset is the start of the next page.",
  );
export const maxResults = integer({ min: 1 })
  .optional()
  .describe(
    "How many at most: grep_search 200, list_usages 500, at most 1000. file_search: the same as limit.",
  );
export const line = (which: string) => integer({ min: 1 }).optional().describe(which);
export const newString = body("newString");
export const oldString = body("oldString").min(1, "oldString must not be empty");
