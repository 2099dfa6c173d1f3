import { type DiscordPlace, decodeThread, encodeThread } from "../../../adapters/discord/thread.ts";
import { adapterContract } from "../../contracts/adapter.ts";
import { openDiscordRig } from "../../support/discord-rig.ts";

adapterContract<DiscordPlace>({
  name: "Discord",
  // Discord has no button of its own for it: there is one on the card, and a command.
  lacks: ["native stop"],
  threadNames: {
    places: [
      { guild: "1", parent: "2", channel: "3" },
      { guild: "1", parent: "3", channel: "2" },
      { guild: "12", parent: "3", channel: "4" },
      { guild: "1", parent: "23", channel: "4" },
      { guild: "@me", channel: "3" },
    ],
    encode: encodeThread,
    decode: decodeThread,
  },
  open: () => openDiscordRig(),
});
