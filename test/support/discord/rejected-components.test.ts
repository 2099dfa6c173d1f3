import { describe } from "vitest";
import { itRejects, posting, showing } from "./rejections.ts";
import { button, buttons, display, field, row, rows, select, text } from "./sample-components.ts";
import type { DiscordLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";

const REFERENCE = "components/reference";

describe("components that Discord refuses", () => {
  itRejects([
    {
      what: "content beside the new components",
      page: REFERENCE,
      code: 50035,
      at: "content",
      refused: posting({ flags: 1 << 15, content: "x", components: [display("x")] }),
      taken: showing(display("x")),
    },
    {
      what: "embeds beside the new components",
      page: REFERENCE,
      code: 50035,
      at: "embeds",
      refused: posting({ flags: 1 << 15, embeds: [{ title: "x" }], components: [display("x")] }),
    },
    {
      what: "stickers beside the new components",
      page: REFERENCE,
      code: 50035,
      at: "sticker_ids",
      refused: posting({ flags: 1 << 15, sticker_ids: ["1"], components: [display("x")] }),
    },
    {
      what: "the new components without their flag",
      page: `${REFERENCE}#text-display`,
      code: 50035,
      at: "components.0.type",
      refused: posting({ components: [display("x")] }),
    },
    {
      what: "a change to the new components that leaves the content",
      page: "resources/message#edit-message",
      code: 50035,
      at: "content",
      refused: editingTo({ flags: 1 << 15, components: [display("x")] }),
      taken: editingTo({ flags: 1 << 15, content: null, components: [display("x")] }),
    },
    {
      what: "a way back from the new components",
      page: REFERENCE,
      code: 50035,
      at: "content",
      refused: async (lab) => {
        const id = await lab.posted({ flags: 1 << 15, components: [display("x")] });
        const body = { flags: 0, content: "plain", components: [] };
        return lab.call(`PATCH /channels/${lab.channel.id}/messages/${id}`, body);
      },
    },
    {
      what: "41 components in all",
      page: REFERENCE,
      code: 50035,
      at: "components",
      refused: showing({ type: 17, components: Array(40).fill(display("x")) }),
      taken: showing({ type: 17, components: Array(39).fill(display("x")) }),
    },
    {
      what: "4,001 characters of text in all",
      page: `${REFERENCE}#text-display`,
      code: 50035,
      at: "components",
      refused: showing(display(text(2_000)), display(text(2_001))),
      taken: showing(display(text(2_000)), display(text(2_000))),
    },
    {
      what: "an empty text",
      page: `${REFERENCE}#text-display`,
      code: 50035,
      at: "components.0.content",
      refused: showing(display(" ")),
    },
    {
      what: "six rows without the new components",
      page: `${REFERENCE}#legacy-message-component-behavior`,
      code: 50035,
      at: "components",
      refused: posting({ content: "x", components: rows(6) }),
      taken: posting({ content: "x", components: rows(5) }),
    },
    {
      what: "six buttons in a row",
      page: `${REFERENCE}#action-row`,
      code: 50035,
      at: "components.0.components",
      refused: showing(row(...buttons(6))),
      taken: showing(row(...buttons(5))),
    },
    {
      what: "an empty row",
      page: `${REFERENCE}#action-row`,
      code: 50035,
      at: "components.0.components",
      refused: showing(row()),
    },
    {
      what: "a list beside a button",
      page: `${REFERENCE}#action-row`,
      code: 50035,
      at: "components.0.components",
      refused: showing(row(select(), button())),
      taken: showing(row(select()), row(button())),
    },
    {
      what: "a button outside of a row",
      page: `${REFERENCE}#button`,
      code: 50035,
      at: "components.0.type",
      refused: showing(button()),
    },
    {
      what: "a text field in a message",
      page: `${REFERENCE}#text-input`,
      code: 50035,
      at: "components.0.components.0.type",
      refused: showing(row(field())),
    },
    {
      what: "a container in a container",
      page: `${REFERENCE}#container`,
      code: 50035,
      at: "components.0.components.0.type",
      refused: showing({ type: 17, components: [{ type: 17, components: [display("x")] }] }),
    },
    {
      what: "a container's colour beyond white",
      page: `${REFERENCE}#container`,
      code: 50035,
      at: "components.0.accent_color",
      refused: showing({ type: 17, accent_color: 0x1_00_00_00, components: [display("x")] }),
    },
    {
      what: "a section with four texts",
      page: `${REFERENCE}#section`,
      code: 50035,
      at: "components.0.components",
      refused: showing({ type: 9, components: Array(4).fill(display("x")), accessory: button() }),
      taken: showing({ type: 9, components: Array(3).fill(display("x")), accessory: button() }),
    },
    {
      what: "a section without anything beside it",
      page: `${REFERENCE}#section`,
      code: 50035,
      at: "components.0.accessory",
      refused: showing({ type: 9, components: [display("x")] }),
    },
    {
      what: "a gallery of eleven",
      page: `${REFERENCE}#media-gallery`,
      code: 50035,
      at: "components.0.items",
      refused: showing({
        type: 12,
        items: Array(11).fill({ media: { url: "https://a.b/c.png" } }),
      }),
    },
    {
      what: "a file by an address of the web",
      page: `${REFERENCE}#file`,
      code: 50035,
      at: "components.0.file.url",
      refused: showing({ type: 13, file: { url: "https://a.b/c.txt" } }),
    },
    {
      what: "a file that was not sent along",
      page: `${REFERENCE}#file`,
      code: 50035,
      at: "components.0.file",
      refused: showing({ type: 13, file: { url: "attachment://c.txt" } }),
      taken: (lab) =>
        lab.call(
          `POST /channels/${lab.channel.id}/messages`,
          { flags: 1 << 15, components: [{ type: 13, file: { url: "attachment://c.txt" } }] },
          { files: [{ name: "c.txt", bytes: new Uint8Array(1) }] },
        ),
    },
    {
      what: "a separator of size 3",
      page: `${REFERENCE}#separator`,
      code: 50035,
      at: "components.0.spacing",
      refused: showing({ type: 14, spacing: 3 }),
      taken: showing(display("x"), { type: 14, spacing: 2 }),
    },
    {
      what: "the same id twice",
      page: `${REFERENCE}#anatomy-of-a-component`,
      code: 50035,
      at: "components.1.id",
      refused: showing({ ...display("x"), id: 5 }, { ...display("x"), id: 5 }),
    },
  ]);
});

function editingTo(body: Fields) {
  return async (lab: DiscordLab) => {
    const id = await lab.posted();
    return lab.call(`PATCH /channels/${lab.channel.id}/messages/${id}`, body);
  };
}
