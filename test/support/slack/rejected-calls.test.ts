import { describe, expect, it } from "vitest";
import { calling, itRejects, type Rejection } from "./rejections.ts";
import { SlackLab } from "./test-lab.ts";

const METHODS = "reference/methods";
const WEB_API = "apis/web-api";

const without =
  (scope: string, attempt: Rejection["refused"]): Rejection["refused"] =>
  (lab) => {
    lab.slack.app.scopes.delete(scope);
    return attempt(lab);
  };

const raw =
  (contentType: string, body: string): Rejection["refused"] =>
  (lab) =>
    lab.request("auth.test", {
      method: "POST",
      body: new TextEncoder().encode(body),
      headers: {
        authorization: `Bearer ${lab.slack.app.botToken}`,
        ...(contentType !== "" && { "content-type": contentType }),
      },
    });

const announcing = (args: object) =>
  calling("files.getUploadURLExternal", { filename: "a.txt", ...args });

describe("calls that Slack refuses", () => {
  itRejects([
    {
      what: "a call without a token",
      page: `${METHODS}/auth.test`,
      error: "not_authed",
      refused: (lab) => lab.call("auth.test", {}, ""),
      taken: (lab) => lab.call("auth.test"),
    },
    {
      what: "a call with a token of nobody",
      page: `${METHODS}/auth.test`,
      error: "invalid_auth",
      refused: (lab) => lab.call("auth.test", {}, "xoxb-nobody"),
    },
    {
      what: "a call of an app that was taken out",
      page: `${METHODS}/auth.test`,
      error: "account_inactive",
      refused: async (lab) => {
        lab.slack.app.isInstalled = false;
        return lab.call("auth.test");
      },
    },
    {
      what: "a post with an app-level token",
      page: `${METHODS}/chat.postMessage`,
      error: "not_allowed_token_type",
      refused: (lab) =>
        lab.call(
          "chat.postMessage",
          { channel: lab.channel.id, text: "x" },
          lab.slack.app.appToken,
        ),
    },
    {
      what: "a connection with a bot token",
      page: `${METHODS}/apps.connections.open`,
      error: "not_allowed_token_type",
      refused: (lab) => lab.call("apps.connections.open"),
      taken: (lab) => lab.call("apps.connections.open", {}, lab.slack.app.appToken),
    },
    {
      what: "a connection by GET",
      page: `${METHODS}/apps.connections.open`,
      error: "insecure_request",
      refused: (lab) =>
        lab.request("apps.connections.open", {
          headers: { authorization: `Bearer ${lab.slack.app.appToken}` },
        }),
    },
    {
      what: "a method that does not exist",
      page: METHODS,
      error: "unknown_method",
      refused: calling("chat.postMessages", { text: "x" }),
    },
    {
      what: "a post without the scope for it",
      page: `${METHODS}/chat.postMessage`,
      error: "missing_scope",
      refused: without("chat:write", calling("chat.postMessage", { text: "x" })),
    },
    {
      what: "a private channel's history with the scope for public ones",
      page: `${METHODS}/conversations.history`,
      error: "missing_scope",
      refused: without("groups:history", (lab) => {
        const { id } = lab.slack.channel([], { type: "group" });
        return lab.call("conversations.history", { channel: id });
      }),
      taken: calling("conversations.history"),
    },
    {
      what: "somebody's name without the scope for it",
      page: `${METHODS}/users.info`,
      error: "missing_scope",
      refused: without("users:read", calling("users.info", { user: "U0" })),
    },
    {
      what: "a body that is no JSON although it says so",
      page: WEB_API,
      error: "invalid_json",
      refused: raw("application/json", "{"),
    },
    {
      what: "JSON that is no object",
      page: WEB_API,
      error: "json_not_object",
      refused: raw("application/json", "[1]"),
      taken: raw("application/json; charset=utf-8", "{}"),
    },
    {
      what: "a body of another kind",
      page: WEB_API,
      error: "invalid_post_type",
      refused: raw("text/xml", "<x/>"),
    },
    {
      what: "a body of no kind",
      page: WEB_API,
      error: "missing_post_type",
      refused: raw("", "x=1"),
    },
    {
      what: "somebody whom nobody knows",
      page: `${METHODS}/users.info`,
      error: "user_not_found",
      refused: calling("users.info", { user: "U0NOBODY" }),
      taken: (lab) => lab.call("users.info", { user: lab.ada.user.id }),
    },
    {
      what: "a thread that does not exist",
      page: `${METHODS}/conversations.replies`,
      error: "thread_not_found",
      refused: calling("conversations.replies", { ts: "1700000000.000001" }),
    },
    {
      what: "a page that nobody gave out",
      page: `${METHODS}/conversations.history`,
      error: "invalid_cursor",
      refused: calling("conversations.history", { cursor: "next" }),
    },
    {
      what: "a page of 1,000 members",
      page: `${METHODS}/conversations.members`,
      error: "invalid_limit",
      refused: calling("conversations.members", { limit: 1_000 }),
      taken: calling("conversations.members", { limit: 999 }),
    },
    {
      what: "a time that is none",
      page: `${METHODS}/conversations.history`,
      error: "invalid_ts_oldest",
      refused: calling("conversations.history", { oldest: "yesterday" }),
    },
    {
      what: "a conversation with nobody",
      page: `${METHODS}/conversations.open`,
      error: "users_list_not_supplied",
      refused: calling("conversations.open"),
      taken: (lab) => lab.call("conversations.open", { users: lab.ada.user.id }),
    },
    {
      what: "an empty file",
      page: `${METHODS}/files.getUploadURLExternal`,
      error: "missing_argument",
      refused: announcing({ length: 0 }),
      taken: announcing({ length: 1 }),
    },
    {
      what: "a snippet of more than 1 MB",
      page: `${METHODS}/files.getUploadURLExternal`,
      error: "snippet_too_large",
      refused: announcing({ length: 1_000_001, snippet_type: "text" }),
      taken: announcing({ length: 1_000_001 }),
    },
    {
      what: "a file of more than 1 GB",
      page: `${METHODS}/files.getUploadURLExternal`,
      error: "file_upload_size_restricted",
      refused: announcing({ length: 1_000_000_001 }),
    },
    {
      what: "the completion of a file that was never sent",
      page: `${METHODS}/files.completeUploadExternal`,
      error: "file_not_found",
      refused: async (lab) => {
        const { body } = await announcing({ length: 3 })(lab);
        const files = [{ id: body.file_id }];
        return lab.call("files.completeUploadExternal", { files, channel_id: lab.channel.id });
      },
    },
    {
      what: "a file of a channel that the bot is not in",
      page: `${METHODS}/files.info`,
      error: "not_visible",
      refused: (lab) => {
        const elsewhere = lab.slack.world.addChannel({ members: [lab.ada.user.id] });
        const files = [{ name: "a.txt", bytes: new Uint8Array(3) }];
        const [file] = lab.ada.says(elsewhere, "mine", { files }).message.files;
        return lab.call("files.info", { file: file?.id });
      },
    },
  ]);

  it("missing_scope names what is needed and what there is (apis/web-api)", async () => {
    await using lab = await SlackLab.start({ scopes: ["users:read"] });
    const { body } = await lab.call("chat.postMessage", { channel: lab.channel.id, text: "x" });
    expect(body).toMatchObject({ needed: "chat:write", provided: "users:read" });
  });
});
