const DAY_MS = 24 * 60 * 60_000;

/** "09:13 UTC", with its day where that is not today. */
export function clockTime(at: string, now = new Date()): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  const [day, time] = [date.toISOString().slice(0, 10), date.toISOString().slice(11, 16)];
  if (day === now.toISOString().slice(0, 10)) return `${time} UTC`;
  const named = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  }).format(date);
  return `${time} UTC on ${named}`;
}

/** "just now", "a minute ago", "5 minutes ago"; longer ago its time. */
export function timeAgo(at: string, now: Date): string {
  const passedMs = now.getTime() - Date.parse(at);
  if (Number.isNaN(passedMs) || passedMs >= DAY_MS) return `at ${clockTime(at, now)}`;
  const minutes = Math.floor(passedMs / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return minutes === 1 ? "a minute ago" : `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  return hours === 1 ? "an hour ago" : `${hours} hours ago`;
}
