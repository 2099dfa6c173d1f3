import type { IncomingMessage, ServerResponse } from "node:http";
import { SlackCall } from "./call.ts";
import { deleteMessage } from "./deletion.ts";
import { contentOf } from "./message-check.ts";
import { addMessage } from "./methods/chat.ts";
import { argumentsIn, bytesOf } from "./request-body.ts";
import type { ResponseTarget } from "./response-urls.ts";
import type { SlackServices } from "./services.ts";
import { SlackRefusedError } from "./values.ts";
import type { SlackMessage } from "./world.ts";

/** What is sent to a `response_url`. */
export async function answerAction(
  slack: SlackServices,
  request: IncomingMessage,
  response: ServerResponse,
  key: string,
): Promise<void> {
  try {
    const body = await bytesOf(request);
    const target = slack.responseUrls.use(key);
    carryOut(new SlackCall(slack, argumentsIn(request, body)), target);
    response.writeHead(200, { "content-type": "text/plain" }).end("ok");
  } catch (error) {
    if (!(error instanceof SlackRefusedError)) throw error;
    const isGone = /_url$/.test(error.error);
    response.writeHead(isGone ? 404 : 400, { "content-type": "text/plain" }).end(error.error);
  }
}

function carryOut(
  call: SlackCall,
  { channel: id, user, messageTs, threadTs }: ResponseTarget,
): void {
  const { slack } = call;
  const channel = slack.world.channels.get(id);
  const original = slack.world.messages(id).find(({ ts }) => ts === messageTs);
  if (!channel) throw new SlackRefusedError("channel_not_found");
  if (call.flag("delete_original") === true) {
    if (original) deleteMessage(slack, original);
    return;
  }
  const { text = "", blocks = [] } = contentOf(call, "post");
  if (call.flag("replace_original") === true && original) {
    replace(slack, original, { text, blocks });
    return;
  }
  const isPublic = call.text("response_type") === "in_channel";
  const thread = call.text("thread_ts") ?? threadTs;
  const message = addMessage(call, channel, {
    text,
    blocks,
    unfurls: {},
    parsesNames: false,
    ...(!isPublic && { onlyFor: user, unfurls: { links: false, media: false } }),
    ...(thread !== undefined && { threadTs: thread }),
  });
  if (isPublic) slack.events.posted(message);
}

function replace(
  slack: SlackServices,
  original: SlackMessage,
  { text, blocks }: Pick<SlackMessage, "text" | "blocks">,
): void {
  const before = slack.events.wire(original);
  original.text = text;
  original.blocks = blocks;
  if (original.onlyFor === undefined) slack.events.changed(original, before);
}
