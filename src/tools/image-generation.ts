import { createHash } from "node:crypto";
import { fetch } from "undici";
import { z } from "zod";
import type { EventHub } from "../contract/conversation/event.ts";
import { LINE_CHARS, quoting } from "../contract/display.ts";
import { defineTool, ToolError } from "../contract/tools/operation.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import { archiveOf } from "../lib/archived-file.ts";
import { implement } from "./implement.ts";
import { words } from "./params.ts";
import type { ImageSettings } from "./settings.ts";
import { firstBytes } from "./web/body.ts";
import { reasonOf } from "./web/reason.ts";

const DIRECTORY = "images";
const TIME_LIMIT_MS = 180_000;
const ANSWER_LIMIT_BYTES = 32 * 1024 * 1024;
const REASON_LIMIT_CHARS = 300;

/** @internal for tests */
export const imageGeneration = defineTool({
  name: "image_generation",
  position: 180,
  description:
    "Generate an image, show it in the thread and store it in the workspace under images/.",
  single: true,
  operations: {
    image_generation: {
      summary: "generate an image from a description",
      repeat: "unsafe",
      level: "safe",
      category: "image",
      params: z.object({
        prompt: words("prompt").max(4000).describe("What the image shows."),
        size: z.enum(["1024x1024", "1536x1024", "1024x1536"]).optional(),
      }),
      line: quoting("Generating image", "prompt", LINE_CHARS.query),
    },
  },
});

interface Parts {
  /** Undefined where the operator has set no provider up. */
  readonly settings: ImageSettings | undefined;
  readonly events: Pick<EventHub, "post">;
}

/** Undefined without a provider. */
export function createImageGeneration({ settings, events }: Parts): RunnableTool | undefined {
  if (!settings) return undefined;
  return implement(imageGeneration, {
    image_generation: async ({ prompt, size }, context) => {
      const { conversation, callId, signal, progress } = context;
      progress("Waiting for the image");
      const image = await requestImage(settings, { prompt, size }, signal);
      const name = fileNameFor(prompt, callId, image);
      const workspace = await context.workspace();
      await workspace.upload(archiveOf([{ name, bytes: image }]), DIRECTORY);
      const path = `${DIRECTORY}/${name}`;
      events.post(conversation, { type: "imageDisplay", callId, imagePaths: [path], prompt });
      return {
        text: `The image is shown in the thread and stored as ${path}.`,
        data: { path, bytes: image.length },
      };
    },
  });
}

interface Wish {
  readonly prompt: string;
  readonly size: string | undefined;
}

const ImageAnswer = z.object({ data: z.tuple([z.object({ b64_json: z.string() })], z.unknown()) });

async function requestImage(
  { baseUrl, key, model }: ImageSettings,
  { prompt, size }: Wish,
  signal: AbortSignal,
): Promise<Buffer> {
  const body = {
    model,
    prompt,
    n: 1,
    ...(size ? { size } : {}),
    // The newer models always answer so and refuse to be asked for it.
    ...(model.startsWith("gpt-image") ? {} : { response_format: "b64_json" }),
  };
  const answer = await ask(`${baseUrl}/images/generations`, key, body, signal);
  const parsed = ImageAnswer.safeParse(answer);
  if (!parsed.success) throw unusable("its response has no image (b64_json)");
  const image = Buffer.from(parsed.data.data[0].b64_json, "base64");
  if (!extensionOf(image)) throw unusable("its response is not a PNG, JPEG or WebP image");
  return image;
}

async function ask(
  address: string,
  key: string | undefined,
  body: object,
  signal: AbortSignal,
): Promise<unknown> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key ? { authorization: `Bearer ${key}` } : {}),
      },
      body: JSON.stringify(body),
      signal: limited,
      redirect: "error", // it could carry the key to another host
    });
    const { bytes } = await firstBytes(response.body, ANSWER_LIMIT_BYTES);
    const answer: unknown = JSON.parse(bytes.toString("utf8"));
    if (!response.ok) throw refused(response.status, answer);
    return answer;
  } catch (error) {
    if (error instanceof ToolError || signal.aborted) throw error;
    throw limited.aborted
      ? new ToolError("timeout", `The image took longer than ${TIME_LIMIT_MS / 1000} s.`)
      : unusable(reasonOf(error), error);
  }
}

const Refusal = z.object({ error: z.object({ message: z.string() }) });

function refused(status: number, answer: unknown): ToolError {
  const said = Refusal.safeParse(answer).data?.error.message.slice(0, REASON_LIMIT_CHARS);
  if (status === 400) {
    const message = `The image provider rejected the request: ${said ?? "no reason given"}. Change the prompt or the size.`;
    return new ToolError("executionFailed", message);
  }
  return unusable(`it responded with status ${status}${said ? `: ${said}` : ""}`);
}

function unusable(why: string, cause?: unknown): ToolError {
  const message = `The image provider failed: ${why}. The operator has to check the image settings.`;
  return new ToolError("executionFailed", message, {}, { cause });
}

/** The same call writes the same file, however often it is repeated. */
function fileNameFor(prompt: string, callId: string, image: Buffer): string {
  const spoken = prompt
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
  const mark = createHash("sha256").update(callId).digest("hex").slice(0, 8);
  return `${spoken || "image"}-${mark}${extensionOf(image)}`;
}

/** By what the bytes are, not by what somebody says. Undefined for what is no image. */
function extensionOf(bytes: Buffer): string | undefined {
  const begins = (signature: string, from = 0) =>
    bytes.toString("latin1", from, from + signature.length) === signature;
  if (begins("\x89PNG\r\n\x1a\n")) return ".png";
  if (begins("\xff\xd8\xff")) return ".jpg";
  return begins("RIFF") && begins("WEBP", 8) ? ".webp" : undefined;
}
