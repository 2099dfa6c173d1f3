import type { IncomingMessage, ServerResponse } from "node:http";
import { bytesOf, uploadIn } from "./request-body.ts";
import type { SlackServices } from "./services.ts";

/** What is sent to the address that files.getUploadURLExternal gave. */
export async function takeUpload(
  slack: SlackServices,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const upload = slack.uploads.get(path.replace(/^v1\//, ""));
  const bytes = await uploadIn(request, await bytesOf(request));
  if (request.method !== "POST" || !upload || bytes.length !== upload.length) {
    response.writeHead(400).end("the upload is not what was announced");
    return;
  }
  upload.bytes = bytes;
  response.writeHead(200, { "content-type": "text/plain" }).end(`OK - ${bytes.length}`);
}

/** A file's contents; or an app that may not see it is sent to the page where people log in, which comes with 200. */
export function serveFile(
  { world, app, faults }: SlackServices,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): void {
  const file = world.files.get(path.split("/")[0] ?? "");
  const isOurs = request.headers.authorization === `Bearer ${app.botToken}`;
  const isInSight = [...(file?.channels ?? [])].some((id) =>
    world.channels.get(id)?.members.has(app.user.id),
  );
  if (faults.showsLogin || !isOurs || !app.scopes.has("files:read") || (file && !isInSight)) {
    response.writeHead(302, { location: "/signin/" }).end();
    return;
  }
  if (!file || file.isDeleted) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": "application/octet-stream" }).end(file.bytes);
}

export function serveLogin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end("<!DOCTYPE html><html><title>Sign in | Slack</title></html>");
}
