import { describe } from "vitest";
import { type Attempt, itRejects, posting } from "./rejections.ts";
import type { DiscordLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";

const CREATE = "resources/message#create-message";
const EDIT = "resources/message#edit-message";
const EMBEDS = "resources/message#embed-object-embed-limits";
const MENTIONS = "resources/message#allowed-mentions-object";
const CODES = "topics/opcodes-and-status-codes#json";

const text = (characters: number) => "x".repeat(characters);
const embed = (fields: Fields): Attempt => posting({ embeds: [fields] });
const path = (lab: DiscordLab, id = "") => `/channels/${lab.channel.id}/messages/${id}`;

function editing(body: Fields, first: Fields = { content: "x" }): Attempt {
  return async (lab) => lab.call(`PATCH ${path(lab, await lab.posted(first))}`, body);
}

describe("messages that Discord refuses", () => {
  itRejects([
    {
      what: "2,001 characters",
      page: CREATE,
      code: 50035,
      at: "content",
      refused: posting({ content: text(2_001) }),
      taken: posting({ content: text(2_000) }),
    },
    { what: "nothing at all", page: CODES, code: 50006, refused: posting({}) },
    { what: "only space", page: CODES, code: 50006, refused: posting({ content: " \n " }) },
    {
      what: "an edit to 2,001 characters",
      page: EDIT,
      code: 50035,
      at: "content",
      refused: editing({ content: text(2_001) }),
      taken: editing({ content: text(2_000) }),
    },
    {
      what: "an edit that leaves nothing",
      page: CODES,
      code: 50006,
      refused: editing({ content: null }),
    },
    {
      what: "a nonce of 26 characters",
      page: CREATE,
      code: 50035,
      at: "nonce",
      refused: posting({ content: "x", nonce: text(26) }),
      taken: posting({ content: "x", nonce: text(25) }),
    },
    {
      what: "eleven embeds",
      page: CREATE,
      code: 50035,
      at: "embeds",
      refused: posting({ embeds: Array(11).fill({ title: "x" }) }),
      taken: posting({ embeds: Array(10).fill({ title: "x" }) }),
    },
    {
      what: "an embed's title of 257 characters",
      page: EMBEDS,
      code: 50035,
      at: "embeds.0.title",
      refused: embed({ title: text(257) }),
      taken: embed({ title: `  ${text(256)}  ` }),
    },
    {
      what: "an embed's description of 4,097 characters",
      page: EMBEDS,
      code: 50035,
      at: "embeds.0.description",
      refused: embed({ description: text(4_097) }),
      taken: embed({ description: text(4_096) }),
    },
    {
      what: "26 fields in an embed",
      page: EMBEDS,
      code: 50035,
      at: "embeds.0.fields",
      refused: embed({ fields: Array(26).fill({ name: "n", value: "v" }) }),
      taken: embed({ fields: Array(25).fill({ name: "n", value: "v" }) }),
    },
    {
      what: "a field's name of 257 characters",
      page: EMBEDS,
      code: 50035,
      at: "embeds.0.fields.0.name",
      refused: embed({ fields: [{ name: text(257), value: "v" }] }),
    },
    {
      what: "a field's value of 1,025 characters",
      page: EMBEDS,
      code: 50035,
      at: "embeds.0.fields.0.value",
      refused: embed({ fields: [{ name: "n", value: text(1_025) }] }),
      taken: embed({ fields: [{ name: "n", value: text(1_024) }] }),
    },
    {
      what: "an embed's footer of 2,049 characters",
      page: EMBEDS,
      code: 50035,
      at: "embeds.0.footer.text",
      refused: embed({ title: "x", footer: { text: text(2_049) } }),
    },
    {
      what: "an embed's author of 257 characters",
      page: EMBEDS,
      code: 50035,
      at: "embeds.0.author.name",
      refused: embed({ title: "x", author: { name: text(257) } }),
    },
    {
      what: "6,001 characters in all embeds together",
      page: EMBEDS,
      code: 50035,
      at: "embeds",
      refused: posting({ embeds: [{ description: text(3_001) }, { description: text(3_000) }] }),
      taken: posting({ embeds: [{ description: text(3_000) }, { description: text(3_000) }] }),
    },
    {
      what: "mentions that are to be parsed and listed",
      page: MENTIONS,
      code: 50035,
      at: "allowed_mentions",
      refused: posting({ content: "x", allowed_mentions: { parse: ["users"], users: ["1"] } }),
      taken: posting({ content: "x", allowed_mentions: { parse: ["everyone"], users: ["1"] } }),
    },
    {
      what: "a kind of mention that does not exist",
      page: MENTIONS,
      code: 50035,
      at: "allowed_mentions.parse.0",
      refused: posting({ content: "x", allowed_mentions: { parse: ["here"] } }),
    },
    {
      what: "101 people to mention",
      page: MENTIONS,
      code: 50035,
      at: "allowed_mentions.users",
      refused: posting({
        content: "x",
        allowed_mentions: { users: Array.from(Array(101).keys()) },
      }),
    },
  ]);
});
