import type { EngineAnswer, EngineClient, EngineRequest, EngineStream } from "../engine-client.ts";
import type { GoldenSpec } from "../golden-spec.ts";
import type { OwnExecs } from "../own-execs.ts";
import type { OwnInstance } from "../own-instance.ts";
import { type ParsedRequest, RefusedError } from "../request.ts";
import type { RunningLimit } from "../running-limit.ts";

/** Everything that decides about a request, and the engine that gets the proxy's own in its place. */
export interface RouteParts {
  readonly engine: EngineClient;
  readonly golden: GoldenSpec;
  readonly instance: OwnInstance;
  readonly execs: OwnExecs;
  readonly running: RunningLimit;
  /** Names of the images that workspaces may be made from. */
  readonly images: readonly string[];
}

export type Outcome = EngineAnswer | EngineStream;

/** One kind of request that the bot sends. */
export interface Route {
  readonly method: EngineRequest["method"];
  /** Its first group is the request's target. */
  readonly path: RegExp;
  /** Every parameter that belongs here, with its only value or a pattern of it. */
  readonly query?: Readonly<Record<string, string | RegExp>>;
  readonly hasBody?: true;
  readonly isUpgrade?: true;
  /** Throws a RefusedError unless the rest of the request is what the bot sends. */
  readonly run: (request: RouteRequest, parts: RouteParts) => Promise<Outcome>;
}

export interface RouteRequest {
  /** The container, volume, image or process that the path names. */
  readonly target: string;
  readonly query: ParsedRequest["query"];
  readonly body: string;
}

/** Throws unless the text has exactly the bytes of this JSON. */
export function checkBody(text: string, expected: object): void {
  if (text !== JSON.stringify(expected))
    throw new RefusedError("The body differs from what the bot sends.");
}

type Fields = Record<string, unknown>;

/** Reduces a successful answer to what the bot reads of it. A failure of the engine's stays as it is. */
export function narrowAnswer(
  answer: EngineAnswer,
  narrow: (value: Fields) => unknown,
): EngineAnswer {
  if (answer.status >= 300) return answer;
  return { status: answer.status, body: JSON.stringify(narrow(JSON.parse(answer.body) as Fields)) };
}

export function pickFields(value: object, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

export function pickFieldsOfEach(values: unknown, names: readonly string[]): Fields[] {
  return Array.isArray(values) ? values.map((one: object) => pickFields(one, names)) : [];
}
