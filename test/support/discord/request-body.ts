import type { IncomingMessage } from "node:http";
import { Problems, refusal } from "./refusals.ts";
import { type Fields, isFields, parsedJson } from "./values.ts";

export interface UploadedFile {
  /** The number in its field's name, `files[n]`. */
  readonly index: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

export interface RequestBody {
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
  readonly bytes: number;
}

/** docs.discord.com/developers/reference#uploading-files */
export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const whole = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (whole.length === 0) return { json: {}, files: [], bytes: 0 };
  if (type.startsWith("multipart/form-data")) return readForm(whole, type);
  if (!type.startsWith("application/json")) {
    const problems = new Problems();
    problems.add(
      "_errors",
      "CONTENT_TYPE_INVALID",
      `Expected "Content-Type" header to be one of application/json.`,
    );
    problems.throwIfAny();
  }
  return { json: jsonIn(whole.toString()), files: [], bytes: whole.length };
}

async function readForm(whole: Buffer, type: string): Promise<RequestBody> {
  const form = await new Response(new Uint8Array(whole), { headers: { "content-type": type } })
    .formData()
    .catch(() => {
      throw refusal(50035);
    });
  const files: UploadedFile[] = [];
  const fields: Fields = {};
  for (const [key, value] of form.entries()) {
    if (typeof value === "string") fields[key] = value;
    else files.push(await fileIn(key, value));
  }
  const { payload_json, ...plain } = fields;
  const json = payload_json === undefined ? plain : jsonIn(String(payload_json));
  return { json: isFields(json) ? { ...plain, ...json } : json, files, bytes: whole.length };
}

async function fileIn(key: string, file: File): Promise<UploadedFile> {
  const [, index] = /^files\[(\d+)\]$/.exec(key) ?? [];
  if (index === undefined) {
    const problems = new Problems();
    problems.add(key, "FILE_FIELD_NAME", "Files are named files[n].");
    problems.throwIfAny();
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { index: index ?? "", name: file.name, bytes, contentType: file.type };
}

function jsonIn(text: string): unknown {
  const json = parsedJson(text);
  if (!json) throw refusal(50109);
  return json.value;
}
