import type { GitSettings } from "./settings.ts";

/** Where a push of this branch goes, where the call names no repository. */
export function defaultRemote(branch: string | undefined, settings: GitSettings): string {
  const own = branch === undefined ? undefined : settings.last(`branch.${branch}.pushremote`);
  return own ?? settings.last("remote.pushdefault") ?? upstreamRemote(branch, settings);
}

/** The remote that a branch is compared with. */
export function upstreamRemote(branch: string | undefined, settings: GitSettings): string {
  const own = branch === undefined ? undefined : settings.last(`branch.${branch}.remote`);
  return own ?? "origin";
}

/** The addresses that a push to a remote reaches: git rewrites them as `url.*` says. */
export function pushAddresses(remote: string, settings: GitSettings): string[] {
  const named = settings.all(`remote.${remote}.pushurl`);
  if (named.length > 0) return named.map((url) => rewritten(url, settings, ".insteadof"));
  const urls = settings.all(`remote.${remote}.url`);
  return (urls.length > 0 ? urls : [remote]).map(
    (url) => rewrittenBy(url, settings, ".pushinsteadof") ?? rewritten(url, settings, ".insteadof"),
  );
}

/** Whether a remote has an address of its own; otherwise git looks for a file of its name. */
export function isConfigured(remote: string, settings: GitSettings): boolean {
  return ["url", "pushurl"].some((name) => settings.all(`remote.${remote}.${name}`).length > 0);
}

function rewritten(url: string, settings: GitSettings, kind: string): string {
  return rewrittenBy(url, settings, kind) ?? url;
}

/** The longest beginning wins. */
function rewrittenBy(url: string, settings: GitSettings, kind: string): string | undefined {
  const [best] = settings
    .between("url.", kind)
    .filter(({ value }) => value !== "" && url.startsWith(value))
    .sort((one, other) => other.value.length - one.value.length);
  return best && best.name + url.slice(best.value.length);
}

/** A password in an address stays out of the thread. */
export function withoutSecret(address: string): string {
  return address.replace(/(:\/\/[^/@\s:]*:)[^/@\s]*@/g, "$1***@");
}
