import { describe } from "vitest";
import { type Attempt, itRejects, newThread, standalone } from "./rejections.ts";
import type { DiscordLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";
import { CHANNEL } from "./world.ts";

const REFERENCE = "reference";
const CODES = "topics/opcodes-and-status-codes#json";
const PERMISSIONS = "topics/permissions";
const THREADS = "topics/threads";

const messages = ({ channel }: DiscordLab) => `/channels/${channel.id}/messages`;
const withHeaders =
  (headers: Readonly<Record<string, string>>): Attempt =>
  (lab) =>
    lab.call("GET /users/@me", undefined, { headers });

/** Where the bot may not do this. */
const without =
  (permission: Parameters<DiscordLab["discord"]["deny"]>[1], attempt: Attempt): Attempt =>
  (lab) => {
    lab.discord.deny(lab.channel, permission);
    return attempt(lab);
  };

describe("calls that Discord refuses", () => {
  itRejects([
    {
      what: "no token",
      page: `${REFERENCE}#authentication`,
      code: 401,
      refused: withHeaders({ authorization: "" }),
      taken: withHeaders({}),
    },
    {
      what: "a token without the word Bot",
      page: `${REFERENCE}#authentication`,
      code: 401,
      refused: (lab) => withHeaders({ authorization: lab.discord.app.token })(lab),
    },
    {
      what: "a user agent that names no library",
      page: `${REFERENCE}#user-agent`,
      code: 40333,
      refused: withHeaders({ "user-agent": "node" }),
    },
    {
      what: "a version that is discontinued",
      page: `${REFERENCE}#api-versioning`,
      code: 50041,
      refused: (lab) => lab.call("GET /../v5/users/@me"),
    },
    {
      what: "a path that does not exist",
      page: "topics/opcodes-and-status-codes#http",
      code: 404,
      refused: (lab) => lab.call("GET /nowhere"),
    },
    {
      what: "a body that is no JSON",
      page: CODES,
      code: 50109,
      refused: (lab) => raw(lab, "{", "application/json"),
    },
    {
      what: "a body that is a form of another kind",
      page: CODES,
      code: 50035,
      refused: (lab) => raw(lab, "content=x", "application/x-www-form-urlencoded"),
    },
    {
      what: "a channel that does not exist",
      page: CODES,
      code: 10003,
      refused: (lab) => lab.call("POST /channels/1/messages", { content: "x" }),
    },
    {
      what: "a channel that the bot cannot see",
      page: PERMISSIONS,
      code: 50001,
      refused: without("VIEW_CHANNEL", (lab) => lab.post()),
    },
    {
      what: "a message where the bot may not speak",
      page: PERMISSIONS,
      code: 50013,
      refused: without("SEND_MESSAGES", (lab) => lab.post()),
    },
    {
      what: "typing where the bot may not speak",
      page: PERMISSIONS,
      code: 50013,
      refused: without("SEND_MESSAGES", (lab) =>
        lab.call(`POST /channels/${lab.channel.id}/typing`),
      ),
      taken: (lab) => {
        lab.discord.allow(lab.channel);
        return lab.call(`POST /channels/${lab.channel.id}/typing`);
      },
    },
    {
      what: "a message in a thread where the bot may only speak in channels",
      page: `${THREADS}#permissions`,
      code: 50013,
      refused: without("SEND_MESSAGES_IN_THREADS", (lab) =>
        lab.post({ content: "x" }, newThread(lab)),
      ),
      taken: (lab) => {
        lab.discord.deny(lab.channel, "SEND_MESSAGES");
        return lab.post({ content: "x" }, newThread(lab));
      },
    },
    {
      what: "a file where the bot may attach none",
      page: PERMISSIONS,
      code: 50013,
      refused: without("ATTACH_FILES", (lab) =>
        lab.call(`POST ${messages(lab)}`, {}, { files: [{ name: "x", bytes: new Uint8Array(1) }] }),
      ),
    },
    {
      what: "a reaction where the bot may not react",
      page: "resources/message#create-reaction",
      code: 50013,
      refused: without("ADD_REACTIONS", async (lab) => {
        const id = await lab.posted();
        return lab.call(`PUT ${messages(lab)}/${id}/reactions/${encodeURIComponent("👀")}/@me`);
      }),
    },
    {
      what: "one message where the bot may not read what was said",
      page: "resources/message#get-channel-message",
      code: 50013,
      refused: without("READ_MESSAGE_HISTORY", async (lab) =>
        lab.call(`GET ${messages(lab)}/${await lab.posted()}`),
      ),
    },
    {
      what: "a thread where the bot may make none",
      page: `${THREADS}#permissions`,
      code: 50013,
      refused: without("CREATE_PUBLIC_THREADS", standalone({})),
      taken: (lab) => {
        lab.discord.allow(lab.channel);
        return standalone({})(lab);
      },
    },
    {
      what: "a message in a forum",
      page: CODES,
      code: 50008,
      refused: (lab) => lab.post({ content: "x" }, lab.discord.channel({ type: CHANNEL.forum })),
    },
  ]);
});

async function raw(lab: DiscordLab, body: string, type: string) {
  const response = await fetch(`${lab.discord.apiUrl}/v10${messages(lab)}`, {
    method: "POST",
    headers: {
      authorization: `Bot ${lab.discord.app.token}`,
      "user-agent": "DiscordBot (https://example.org, 1.0)",
      "content-type": type,
    },
    body,
  });
  const fields = (await response.json()) as Fields;
  return { status: response.status, headers: response.headers, body: fields };
}
