import { z } from "zod";

const Token = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{16,200}$/,
    "a token must be 16 to 200 letters, digits, _ or -; make one with `openssl rand -hex 24`",
  );

/** Somebody besides the owner. */
const Person = z.object({
  id: z.string().regex(/^[A-Za-z0-9_.-]{1,60}$/, "an id must contain only letters, digits, _ . -"),
  /** A bot is a program that tells something: everybody reads it, and nobody acts on it. */
  kind: z.enum(["member", "guest", "bot"]),
  token: Token,
});

const Origin = z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).origin);

/** The web chat's settings, from the environment as it is. */
export const WebConfig = z
  .object({
    WEB_HOST: z.string().min(1).default("127.0.0.1").describe("address to listen on"),
    WEB_PORT: z.coerce
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(4170)
      .describe("port to listen on"),
    WEB_TOKEN: Token.optional().describe(
      "the owner's token; by default generated at the first start and kept",
    ),
    WEB_ORIGINS: z
      .string()
      .default("")
      .transform((text) => listed(text))
      .pipe(z.array(Origin))
      .describe("addresses under which people reach it through a proxy, separated by commas"),
    WEB_PEOPLE: z
      .string()
      .default("")
      .transform((text) => listed(text).map(asPerson))
      .pipe(z.array(Person))
      .describe(
        "additional people as `id:kind:token`, separated by commas; kind is `member`, `guest` or `bot`",
      ),
  })
  .transform((values) => ({
    host: values.WEB_HOST,
    port: values.WEB_PORT,
    token: values.WEB_TOKEN,
    origins: values.WEB_ORIGINS,
    people: values.WEB_PEOPLE,
  }))
  .refine(({ people }) => new Set(["owner", ...people.map(({ id }) => id)]).size > people.length, {
    message: 'ids must be unique, and "owner" is reserved',
    path: ["WEB_PEOPLE"],
  })
  .refine(
    ({ people, token }) => new Set([token, ...people.map((one) => one.token)]).size > people.length,
    { message: "tokens must be unique", path: ["WEB_PEOPLE"] },
  );
export type WebConfig = z.infer<typeof WebConfig>;

function listed(text: string): string[] {
  return text.split(",").flatMap((part) => part.trim() || []);
}

function asPerson(text: string): { id?: string; kind?: string; token?: string } {
  const [id, kind, token] = text.split(":");
  return { ...(id && { id }), ...(kind && { kind }), ...(token && { token }) };
}
