import { createContext, Script } from "node:vm";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchema } from "../contract/tools/foreign-tool.ts";
import { isDeeperThan } from "../lib/json-depth.ts";

/** What is wrong with arguments, in words. Undefined: nothing. */
export type CheckArguments = (args: unknown) => string | undefined;

/** A schema that cannot be used. The message says why. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

const LIMIT_CHARS = 64 * 1024;
const LIMIT_DEPTH = 32;
/** A schema can be written such that it takes for ever, by a pattern or by references; the whole bot would wait. */
const COMPILE_MS = 1000;
const CHECK_MS = 250;

/** Makes a check of a server's schema. Throws a SchemaError for one that is none, is too large, or takes too long. */
export function compileSchema(schema: JsonSchema): CheckArguments {
  checkSize(schema);
  if (schema.type !== "object") throw new SchemaError('its schema is not of type "object"');
  const validate = compile(schema);
  return (args) => {
    const outcome = attempt(() => validate(args) === true, CHECK_MS);
    if (outcome === "too-slow") return "the server's schema takes too long to check";
    if (outcome instanceof Error) return `the server's schema cannot be used: ${outcome.message}`;
    return outcome ? undefined : problemOf(validate.errors?.[0]);
  };
}

function checkSize(schema: JsonSchema): void {
  if (isDeeperThan(schema, LIMIT_DEPTH)) {
    throw new SchemaError(`its schema is deeper than ${LIMIT_DEPTH} levels`);
  }
  if (JSON.stringify(schema).length > LIMIT_CHARS) {
    throw new SchemaError(`its schema is longer than ${LIMIT_CHARS / 1024} KB`);
  }
}

const OPTIONS: Options = {
  strict: false,
  // Words such as "uri" help a model; the server itself checks them.
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
};
const compilers = new Map<string, Ajv>();

function compile({ $schema, ...schema }: JsonSchema): ValidateFunction {
  const isOld = typeof $schema === "string" && /draft-0[67]/.test($schema);
  const dialect = isOld ? "draft-07" : "2020-12";
  const compiler = compilers.get(dialect) ?? new (isOld ? Ajv : Ajv2020)(OPTIONS);
  compilers.set(dialect, compiler);
  const outcome = attempt(() => compiler.compile(schema), COMPILE_MS);
  // It was stopped anywhere, so what it holds by now is not to be relied on.
  if (outcome === "too-slow" || outcome instanceof Error) compilers.delete(dialect);
  else compiler.removeSchema(schema);
  if (outcome === "too-slow") throw new SchemaError("its schema takes too long to read");
  if (outcome instanceof Error) throw new SchemaError(`its schema is invalid: ${outcome.message}`);
  return outcome;
}

function problemOf(error: ErrorObject | undefined): string {
  if (!error) return "the arguments do not fit the server's schema";
  const place = error.instancePath.slice(1).replaceAll("/", ".");
  const more = wordsOf(error);
  return `${place === "" ? "" : `${place}: `}${error.message ?? error.keyword}${more}`;
}

function wordsOf({ keyword, params }: ErrorObject): string {
  if (keyword === "additionalProperties") return ` (${String(params.additionalProperty)})`;
  if (keyword === "enum") return ` (${JSON.stringify(params.allowedValues).slice(0, 300)})`;
  return "";
}

const sandbox: { run: () => void } = { run: () => {} };
const context = createContext(sandbox);
const script = new Script("run()");

/** Runs work of ours on data that is not, and ends it when its time is over, even inside a regular expression. */
function attempt<Value>(work: () => Value, timeoutMs: number): Value | Error | "too-slow" {
  let outcome: Value | Error = new Error("it did not end");
  sandbox.run = () => {
    outcome = work();
  };
  try {
    script.runInContext(context, { timeout: timeoutMs });
    return outcome;
  } catch (error) {
    if (isTimeout(error)) return "too-slow";
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    sandbox.run = () => {};
  }
}

/** It comes from the other context, so it is no Error of this one. */
function isTimeout(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
