import { operandsOf } from "../options.ts";
import { readable, type Word } from "../word.ts";

/** What the first telling word of a client says that it does. */
export type Doing = "looks" | "works" | "acts";

/** Verbs after which something is gone, also behind what they apply to: `pg:reset`, `apps:destroy`. */
export const ENDS =
  /^(?:[\w-]+[:.-])*(?:delete|deleteall|del|destroy|purge|terminate|uninstall|rb|rm|drop|dismiss|decommission|nuke|remove|reset|wipe|erase|empty|expunge|obliterate|teardown|undeploy|deprovision)(?:[-_][\w-]+)?$|^(?:rm|drop|del)(?:pool|db|user|topic|bucket|index|table|image|node)s?$/;

/** Words that say that a client only looks, alone or with what they look at: `list-builds`, `apps:report`. */
const LOOKS =
  /^(?:[\w-]+:)*(?:(?:get|list|ls|show|describe|view|search|query|find|read|check|verify|lookup|print|decode|explain|inspect|observe)(?:[-_][\w-]+)?|status|logs?|info|diff|history|ps|health|tail|top|events|outputs?|report|peers|tree|stats?|df|du|versions?|whoami|help|download|pull|watch|monitor|cat|what-if|validate|lint|preview|estimate|count|dump|catalog|quota|usage|completion)$|^(?:get|list)[a-z]+$|[a-z]info$/;

/** `crictl pods`, `bosh -e prod deployments`: a kind of thing, and nothing said about it. */
const LISTED = /^[\w:-]*[a-z]{2}s$|^\w+ (?:deployments|releases|stemcells|vms|instances|tasks)$/;

const LOOKS_OR_KIND = /^(?:catalog|event|output|peer|quota|report|version|view|watch)(?:e?s)?$/;

/** Words that say that it works on files here. */
const WORKS =
  /^(?:[\w-]+:)*(?:build|compile|test|fmt|format|dev|serve|synth|package|pack|bundle|plan|render|template|convert|generate|gen|new|init|doc|docs|clean|doctor|config|completions?|dependency|deps|console|repl|bench|analyze|analyse|transpile|typecheck|export|scan|detect|encode|decrypt|encrypt|fs|filesystem|image|sbom)(?:[-_][\w-]+)?$/;

/** Words that say that it acts; what follows one is no verb any more. */
const ACTS =
  /^(?:[\w-]+:)*(?:create|add|set|update|apply|push|upload|put|post|patch|edit|start|stop|restart|run|submit|call|deploy|enable|disable|send|transfer|register|join|scale|import|install|exec|ssh|write|grant|invite|approve|cancel|retry|trigger|promote|attach|detach|move|mv|cp|copy|sync|mb|resize|switch|rotate|suspend|resume|pause|reboot|produce|replace|rollback|undo|link|unlink|bind|unbind|associate|disassociate|assign|unassign|modify|authorize|activate|deactivate|lock|unlock|open|close|merge|publish|release|failover|migrate|rename|tag|untag|label|annotate|taint|expose|drain|cordon|evict|kill|revoke|invoke|execute|re(?:submit|run|build|start|create|try|deploy|boot|load|set|store|name|play|tag|index|place|configure))(?:[-_:][\w-]+)?$/;

/** `DeleteInstance` as `delete-instance`. */
function kebab(word: string): string {
  return word.replaceAll(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
}

export function verbsAmong(args: readonly Word[]): string[] {
  return operandsOf(args).map(({ shape }) => kebab(readable(shape)));
}

/**
 * What the first of these words that is a verb says; what stands behind it is no verb any more. Only a program that
 * may belong to this machine `works`: a client of another one has things of such names.
 */
export function doingOf(words: readonly string[], { mayWork = false } = {}): Doing | undefined {
  for (const [index, word] of words.slice(0, 4).entries()) {
    // `events create`: what is a verb elsewhere is a kind of thing here.
    const isKind = LOOKS_OR_KIND.test(word) && ACTS.test(words[index + 1] ?? "");
    if (looks(word) && !isKind) return "looks";
    if (ACTS.test(word)) return "acts";
    if (mayWork && WORKS.test(word)) return "works";
  }
  return LISTED.test(words.join(" ")) ? "looks" : undefined;
}

export function looks(word: string): boolean {
  return LOOKS.test(word);
}

/** Whether a client only looks, at nothing that opens anything: the kind of thing may stand before the verb. */
export function looksOnly(words: readonly string[]): boolean {
  return (
    doingOf(words) === "looks" &&
    !words
      .slice(0, 4)
      .some((word) => /secret|token|config|credential|passw|^keys?$|-key$/.test(word))
  );
}

/** Kinds of things that live with a service and not in a directory. */
const SERVED =
  /^(?:account|alert|app|application|backup|bucket|build|certificate|channel|charge|cluster|container|customer|database|deployment|disk|domain|droplet|environment|firewall|function|group|incident|index|instance|invoice|issue|job|key|machine|member|message|monitor|mr|network|node|order|org|organization|payment|pipeline|policy|pr|project|queue|record|release|role|secret|server|service|site|snapshot|stream|subscription|team|tenant|ticket|token|topic|user|vm|volume|webhook|workflow|zone)s?$/;

/** `update user ann`, `incidents create`, `clusters pause`: such a thing, and a verb that acts on it. */
export function actsOnServed(words: readonly string[]): boolean {
  if (ACTS.test(words[0] ?? "") && SERVED.test(words[1] ?? "") && words.length > 2) return true;
  const at = words.slice(0, 4).findIndex((word) => SERVED.test(word));
  return at >= 0 && doingOf(words.slice(0, at)) === undefined && ACTS.test(words[at + 1] ?? "");
}

/** Kinds of things that belong to a program or to a directory here, so that a verb behind them stays here. */
const KEPT_HERE =
  /^(?:addon|alias|annotation|asset|book|branch|bundle|cache|cell|chart|component|completion|config|configuration|controller|dep|dependenc(?:y|ie)|dictionar(?:y|ie)|doc|dotfile|editor|entity|env|extension|feature|file|fixture|font|formula|generator|global|hook|kernel|kernelspec|key-?binding|layer|lib|library|link|local|migration|model|module|note|package|page|patch|plugin|preset|profile|project|remote|repo|repositor(?:y|ie)|schema|script|shell|shim|skeleton|snippet|source|stash|story|storie|submodule|target|tap|template|test|theme|tool|toolchain|translation|type|venv|version|view|workspace|worktree)s?$/;

/** Behind a kind of thing these are verbs, too; alone they may be names. */
const ACTS_ON_KIND =
  /^(?:accept|archive|assign|ban|block|book|buy|charge|comment|complete|confirm|deny|dismiss|finish|flip|mark|mute|order|page|pay|pin|react|refund|reject|reply|reschedule|schedule|share|ship|silence|snooze|subscribe|toggle|transition|un(?:archive|ban|block|mute|pin|silence|subscribe)|upsert)$/;

/** Verbs for things that run, which files and settings do not. */
const ACTS_ON_RUNNING =
  /^(?:pause|resume|suspend|restart|reboot|scale|failover|promote|cancel|activate|deactivate|override|escalate|page)$/;

/**
 * `meetings create`, `crm contacts update`: a program that has a word for a kind of thing before its verb is the client
 * of a service, unless such things belong to this machine. The verb's word, or undefined.
 */
export function verbOnKind(words: readonly string[]): string | undefined {
  // Only what runs somewhere is paused: `tests pause`.
  const kept = words.slice(1, 3).some((word) => ACTS_ON_RUNNING.test(word))
    ? []
    : [KEPT_HERE, WORKS];
  const isName = (word: string) =>
    /^[a-z]+(?:[-_][a-z]+)*$/.test(word) &&
    ![...kept, LOOKS, ACTS, ENDS].some((verbs) => verbs.test(word));
  const at = words.slice(0, 3).findIndex((word) => !isName(word));
  const verb = at > 0 ? words[at] : undefined;
  // `suite run`: what runs a thing may do it here.
  if (/^(?:run|start|open|execute)$/.test(verb ?? "")) return undefined;
  const actsLater = words
    .slice(1, 3)
    .find((word) => ACTS_ON_KIND.test(word) || ACTS_ON_RUNNING.test(word));
  if (verb !== undefined && (ACTS.test(verb) || ENDS.test(verb))) return verb;
  return isName(words[0] ?? "") ? actsLater : undefined;
}

/** Verbs that mean the same in nearly every program that has them, also in those that work here. */
const ENDS_EVERYWHERE =
  /^(?:[\w-]+[:-])*(?:delete|deleteall|purge|destroy|terminate|undeploy|decommission|deprovision|teardown|nuke)(?:[-_][\w-]+)?$/;

export function endsEverywhere(word: string): boolean {
  return ENDS_EVERYWHERE.test(word);
}

/** `remove user ann` */
export function endsServed([verb = "", kind = "", ...names]: readonly string[]): boolean {
  return ENDS.test(verb) && SERVED.test(kind) && names.length > 0;
}

export function endsSomething(words: readonly string[]): boolean {
  return words.some((word) => ENDS.test(word));
}
