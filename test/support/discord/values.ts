export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function stringIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export function numberIn(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Undefined: it is no JSON. */
export function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Discord does not say what it counts as a character; by the strictest count nobody is surprised. */
export function lengthOf(text: string): number {
  return text.length;
}

/** Discord takes characters out that are none, and the space around a text. */
export function cleaned(text: string): string {
  return text.replace(/\p{Surrogate}|\0/gu, "").trim();
}
