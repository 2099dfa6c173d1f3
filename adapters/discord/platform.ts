import { definePlatform } from "../shared/define-platform.ts";
import { DiscordConfig, discordSecrets } from "./config.ts";

export const discord = definePlatform({
  name: "discord",
  title: "Discord",
  schema: DiscordConfig,
  secrets: discordSecrets,
  open: async (config, parts) => {
    const { createDiscordAdapter } = await import("./index.ts");
    return createDiscordAdapter({ ...parts, config });
  },
});
