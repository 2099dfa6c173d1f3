import { OperatorError } from "../../lib/operator-error.ts";

const UNIT_SECONDS = { s: 1, m: 60, h: 3600 } as const;
const LONGEST_SECONDS = 24 * 3600;
export const DEFAULT_GRANT_SECONDS = 300;

/** "30s", "5m", "1h" in seconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const found = /^(\d{1,9})([smh])$/.exec(text.trim());
  if (!found) return undefined;
  return Number(found[1]) * UNIT_SECONDS[found[2] as keyof typeof UNIT_SECONDS];
}

/** Why a duration cannot be used as a setting, or undefined when it can. */
export function durationProblem(text: string): string | undefined {
  const seconds = parseDuration(text);
  if (seconds === undefined)
    return 'must be a whole number with s, m or h, for example "5m" or "1h"';
  if (seconds === 0) return "must be longer than zero";
  if (seconds > LONGEST_SECONDS) return "must be at most 24h";
  return undefined;
}

/** How long a timed grant lasts. What cannot be understood counts as five minutes; zero and more than a day are refused. */
export function grantSeconds(setting: string, warn: (message: string) => void): number {
  const seconds = parseDuration(setting);
  if (seconds === undefined) {
    warn(
      `GRANT_DURATION "${setting}" is not a duration such as "5m", so grants last ${DEFAULT_GRANT_SECONDS} s.`,
    );
    return DEFAULT_GRANT_SECONDS;
  }
  const problem = durationProblem(setting);
  if (problem) throw new OperatorError(`GRANT_DURATION "${setting}" ${problem}.`);
  return seconds;
}

/** "5 min", "1 h", "90 s": as a button says it. */
export function sayDuration(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
