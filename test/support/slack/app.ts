import { randomBytes } from "node:crypto";
import { newId, type SlackUser, type SlackWorld } from "./world.ts";

/** What an app's manifest says, as far as Slack acts on it. */
export interface SlackAppOptions {
  readonly scopes?: readonly string[];
  readonly appScopes?: readonly string[];
  readonly events?: readonly string[];
  readonly commands?: readonly string[];
  readonly shortcuts?: readonly { readonly id: string; readonly type: "global" | "message" }[];
  readonly isAgent?: boolean;
  readonly hasHomeTab?: boolean;
  /** Where events go over HTTP. Without it the app is in Socket Mode. */
  readonly requestUrl?: string;
  readonly name?: string;
}

const SCOPES = [
  ...["app_mentions:read", "assistant:write", "chat:write", "commands", "files:read"],
  ...["files:write", "reactions:write", "reactions:read", "users:read", "im:write"],
  ...["channels:history", "groups:history", "im:history", "mpim:history"],
  ...["channels:read", "groups:read", "im:read", "mpim:read", "usergroups:read"],
];

const EVENTS = [
  ...["app_mention", "message.channels", "message.groups", "message.im", "message.mpim"],
  ...["app_home_opened", "agent_session_stopped", "agent_session_title_changed"],
  ...["reaction_added", "channel_archive", "group_archive"],
];

/** One app, installed in one team. */
export class SlackApp {
  readonly id = newId("A");
  readonly botId = newId("B");
  readonly user: SlackUser;
  readonly botToken = `xoxb-${randomBytes(12).toString("hex")}`;
  readonly appToken = `xapp-1-${randomBytes(12).toString("hex")}`;
  readonly signingSecret = randomBytes(16).toString("hex");
  readonly verificationToken = randomBytes(12).toString("hex");
  readonly scopes: Set<string>;
  readonly appScopes: Set<string>;
  readonly events: Set<string>;
  readonly commands: ReadonlySet<string>;
  readonly shortcuts: NonNullable<SlackAppOptions["shortcuts"]>;
  isAgent: boolean;
  hasHomeTab: boolean;
  requestUrl: string | undefined;
  /** False: somebody has taken the app out of the team. */
  isInstalled = true;

  constructor(world: SlackWorld, options: SlackAppOptions = {}) {
    const { name = "deckhand" } = options;
    const bot = { kind: "bot", name, realName: name, botId: this.botId, appId: this.id } as const;
    this.user = world.addUser(bot);
    this.scopes = new Set(options.scopes ?? SCOPES);
    this.appScopes = new Set(options.appScopes ?? ["connections:write"]);
    this.events = new Set(options.events ?? EVENTS);
    this.commands = new Set(options.commands ?? ["/deckhand", "/todos", "/terminal"]);
    this.shortcuts = options.shortcuts ?? [
      { id: "todos", type: "message" },
      { id: "terminal", type: "message" },
      { id: "threads", type: "global" },
    ];
    this.isAgent = options.isAgent ?? true;
    this.hasHomeTab = options.hasHomeTab ?? true;
    this.requestUrl = options.requestUrl;
  }
}
