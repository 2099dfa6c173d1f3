import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { METHOD_SCOPES } from "../../../adapters/slack/connection/calls.ts";
import { EVENTS } from "../../../adapters/slack/connection/listeners.ts";
import { SLASH_COMMANDS } from "../../../adapters/slack/entry-points/commands.ts";
import { SHORTCUTS } from "../../../adapters/slack/entry-points/shortcuts.ts";
import manifest from "../../../adapters/slack/manifest.json" with { type: "json" };
import { verbs } from "../../../src/intake/commands/verbs.ts";

const { features, oauth_config, settings } = manifest;
const scopes = oauth_config.scopes.bot;

/** What each event takes beside being listed. */
const EVENT_SCOPES: Readonly<Record<string, readonly string[]>> = {
  app_mention: ["app_mentions:read"],
  "message.channels": ["channels:history"],
  "message.groups": ["groups:history"],
  "message.im": ["im:history"],
  "message.mpim": ["mpim:history"],
  channel_archive: ["channels:read"],
  group_archive: ["groups:read"],
  // Only for apps that are declared as agents.
  agent_session_stopped: ["assistant:write"],
  app_home_opened: [],
};

describe("the manifest", () => {
  it.each(Object.entries(METHOD_SCOPES))("has the scopes of %s", (method, needed) => {
    // Which of them a method of conversations takes depends on the kind of the conversation.
    const takesAll = method.startsWith("conversations.");
    const had = needed.filter((scope) => scopes.includes(scope));
    expect(had.length).toBeGreaterThanOrEqual(
      takesAll ? needed.length : Math.min(1, needed.length),
    );
  });

  it("subscribes to every event that is listened to, with its scope, and to no other", () => {
    const messages = ["message.channels", "message.groups", "message.im", "message.mpim"];
    const wanted = EVENTS.flatMap((name) => (name === "message" ? messages : [name]));
    expect(settings.event_subscriptions.bot_events.toSorted()).toEqual(wanted.toSorted());
    for (const event of wanted)
      for (const scope of EVENT_SCOPES[event] ?? ["unknown event"]) expect(scopes).toContain(scope);
  });

  it("is held against what is called, and nothing else", () => {
    const folder = new URL("../../../adapters/slack/", import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && name !== "connection/calls.ts")
      .map((name) => readFileSync(new URL(name, folder), "utf8"))
      .join("\n");
    const unused = Object.keys(METHOD_SCOPES).filter((method) => !sources.includes(`"${method}"`));
    expect(unused).toEqual([]);
  });

  it("asks for no scope that nothing takes", () => {
    const used = new Set([
      ...Object.values(METHOD_SCOPES).flat(),
      ...Object.values(EVENT_SCOPES).flat(),
      "commands",
    ]);
    expect(scopes.filter((scope) => !used.has(scope))).toEqual([]);
  });

  it("15.20 lists every command and shortcut that is answered, and each stands for a verb", () => {
    const commands = features.slash_commands.map(({ command }) => command);
    expect(commands.toSorted()).toEqual(Object.keys(SLASH_COMMANDS).toSorted());
    const ids = (type: string) =>
      features.shortcuts.filter((one) => one.type === type).map((one) => one.callback_id);
    expect(ids("message").toSorted()).toEqual(SHORTCUTS.message.toSorted());
    expect(ids("global").toSorted()).toEqual(SHORTCUTS.global.toSorted());
    const names = verbs.map(({ name }) => name);
    for (const word of Object.values(SLASH_COMMANDS).filter(Boolean)) expect(names).toContain(word);
    for (const word of ["todos", "terminal", "status"]) expect(names).toContain(word);
  });

  it("keeps to Slack's limits, and offers prompts that are understood without a model", () => {
    expect(features.agent_view.agent_description.length).toBeLessThanOrEqual(300);
    expect(features.agent_view.suggested_prompts.length).toBeLessThanOrEqual(4);
    expect(features.shortcuts.length).toBeLessThanOrEqual(10);
    for (const { name } of features.shortcuts) expect(name.length).toBeLessThanOrEqual(24);
    const names = verbs.map(({ name }) => name);
    for (const { message } of features.agent_view.suggested_prompts)
      expect(names).toContain(message);
    expect(settings.interactivity.is_enabled && settings.socket_mode_enabled).toBe(true);
  });
});
