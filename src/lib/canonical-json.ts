/**
 * The one way to write a value as JSON, so that equal values have equal bytes and can be hashed: keys in
 * the order of their UTF-16 code units, no white space, Unicode as it is. A property that is `undefined`
 * counts as not there. What JSON cannot say (NaN, a Date, a hole in an array) is refused, because two
 * different values would be written alike.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "string")
    return JSON.stringify(value);
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(",")}]`;
  if (typeof value === "object") return object(value);
  throw new TypeError(`A ${typeof value} cannot be written as JSON.`);
}

function number(value: number): string {
  if (!Number.isFinite(value))
    throw new TypeError(`The number ${value} cannot be written as JSON.`);
  return JSON.stringify(value);
}

function object(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError(
      `Only plain objects can be written as JSON, not a ${value.constructor.name}.`,
    );
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
