import { GatewayDispatchEvents, GatewayOpcodes, InteractionType } from "discord.js";
import { z } from "zod";

/** Discord's ids are 64-bit numbers. */
const Snowflake = z.string().regex(/^\d{1,19}$/, "an id must be a number of at most 19 digits");
const Time = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), "a time must be ISO 8601");
const User = z.looseObject({ id: Snowflake, username: z.string(), bot: z.boolean().optional() });
const Member = z.looseObject({ roles: z.array(Snowflake) });

const File = z.looseObject({
  id: Snowflake,
  filename: z.string(),
  size: z.int().min(0),
  title: z.string().nullish(),
  content_type: z.string().nullish(),
});

/** The part of a message that a reply or a forwarded message carries along. */
const Quoted = z.looseObject({
  content: z.string(),
  attachments: z.array(File).optional(),
  components: z.array(z.looseObject({})).optional(),
});

const Message = Quoted.extend({
  id: Snowflake,
  channel_id: Snowflake,
  guild_id: Snowflake.optional(),
  type: z.int(),
  flags: z.int().optional(),
  author: User,
  member: Member.optional(),
  webhook_id: Snowflake.optional(),
  mentions: z.array(User).optional(),
  mention_roles: z.array(Snowflake).optional(),
  message_reference: z
    .looseObject({ message_id: Snowflake.optional(), channel_id: Snowflake.optional() })
    .optional(),
  referenced_message: Quoted.nullish(),
  message_snapshots: z.array(z.looseObject({ message: Quoted })).optional(),
});

const Thread = z.looseObject({
  id: Snowflake,
  guild_id: Snowflake.optional(),
  parent_id: Snowflake.nullish(),
  last_message_id: Snowflake.nullish(),
  thread_metadata: z
    .looseObject({
      archived: z.boolean(),
      archive_timestamp: Time,
      auto_archive_duration: z.number().optional(),
    })
    .optional(),
});

const NAMED_BY: Readonly<Record<number, string>> = {
  [InteractionType.ApplicationCommand]: "name",
  [InteractionType.ApplicationCommandAutocomplete]: "name",
  [InteractionType.MessageComponent]: "custom_id",
  [InteractionType.ModalSubmit]: "custom_id",
};

const Interaction = z
  .looseObject({
    id: Snowflake,
    token: z.string().min(1),
    type: z.int(),
    data: z.looseObject({}).optional(),
    channel: z.looseObject({ id: Snowflake }).optional(),
    member: z.looseObject({ user: User, roles: z.array(Snowflake) }).optional(),
    user: User.optional(),
  })
  .refine(({ member, user }) => member ?? user, "an interaction must have a user")
  .refine(({ type, data }) => {
    const name = NAMED_BY[type];
    return name === undefined || typeof data?.[name] === "string";
  }, "an interaction must have a command or component");

/** The shape that each event must have for this adapter to read it. Other events pass unread. */
export const PACKETS = {
  [GatewayDispatchEvents.MessageCreate]: Message,
  // Discord also sends an update without an author when it shows what is behind a link.
  [GatewayDispatchEvents.MessageUpdate]: Message.partial().extend({
    id: Snowflake,
    channel_id: Snowflake,
    edited_timestamp: Time.nullish(),
  }),
  [GatewayDispatchEvents.MessageDelete]: z.looseObject({ id: Snowflake, channel_id: Snowflake }),
  [GatewayDispatchEvents.MessageDeleteBulk]: z.looseObject({
    ids: z.array(Snowflake),
    channel_id: Snowflake,
  }),
  [GatewayDispatchEvents.ThreadUpdate]: Thread,
  [GatewayDispatchEvents.ThreadDelete]: Thread,
  [GatewayDispatchEvents.ChannelDelete]: z.looseObject({ id: Snowflake }),
  [GatewayDispatchEvents.InteractionCreate]: Interaction,
} as const satisfies Partial<Record<GatewayDispatchEvents, z.ZodType>>;

export type ReadEvent = keyof typeof PACKETS;

const Sequence = z.int().min(0).nullish();
const Ready = z.looseObject({
  session_id: z.string().min(1),
  resume_gateway_url: z.url({ protocol: /^wss?$/ }),
});
const Hello = z.looseObject({ heartbeat_interval: z.int().min(1) });

const Dispatch = z
  .looseObject({ t: z.string(), s: z.int().min(0), d: z.unknown() })
  .refine(
    ({ t, d }) => t !== GatewayDispatchEvents.Ready || Ready.safeParse(d).success,
    "READY must have a session",
  );

const CONTROL: Readonly<Record<number, z.ZodType>> = {
  [GatewayOpcodes.Dispatch]: Dispatch,
  [GatewayOpcodes.Heartbeat]: z.looseObject({ s: Sequence }),
  [GatewayOpcodes.Reconnect]: z.looseObject({ s: Sequence }),
  [GatewayOpcodes.InvalidSession]: z.looseObject({ d: z.boolean() }),
  [GatewayOpcodes.Hello]: z.looseObject({ d: Hello }),
  [GatewayOpcodes.HeartbeatAck]: z.looseObject({ s: Sequence }),
};

/** What is wrong with a packet of the gateway; undefined where the library can act on it. */
export function packetFault(packet: unknown): string | undefined {
  const head = z.looseObject({ op: z.int() }).safeParse(packet);
  if (!head.success) return z.prettifyError(head.error);
  const shape = CONTROL[head.data.op];
  if (!shape) return `unknown opcode ${head.data.op}`;
  const read = shape.safeParse(packet);
  return read.success ? undefined : z.prettifyError(read.error);
}
