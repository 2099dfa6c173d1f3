import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { SERVER_NAME } from "../contract/tools/foreign-tool.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { Entry, EntryFile, OWN_KEYS, type ServerEntry } from "./entry.ts";
import type { McpSettings } from "./settings.ts";
import { EntryError, expandVariables } from "./variables.ts";

/** What is configured, and one sentence for each entry that cannot be used. */
export interface Discovered {
  readonly entries: readonly ServerEntry[];
  readonly problems: readonly string[];
}

const PROJECT_DIRECTORY = fileURLToPath(new URL("../../mcp-servers", import.meta.url));
const LONGEST_NAME = 32;
const LARGEST_FILE = 8 * 1024 * 1024;

const INTERPRETERS: Readonly<Record<string, string>> = {
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
  ".py": "python3",
};

/**
 * Every server of the operator: those of the project's directory first, then those of the data directory, then those of
 * the `mcpServers` file. A name counts once: a later one never takes the place of an earlier one.
 */
export function discoverServers(settings: McpSettings, project = PROJECT_DIRECTORY): Discovered {
  const problems: string[] = [];
  const entries = new Map<string, ServerEntry>();
  const found = [
    ...inDirectory(project, { isCustom: false }, problems),
    ...inDirectory(join(settings.dataDir, "mcp-servers"), { isCustom: true }, problems),
    ...inFile(settings, problems),
  ];
  for (const { name, source, raw, directory } of found) {
    try {
      if (entries.has(name)) throw new EntryError(`${entries.get(name)?.source} has it already`);
      entries.set(name, readEntry({ name, source, raw, directory }, settings));
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      problems.push(`The MCP server "${name}" of ${source} is not started: ${error.message}.`);
    }
  }
  return { entries: [...entries.values()], problems };
}

interface Found {
  readonly name: string;
  readonly source: string;
  readonly raw: unknown;
  /** Where its files are; absent for entries of the `mcpServers` file. */
  readonly directory?: string | undefined;
}

function inDirectory(
  directory: string,
  { isCustom }: { readonly isCustom: boolean },
  problems: string[],
): Found[] {
  const names = filesIn(directory);
  const usable = names.filter((name) => !/^(\.|_|index\.)/.test(name));
  const described = new Set(usable.filter((name) => extname(name) === ".json").map(stem));
  return usable.flatMap((file): Found[] => {
    const source = join(directory, file);
    const name = stem(file);
    const interpreter = INTERPRETERS[extname(file)];
    if (extname(file) !== ".json" && (interpreter === undefined || described.has(name))) return [];
    try {
      checkFile(source, { isCustom });
      const raw: unknown =
        interpreter === undefined
          ? parseJson(readFileSync(source, "utf8"))
          : { command: interpreter, args: [file], [OWN_KEYS]: { files: [file] } };
      return [{ name, source, raw, directory }];
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      problems.push(`${source} is not started as an MCP server: ${error.message}.`);
      return [];
    }
  });
}

function inFile({ file, dataDir }: McpSettings, problems: string[]): Found[] {
  const source = file ?? join(dataDir, ".mcp.json");
  let text: string;
  try {
    text = readFileSync(source, "utf8");
  } catch (error) {
    if (file !== undefined)
      problems.push(`MCP_FILE names ${file}, which cannot be read: ${error}.`);
    return [];
  }
  try {
    const { success, data } = EntryFile.safeParse(parseJson(text));
    if (!success) throw new EntryError('it has no object "mcpServers"');
    return Object.entries(data.mcpServers).map(([name, raw]) => ({ name, source, raw }));
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    problems.push(`${source} cannot be read: ${error.message}.`);
    return [];
  }
}

/** By name. A directory that is not there has none. */
function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

/** What would run is the operator's own file, and nobody else's. */
function checkFile(path: string, { isCustom }: { readonly isCustom: boolean }): void {
  const file = lstatSync(path);
  if (!file.isFile()) throw new EntryError("it is not a regular file");
  if (file.size > LARGEST_FILE) throw new EntryError("it is larger than 8 MB");
  const writable = 0o002;
  if (isCustom && (file.mode & writable) !== 0) {
    throw new EntryError("everyone may write to it; take that right away with chmod o-w");
  }
  if (isCustom && (statSync(join(path, "..")).mode & writable) !== 0) {
    throw new EntryError(
      "everyone may write to its directory; take that right away with chmod o-w",
    );
  }
}

function readEntry({ name, source, raw, directory }: Found, settings: McpSettings): ServerEntry {
  if (!SERVER_NAME.test(name) || name.length > LONGEST_NAME) {
    throw new EntryError(
      `its name must be 1 to ${LONGEST_NAME} letters and digits, with single - or _ between them`,
    );
  }
  const { success, data, error } = Entry.safeParse(raw);
  if (!success) throw new EntryError(problemOf(raw, error));
  const own = data[OWN_KEYS];
  const expand = (text: string) => expandVariables(text, own.variables, settings);
  const files = Object.fromEntries(
    own.files.map((file) => [file, fileOf(directory, file, settings)]),
  );
  return {
    name,
    source,
    own,
    digest: createHash("sha256").update(canonicalJson(data)).digest("hex"),
    at:
      "url" in data
        ? {
            kind: "http",
            url: addressOf(expand(data.url)),
            headers: mapValues(data.headers, expand),
          }
        : {
            kind: "stdio",
            command: expand(data.command),
            args: data.args.map(expand),
            env: mapValues(data.env, expand),
            files,
          },
  };
}

function fileOf(directory: string | undefined, file: string, { dataDir }: McpSettings): Uint8Array {
  const path = join(directory ?? dataDir, file);
  try {
    checkFile(path, { isCustom: true });
    return readFileSync(path);
  } catch (error) {
    const why = error instanceof EntryError ? error.message : "it cannot be read";
    throw new EntryError(`of its file ${basename(path)}: ${why}`, { cause: error });
  }
}

function addressOf(url: string): string {
  const { protocol } = URL.canParse(url) ? new URL(url) : {};
  if (protocol === "http:" || protocol === "https:") return url;
  throw new EntryError("its url must begin with http:// or https://");
}

/** The problems of the kind of entry that was meant. */
function problemOf(raw: unknown, error: z.ZodError): string {
  const type = z.object({ type: z.string() }).safeParse(raw).data?.type;
  if (type === "sse") return "the transport sse is no longer supported; use http";
  const issue = error.issues[0];
  const unions = issue?.code === "invalid_union" ? issue.errors : [];
  const hasUrl = typeof raw === "object" && raw !== null && "url" in raw;
  const meant = unions[hasUrl ? 0 : 1]?.[0] ?? issue;
  const place = meant?.path.join(".");
  return `${place ? `${place}: ` : ""}${meant?.message ?? "it is not an object"}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new EntryError(`it is not JSON (${why})`, { cause: error });
  }
}

function stem(file: string): string {
  return basename(file, extname(file));
}

function mapValues(
  values: Readonly<Record<string, string>>,
  change: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
