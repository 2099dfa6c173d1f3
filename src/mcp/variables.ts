import type { McpSettings } from "./settings.ts";

/** An entry that cannot be used. The message says what to correct. */
export class EntryError extends Error {
  override readonly name = "EntryError";
}

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Puts `${VAR}` and `${VAR:-default}` in their place. Only variables that the entry lists are looked at. */
export function expandVariables(
  text: string,
  listed: readonly string[],
  { variables, ownSecrets }: Pick<McpSettings, "variables" | "ownSecrets">,
): string {
  return text.replace(REFERENCE, (_, name: string, fallback: string | undefined) => {
    if (!listed.includes(name)) {
      throw new EntryError(
        `it uses \${${name}}, which is not among the variables of its x-deckhand object`,
      );
    }
    const value = variables[name] || fallback;
    if (value === undefined) throw new EntryError(`the variable ${name} is not set`);
    if (ownSecrets.has(value))
      throw new EntryError(`the variable ${name} holds a secret of the bot`);
    return value;
  });
}
