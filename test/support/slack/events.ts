import type { SlackApp } from "./app.ts";
import type { Deliveries, Delivery } from "./deliveries.ts";
import { type Fields, fieldsIn } from "./values.ts";
import { messageOnWire } from "./wire-forms.ts";
import { newId, type SlackChannel, type SlackMessage, type SlackWorld } from "./world.ts";

const MESSAGE_EVENTS = {
  channel: { event: "message.channels", scope: "channels:history" },
  group: { event: "message.groups", scope: "groups:history" },
  im: { event: "message.im", scope: "im:history" },
  mpim: { event: "message.mpim", scope: "mpim:history" },
} as const;

const EVENT_SCOPES: Readonly<Record<string, string>> = {
  app_mention: "app_mentions:read",
  reaction_added: "reactions:read",
  channel_archive: "channels:read",
  group_archive: "groups:read",
};

/** Tells the app what happens, as far as it has subscribed to it and may know. */
export class SlackEvents {
  readonly #world: SlackWorld;
  readonly #app: SlackApp;
  readonly #deliveries: Deliveries;
  readonly #origin: () => string;

  constructor(world: SlackWorld, app: SlackApp, deliveries: Deliveries, origin: () => string) {
    this.#world = world;
    this.#app = app;
    this.#deliveries = deliveries;
    this.#origin = origin;
  }

  /** A mention is told twice: as a message and as a mention, each with an id of its own. */
  posted(message: SlackMessage): Delivery[] {
    const wire = this.#inEvent(message);
    const told = this.#message(message.channel, { ...wire, event_ts: message.ts });
    const isMention =
      message.user !== this.#app.user.id && message.text.includes(`<@${this.#app.user.id}>`);
    const channel = this.#channel(message.channel);
    if (!isMention || channel.type === "im") return told;
    const { subtype: _, ...mention } = wire;
    const event = { ...mention, type: "app_mention", channel: channel.id, event_ts: message.ts };
    return [...told, ...this.happened("app_mention", event, channel)];
  }

  changed(message: SlackMessage, before: Fields): Delivery[] {
    const ts = this.#world.clock.nextTs();
    const event = { subtype: "message_changed", hidden: true, ts, event_ts: ts };
    const after = this.#inEvent(message);
    return this.#message(message.channel, {
      ...event,
      type: "message",
      message: after,
      previous_message: before,
    });
  }

  deleted(message: SlackMessage, before: Fields): Delivery[] {
    const ts = this.#world.clock.nextTs();
    return this.#message(message.channel, {
      type: "message",
      subtype: "message_deleted",
      hidden: true,
      deleted_ts: message.ts,
      previous_message: before,
      ts,
      event_ts: ts,
    });
  }

  /** Anything else that apps can subscribe to; in a channel only if the bot is there. */
  happened(type: string, event: Fields, channel?: SlackChannel): Delivery[] {
    const scope = EVENT_SCOPES[type];
    if (!this.#app.events.has(type)) return [];
    if (scope !== undefined && !this.#app.scopes.has(scope)) return [];
    if (channel && !channel.members.has(this.#app.user.id)) return [];
    const eventTs = event.event_ts ?? this.#world.clock.nextTs();
    return [this.#deliver({ ...event, type, event_ts: eventTs })];
  }

  wire(message: SlackMessage): Fields {
    return messageOnWire(this.#world, message, this.#origin());
  }

  #message(channelId: string, event: Fields): Delivery[] {
    const channel = this.#channel(channelId);
    const { event: subscription, scope } = MESSAGE_EVENTS[channel.type];
    if (!this.#app.events.has(subscription) || !this.#app.scopes.has(scope)) return [];
    if (!channel.members.has(this.#app.user.id)) return [];
    return [this.#deliver({ ...event, channel: channelId, channel_type: channel.type })];
  }

  /** Of files in channels that another team shares, an event says only that they exist. */
  #inEvent(message: SlackMessage): Fields {
    const wire = this.wire(message);
    if (!this.#channel(message.channel).isExternallyShared || !wire.files) return wire;
    const files = fieldsIn(wire.files).map(({ id }) => ({
      id,
      mode: "file_access",
      file_access: "check_file_info",
    }));
    return { ...wire, files };
  }

  #deliver(event: Fields): Delivery {
    const id = newId("Ev");
    return this.#deliveries.event(id, {
      token: this.#app.verificationToken,
      team_id: this.#world.team.id,
      context_team_id: this.#world.team.id,
      api_app_id: this.#app.id,
      event,
      type: "event_callback",
      event_id: id,
      event_time: this.#world.clock.nowSeconds(),
      authorizations: [
        {
          enterprise_id: null,
          team_id: this.#world.team.id,
          user_id: this.#app.user.id,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: false,
    });
  }

  #channel(id: string): SlackChannel {
    const channel = this.#world.channels.get(id);
    if (!channel) throw new Error(`There is no channel ${id}.`);
    return channel;
  }
}
