/** Settings that decide where git sends or fetches, or whose further settings it obeys. */
const DIRECTING =
  /^(?:url\..*\.(?:insteadof|pushinsteadof)|remote\..*\.(?:url|pushurl|push|proxy)|https?\..*proxy|http\.(?:.*\.)?(?:sslverify|extraheader|proxy|cookiefile)|include\.path|includeif\..*|branch\..*\.pushremote|remote\.pushdefault|push\.default|core\.worktree)$/is;

const MOST_SHOWN = 12;
const MOST_CHARS = 200;

/** What a card says about the settings of the repository that git would obey: they are files of the workspace. */
export function gitNotes(settings: readonly (readonly [string, string])[]): string[] {
  const shown = settings
    .filter(([key]) => DIRECTING.test(key))
    .map(([key, value]) => `${key}=${withoutSecret(value)}`.slice(0, MOST_CHARS));
  if (shown.length === 0) return [];
  const more = shown.length > MOST_SHOWN ? [`and ${shown.length - MOST_SHOWN} more`] : [];
  return [
    `Git obeys these settings of the repository: ${[...shown.slice(0, MOST_SHOWN), ...more].join(", ")}.`,
  ];
}

/** A password in an address stays out of the thread. */
function withoutSecret(value: string): string {
  return value.replace(/(:\/\/[^/@\s:]*:)[^/@\s]*@/g, "$1***@");
}
