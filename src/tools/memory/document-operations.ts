import { z } from "zod";
import type {
  ImportedDocument,
  ImportOutcome,
  Memories,
} from "../../contract/conversation/memory.ts";
import {
  count,
  detail,
  details,
  LINE_CHARS,
  naming,
  saying,
  short,
} from "../../contract/display.ts";
import { documentPath, withEnding } from "../../contract/document-path.ts";
import { defineTool, ToolError } from "../../contract/tools/operation.ts";
import { flag } from "../../contract/tools/params.ts";
import type { Answer, RunnableTool, ToolContext } from "../../contract/tools/tool-call.ts";
import type { Workspace } from "../../contract/workspace/workspace.ts";
import { implement } from "../implement.ts";
import { words } from "../params.ts";
import { readTextFile } from "../read-text-file.ts";
import { answerOf, callWorkspace } from "../workspace-tools.ts";
import { reached } from "./memory-reached.ts";

/** @internal for tests */
export const documentOperations = defineTool({
  name: "document_operations",
  position: 120,
  description:
    "Make text files of the workspace, attachments included, searchable with memory_operations, and write documents.",
  operations: {
    document_import: {
      summary: "make a text file searchable; do this once per file",
      repeat: "safe",
      level: "safe",
      category: "document",
      execution: "serial",
      params: z.object({
        path: words("path").max(4096).describe("The file, in the workspace."),
        tags: z.array(words("tags").max(100)).max(20).optional().describe("Tags for finding it."),
      }),
      line: naming("Importing document", "path"),
    },
    document_create: {
      summary: "write a document into the workspace",
      repeat: "unsafe",
      level: "standard",
      category: "document",
      execution: "serial",
      params: z.object({
        content: words("content").describe("The document's full text."),
        format: z.enum(["markdown", "txt"]).default("markdown"),
        output_path: words("output_path").max(4096).describe("Target path in the workspace."),
        overwrite: flag().default(false).describe("Replace the file if it exists."),
      }),
      line: naming("Creating document", "output_path"),
      details: ({ format, content }) =>
        details(
          detail("Format", short(format, LINE_CHARS.title)),
          typeof content === "string" ? count(content.length, "character") : undefined,
        ),
    },
    get_doc_info: {
      summary: "list the documents imported in this conversation",
      repeat: "safe",
      level: "safe",
      category: "document",
      params: z.object({}),
      line: saying("Listing imported documents"),
    },
  },
});

interface Parts {
  readonly memories: Memories;
}

export function createDocumentOperations({ memories }: Parts): RunnableTool {
  return implement(documentOperations, {
    document_import: async ({ path, tags = [] }, context) => {
      const { conversation, scope } = context;
      const workspace = await context.workspace();
      const place = fileMeant(path, workspace);
      await checkedPath(context, { operation: "read_file", filePath: place });
      const text = await readTextFile(workspace, place);
      if (text.trim() === "") {
        throw new ToolError("executionFailed", `${place} is empty: there is nothing to import.`);
      }
      const given = { conversation, path: place, text, tags };
      return importAnswer(await reached(memories.importDocument(scope, given)));
    },
    document_create: async ({ content, format, output_path, overwrite }, context) => {
      const place = fileMeant(output_path, await context.workspace());
      const filePath = withEnding(place, format);
      const args = { operation: "create_file", filePath, content, overwrite };
      const permission = { paths: [await checkedPath(context, args)] };
      return answerOf(await callWorkspace("file_operations", args, { ...context, permission }));
    },
    get_doc_info: async (_, { scope, conversation }) =>
      listAnswer(await reached(memories.documents(scope, conversation))),
  });
}

/** One way of writing for each file: relative to where the conversation works, and absolute in the rest of the workspace. */
function fileMeant(path: string, { directory }: Pick<Workspace, "directory">): string {
  const place = documentPath(path, directory);
  if (place !== undefined) return place;
  throw new ToolError(
    "invalidParameters",
    `${JSON.stringify(path.slice(0, 200))} is not a file of the workspace. Documents are read and written there only; ` +
      "copy the file with a command first.",
  );
}

/** Where the call's file really lies. What a human might have to be asked about belongs to file_operations, which asks. */
async function checkedPath(
  { workspace, callId: id }: ToolContext,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const [place] = await (await workspace()).pathsOf({ id, tool: "file_operations", args });
  if (place?.inside && (place.access === "read" || !place.sensitive)) return place.resolved;
  throw new ToolError(
    "permissionDenied",
    `${String(args.filePath)} is outside the workspace or is a file that programs obey. Use file_operations.${String(args.operation)} instead.`,
  );
}

function importAnswer({ document, outcome }: ImportOutcome): Answer {
  const { path, characters, parts, id } = document;
  const size = `${count(characters, "character")} in ${count(parts, "part")}, id ${id.slice(0, 8)}`;
  const said = {
    imported: `${path} is imported (${size}).`,
    replaced: `${path} was imported again and replaces its earlier text (${size}).`,
    unchanged: `${path} is already imported and has not changed (${size}).`,
  };
  const next = "Find it with memory_operations.search_memory, similarity_threshold about 0.2.";
  return { text: `${said[outcome]} ${next}`, data: { ...document, outcome } };
}

function listAnswer(documents: readonly ImportedDocument[]): Answer {
  const lines = documents.map(
    ({ path, characters, parts, id, importedAt, tags }) =>
      `- ${path}: ${details(
        count(characters, "character"),
        count(parts, "part"),
        `id ${id.slice(0, 8)}`,
        `imported ${importedAt}`,
        detail("tags", tags.join(", ") || undefined),
      ).join(", ")}`,
  );
  const head =
    documents.length === 0
      ? "No document has been imported in this conversation."
      : `${count(documents.length, "document")} imported:`;
  return { text: [head, ...lines].join("\n"), data: { documents: [...documents] } };
}
