import { describe } from "vitest";
import { type Attempt, itRejects, posting } from "./rejections.ts";
import type { DiscordLab } from "./test-lab.ts";

const CREATE = "resources/message#create-message";
const EDIT = "resources/message#edit-message";
const UPLOADS = "reference#uploading-files";
const CODES = "topics/opcodes-and-status-codes#json";
const MEBIBYTE = 1024 * 1024;

const path = (lab: DiscordLab, id = "") => `/channels/${lab.channel.id}/messages/${id}`;

function uploading(...sizes: number[]): Attempt {
  const files = sizes.map((size, index) => ({ name: `${index}.bin`, bytes: new Uint8Array(size) }));
  return (lab) => lab.call(`POST ${path(lab).slice(0, -1)}`, { content: "x" }, { files });
}

describe("what Discord refuses to do with messages", () => {
  itRejects([
    {
      what: "a reply to a message that does not exist",
      page: CREATE,
      code: 50035,
      at: "message_reference",
      refused: posting({ content: "x", message_reference: { message_id: "1" } }),
      taken: posting({
        content: "x",
        message_reference: { message_id: "1", fail_if_not_exists: false },
      }),
    },
    {
      what: "a reply without the right to read what was said",
      page: CREATE,
      code: 160002,
      refused: async (lab) => {
        const { message } = lab.ada.says(lab.channel, "x");
        lab.discord.deny(lab.channel, "READ_MESSAGE_HISTORY");
        return lab.post({ content: "x", message_reference: { message_id: message.id } });
      },
    },
    {
      what: "the nonce of a message that was deleted a moment ago",
      page: CREATE,
      code: 10008,
      refused: async (lab) => {
        const body = { content: "x", nonce: "k", enforce_nonce: true };
        await lab.call(`DELETE ${path(lab, await lab.posted(body))}`);
        return lab.post(body);
      },
      taken: async (lab) => {
        lab.discord.world.clock.advance(10 * 60_000);
        return lab.post({ content: "x", nonce: "k", enforce_nonce: true });
      },
    },
    {
      what: "a change of somebody else's message",
      page: EDIT,
      code: 50005,
      refused: async (lab) => {
        const { message } = lab.ada.says(lab.channel, "x");
        return lab.call(`PATCH ${path(lab, message.id)}`, { content: "y" });
      },
    },
    {
      what: "a change of a message that is gone",
      page: CODES,
      code: 10008,
      refused: (lab) => lab.call(`PATCH ${path(lab, "1")}`, { content: "y" }),
    },
    {
      what: "the deletion of somebody else's message",
      page: "resources/message#delete-message",
      code: 50013,
      refused: async (lab) => {
        const { message } = lab.ada.says(lab.channel, "x");
        return lab.call(`DELETE ${path(lab, message.id)}`);
      },
      taken: async (lab) => {
        const { message } = lab.ada.says(lab.channel, "x");
        lab.discord.allow(lab.channel, "MANAGE_MESSAGES");
        return lab.call(`DELETE ${path(lab, message.id)}`);
      },
    },
    {
      what: "a file of more than 10 MiB",
      page: UPLOADS,
      code: 50045,
      refused: uploading(10 * MEBIBYTE + 1),
      taken: uploading(10 * MEBIBYTE),
    },
    {
      what: "a request of more than 25 MiB",
      page: CREATE,
      code: 40005,
      refused: uploading(9 * MEBIBYTE, 9 * MEBIBYTE, 9 * MEBIBYTE),
      taken: uploading(9 * MEBIBYTE, 9 * MEBIBYTE),
    },
    {
      what: "eleven files",
      page: CODES,
      code: 30015,
      refused: uploading(...Array<number>(11).fill(1)),
      taken: uploading(...Array<number>(10).fill(1)),
    },
    {
      what: "an attachment that is not there",
      page: UPLOADS,
      code: 50035,
      at: "attachments.0.id",
      refused: posting({ content: "x", attachments: [{ id: "0" }] }),
    },
    {
      what: "a page of 101 messages",
      page: "resources/message#get-channel-messages",
      code: 50035,
      at: "limit",
      refused: (lab) => lab.call(`GET ${path(lab).slice(0, -1)}?limit=101`),
      taken: (lab) => lab.call(`GET ${path(lab).slice(0, -1)}?limit=100`),
    },
    {
      what: "messages before and after",
      page: "resources/message#get-channel-messages",
      code: 50035,
      refused: (lab) => lab.call(`GET ${path(lab).slice(0, -1)}?before=1&after=1`),
    },
    {
      what: "the deletion of one message in bulk",
      page: "resources/message#bulk-delete-messages",
      code: 50016,
      refused: async (lab) => {
        lab.discord.allow(lab.channel, "MANAGE_MESSAGES");
        return lab.call(`POST ${path(lab, "bulk-delete")}`, { messages: [await lab.posted()] });
      },
    },
    {
      what: "a name in colons as a reaction",
      page: "resources/message#create-reaction",
      code: 10014,
      refused: async (lab) => lab.call(`PUT ${path(lab, await lab.posted())}/reactions/:eyes:/@me`),
      taken: async (lab) =>
        lab.call(`PUT ${path(lab, await lab.posted())}/reactions/${encodeURIComponent("👀")}/@me`),
    },
    {
      what: "a 21st kind of reaction",
      page: CODES,
      code: 30010,
      refused: async (lab) => {
        const { message } = lab.ada.says(lab.channel, "x");
        for (let one = 0; one < 20; one += 1)
          lab.ada.reacts(message, String.fromCodePoint(0x1f600 + one));
        return lab.call(`PUT ${path(lab, message.id)}/reactions/${encodeURIComponent("👀")}/@me`);
      },
    },
    {
      what: "a 31st edit within an hour of a message older than an hour",
      page: CODES,
      code: 30046,
      refused: async (lab) => {
        lab.discord.rates.isEnforced = false;
        const id = await lab.posted();
        lab.discord.world.clock.advance(2 * 3_600_000);
        for (let edit = 0; edit < 30; edit += 1)
          await lab.call(`PATCH ${path(lab, id)}`, { content: String(edit) });
        return lab.call(`PATCH ${path(lab, id)}`, { content: "one too many" });
      },
    },
  ]);
});
