/** Plain JSON, by itself: the web page, which has no store, reads this file too. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type JsonSchema = { readonly [key: string]: Json };

/** What makes an operation foreign: an external server runs it, and nobody here knows what it does. */
export interface ForeignOperation {
  /** The server's name in the operator's configuration. */
  readonly server: string;
  /** SHA-256 of everything an approver relies on: the server's entry, and the tool's name, description and schema. */
  readonly digest: string;
  /** The server's own schema of the parameters. */
  readonly schema: JsonSchema;
  /** The only channels where it may be used, each `platform:team:channel`. Absent: everywhere. */
  readonly channels?: readonly string[];
}

/** What a server's name may be: never two `_` in a row, which separate it from the tool's where models see both. */
export const SERVER_NAME = /^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$/;

/** The name of a server's tool: its operation key, and `server.*` in a policy means all of them. */
export function foreignToolName(server: string, tool: string): string {
  return `${server}.${tool}`;
}
