/**
 * Writes docs/settings.md from the schemas that read the settings.
 *
 *   npm run settings-page
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { PLATFORMS } from "../adapters/platforms.ts";
import { WebConfig } from "../adapters/web/config.ts";
import { SETTING_GROUPS } from "../src/config.ts";
import { PROXY_ENV } from "../src/engine-proxy/settings.ts";

const FILE = join(import.meta.dirname, "../docs/settings.md");
const LINE_LENGTH = 150;

type Group = Readonly<Record<string, z.ZodType>>;

const { General, Store, Workspaces, Permission, Model, ...others } = SETTING_GROUPS;
const GROUPS: Readonly<Record<string, Group>> = {
  General,
  "Web chat": WebConfig.in.shape,
  ...Object.fromEntries(PLATFORMS.map(({ title, settings }) => [title, settings])),
  Workspaces,
  Store,
  Permission,
  Model,
  ...others,
  "Engine proxy": PROXY_ENV,
};

export function settingsPage(): string {
  const sections = Object.entries(GROUPS).map(
    ([title, group]) =>
      `## ${title}\n\n${Object.entries(group)
        .map(([name, schema]) => entry(name, schema))
        .join("\n")}\n`,
  );
  return `# Settings

Settings are environment variables. An empty variable counts as not set. Startup reports every invalid setting with the reason.
\`npm run settings-page\` writes this page.

${sections.join("\n")}`;
}

function entry(name: string, schema: z.ZodType): string {
  if (!schema.description)
    throw new Error(`${name} has no description: add .describe("…") to its schema.`);
  const notes = [optionsOf(schema), defaultOf(schema)].filter((note) => note !== undefined);
  const note = notes.length > 0 ? ` _(${notes.join("; ")})_` : "";
  return wrapped(`- **\`${name}\`**: ${schema.description}.${note}`);
}

function defaultOf(schema: z.ZodType): string | undefined {
  const { success, data } = schema.safeParse(undefined);
  const isPlain = ["string", "number", "boolean"].includes(typeof data);
  return success && isPlain ? `default \`${data}\`` : undefined;
}

/** The words to choose from. */
function optionsOf(schema: z.ZodType): string | undefined {
  const { type, entries, innerType } = schema.def as {
    readonly type: string;
    readonly entries?: Readonly<Record<string, string>>;
    readonly innerType?: z.ZodType;
  };
  if (type === "enum" && entries)
    return Object.values(entries)
      .map((word) => `\`${word}\``)
      .join(", ");
  return innerType && optionsOf(innerType);
}

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < LINE_LENGTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `  ${word}`);
  }
  return lines.join("\n");
}

if (import.meta.main) writeFileSync(FILE, settingsPage());
