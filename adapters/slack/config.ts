import { z } from "zod";

const SECRET_CHARS = /^[\x21-\x7e]+$/;

function token(prefix: string, where: string) {
  return z
    .string()
    .regex(SECRET_CHARS, "must not contain spaces")
    .startsWith(prefix, `must begin with ${prefix}; copy it from ${where}`);
}

/** Slack's settings, from the environment as it is. Undefined: Slack is not set up. */
export const SlackConfig = z
  .object({
    SLACK_BOT_TOKEN: token("xoxb-", "OAuth & Permissions of your app")
      .optional()
      .describe("the bot's token (`xoxb-…`); setting it turns Slack on"),
    SLACK_MODE: z
      .enum(["socket", "http"])
      .default("socket")
      .describe("`socket`: Deckhand connects to Slack; `http`: Slack connects to Deckhand"),
    SLACK_APP_TOKEN: token("xapp-", "Basic Information, App-Level Tokens")
      .optional()
      .describe("`xapp-…` with `connections:write`; for `socket`"),
    SLACK_SIGNING_SECRET: z
      .string()
      .regex(/^[0-9a-f]{32,64}$/, "must be 32 hexadecimal digits; copy it from Basic Information")
      .optional()
      .describe("from _Basic Information_; for `http`"),
    SLACK_HOST: z
      .string()
      .min(1)
      .default("127.0.0.1")
      .describe("address to listen on in `http` mode"),
    SLACK_PORT: z.coerce
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(4180)
      .describe("port to listen on in `http` mode"),
    SLACK_PATH: z
      .string()
      .regex(/^\/[A-Za-z0-9/_-]*$/, "must begin with / and contain only letters, digits, / _ -")
      .default("/slack/events")
      .describe("path for all requests from Slack: events, buttons, commands"),
    SLACK_API_URL: z
      .url({ protocol: /^https?$/ })
      .regex(/\/$/, "ends with /")
      .default("https://slack.com/api/")
      .describe("address of Slack's Web API; change it only for tests"),
  })
  .superRefine((values, context) => {
    const complain = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const { SLACK_BOT_TOKEN, SLACK_MODE, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET } = values;
    if (!SLACK_BOT_TOKEN) {
      if (SLACK_APP_TOKEN || SLACK_SIGNING_SECRET)
        complain("SLACK_BOT_TOKEN", "is required with the other Slack settings");
      return;
    }
    if (SLACK_MODE === "socket" && !SLACK_APP_TOKEN)
      complain("SLACK_APP_TOKEN", "is required when SLACK_MODE is socket");
    if (SLACK_MODE === "http" && !SLACK_SIGNING_SECRET)
      complain("SLACK_SIGNING_SECRET", "is required when SLACK_MODE is http");
  })
  .transform((values): SlackSettings | undefined => {
    const { SLACK_BOT_TOKEN: botToken, SLACK_API_URL: apiUrl, SLACK_MODE } = values;
    const { SLACK_APP_TOKEN: appToken = "", SLACK_SIGNING_SECRET: signingSecret = "" } = values;
    if (!botToken) return undefined;
    const { SLACK_HOST: host, SLACK_PORT: port, SLACK_PATH: path } = values;
    const connection: SlackConnection =
      SLACK_MODE === "socket"
        ? { mode: "socket", appToken }
        : { mode: "http", signingSecret, host, port, path };
    return { botToken, apiUrl, connection };
  });

/** How Slack's events reach us. */
type SlackConnection =
  /** We call Slack and keep the line open: nothing has to be reachable from outside. */
  | { readonly mode: "socket"; readonly appToken: string }
  /** Slack calls us. */
  | {
      readonly mode: "http";
      readonly signingSecret: string;
      readonly host: string;
      readonly port: number;
      readonly path: string;
    };

export interface SlackSettings {
  readonly botToken: string;
  readonly apiUrl: string;
  readonly connection: SlackConnection;
}

/** What nobody may see, by the name of its setting. */
export function slackSecrets(settings: SlackSettings | undefined): Record<string, string> {
  if (!settings) return {};
  const { botToken, connection } = settings;
  return {
    SLACK_BOT_TOKEN: botToken,
    ...(connection.mode === "socket"
      ? { SLACK_APP_TOKEN: connection.appToken }
      : { SLACK_SIGNING_SECRET: connection.signingSecret }),
  };
}
