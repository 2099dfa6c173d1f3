/**
 * Of names such as `slack`, `slack:T012` and `slack:T012:C345`, the one that says most exactly where something is: its own
 * name, or that of something around it.
 */
export function nearestPlace(names: readonly string[], place: string): string | undefined {
  return names
    .filter((name) => place === name || place.startsWith(`${name}:`))
    .reduce<string | undefined>(
      (best, name) => (name.length > (best?.length ?? 0) ? name : best),
      undefined,
    );
}
