import type { z } from "zod";
import type { Adapter } from "../../src/contract/platform/adapter.ts";
import type { Platform, PlatformParts } from "../../src/contract/platform/platform.ts";

interface Definition<Schema extends z.ZodPipe<z.ZodObject>> {
  readonly name: string;
  readonly title: string;
  /** Of the environment. Its value is undefined where no token was given. */
  readonly schema: Schema;
  readonly secrets: (settings: NonNullable<z.output<Schema>>) => Readonly<Record<string, string>>;
  /** Loads the platform's library: only those that are set up cost a start anything. */
  readonly open: (
    settings: NonNullable<z.output<Schema>>,
    parts: PlatformParts,
  ) => Promise<Adapter>;
}

export function definePlatform<Schema extends z.ZodPipe<z.ZodObject>>({
  name,
  title,
  schema,
  secrets,
  open,
}: Definition<Schema>): Platform {
  return {
    title,
    settings: schema.in.shape as Platform["settings"],
    read(env) {
      const { data: settings, error } = schema.safeParse(env);
      if (settings === undefined || settings === null) return { error };
      const openAdapter = (parts: PlatformParts) => open(settings, parts);
      return { platform: { name, title, secrets: secrets(settings), open: openAdapter } };
    },
  };
}
