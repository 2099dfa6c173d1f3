import type { HostPort } from "../contract/network.ts";
import type { HostState, HostView } from "../contract/permission/hosts.ts";
import type { Workspace } from "../contract/workspace/workspace.ts";
import type { Command } from "./binding/command-text.ts";
import type { SeenHost, SeenRemote } from "./shell/seen-host.ts";
import { fromRemote } from "./shell/seen-hosts.ts";

/** What a call would reach, as far as can be seen before it runs. */
export interface Reached {
  /** Entries of hosts that people have to open first: "github.com:443". */
  readonly opens: readonly string[];
  /** Why it must not run: a host that is denied. */
  readonly denied: string | undefined;
  /** It names hosts, and all of them are open. */
  readonly isOpen: boolean;
}

export const NOTHING_REACHED: Reached = { opens: [], denied: undefined, isOpen: false };

/** Looks up every host that a command names, and the remotes of the repositories that it uses. */
export async function reachedBy(
  command: Command,
  view: HostView,
  workspace: Workspace,
): Promise<Reached> {
  const { hosts = [], remotes = [] } = command.class;
  const ofRemotes = await Promise.all(remotes.map((one) => hostsOfRemote(one, workspace)));
  return statesOf([...hosts, ...ofRemotes.flat()], view);
}

/** A list of hosts, each as it stands now. */
export function statesOf(hosts: readonly SeenHost[], view: HostView): Reached {
  const states = hosts.map(({ host, port }) => view.stateOf(host, port));
  const opens = states.flatMap((one) => (one.state === "unknown" ? entryOf(one.place) : []));
  const denied = states.find((one): one is Extract<HostState, { state: "denied" }> => {
    return one.state === "denied";
  });
  const isOpen = states.length > 0 && states.every(({ state }) => state === "open");
  return { opens: [...new Set(opens)], denied: denied?.reason, isOpen };
}

/** Where a remote of a repository leads; nothing where git does not say. */
async function hostsOfRemote(
  { directory, remote }: SeenRemote,
  workspace: Workspace,
): Promise<SeenHost[]> {
  if (!directory.startsWith("/")) return [];
  const { git } = await workspace.inspectCode({ directory, paths: [], git: [directory] });
  const urls = (git?.settings ?? []).flatMap(([key, value]): [string, string][] => {
    const [, name] = /^remote\.(.+)\.(?:push)?url$/.exec(key) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  const wanted = remote === "*" && urls.some(([name]) => name === "origin") ? "origin" : remote;
  return urls
    .filter(([name]) => wanted === "*" || name === wanted)
    .flatMap(([, url]) => fromRemote(url) ?? []);
}

/** The entry of a list that stands for one host and port. */
export function entryOf({ host, port }: HostPort): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
