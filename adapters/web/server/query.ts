import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { CleanText } from "../clean-text.ts";
import type { Asked } from "./asked.ts";

const PATH_BYTES = 4_096;
const NAME_BYTES = 255;

/** A path as Linux accepts it; the empty one means the workspace itself. */
const Path = CleanText.refine((path) => path === "" || path.trim() !== "", "must not be blank")
  .refine(
    (path) => Buffer.byteLength(path) <= PATH_BYTES,
    `must be at most ${PATH_BYTES} bytes long`,
  )
  .refine(
    (path) => path.split("/").every((name) => Buffer.byteLength(name) <= NAME_BYTES),
    `must have at most ${NAME_BYTES} bytes between slashes`,
  );

const Position = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);

export function pathIn(asked: Asked): string {
  return parameter(asked, "path", Path) ?? "";
}

/** The number before which entries are wanted; undefined to start at the newest. */
export function beforeIn(asked: Asked): number | undefined {
  return parameter(asked, "before", Position);
}

function parameter<Value>(asked: Asked, name: string, schema: z.ZodType<Value, string>) {
  const [first, ...others] = rawParameters(asked, name);
  if (first === undefined) return undefined;
  if (first.key !== name || others.length > 0)
    throw badParameter(name, "must be given exactly once");
  const parsed = schema.safeParse(decoded(name, first.value));
  if (parsed.success) return parsed.data;
  throw badParameter(name, parsed.error.issues[0]?.message ?? "is not valid");
}

/** Undecoded: the usual decoders replace or keep escapes that are no UTF-8 instead of refusing them. */
function rawParameters(asked: Asked, name: string) {
  const query = asked.req.url.split("?").slice(1).join("?").split("#", 1)[0] ?? "";
  return query.split("&").flatMap((pair) => {
    const [key = "", ...value] = pair.split("=");
    const isNamed = key === name || /^\[|^%5b/i.test(key.slice(name.length));
    return key.startsWith(name) && isNamed ? [{ key, value: value.join("=") }] : [];
  });
}

function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    throw badParameter(name, "must be percent-encoded UTF-8", error);
  }
}

function badParameter(name: string, problem: string, cause?: unknown): HTTPException {
  return new HTTPException(400, { message: `The parameter "${name}" ${problem}.`, cause });
}
