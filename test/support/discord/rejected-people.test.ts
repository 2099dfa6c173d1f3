import { describe } from "vitest";
import { itRejects, registering } from "./rejections.ts";
import type { DiscordLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";

const COMMANDS = "interactions/application-commands";
const OBJECT = `${COMMANDS}#application-command-object`;
const CODES = "topics/opcodes-and-status-codes#json";

const command = (fields: Fields = {}) => ({ name: "go", description: "Goes.", ...fields });
const option = (fields: Fields = {}) => ({ type: 3, name: "o", description: "x", ...fields });
const many = (number: number) =>
  Array.from({ length: number }, (_, index) => option({ name: `o${index}` }));

async function directMessage(lab: DiscordLab, recipient: string) {
  const { body } = await lab.call("POST /users/@me/channels", { recipient_id: recipient });
  return lab.call(`POST /channels/${String(body.id)}/messages`, { content: "x" });
}

describe("people and guilds that Discord refuses", () => {
  itRejects([
    {
      what: "a message to somebody who shares no guild",
      page: CODES,
      code: 50278,
      refused: (lab) => directMessage(lab, lab.discord.human({}, "outside").user.id),
      taken: (lab) => directMessage(lab, lab.ada.user.id),
    },
    {
      what: "a message to somebody who takes none",
      page: CODES,
      code: 50007,
      refused: (lab) =>
        directMessage(lab, lab.discord.human({ takesDirectMessages: false }).user.id),
    },
    {
      what: "a conversation with another bot",
      page: CODES,
      code: 50033,
      refused: (lab) => {
        const { id } = lab.discord.human({ isBot: true }).user;
        return lab.call("POST /users/@me/channels", { recipient_id: id });
      },
    },
    {
      what: "somebody whom nobody knows",
      page: CODES,
      code: 10013,
      refused: (lab) => lab.call("GET /users/1"),
    },
    {
      what: "a member who is none",
      page: "resources/guild#get-guild-member",
      code: 10007,
      refused: (lab) => {
        const { id } = lab.discord.human({}, "outside").user;
        return lab.call(`GET /guilds/${lab.discord.guild.id}/members/${id}`);
      },
      taken: (lab) => lab.call(`GET /guilds/${lab.discord.guild.id}/members/${lab.ada.user.id}`),
    },
    {
      what: "all members without their intent",
      page: "resources/guild#list-guild-members",
      code: 50001,
      refused: (lab) => lab.call(`GET /guilds/${lab.discord.guild.id}/members`),
    },
    {
      what: "a guild that the bot is not in",
      page: CODES,
      code: 50001,
      refused: (lab) => lab.call(`GET /guilds/${lab.discord.world.addGuild().id}`),
    },
    {
      what: "a guild that does not exist",
      page: CODES,
      code: 10004,
      refused: (lab) => lab.call("GET /guilds/1"),
    },
  ]);
});

describe("commands that Discord refuses", () => {
  itRejects([
    {
      what: "a name in capitals",
      page: OBJECT,
      code: 50035,
      at: "name",
      refused: registering(command({ name: "Go" })),
      taken: registering(command()),
    },
    {
      what: "a name of 33 characters",
      page: OBJECT,
      code: 50035,
      at: "name",
      refused: registering(command({ name: "x".repeat(33) })),
      taken: registering(command({ name: "x".repeat(32) })),
    },
    {
      what: "a name with a space",
      page: OBJECT,
      code: 50035,
      at: "name",
      refused: registering(command({ name: "go on" })),
      taken: registering({ type: 3, name: "Go on" }),
    },
    {
      what: "a description of 101 characters",
      page: OBJECT,
      code: 50035,
      at: "description",
      refused: registering(command({ description: "x".repeat(101) })),
    },
    {
      what: "a command without a description",
      page: OBJECT,
      code: 50035,
      at: "description",
      refused: registering({ name: "go" }),
    },
    {
      what: "a description in the menu of a message",
      page: OBJECT,
      code: 50035,
      at: "description",
      refused: registering({ type: 3, name: "Go", description: "Goes." }),
    },
    {
      what: "26 options of a command",
      page: OBJECT,
      code: 50035,
      at: "options",
      refused: registering(command({ options: many(26) })),
      taken: registering(command({ options: many(25) })),
    },
    {
      what: "the same option twice",
      page: OBJECT,
      code: 50035,
      at: "options.1",
      refused: registering(command({ options: [option(), option()] })),
    },
    {
      what: "a required option after one that is not",
      page: OBJECT,
      code: 50035,
      at: "options.1",
      refused: registering(command({ options: [option(), option({ name: "p", required: true })] })),
    },
    {
      what: "26 choices",
      page: OBJECT,
      code: 50035,
      at: "options.0.choices",
      refused: registering(
        command({ options: [option({ choices: Array(26).fill({ name: "x", value: "x" }) })] }),
      ),
    },
    {
      what: "suggestions beside choices",
      page: OBJECT,
      code: 50035,
      at: "options.0.autocomplete",
      refused: registering(
        command({
          options: [option({ autocomplete: true, choices: [{ name: "x", value: "x" }] })],
        }),
      ),
    },
    {
      what: "the commands of another app",
      page: CODES,
      code: 20012,
      refused: (lab) => lab.call("GET /applications/1/commands"),
      taken: (lab) => lab.call(`GET /applications/${lab.discord.app.id}/commands`),
    },
    {
      what: "a command that does not exist",
      page: CODES,
      code: 10063,
      refused: (lab) => lab.call(`DELETE /applications/${lab.discord.app.id}/commands/1`),
    },
    {
      what: "the same name twice at once",
      page: `${COMMANDS}#registering-a-command`,
      code: 50035,
      at: "1",
      refused: (lab) =>
        lab.call(`PUT /applications/${lab.discord.app.id}/commands`, [command(), command()]),
      taken: (lab) =>
        lab.call(`PUT /applications/${lab.discord.app.id}/commands`, [
          command(),
          { type: 3, name: "go" },
        ]),
    },
    {
      what: "16 commands in the menus of messages",
      page: `${COMMANDS}#registering-a-command`,
      code: 30032,
      refused: (lab) =>
        lab.call(
          `PUT /applications/${lab.discord.app.id}/commands`,
          Array.from({ length: 16 }, (_, index) => ({ type: 3, name: `Go ${index}` })),
        ),
    },
  ]);
});
