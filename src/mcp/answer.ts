import { createHash } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { EventHub } from "../contract/conversation/event.ts";
import { ToolError } from "../contract/tools/operation.ts";
import type { Answer, ToolContext } from "../contract/tools/tool-call.ts";
import { archiveOf } from "../lib/archived-file.ts";
import { isDeeperThan } from "../lib/json-depth.ts";
import { asData } from "../lib/text/as-data.ts";
import { visible, visibleLine } from "../lib/text/neutral.ts";

const TEXT_CHARS = 1024 * 1024;
const MOST_LEVELS = 100;
const MOST_PARTS = 1000;
const MOST_FILES = 10;
const FILE_BYTES = 8 * 1024 * 1024;
const ADDRESS_CHARS = 2000;

export interface AnswerParts {
  readonly events: Pick<EventHub, "post">;
}

interface ReceivedFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly isImage: boolean;
}

/** A server's result as the bot's own tools answer: bounded, cleaned and marked as data; files are in the workspace. */
export async function answerOf(
  result: CallToolResult,
  { server, tool }: { readonly server: string; readonly tool: string },
  { context, events }: AnswerParts & { readonly context: ToolContext },
): Promise<Answer> {
  const files: ReceivedFile[] = [];
  const lines = result.content.slice(0, MOST_PARTS).map((part) => lineOf(part, files));
  const isTooDeep = isDeeperThan(result.structuredContent, MOST_LEVELS);
  const structured = isTooDeep ? undefined : result.structuredContent;
  if (isTooDeep) lines.push(`(structured content of more than ${MOST_LEVELS} levels is left out)`);
  const isRepeated = lines.some((line) => isSameJson(line, structured));
  if (structured !== undefined && !isRepeated) lines.push(JSON.stringify(structured));
  if (result.content.length > MOST_PARTS) lines.push(`(${result.content.length} parts, cut here)`);
  const whole = visible(lines.join("\n").slice(0, 2 * TEXT_CHARS));
  const isCut = whole.length > TEXT_CHARS;
  const content = isCut ? `${whole.slice(0, TEXT_CHARS).toWellFormed()}\n(cut here)` : whole;
  const kept = await keepFiles(files, { server, context, events });
  const head = `${server}.${tool}${result.isError ? " failed" : ""}`;
  const text = [asData(head, content, `the external server ${server}`), ...kept.notes].join("\n");
  if (result.isError) throw new ToolError("executionFailed", text);
  return {
    text,
    data: {
      server,
      ...(structured === undefined || isCut ? {} : { structured }),
      ...(kept.paths.length > 0 ? { files: kept.paths } : {}),
    },
  };
}

type Part = CallToolResult["content"][number];

/** The part in words. Files are added to the list, as long as there is room. */
function lineOf(part: Part, files: ReceivedFile[]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return receive(part.data, part.mimeType, files, part.type === "image");
    case "resource_link": {
      const { name, uri, description } = part;
      const about = description === undefined ? "" : `: ${visibleLine(description)}`;
      return `Link: ${visibleLine(name)} (${visibleLine(uri.slice(0, ADDRESS_CHARS))})${about}`;
    }
    case "resource": {
      const { resource } = part;
      if ("text" in resource) return resource.text;
      return receive(resource.blob, resource.mimeType ?? "", files, false);
    }
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "application/pdf": "pdf",
  "application/json": "json",
  "text/plain": "txt",
};

function receive(
  base64: string,
  mimeType: string,
  files: ReceivedFile[],
  isImage: boolean,
): string {
  if (files.length >= MOST_FILES) return `(a file is left out: more than ${MOST_FILES})`;
  if (base64.length > (FILE_BYTES * 4) / 3 + 4) return "(a file of more than 8 MB is left out)";
  const bytes = Buffer.from(base64, "base64");
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const name = `${hash}.${EXTENSIONS[mimeType] ?? "bin"}`;
  files.push({ name, bytes, isImage: isImage && Object.hasOwn(EXTENSIONS, mimeType) });
  return `(file ${name}, ${bytes.length} bytes)`;
}

/** Puts them into the workspace, and shows images in the thread. Without a workspace they are lost, and that is said. */
async function keepFiles(
  files: readonly ReceivedFile[],
  {
    server,
    context,
    events,
  }: { readonly server: string; readonly context: ToolContext } & AnswerParts,
): Promise<{ paths: string[]; notes: string[] }> {
  if (files.length === 0) return { paths: [], notes: [] };
  const directory = `mcp/${server}`;
  try {
    const workspace = await context.workspace();
    await workspace.upload(archiveOf(files), directory);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { paths: [], notes: [`The files could not be kept: ${why}`] };
  }
  const paths = files.map(({ name }) => `${directory}/${name}`);
  const images = files.filter(({ isImage }) => isImage).map(({ name }) => `${directory}/${name}`);
  if (images.length > 0) {
    const { conversation, callId } = context;
    const prompt = `From the external server ${server}`;
    events.post(conversation, { type: "imageDisplay", callId, imagePaths: images, prompt });
  }
  return { paths, notes: [`In the workspace: ${paths.join(", ")}`] };
}

function isSameJson(text: string, value: unknown): boolean {
  if (value === undefined || !text.trimStart().startsWith("{")) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false; // Text that only begins like JSON.
  }
}
