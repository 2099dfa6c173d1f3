import { join, resolve } from "node:path";
import { z } from "zod";
import { PLATFORMS } from "../adapters/platforms.ts";
import { WebConfig } from "../adapters/web/config.ts";
import { ModelSettings } from "./agent/settings.ts";
import { AuthorizationSettings } from "./authorization/settings.ts";
import type { SetUpPlatform } from "./contract/platform/platform.ts";
import { LOG_LEVELS, type LogLevel } from "./lib/log.ts";
import { OperatorError } from "./lib/operator-error.ts";
import type { McpSettings } from "./mcp/settings.ts";
import { NETWORK_ENV, type NetworkSettings, networkSettings } from "./network/settings.ts";
import { RedisSettings, StoreSettings } from "./store/settings.ts";
import { ImageSettings, WebSettings } from "./tools/settings.ts";
import { WORKSPACE_ENV, type WorkspaceSettings, workspaceSettings } from "./workspace/settings.ts";

const Search = WebSettings.shape.search.unwrap();

/** The settings by subject. Sizes are in MB and times in minutes or days. The descriptions become docs/settings.md. */
export const SETTING_GROUPS = {
  General: {
    DECKHAND_DATA_DIR: z
      .string()
      .min(1)
      .default("data")
      .describe("directory for the bot's files: the SQLite file, disk templates, the web token"),
    LOG_LEVEL: z.enum(LOG_LEVELS).default("info").describe("least important level that is logged"),
    LOG_FORMAT: z
      .enum(["text", "json"])
      .default("text")
      .describe("`json` writes one object per line"),
    HEALTH_HOST: z
      .string()
      .min(1)
      .default("127.0.0.1")
      .describe("address for `/healthz` and `/readyz`"),
    HEALTH_PORT: z.coerce
      .number()
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe("port for `/healthz` and `/readyz`; unset, they are off"),
    WEB_CHAT: z
      .stringbool()
      .optional()
      .describe("serve the web chat; by default only if neither Slack nor Discord is set up"),
    UPLOAD_MB_PER_HOUR: size(1).default(500).describe("upload limit per person and hour, in MB"),
  },
  Store: {
    STORE: z
      .enum(["sqlite", "redis"])
      .optional()
      .describe(
        "by default `redis` if `REDIS_URL` is set, otherwise `sqlite`, a file on a local disk",
      ),
    REDIS_URL: RedisSettings.shape.url
      .optional()
      .describe(
        "`redis://user:password@host:port/database`, `rediss://…` with TLS, or `unix:///path`",
      ),
    REDIS_PREFIX: RedisSettings.shape.prefix.describe(
      "prefix of every key; each bot on a shared Redis needs its own",
    ),
    REDIS_DURABLE: RedisSettings.shape.durable.describe(
      "`checked` refuses a Redis without an append-only file or with eviction; `assumed` skips the check",
    ),
  },
  Workspaces: {
    ...WORKSPACE_ENV,
    CHANNELS_FILE: z
      .string()
      .min(1)
      .optional()
      .describe("YAML file with channel profiles: [workspaces](workspaces.md)"),
  },
  Network: NETWORK_ENV,
  Permission: {
    POLICY_FILE: AuthorizationSettings.shape.policyFile.describe(
      "YAML file with roles, levels and rules: [permission](permission.md)",
    ),
    OWNERS: AuthorizationSettings.shape.owners.describe(
      "ids of the owners or their group; by default the platform's owners and admins",
    ),
    EMOJI_ANSWERS: AuthorizationSettings.shape.emojiAnswers.describe(
      "accept a typed 👍 or 👎 as the answer to an approval or question",
    ),
    GRANT_DURATION: AuthorizationSettings.shape.grantDuration.describe(
      "duration of a timed approval (“Approve 5 min”), from `1s` to `24h`",
    ),
  },
  Model: {
    OPENAI_API_KEY: ModelSettings.shape.apiKey.describe("API key of the model server"),
    OPENAI_BASE_URL: ModelSettings.shape.baseUrl.describe(
      "base URL of another OpenAI-compatible server, without `/chat/completions`",
    ),
    MODEL: ModelSettings.shape.name.describe("model name"),
    LLM_API: ModelSettings.shape.api.describe(
      "API to use; `auto` chooses by the base URL and switches once if the server rejects that API",
    ),
    REASONING_EFFORT: ModelSettings.shape.reasoningEffort.describe(
      "how much the model reasons; by default the model's own setting",
    ),
    MODEL_PRICES: ModelSettings.shape.prices.describe(
      "prices in dollars per million tokens, as JSON: [models](models.md#costs)",
    ),
    MODEL_CONTEXT_TOKENS: ModelSettings.shape.contextTokens.describe(
      "context window in tokens; by default derived from the model name, otherwise 128,000",
    ),
    MODEL_OUTPUT_TOKENS: ModelSettings.shape.outputTokens.describe(
      "part of the context window that is reserved for the answer",
    ),
    PROMPTS_DIR: z
      .string()
      .min(1)
      .optional()
      .describe("directory with the folders `system` and `mini`; by default `prompts`"),
    MODEL_RETRIES: ModelSettings.shape.retries.describe(
      "number of retries after a temporary failure",
    ),
    MODEL_CONNECT_SECONDS: z.coerce
      .number()
      .positive()
      .default(10)
      .describe("timeout for connecting to the model server"),
    MODEL_FIRST_BYTE_SECONDS: z.coerce
      .number()
      .positive()
      .default(300)
      .describe("timeout for the first byte of an answer"),
    MODEL_IDLE_SECONDS: z.coerce
      .number()
      .positive()
      .default(120)
      .describe("timeout between two parts of an answer"),
  },
  "MCP servers": {
    MCP_FILE: z
      .string()
      .min(1)
      .optional()
      .describe(
        "JSON file with `mcpServers`: [MCP servers](mcp.md); by default `.mcp.json` in the data directory",
      ),
    MCP_IMAGE: z
      .string()
      .min(1)
      .optional()
      .describe("image that MCP servers run in; by default the image of the workspaces"),
  },
  "Web and images": {
    WEB_FETCH: z
      .stringbool()
      .default(false)
      .describe("let the agent read public web pages; each URL needs approval"),
    WEB_SEARCH_PROVIDER: Search.shape.provider.describe("API of the search service"),
    WEB_SEARCH_URL: Search.shape.url
      .optional()
      .describe("URL of a search service; setting it turns web search on"),
    WEB_SEARCH_KEY: Search.shape.key.describe("API key of that service, if it needs one"),
    IMAGE_BASE_URL: ImageSettings.shape.baseUrl
      .optional()
      .describe(
        "base URL of a service with OpenAI's images API; setting it turns image generation on",
      ),
    IMAGE_API_KEY: ImageSettings.shape.key.describe("API key of that service, if it needs one"),
    IMAGE_MODEL: ImageSettings.shape.model.describe("image model"),
  },
} as const;

/** @internal for tests */
export const SETTINGS = {
  ...SETTING_GROUPS.General,
  ...SETTING_GROUPS.Store,
  ...SETTING_GROUPS.Workspaces,
  ...SETTING_GROUPS.Network,
  ...SETTING_GROUPS.Permission,
  ...SETTING_GROUPS.Model,
  ...SETTING_GROUPS["MCP servers"],
  ...SETTING_GROUPS["Web and images"],
};

/** Masked wherever they appear. An address counts because it may hold a password. */
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
  /** What workspaces may reach outside. */
  readonly network: NetworkSettings;
  /** How much each person may upload. */
  readonly uploadBytesPerHour: number;
  readonly authorization: AuthorizationSettings;
  /** What holds in single channels. */
  readonly channelsFile: string | undefined;
  readonly model: ModelSettings;
  /** Holds `system` and `mini`. Absent: the prompts that the bot brings along. */
  readonly promptsDir?: string;
  readonly mcp: McpSettings;
  readonly web: WebSettings;
  /** Absent where no service makes images. */
  readonly images: ImageSettings | undefined;
  readonly webChat: WebConfig;
  /** Where people have another platform, the web chat has to be asked for. */
  readonly hasWebChat: boolean;
  /** Those whose tokens were given. */
  readonly platforms: readonly SetUpPlatform[];
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
      message: "is required when STORE is redis",
      // Told together with the problems of other settings, not after them.
      when: () => true,
    })
    .safeParse(present(env));
  const webChat = WebConfig.safeParse(present(env));
  const read = PLATFORMS.map((platform) => platform.read(present(env)));
  const errors = read.map(({ error }) => error);
  if (!parsed.success || !webChat.success || errors.some(Boolean))
    throw new ConfigError(problems(parsed.error, webChat.error, ...errors));
  const platforms = read.flatMap(({ platform }) => platform ?? []);
  const values = parsed.data;
  const dataDir = resolve(values.DECKHAND_DATA_DIR);
  const secrets: Record<string, string> = {
    ...Object.fromEntries(SECRETS.flatMap((name) => (values[name] ? [[name, values[name]]] : []))),
    ...tokensOf(webChat.data),
    ...Object.assign({}, ...platforms.map(({ secrets }) => secrets)),
  };
  return {
    dataDir,
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
    health:
      values.HEALTH_PORT === undefined
        ? undefined
        : { host: values.HEALTH_HOST, port: values.HEALTH_PORT },
    store: storeSettings(dataDir, values),
    workspaces: workspaceSettings(values),
    network: networkSettings(values),
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
    mcp: {
      file: values.MCP_FILE,
      dataDir,
      image: values.MCP_IMAGE ?? values.WORKSPACE_IMAGE,
      variables: env,
      ownSecrets: new Set([...Object.values(secrets), env.WEB_PEOPLE].filter(Boolean) as string[]),
    },
    web: webSettings(values),
    images: imageSettings(values),
    webChat: webChat.data,
    hasWebChat: values.WEB_CHAT ?? platforms.length === 0,
    platforms,
    secrets,
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
  return `Some settings are invalid:\n${lines.join("\n")}\nCorrect them and start again.`;
}
