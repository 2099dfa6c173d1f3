import { executedOperands } from "./code-uses.ts";
import { isKnownProgram } from "./known-programs.ts";
import { hasAnyOption, operandsOf } from "./options.ts";
import type { Call } from "./rule.ts";
import { afterOptions } from "./rules/wrapper-options.ts";
import { WRAPPERS } from "./rules/wrapper-table.ts";
import type { Word } from "./word.ts";

/**
 * What a program of root may do with the files that its words name.
 *
 * - "only handles": known with these options. The files are data.
 * - "starts": a launcher. What it starts is looked at by itself, its own words count as for "anything".
 * - "takes names": other words than plain paths are names of packages, services, users, branches …
 * - "runs code": an interpreter, a project's tool or a program of the workspace. Its other words may be anything.
 * - "anything": not known. It may run, obey or write every file that it is given.
 */
export type Handling = "only handles" | "starts" | "takes names" | "runs code" | "anything";

const TAKES_NAMES =
  /^(?:apt|apt-get|aptitude|apt-cache|apt-key|apt-mark|add-apt-repository|dpkg|dpkg-query|dpkg-reconfigure|systemctl|service|journalctl|useradd|usermod|userdel|groupadd|groupmod|groupdel|adduser|addgroup|deluser|delgroup|passwd|chpasswd|gpasswd|chage|sysctl|update-alternatives|update-rc\.d|update-ca-certificates|locale-gen|timedatectl|localectl|hostname|hostnamectl|loginctl|id|groups|whoami|uname|uptime|date|pip[\d.]*|pkill|killall|mount|umount|modprobe|ldconfig|crontab|visudo|getent|who|w|ps|ss|netstat|ip|iptables|ip6tables|nft|ufw|nproc|free|lsof|dmesg|docker|podman|kubectl|helm|snap|npm|gem|a2ensite|a2enmod|nginx|certbot|lsblk|blkid)$/;

const SHELLS = /^(?:ba|da|z|k|mk|rba|a)?sh$/;
/** Like shells, they take code as one of their words. */
const TAKES_CODE = /^(?:su|runuser|sg|flock)$/;

/** Commands of git that write files of their own, or run what a file says. */
const GIT_FILES =
  /^(?:archive|bundle|format-patch|fast-export|fast-import|apply|am|difftool|mergetool|send-email|imap-send|daemon|svn|p4|worktree|clone|init|bisect|filter-branch|instaweb|maintenance|credential.*)$/;

export function handlingOf(name: Word, call: Call): Handling {
  const { program, written, args } = call;
  if (isOwnProgram(written)) return "runs code";
  if (/^(?:env|watch)$/.test(program) || ownWordsEnd(call) !== undefined) return "starts";
  if (isKnownProgram(call)) return "only handles";
  if (program === "git") {
    const [command] = gitWords(args);
    const writes = hasAnyOption(args, [{ short: "o", long: "output" }]);
    return GIT_FILES.test(command?.shape ?? "") || writes ? "anything" : "takes names";
  }
  if (TAKES_NAMES.test(program) && !obeysProject(name, call)) return "takes names";
  return SHELLS.test(program) ||
    TAKES_CODE.test(program) ||
    executedOperands(name, call).length > 0 ||
    INTERPRETERS.test(program)
    ? "runs code"
    : "anything";
}

/** Where the words of a launcher end and those of the program begin that it starts. */
export function ownWordsEnd({ program, args }: Call): number | undefined {
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  const end = wrapper && afterOptions(args, wrapper);
  return end === undefined ? undefined : end + (wrapper?.operands ?? 0);
}

const INTERPRETERS = /^(?:python[\d.]*|node|nodejs|perl|ruby|php|[gmn]?awk|make|gmake)$/;

const IN_PROGRAM_DIRECTORY = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/;

export function isOwnProgram(written: string): boolean {
  return written.includes("/") && !IN_PROGRAM_DIRECTORY.test(written);
}

/** It reads files of the directory that no word names. */
function obeysProject(name: Word, call: Call): boolean {
  const isGlobal = call.args.some(({ shape }) => /^-(?:g|-global)$/.test(shape));
  return !isGlobal && executedOperands(name, call).some(({ candidates }) => candidates);
}

/** Behind git's own options, which the binding of its repository covers. */
function gitWords(args: readonly Word[]): readonly Word[] {
  const [command] = operandsOf(args, {
    valued: "cC",
    valuedLong: ["git-dir", "work-tree", "namespace"],
  });
  return command ? args.slice(args.indexOf(command)) : [];
}

/** Its own words, without code for a shell and without the words of what it starts: those are looked at by themselves. */
export function wordsOf(call: Call): readonly Word[] {
  const { program, args } = call;
  if (program === "git") {
    const words = gitWords(args);
    const isOwnFile = !hasAnyOption(words, [{ short: "f", long: "file" }]);
    return words[0]?.shape === "config" && isOwnFile ? [] : words;
  }
  if (/^(?:env|watch)$/.test(program)) return [];
  if (program === "ssh") {
    const [host] = operandsOf(args, { valued: "BbcDEeFIiJLlmOopQRSWw" });
    return host ? args.slice(0, args.indexOf(host)) : args;
  }
  const end = ownWordsEnd(call);
  if (end !== undefined) return args.slice(0, end);
  if (!takesText(call)) return args;
  const option = args.findIndex(({ shape }) => /^-[a-zA-Z]*c$|^--command$/.test(shape));
  if (option < 0) return args.filter(({ shape }) => !shape.startsWith("--command="));
  const code = args.findIndex((word, index) => index > option && !/^[-+]/.test(word.shape));
  return args.filter((_, index) => index !== code);
}

export function takesText({ program }: Call): boolean {
  return SHELLS.test(program) || TAKES_CODE.test(program);
}
