import { join, resolve } from "node:path";
import { z } from "zod";
import { DiscordConfig, type DiscordSettings, discordSecrets } from "../adapters/discord/config.ts";
import { SlackConfig, type SlackSettings, slackSecrets } from "../adapters/slack/config.ts";
import { WebConfig } from "../adapters/web/config.ts";
import { ModelSettings } from "./agent/settings.ts";
import { AuthorizationSettings } from "./authorization/settings.ts";
import { DEFAULT_UPLOAD_MB_PER_HOUR } from "./contract/upload-budget.ts";
import { LOG_LEVELS, type LogLevel } from "./lib/log.ts";
import { OperatorError } from "./lib/operator-error.ts";
import { RedisSettings, StoreSettings } from "./store/settings.ts";
import { ImageSettings, WebSettings } from "./tools/settings.ts";
import { WORKSPACE_ENV, type WorkspaceSettings, workspaceSettings } from "./workspace/settings.ts";

const Search = WebSettings.shape.search.unwrap();

/**
 * What an operator sets, and where it goes. Sizes are in MB and times in minutes or days, as people say them.
 * @internal for tests
 */
export const SETTINGS = {
  DECKHAND_DATA_DIR: z.string().min(1).default("data"),
  LOG_LEVEL: z.enum(LOG_LEVELS).default("info"),
  LOG_FORMAT: z.enum(["text", "json"]).default("text"),
  HEALTH_HOST: z.string().min(1).default("127.0.0.1"),
  HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  WEB_CHAT: z.stringbool().optional(),
  STORE: z.enum(["sqlite", "redis"]).optional(),
  REDIS_URL: RedisSettings.shape.url.optional(),
  REDIS_PREFIX: RedisSettings.shape.prefix,
  REDIS_DURABLE: RedisSettings.shape.durable,
  UPLOAD_MB_PER_HOUR: size(1).default(DEFAULT_UPLOAD_MB_PER_HOUR),
  ...WORKSPACE_ENV,
  CHANNELS_FILE: z.string().min(1).optional(),
  POLICY_FILE: AuthorizationSettings.shape.policyFile,
  OWNERS: AuthorizationSettings.shape.owners,
  EMOJI_ANSWERS: AuthorizationSettings.shape.emojiAnswers,
  GRANT_DURATION: AuthorizationSettings.shape.grantDuration,
  OPENAI_API_KEY: ModelSettings.shape.apiKey,
  OPENAI_BASE_URL: ModelSettings.shape.baseUrl,
  MODEL: ModelSettings.shape.name,
  LLM_API: ModelSettings.shape.api,
  REASONING_EFFORT: ModelSettings.shape.reasoningEffort,
  MODEL_PRICES: ModelSettings.shape.prices,
  MODEL_CONTEXT_TOKENS: ModelSettings.shape.contextTokens,
  MODEL_OUTPUT_TOKENS: ModelSettings.shape.outputTokens,
  PROMPTS_DIR: z.string().min(1).optional(),
  MODEL_RETRIES: ModelSettings.shape.retries,
  MODEL_CONNECT_SECONDS: z.coerce.number().positive().default(10),
  MODEL_FIRST_BYTE_SECONDS: z.coerce.number().positive().default(300),
  MODEL_IDLE_SECONDS: z.coerce.number().positive().default(120),
  WEB_FETCH: z.stringbool().default(false),
  WEB_SEARCH_PROVIDER: Search.shape.provider,
  WEB_SEARCH_URL: Search.shape.url.optional(),
  WEB_SEARCH_KEY: Search.shape.key,
  IMAGE_BASE_URL: ImageSettings.shape.baseUrl.optional(),
  IMAGE_API_KEY: ImageSettings.shape.key,
  IMAGE_MODEL: ImageSettings.shape.model,
};

/** Their values must not be seen by anybody. An address counts because it may hold a password. */
const SECRETS = ["OPENAI_API_KEY", "WEB_SEARCH_KEY", "IMAGE_API_KEY", "REDIS_URL"] as const;

type Values = z.infer<z.ZodObject<typeof SETTINGS>>;

const MB = 1024 * 1024;
const SECOND_MS = 1000;

export interface Config {
  readonly dataDir: string;
  readonly log: { readonly level: LogLevel; readonly format: "text" | "json" };
  /** Absent where no one asks how it is. */
  readonly health: { readonly host: string; readonly port: number } | undefined;
  readonly store: StoreSettings;
  readonly workspaces: WorkspaceSettings;
  /** How much each person may upload. */
  readonly uploadBytesPerHour: number;
  readonly authorization: AuthorizationSettings;
  /** What holds in single channels. */
  readonly channelsFile: string | undefined;
  readonly model: ModelSettings;
  /** Holds `system` and `mini`. Absent: the prompts that the bot brings along. */
  readonly promptsDir?: string;
  readonly web: WebSettings;
  /** Absent where no service makes images. */
  readonly images: ImageSettings | undefined;
  readonly webChat: WebConfig;
  /** Where people have another platform, the web chat has to be asked for. */
  readonly hasWebChat: boolean;
  /** Absent where no token of Slack's was given. */
  readonly slack: SlackSettings | undefined;
  /** Absent where no token of Discord's was given. */
  readonly discord: DiscordSettings | undefined;
  /** By the name of their setting. */
  readonly secrets: Readonly<Record<string, string>>;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Settings that cannot be used. The message names every problem, each with its variable. */
class ConfigError extends OperatorError {
  override readonly name = "ConfigError";
}

export function readConfig(env: Env): Config {
  const parsed = z
    .object(SETTINGS)
    .refine(({ STORE, REDIS_URL }) => STORE !== "redis" || REDIS_URL, {
      path: ["REDIS_URL"],
      message: "is needed when STORE is redis",
      // Told together with the problems of other settings, not after them.
      when: () => true,
    })
    .safeParse(present(env));
  const webChat = WebConfig.safeParse(present(env));
  const slack = SlackConfig.safeParse(present(env));
  const discord = DiscordConfig.safeParse(present(env));
  if (!parsed.success || !webChat.success || !slack.success || !discord.success)
    throw new ConfigError(problems(parsed.error, webChat.error, slack.error, discord.error));
  const values = parsed.data;
  const dataDir = resolve(values.DECKHAND_DATA_DIR);
  return {
    dataDir,
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
    health:
      values.HEALTH_PORT === undefined
        ? undefined
        : { host: values.HEALTH_HOST, port: values.HEALTH_PORT },
    store: storeSettings(dataDir, values),
    workspaces: workspaceSettings(values),
    uploadBytesPerHour: values.UPLOAD_MB_PER_HOUR * MB,
    channelsFile: values.CHANNELS_FILE,
    authorization: {
      policyFile: values.POLICY_FILE,
      owners: values.OWNERS,
      grantDuration: values.GRANT_DURATION,
      emojiAnswers: values.EMOJI_ANSWERS,
    },
    model: modelSettings(values),
    ...(values.PROMPTS_DIR === undefined ? {} : { promptsDir: resolve(values.PROMPTS_DIR) }),
    web: webSettings(values),
    images: imageSettings(values),
    webChat: webChat.data,
    hasWebChat: values.WEB_CHAT ?? (slack.data === undefined && discord.data === undefined),
    slack: slack.data,
    discord: discord.data,
    secrets: {
      ...Object.fromEntries(
        SECRETS.flatMap((name) => (values[name] ? [[name, values[name]]] : [])),
      ),
      ...tokensOf(webChat.data),
      ...slackSecrets(slack.data),
      ...discordSecrets(discord.data),
    },
  };
}

function modelSettings(values: Values): ModelSettings {
  return ModelSettings.parse({
    apiKey: values.OPENAI_API_KEY,
    baseUrl: values.OPENAI_BASE_URL,
    name: values.MODEL,
    api: values.LLM_API,
    reasoningEffort: values.REASONING_EFFORT,
    prices: values.MODEL_PRICES,
    contextTokens: values.MODEL_CONTEXT_TOKENS,
    outputTokens: values.MODEL_OUTPUT_TOKENS,
    retries: values.MODEL_RETRIES,
    connectMs: values.MODEL_CONNECT_SECONDS * SECOND_MS,
    firstByteMs: values.MODEL_FIRST_BYTE_SECONDS * SECOND_MS,
    idleMs: values.MODEL_IDLE_SECONDS * SECOND_MS,
  });
}

function webSettings(values: Values): WebSettings {
  const { WEB_SEARCH_PROVIDER: provider, WEB_SEARCH_URL: url, WEB_SEARCH_KEY: key } = values;
  return WebSettings.parse({
    fetch: values.WEB_FETCH,
    search: url && { provider, url, key },
  });
}

function imageSettings(values: Values): ImageSettings | undefined {
  const { IMAGE_BASE_URL: baseUrl, IMAGE_API_KEY: key, IMAGE_MODEL: model } = values;
  return baseUrl === undefined ? undefined : ImageSettings.parse({ baseUrl, key, model });
}

/** Whoever names a Redis wants it used; SQLite beside it has to be asked for. */
function storeSettings(
  dataDir: string,
  { STORE, REDIS_URL, REDIS_PREFIX, REDIS_DURABLE }: Values,
): StoreSettings {
  const kind = STORE ?? (REDIS_URL ? "redis" : "sqlite");
  if (kind === "sqlite") return { kind, file: join(dataDir, "deckhand.sqlite") };
  return StoreSettings.parse({
    kind,
    url: REDIS_URL,
    prefix: REDIS_PREFIX,
    durable: REDIS_DURABLE,
  });
}

function size(least: number) {
  return z.coerce.number().int().min(least);
}

/** A setting that was left empty was not made. */
function present(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value));
}

function tokensOf({ token, people }: WebConfig): Record<string, string> {
  const all = people.map((person): [string, string] => [`WEB_PEOPLE ${person.id}`, person.token]);
  return Object.fromEntries(token === undefined ? all : [["WEB_TOKEN", token], ...all]);
}

function problems(...errors: readonly (z.ZodError | undefined)[]): string {
  const issues = errors.flatMap((error) => error?.issues ?? []);
  const lines = issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  return `These settings cannot be used:\n${lines.join("\n")}\nCorrect them in the environment and start again.`;
}
