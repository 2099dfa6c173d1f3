export interface Cost {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars; absent where the price is not known. */
  readonly dollars?: number;
  readonly durationMs: number;
}

/** "gpt-5 · 12.3k tokens · $0.042 · 1 min 5 s" */
export function costFooter({
  model,
  inputTokens,
  outputTokens,
  dollars,
  durationMs,
}: Cost): string {
  return [
    model,
    `${shortNumber(inputTokens + outputTokens)} tokens`,
    ...(dollars === undefined ? [] : [money(dollars)]),
    duration(durationMs),
  ].join(" · ");
}

function shortNumber(number: number): string {
  if (number < 1_000) return String(number);
  const [divided, unit] = number < 999_950 ? [number / 1_000, "k"] : [number / 1_000_000, "M"];
  return `${divided.toFixed(1).replace(/\.0$/, "")}${unit}`;
}

/** Never "$0.00" for something that did cost. */
function money(dollars: number): string {
  if (dollars > 0 && dollars < 0.001) return "< $0.001";
  return `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
