import { z } from "zod";

const Pattern = z.string().regex(/^[A-Za-z0-9_./*-]{1,128}$/, {
  error: "must be a tool's name; * stands for any characters",
});
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Our own keys of an entry, in one object that other programs ignore. */
const OwnKeys = z.strictObject({
  /** True: the hints of the server itself count, by which its tools are read-only or not. */
  trust: z.boolean().default(false),
  /** Tools that run unasked. */
  readOnly: z.array(Pattern).default([]),
  /** The only tools that are offered; all of them when left out. */
  allow: z.array(Pattern).optional(),
  deny: z.array(Pattern).default([]),
  /** Where its tools are offered, each `platform:team:channel`; everywhere when left out. */
  channels: z.array(z.string().min(1)).optional(),
  /** How long a call may take, in seconds. */
  timeout: z.number().positive().max(3600).default(30),
  /** The variables of the bot's environment that the entry may use. */
  variables: z.array(z.string().regex(VARIABLE)).default([]),
  /** True: it runs on the bot's own machine instead of in a container. */
  host: z.boolean().default(false),
  /** Of its container. */
  image: z.string().min(1).optional(),
  /** A Docker network for its container; none when left out. */
  network: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/)
    .refine((name) => name !== "host", {
      error: 'must not be "host"; host: true runs the server on the bot\'s machine',
    })
    .optional(),
  memoryMb: z.number().int().min(32).default(512),
  /** Files beside the entry that are copied to where it runs. */
  files: z.array(z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/)).default([]),
  /** "auto" asks the server first whether it speaks the protocol of 2026. */
  protocol: z.enum(["auto", "legacy"]).optional(),
});

export const OWN_KEYS = "x-deckhand";

const common = { [OWN_KEYS]: OwnKeys.default(OwnKeys.parse({})) };

const StdioEntry = z.object({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string().regex(VARIABLE), z.string()).default({}),
  ...common,
});

const HttpEntry = z.object({
  type: z.enum(["http", "streamable-http", "streamableHttp"]).optional(),
  url: z.string().min(1),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string()).default({}),
  ...common,
});

/** One server as operators write it for any MCP client. */
export const Entry = z.union([HttpEntry, StdioEntry]);
export type Entry = z.infer<typeof Entry>;

export const EntryFile = z.object({ mcpServers: z.record(z.string(), z.unknown()) });

/** A server as it can be started: every variable is in its place. */
export interface ServerEntry {
  readonly name: string;
  /** The file that it stands in. */
  readonly source: string;
  readonly at: StdioServer | HttpServer;
  readonly own: z.infer<typeof OwnKeys>;
  /** Changes with the entry, but not with the values of variables: tokens are renewed. */
  readonly digest: string;
}

export interface StdioServer {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** By name, as they are copied to where it runs. */
  readonly files: Readonly<Record<string, Uint8Array>>;
}

export interface HttpServer {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.\\]/g, "\\$&"));
    return new RegExp(`^${parts.join("[\\s\\S]*")}$`).test(name);
  });
}
