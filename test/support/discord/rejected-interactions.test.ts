import { describe } from "vitest";
import { type Attempt, itRejects } from "./rejections.ts";

const PAGE = "interactions/receiving-and-responding";
const RESPOND = `${PAGE}#create-interaction-response`;
const CALLBACK = `${PAGE}#interaction-callback`;
const MINUTE = 60_000;

const message = { type: 4, data: { content: "x" } };
const deferred = { type: 5 };
const modal = {
  custom_id: "m",
  title: "Why?",
  components: [{ type: 18, label: "Why", component: { type: 4, custom_id: "f", style: 1 } }],
};

/** A button was clicked, and this much later this is the answer. */
const answering =
  (body: Record<string, unknown>, afterMs = 0): Attempt =>
  async (lab) => {
    const interaction = await lab.clicked();
    lab.discord.world.clock.advance(afterMs);
    return lab.respond(interaction, body);
  };

describe("answers to interactions that Discord refuses", () => {
  itRejects([
    {
      what: "an answer after three seconds",
      page: CALLBACK,
      code: 10062,
      refused: answering(message, 3_100),
      taken: answering(message, 2_000),
    },
    {
      what: "an interaction that does not exist",
      page: RESPOND,
      code: 10062,
      refused: (lab) => lab.call("POST /interactions/1/token/callback", message),
    },
    {
      what: "a second first answer",
      page: RESPOND,
      code: 40060,
      refused: async (lab) => {
        const interaction = await lab.clicked();
        await lab.respond(interaction, deferred);
        return lab.respond(interaction, message);
      },
    },
    {
      what: "a window after a deferred answer",
      page: RESPOND,
      code: 40060,
      refused: async (lab) => {
        const interaction = await lab.clicked();
        await lab.respond(interaction, deferred);
        return lab.respond(interaction, { type: 9, data: modal });
      },
      taken: answering({ type: 9, data: modal }),
    },
    {
      what: "a window in answer to a window",
      page: `${PAGE}#interaction-response-object-interaction-callback-type`,
      code: 50035,
      at: "type",
      refused: async (lab) => {
        await lab.respond(await lab.clicked(), { type: 9, data: modal });
        void lab.ada.submits({ f: "because" });
        return lab.respond(lab.lastInteraction(), { type: 9, data: modal });
      },
      taken: async (lab) => {
        await lab.respond(await lab.clicked(), { type: 9, data: modal });
        void lab.ada.submits({ f: "because" });
        return lab.respond(lab.lastInteraction(), { type: 6 });
      },
    },
    {
      what: "the change of a message in answer to a command",
      page: `${PAGE}#interaction-response-object-interaction-callback-type`,
      code: 50035,
      at: "type",
      refused: async (lab) => lab.respond(await lab.ran(), { type: 7, data: { content: "x" } }),
      taken: async (lab) => lab.respond(await lab.ran(), message),
    },
    {
      what: "a deferred answer with the new components",
      page: `${PAGE}#interaction-response-object-messages`,
      code: 50035,
      at: "data.flags",
      refused: answering({ type: 5, data: { flags: (1 << 15) | 64 } }),
      taken: answering({ type: 5, data: { flags: 64 } }),
    },
    {
      what: "an empty answer",
      page: "topics/opcodes-and-status-codes#json",
      code: 50006,
      refused: answering({ type: 4, data: {} }),
    },
    {
      what: "an answer of 2,001 characters",
      page: `${PAGE}#interaction-response-object-messages`,
      code: 50035,
      at: "content",
      refused: answering({ type: 4, data: { content: "x".repeat(2_001) } }),
    },
    {
      what: "a further message before the first answer",
      page: `${PAGE}#followup-messages`,
      code: 10015,
      refused: async (lab) =>
        lab.call(`POST ${lab.webhook(await lab.clicked())}`, { content: "x" }),
    },
    {
      what: "a further message after 15 minutes",
      page: `${PAGE}#followup-messages`,
      code: 50027,
      refused: async (lab) => {
        const interaction = await lab.clicked();
        await lab.respond(interaction, deferred);
        lab.discord.world.clock.advance(15 * MINUTE + 1_000);
        return lab.call(`POST ${lab.webhook(interaction)}`, { content: "x" });
      },
      taken: async (lab) => {
        const interaction = await lab.clicked();
        await lab.respond(interaction, deferred);
        lab.discord.world.clock.advance(14 * MINUTE);
        return lab.call(`POST ${lab.webhook(interaction)}`, { content: "x" });
      },
    },
    {
      what: "a change of an answer that was deleted",
      page: `${PAGE}#edit-original-interaction-response`,
      code: 10008,
      refused: async (lab) => {
        const interaction = await lab.clicked();
        await lab.respond(interaction, message);
        const original = lab.webhook(interaction, "/messages/@original");
        await lab.call(`DELETE ${original}`);
        return lab.call(`PATCH ${original}`, { content: "y" });
      },
    },
    {
      what: "a whisper, read or changed as a message of the channel",
      page: `${PAGE}#create-followup-message`,
      code: 10008,
      refused: async (lab) => {
        const interaction = await lab.clicked();
        await lab.respond(interaction, { type: 4, data: { content: "x", flags: 64 } });
        const path = `/channels/${lab.channel.id}/messages/${interaction.original?.id}`;
        return lab.call(`PATCH ${path}`, { content: "y" });
      },
      taken: async (lab) => {
        const interaction = await lab.clicked();
        await lab.respond(interaction, { type: 4, data: { content: "x", flags: 64 } });
        return lab.call(`PATCH ${lab.webhook(interaction, "/messages/@original")}`, {
          content: "y",
        });
      },
    },
    {
      what: "26 suggestions",
      page: `${PAGE}#interaction-response-object-autocomplete`,
      code: 50035,
      at: "data.choices",
      refused: async (lab) => {
        const options = [{ type: 3, name: "o", description: "x", autocomplete: true }];
        lab.discord.commands.put(undefined, { name: "go", description: "Goes.", options });
        void lab.ada.completes(lab.channel, "go", "o", "a");
        const choices = Array.from({ length: 26 }, (_, value) => ({ name: `${value}`, value }));
        return lab.respond(lab.lastInteraction(), { type: 8, data: { choices } });
      },
    },
    {
      what: "a suggestion of 101 characters",
      page: "interactions/application-commands#application-command-object-application-command-option-choice-structure",
      code: 50035,
      at: "data.choices.0.value",
      refused: async (lab) => {
        const options = [{ type: 3, name: "o", description: "x", autocomplete: true }];
        lab.discord.commands.put(undefined, { name: "go", description: "Goes.", options });
        void lab.ada.completes(lab.channel, "go", "o", "a");
        const choices = [{ name: "long", value: "x".repeat(101) }];
        return lab.respond(lab.lastInteraction(), { type: 8, data: { choices } });
      },
    },
  ]);
});
