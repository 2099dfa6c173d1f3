import type { Handler, Routes } from "./call.ts";
import { channelRoutes } from "./routes/channels.ts";
import { commandRoutes } from "./routes/commands.ts";
import { guildRoutes } from "./routes/guilds.ts";
import { interactionRoutes } from "./routes/interactions.ts";
import { messageRoutes } from "./routes/messages.ts";
import { reactionRoutes } from "./routes/reactions.ts";
import { threadRoutes } from "./routes/threads.ts";
import { userRoutes } from "./routes/users.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

export interface Match {
  readonly name: string;
  readonly handler: Handler;
  readonly params: Readonly<Record<string, string>>;
  /** What its limit is counted by. */
  readonly major: string;
  /** No token of a bot is asked for: the path carries one of its own. */
  readonly isOpen: boolean;
}

const ALL: Routes = {
  ...userRoutes,
  ...channelRoutes,
  ...messageRoutes,
  ...reactionRoutes,
  ...threadRoutes,
  ...guildRoutes,
  ...commandRoutes,
  ...interactionRoutes,
  ...webhookRoutes,
};

const COMPILED = Object.entries(ALL).map(([name, handler]) => {
  const [method = "", path = ""] = name.split(" ");
  const pattern = path.replace(/:(\w+)/g, "(?<$1>[^/]+)");
  const fixed = path.split("/").filter((part) => !part.startsWith(":")).length;
  return { name, handler, method, fixed, expression: new RegExp(`^${pattern}$`) };
});
// What is named in full stands before what a parameter would also fit.
COMPILED.sort((one, other) => other.fixed - one.fixed);

export function matching(method: string, path: string): Match | undefined {
  for (const { name, handler, expression, method: own } of COMPILED) {
    const found = own === method ? expression.exec(path) : undefined;
    if (!found) continue;
    const entries = Object.entries(found.groups ?? {});
    const params = Object.fromEntries(entries.map(([key, value]) => [key, decoded(value)]));
    const major = params.channel ?? params.guild ?? params.token ?? "";
    const isOpen = /^\S+ \/(?:interactions|webhooks)\//.test(name);
    return { name, handler, params, major, isOpen };
  }
  return undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
