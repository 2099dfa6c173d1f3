import { createHash } from "node:crypto";
import type { RegisteredTool } from "../registered-tool.ts";

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["build_version_control", "build_and_version_control"],
]);

const LEGAL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const LIMIT_CHARS = 64;

/** A tool, and the operation where the name itself said which. */
export interface Meant {
  readonly tool: RegisteredTool;
  readonly operation?: string;
}

/**
 * What a called name means: a tool; one of its other names; or a tool and its operation with a dot in between.
 * Undefined when there is no such tool.
 */
export function meantBy(
  name: string,
  find: (name: string) => RegisteredTool | undefined,
): Meant | undefined {
  const tool = find(name) ?? find(canonical(name));
  if (tool) return { tool };
  const dot = name.indexOf(".");
  if (dot < 0) return undefined;
  const left = name.slice(0, dot);
  const operation = name.slice(dot + 1);
  const owner = find(left) ?? find(canonical(left));
  return owner && takesOperation(owner, operation) ? { tool: owner, operation } : undefined;
}

/** A tool for one purpose takes no operation, unless it has a parameter of that name. */
function takesOperation({ tool }: RegisteredTool, operation: string): boolean {
  const { single, name, operations } = tool.definition;
  if (!single || operation === name) return true;
  return Object.hasOwn(operations[name]?.params.shape ?? {}, "operation");
}

function canonical(name: string): string {
  return ALIASES.get(name) ?? name;
}

/**
 * The name under which a model is offered each tool, since models take letters, digits, `_` and `-` only. A name that
 * is fine stays, and a server's tool is `server__tool`; others are made so, with a hash where two would become the same
 * or one is too long.
 */
export function offeredNames(tools: readonly RegisteredTool[]): Map<string, string> {
  const wanted = new Map(tools.map((tool) => [nameOf(tool), wantedName(tool)]));
  const rivals = new Map<string, number>();
  for (const short of wanted.values()) rivals.set(short, (rivals.get(short) ?? 0) + 1);
  return new Map(
    Array.from(wanted, ([name, short]) => {
      const isFree = rivals.get(short) === 1 && LEGAL_NAME.test(short);
      return [name, LEGAL_NAME.test(name) || isFree ? short : withHash(name, short)];
    }),
  );
}

function wantedName(registered: RegisteredTool): string {
  const { server } = registered;
  const name = nameOf(registered);
  const wanted = server === "" ? name : `${server}__${name.slice(server.length + 1)}`;
  return wanted.replace(/[^A-Za-z0-9_-]/g, "_");
}

function withHash(name: string, short: string): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${short.slice(0, LIMIT_CHARS - 1 - hash.length)}_${hash}`;
}

function nameOf({ tool }: RegisteredTool): string {
  return tool.definition.name;
}
