import { z } from "zod";
import { WORKSPACE_ENV, type WorkspaceSettings, workspaceSettings } from "../workspace/settings.ts";

/** Everything that decides what the proxy admits. The limits of a workspace are those of the bot's own settings. */
export interface ProxySettings {
  /** Path of the engine's socket. */
  readonly engineSocket: string;
  /** Path of the socket that the bot connects to. */
  readonly listenSocket: string;
  readonly workspaces: WorkspaceSettings;
  /** Names of the images that workspaces may be made from. */
  readonly images: readonly string[];
}

/** Settings of the proxy's own, beside those of workspaces. */
export const PROXY_ENV = {
  ENGINE_SOCKET: z
    .string()
    .startsWith("/")
    .default("/var/run/docker.sock")
    .describe("path of the Docker engine's socket inside the proxy"),
  ENGINE_PROXY_SOCKET: z
    .string()
    .startsWith("/")
    .default("/run/deckhand/engine.sock")
    .describe("path of the socket that the proxy listens on"),
  ENGINE_PROXY_IMAGES: z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((part) => part.trim() || []))
    .describe("images allowed besides `WORKSPACE_IMAGE`, separated by commas"),
};

const Env = z.object({ ...WORKSPACE_ENV, ...PROXY_ENV });

/** Throws a sentence that names every setting that cannot be used. */
export function readProxySettings(
  env: Readonly<Record<string, string | undefined>>,
): ProxySettings {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const parsed = Env.safeParse(present);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((one) => `  ${one.path.join(".")}: ${one.message}`);
    throw new Error(`Some settings are invalid:\n${lines.join("\n")}`);
  }
  const workspaces = workspaceSettings(parsed.data);
  return {
    engineSocket: parsed.data.ENGINE_SOCKET,
    listenSocket: parsed.data.ENGINE_PROXY_SOCKET,
    workspaces,
    images: [workspaces.image, ...parsed.data.ENGINE_PROXY_IMAGES],
  };
}
