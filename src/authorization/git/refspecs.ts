import type { PushCall } from "../shell/git-pushes.ts";
import { upstreamRemote } from "./remote.ts";
import type { GitSettings } from "./settings.ts";

/** One thing that a push sends. */
export interface Refspec {
  /** Empty: the destination is deleted. */
  readonly source: string;
  /** Undefined: the source's own name. */
  readonly destination: string | undefined;
  readonly isForced: boolean;
}

/** What a push sends: named refs, or everything of a kind. */
export type PushScope =
  | { readonly kind: "refs"; readonly refspecs: readonly Refspec[] }
  | { readonly kind: "branches" | "mirror" | "tags" };

export interface PushPlace {
  readonly remote: string;
  /** The current branch without `refs/heads/`; undefined for a detached HEAD. */
  readonly branch: string | undefined;
  readonly settings: GitSettings;
}

/** What git would push, by the call's words and the repository's settings. */
export function scopeOfPush(push: PushCall, place: PushPlace): PushScope {
  const { remote, settings } = place;
  if (push.whole === "mirror" || settings.isTrue(`remote.${remote}.mirror`))
    return { kind: "mirror" };
  if (push.whole === "branches") return { kind: "branches" };
  if (push.refspecs.length > 0) return refs(push.refspecs.map((text) => mapped(text, place, push)));
  if (push.whole === "tags") return { kind: "tags" };
  if (!push.obeysSettings) return { kind: "branches" };
  const configured = settings.all(`remote.${remote}.push`);
  return configured.length > 0 ? refs(configured.map(refspecOf)) : byDefault(place);
}

/** Matching branches, and patterns, are more than one ref. */
function refs(refspecs: readonly Refspec[]): PushScope {
  const isOpen = refspecs.some(
    ({ source, destination }) =>
      source.startsWith("^") || source.includes("*") || (source === "" && !destination),
  );
  return isOpen ? { kind: "branches" } : { kind: "refs", refspecs };
}

function byDefault({ remote, branch, settings }: PushPlace): PushScope {
  const way = settings.last("push.default") ?? "simple";
  if (way === "matching") return { kind: "branches" };
  if (way === "nothing" || branch === undefined) return refs([]);
  const source = `refs/heads/${branch}`;
  const merges = settings.all(`branch.${branch}.merge`);
  const isUpstream = /^(?:upstream|tracking)$/.test(way);
  const destinations = isUpstream && merges.length > 0 ? merges : [source];
  // Simple refuses a branch whose upstream has another name, so it never reaches one.
  const isRefused = isUpstream && remote !== upstreamRemote(branch, settings);
  return refs(
    isRefused ? [] : destinations.map((destination) => ({ source, destination, isForced: false })),
  );
}

/** A ref without a destination is mapped by the remote's own refspecs, or by its upstream. */
function mapped(text: string, { remote, settings }: PushPlace, push: PushCall): Refspec {
  const given = refspecOf(text);
  if (given.destination !== undefined || !push.obeysSettings) return given;
  // Git maps names of branches, and HEAD is none.
  if (given.source === "HEAD") return given;
  const name = given.source.replace(/^(?:refs\/)?heads\//, "");
  const [first] = settings
    .all(`remote.${remote}.push`)
    .map(refspecOf)
    .flatMap((one) => matched(one, `refs/heads/${name}`));
  if (first) return { ...first, isForced: first.isForced || given.isForced };
  const [merge] = settings.all(`branch.${name}.merge`);
  const isUpstream = /^(?:upstream|tracking)$/.test(settings.last("push.default") ?? "");
  return isUpstream && merge !== undefined ? { ...given, destination: merge } : given;
}

/** The refspec for one ref, where it or its pattern is for that ref. */
function matched(refspec: Refspec, ref: string): Refspec[] {
  const { source, destination = source } = refspec;
  if (!source.includes("*")) return source === ref ? [{ ...refspec, destination }] : [];
  const [start = "", end = ""] = source.split("*");
  if (!ref.startsWith(start) || !ref.endsWith(end) || ref.length < start.length + end.length)
    return [];
  const middle = ref.slice(start.length, ref.length - end.length);
  return [{ ...refspec, source: ref, destination: destination.replace("*", middle) }];
}

function refspecOf(text: string): Refspec {
  const isForced = text.startsWith("+");
  const plain = isForced ? text.slice(1) : text;
  const colon = plain.indexOf(":");
  const source = colon < 0 ? plain : plain.slice(0, colon);
  const destination = colon < 0 ? undefined : plain.slice(colon + 1);
  return {
    source: source === "@" ? "HEAD" : source,
    destination: destination === "" && source !== "" ? undefined : destination,
    isForced,
  };
}
