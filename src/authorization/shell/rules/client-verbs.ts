import { operandsOf } from "../options.ts";
import { readable, type Word } from "../word.ts";

/** What the first telling word of a client says that it does. */
export type Doing = "looks" | "works" | "acts";

/** Verbs after which something is gone, also behind what they apply to: `pg:reset`, `apps:destroy`. */
export const ENDS =
  /^(?:[\w-]+[:-])*(?:delete|deleteall|del|destroy|purge|terminate|uninstall|rb|rm|drop|decommission|nuke|remove|reset|wipe|erase|teardown|undeploy|deprovision)(?:[-_][\w-]+)?$|^(?:rm|drop|del)(?:pool|db|user|topic|bucket|index|table|image|node)s?$/;

/** Words that say that a client only looks, alone or with what they look at: `list-builds`, `apps:report`. */
const LOOKS =
  /^(?:[\w-]+:)*(?:(?:get|list|ls|show|describe|view|search|query|find|read|check|verify|lookup|print|decode|explain|inspect|observe)(?:[-_][\w-]+)?|status|logs?|info|diff|history|ps|health|tail|top|events|outputs?|report|peers|tree|stats?|df|du|versions?|whoami|help|download|pull|watch|monitor|cat|what-if|validate|lint|preview|estimate|count|dump|catalog|quota|usage|completion)$|^(?:get|list)[a-z]+$|[a-z]info$/;

/** `crictl pods`, `bosh -e prod deployments`: a kind of thing, and nothing said about it. */
const LISTED = /^[\w:-]*[a-z]{2}s$|^\w+ (?:deployments|releases|stemcells|vms|instances|tasks)$/;

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
  for (const word of words.slice(0, 4)) {
    if (looks(word)) return "looks";
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

/** `incidents create`, `clusters pause`: such a thing, and a verb that acts on it. */
export function actsOnServed(words: readonly string[]): boolean {
  const at = words.slice(0, 4).findIndex((word) => SERVED.test(word));
  return at >= 0 && doingOf(words.slice(0, at)) === undefined && ACTS.test(words[at + 1] ?? "");
}

export function endsSomething(words: readonly string[]): boolean {
  return words.some((word) => ENDS.test(word));
}
