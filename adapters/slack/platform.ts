import { definePlatform } from "../shared/define-platform.ts";
import { SlackConfig, slackSecrets } from "./config.ts";

export const slack = definePlatform({
  name: "slack",
  title: "Slack",
  schema: SlackConfig,
  secrets: slackSecrets,
  open: async (config, parts) => {
    const { createSlackAdapter } = await import("./index.ts");
    return createSlackAdapter({ ...parts, config });
  },
});
