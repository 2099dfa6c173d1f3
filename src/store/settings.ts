import { z } from "zod";

const SqliteSettings = z.object({
  kind: z.literal("sqlite"),
  /** Made when it is not there, with mode 0600. */
  file: z.string().min(1),
});

export const RedisSettings = z.object({
  kind: z.literal("redis"),
  /** redis://, rediss:// (TLS) or unix:///path/of/the/socket. */
  url: z
    .string()
    .regex(/^(rediss?:\/\/.|unix:\/\/\/.)/, "must start with redis://, rediss:// or unix:///"),
  /** What all keys begin with, so that several bots can share one Redis. */
  prefix: z.string().min(1).max(200).default("deckhand:"),
  /** "assumed": the operator knows that this Redis keeps what it has acknowledged, and it is not asked. */
  durable: z.enum(["checked", "assumed"]).default("checked"),
  /** Until a connection or a command that is not answered counts as failed. */
  timeoutMs: z.number().int().min(1).default(5_000),
});
export type RedisSettings = z.infer<typeof RedisSettings>;

/** Where everything is kept that outlives the process. */
export const StoreSettings = z.discriminatedUnion("kind", [SqliteSettings, RedisSettings]);
export type StoreSettings = z.infer<typeof StoreSettings>;
