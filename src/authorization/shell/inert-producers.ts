/** Prints one plain name. */
const PRINTS_NAME =
  /^(?:date(?: -u| --utc)* \+(['"]?)(?:%[-_0]?[YmdHMSsFNjVUuyGgTRIaAbBzZ]|[\w.:@-])+\1|git rev-parse (?:--short(?:=\d+)? )?HEAD|nproc|id -[ug]n?|whoami|uname -[mrs])$/;

/** A new name below /tmp. */
const MAKES_NAME = /^mktemp(?: -d| -q| --directory)*$/;

/** A word without anything that bash expands. */
const TEXT = String.raw`(?:'[^']*'|"[^"$\x60\\]*"|[\w.@:/+,=%-]+)`;

/** The same, and no option. */
const NAME = String.raw`(?!-)${TEXT}`;

/**
 * More commands whose output the workload cannot choose: numbers, names of the system, and words of the text itself.
 */
const FIXED_FORM = new RegExp(
  `^(?:${[
    String.raw`date(?: -u| --utc| -R| -I(?:date|seconds)?| (?:-d *|--date=)${TEXT}| \+${TEXT}| '\+[^']*'| "\+[^"$\x60\\]*")*`,
    String.raw`cat /(?:etc/(?:hostname|timezone|debian_version|machine-id)|(?:var/)?run/[\w-]+\.pid)`,
    String.raw`(?:nproc --all|uname -[amnoprsv]+|arch|hostname(?: -[fsd])?|getconf _NPROCESSORS_ONLN|logname)`,
    String.raw`(?:dpkg --print-architecture|lsb_release (?:-[cdirs]+|--short|--codename)(?: -s| --short)*)`,
    // Only numbers: with other options they print names of processes, which are the workload's.
    String.raw`(?:pgrep(?: -[fnoxc]+| -[uPG] *[\w,]+| --(?:full|newest|oldest|exact|count))*(?: ${NAME})|pidof(?: -[sx]+)*(?: ${NAME})+)`,
    String.raw`(?:\.|source) /etc/os-release *(?:&&|;) *echo ["']?\$\{?[A-Z_]+\}?["']?`,
    String.raw`seq(?: -?\d+){1,3}`,
    String.raw`(?:echo|basename|dirname|command -v|which)(?: ${TEXT})+`,
  ].join("|")})$`,
);

/** The command inside a substitution. */
export function bodyOf(substitution: string): string {
  return substitution.replace(/^\s*(?:\$\(|`|<\()\s*/, "").replace(/\s*[)`]$/, "");
}

export function printsName(body: string): boolean {
  return PRINTS_NAME.test(body);
}

export function makesTemporary(body: string): boolean {
  return MAKES_NAME.test(body);
}

/** Whether the output of a command has a fixed form, whatever the workload does. */
export function isInert(body: string): boolean {
  return PRINTS_NAME.test(body) || MAKES_NAME.test(body) || FIXED_FORM.test(body);
}
