import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { createImageGeneration } from "../../../src/tools/image-generation.ts";
import { ImageSettings } from "../../../src/tools/settings.ts";
import { call, contextOf, failureOf, recordingHub } from "../../support/calls.ts";
import { localWorkspace } from "../../support/local-workspace.ts";
import { smallWeb } from "./web/server.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** A provider that answers only what it was asked rightly. */
function problemWith(request: IncomingMessage, body: string, model: string): string | undefined {
  if (request.method !== "POST") return "method";
  if (request.url !== "/v1/images/generations") return "path";
  if (request.headers.authorization !== "Bearer K-1") return "key";
  if (request.headers["content-type"] !== "application/json") return "content type";
  const { prompt, n, model: asked, response_format, size, ...others } = JSON.parse(body);
  if (typeof prompt !== "string" || n !== 1 || asked !== model) return "body";
  if (size !== undefined && !/^\d+x\d+$/.test(size)) return "size";
  const format = model.startsWith("gpt-image") ? undefined : "b64_json";
  if (response_format !== format) return "response_format";
  return Object.keys(others)[0];
}

async function makeTool({ model = "gpt-image-1", status = 200, answer = {} as unknown } = {}) {
  const files = localWorkspace();
  const hub = recordingHub();
  const asked: string[] = [];
  const web = await smallWeb(async (request, response) => {
    const body = await text(request);
    asked.push(body);
    const problem = problemWith(request, body, model);
    response.writeHead(problem ? 422 : status, { "content-type": "application/json" });
    response.end(JSON.stringify(problem ? { error: { message: problem } } : answer));
  });
  const settings = ImageSettings.parse({
    baseUrl: `http://127.0.0.1:${web.port}/v1/`,
    key: "K-1",
    model,
  });
  const tool = createImageGeneration({ settings, events: hub });
  if (!tool) throw new Error("image_generation is not there");
  const context = contextOf("A", { workspace: async () => files.workspace });
  return {
    tool,
    files: files.files,
    hub,
    asked,
    context,
    [Symbol.asyncDispose]: async () => {
      files[Symbol.dispose]();
      await web[Symbol.asyncDispose]();
    },
  };
}

const image = { created: 1, data: [{ b64_json: PNG.toString("base64") }] };

describe("2.50 image_generation", () => {
  it("is absent without a provider", () => {
    expect(createImageGeneration({ settings: undefined, events: recordingHub() })).toBeUndefined();
  });

  it.each(["gpt-image-1", "dall-e-3"])(
    "13.5 an image of %s is put into the workspace and told to whoever shows it",
    async (model) => {
      await using own = await makeTool({ model, answer: image });
      const args = { prompt: "A red ship, at sea!", size: "1024x1024" };
      const { text: said, data } = await call(own.tool, args, own.context);
      expect(data?.path).toMatch(/^images\/a-red-ship-at-sea-[0-9a-f]{8}\.png$/);
      expect(said).toContain(data?.path);
      expect(own.files.read(`${data?.path}`)).toBe(PNG.toString("utf8"));
      expect(own.hub.posted).toEqual([
        {
          conversation: "A",
          event: {
            type: "imageDisplay",
            callId: "call-1",
            imagePaths: [data?.path],
            prompt: args.prompt,
          },
        },
      ]);
    },
  );

  it.each([
    ["../../etc/passwd", /^images\/etc-passwd-\w+\.png$/],
    ["船", /^images\/image-\w+\.png$/],
    ["x".repeat(500), /^images\/x{40}-\w+\.png$/],
  ])("names the file harmlessly after %j", async (prompt, name) => {
    await using own = await makeTool({ answer: image });
    expect((await call(own.tool, { prompt }, own.context)).data?.path).toMatch(name);
  });

  it.each([
    [400, { error: { message: "against our rules" } }, "rejected the request: against our rules"],
    [401, { error: { message: "bad key" } }, "status 401: bad key"],
    [500, {}, "status 500"],
    [200, { data: [] }, "has no image"],
    [200, { data: [{ url: "https://x.test/i.png" }] }, "has no image"],
    [200, { data: [{ b64_json: Buffer.from("<script>").toString("base64") }] }, "is not a PNG"],
  ])("an answer %s %j fails with a reason, and shows nothing", async (status, answer, said) => {
    await using own = await makeTool({ status, answer });
    const failure = await failureOf(own.tool, { prompt: "x" }, own.context);
    expect(failure).toMatchObject({ kind: "executionFailed" });
    expect(failure.message).toContain(said);
    expect(JSON.stringify(failure)).not.toContain("K-1");
    expect(own.hub.posted).toEqual([]);
    expect(await own.files.call("list_dir")).toMatchObject({ entries: [] });
  });

  it("asks for nothing without a prompt, and shows the prompt to people", async () => {
    await using own = await makeTool({ answer: image });
    expect((await failureOf(own.tool, { prompt: " " }, own.context)).kind).toBe(
      "invalidParameters",
    );
    expect(own.asked).toEqual([]);
    const { line } = own.tool.definition.operations.image_generation ?? {};
    expect(line?.({ prompt: "a ship" })).toBe("Generating image: a ship");
    expect(line?.({})).toBe("Generating image");
  });
});
