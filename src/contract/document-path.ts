import { posix } from "node:path";

const WORKSPACE = "/workspace";
const FORMATS = {
  markdown: { extension: ".md", ending: /\.(md|markdown)$/i },
  txt: { extension: ".txt", ending: /\.txt$/i },
} as const;

/** Relative to the conversation's own directory, absolute in the rest of the workspace, undefined outside it. */
export function documentPath(path: string, directory = WORKSPACE): string | undefined {
  const file = posix.resolve(directory, path);
  if (!file.startsWith(`${WORKSPACE}/`)) return undefined;
  return file.startsWith(`${directory}/`) ? posix.relative(directory, file) : file;
}

export function withEnding(path: string, format: keyof typeof FORMATS): string {
  const { extension, ending } = FORMATS[format];
  return ending.test(path) ? path : path + extension;
}

/** The file operation that a call of document_operations amounts to, for the guard; undefined where it touches no file. */
export function documentFileCall(
  operation: string,
  params: Readonly<Record<string, unknown>>,
  directory?: string,
): { readonly operation: string; readonly filePath: string } | undefined {
  const isWrite = operation === "document_create";
  if (!isWrite && operation !== "document_import") return undefined;
  const place = documentPath(String(isWrite ? params.output_path : params.path), directory);
  if (place === undefined) return undefined;
  if (!isWrite) return { operation: "read_file", filePath: place };
  return {
    operation: "create_file",
    filePath: withEnding(place, params.format === "txt" ? "txt" : "markdown"),
  };
}
