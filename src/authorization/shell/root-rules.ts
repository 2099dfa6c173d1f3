import { posix } from "node:path";
import { isWorkloadPath } from "../workload-paths.ts";
import type { CodeOperand } from "./code-operand.ts";
import { codeOperands, executedOperands, pathsMentioned } from "./code-uses.ts";
import { fileOperands, isKnownProgram, otherOperand } from "./known-programs.ts";
import { hasAnyOption, operandsOf, valuesOfOption } from "./options.ts";
import { absoluteRoutes } from "./paths.ts";
import type { Call } from "./rule.ts";
import { afterOptions } from "./rules/wrapper-options.ts";
import { WRAPPERS } from "./rules/wrapper-table.ts";
import { hasPattern, isUnknown, literalWord, readable, UNKNOWN, type Word } from "./word.ts";

/**
 * What a program of root may do with the files that its words name.
 *
 * - "only handles": known with these options. The files are data.
 * - "starts": a launcher. What it starts is looked at by itself, its own words count as for "anything".
 * - "takes names": other words than plain paths are names of packages, services, users, branches …
 * - "runs code": an interpreter, a project's tool or a program of the workspace. Its other words may be anything.
 * - "anything": not known. It may run, obey or write every file that it is given.
 */
type Handling = "only handles" | "starts" | "takes names" | "runs code" | "anything";

const TAKES_NAMES =
  /^(?:apt|apt-get|aptitude|apt-cache|apt-key|apt-mark|add-apt-repository|dpkg|dpkg-query|dpkg-reconfigure|systemctl|service|journalctl|useradd|usermod|userdel|groupadd|groupmod|groupdel|adduser|addgroup|deluser|delgroup|passwd|chpasswd|gpasswd|chage|sysctl|update-alternatives|update-rc\.d|update-ca-certificates|locale-gen|timedatectl|localectl|hostname|hostnamectl|loginctl|id|groups|whoami|uname|uptime|date|pip[\d.]*|pkill|killall|mount|umount|modprobe|ldconfig|crontab|visudo|getent|who|w|ps|ss|netstat|ip|iptables|ip6tables|nft|ufw|nproc|free|lsof|dmesg|docker|podman|kubectl|helm|snap|npm|gem|a2ensite|a2enmod|nginx|certbot|lsblk|blkid)$/;

const SHELLS = /^(?:ba|da|z|k|mk|rba|a)?sh$/;
/** Like shells, they take code as one of their words. */
const TAKES_CODE = /^(?:su|runuser|sg|flock)$/;

/** Commands of git that write files of their own, or run what a file says. */
const GIT_FILES =
  /^(?:archive|bundle|format-patch|fast-export|fast-import|apply|am|difftool|mergetool|send-email|imap-send|daemon|svn|p4|worktree|clone|init|bisect|filter-branch|instaweb|maintenance|credential.*)$/;

function handlingOf(name: Word, call: Call): Handling {
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
function ownWordsEnd({ program, args }: Call): number | undefined {
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  const end = wrapper && afterOptions(args, wrapper);
  return end === undefined ? undefined : end + (wrapper?.operands ?? 0);
}

const INTERPRETERS = /^(?:python[\d.]*|node|nodejs|perl|ruby|php|[gmn]?awk|make|gmake)$/;

const IN_PROGRAM_DIRECTORY = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/;

function isOwnProgram(written: string): boolean {
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

interface Standing {
  readonly isFunction: boolean;
}

/** The files that decide what a call of root does: whatever is not known to be data counts as code. */
export function rootOperands(name: Word, call: Call, { isFunction }: Standing): CodeOperand[] {
  const handling = isFunction ? "anything" : handlingOf(name, call);
  if (handling === "only handles") {
    const other = otherOperand(call);
    return codeOperands(name, call).filter(({ word }) => word !== other);
  }
  const executed = isFunction ? [] : executedOperands(name, call);
  const named = new Set(executed.filter(({ candidates }) => !candidates).map(({ word }) => word));
  const { file } = handling === "starts" && !changesInput(call) ? {} : call.input;
  const words = [...wordsOf(call), ...(file ? [file] : [])];
  const others = words
    .filter((word) => !named.has(word))
    .flatMap((word) => possibleCode(word, { call, handling }));
  const texts = takesText(call) || handling === "starts" ? [] : textsOnInput(call.input);
  const settings = call.program === "git" ? valuesOfOption(call.args, { short: "c" }) : [];
  const inside = [...words, ...texts, ...settings].flatMap((word) => mentionedIn(word, call));
  return [...executed, ...others, ...inside];
}

/** `exec < file`: for everything that follows. */
function changesInput(call: Call): boolean {
  return call.program === "exec" && ownWordsEnd(call) === call.args.length;
}

/** The text of a here-document, and the words that another part of the command prints for the program. */
function textsOnInput({ text, upstream }: Call["input"]): Word[] {
  const printed = upstream.flatMap(({ program, args, input }) => [
    ...(/^(?:echo|printf)$/.test(program) ? args : []),
    ...(input.text ? [input.text] : []),
  ]);
  return [...(text ? [text] : []), ...printed].map((word) => ({
    ...word,
    shape: `${word.shape} `,
  }));
}

/** Its own words, without code for a shell and without the words of what it starts: those are looked at by themselves. */
function wordsOf(call: Call): readonly Word[] {
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

function takesText({ program }: Call): boolean {
  return SHELLS.test(program) || TAKES_CODE.test(program);
}

const PLAIN_PATH = /^(?:\/|\.{1,2}(?:\/|$)|~)/;

const OPENED = /^\/(?:dev\/fd\/[1-9]|proc\/(?:self|thread-self|\d+)\/)/;

interface Given {
  readonly call: Call;
  readonly handling: Handling;
}

function possibleCode(word: Word, { call, handling }: Given): CodeOperand[] {
  const { shape } = word;
  const isPath = PLAIN_PATH.test(shape);
  if (isUnknown(word) || /^[-@]|^$|\n|^\w+:\/\//.test(shape) || shape.length > 1000) return [];
  if (!isPath && handling === "runs code" && /[\s()'"`;|&<>]/.test(shape)) return [];
  if (!isPath && (handling === "takes names" || !isInReach(shape, call.directories))) return [];
  // A descriptor, or the directory of a process: what it stands for by then is not in the text.
  if (isPath && OPENED.test(shape)) return [{ kind: "run", word: { text: shape, shape: UNKNOWN } }];
  const isName = !isPath && handling !== "anything";
  return [{ kind: "run", word, isPossible: true, alsoMissing: !isName }];
}

/** Whether the workload may have put something there: only root writes in these directories. */
function isInReach(shape: string, directories: readonly string[]): boolean {
  return absoluteRoutes(shape, directories).some(
    (path) =>
      isWorkloadPath(path) ||
      (shape.startsWith("/")
        ? !/^\/(?:etc|usr|bin|sbin|lib\w*|proc|sys|dev|boot|root)(?:\/|$)/.test(path)
        : directories.some((directory) => !/^\/(?:root)?$/.test(directory))),
  );
}

const MOST_MENTIONS = 16;

/** Paths of the workload inside a longer word: no copy can stand in their place. */
function mentionedIn(word: Word, { directories }: Call): CodeOperand[] {
  const { text, shape } = word;
  const attached = /^(?:-[A-Za-z]|@|-{0,2}[\w-]+=@?)([\w./~][^\s=]*)$/.exec(shape)?.slice(1) ?? [];
  return [...piecesOf(word), ...attached]
    .filter((piece) => isInReach(piece, directories))
    .slice(0, MOST_MENTIONS)
    .map((piece) => ({
      kind: "run",
      // Without a place in the text: it is only a part of the word.
      word: { ...literalWord(piece), text },
      isPossible: true,
      isMentioned: true,
      alsoMissing: PLAIN_PATH.test(piece),
    }));
}

function piecesOf({ shape }: Word): string[] {
  return pathsMentioned(readable(shape)).filter((piece) => piece !== shape);
}

interface Mention {
  readonly path: string;
  /** It is written as a path, so that it counts although there is no such file. */
  readonly isStrict: boolean;
}

/** The same for the value of a variable that root's programs see. */
export function rootMentions(word: Word, directories: readonly string[]): Mention[] {
  return [word.shape, ...piecesOf(word)]
    .filter((piece) => /[./]/.test(piece) && isInReach(piece, directories))
    .slice(0, MOST_MENTIONS)
    .flatMap((piece) =>
      absoluteRoutes(piece, directories).map((path) => ({
        path,
        isStrict: PLAIN_PATH.test(piece),
      })),
    );
}

/** Whether a call of root means something else in another directory. All other calls start in `/`. */
export function needsDirectory(name: Word, call: Call): boolean {
  const { input } = call;
  const handling = handlingOf(name, call);
  if (wordsOf(call).some((word) => /^\.{1,2}(?:\/|$)/.test(word.shape) || isHerePattern(word)))
    return true;
  if (handling === "starts") return false;
  if (input.file && !posix.isAbsolute(input.file.shape)) return true;
  if (call.program === "git") return handling !== "anything";
  if (handling === "only handles") return looksAround(call);
  return executedOperands(name, call).some(({ word, candidates }) =>
    candidates
      ? handling === "runs code"
      : !posix.isAbsolute(word.shape) || isOwnProgram(word.shape),
  );
}

/** A pattern finds other files in another directory. */
function isHerePattern(word: Word): boolean {
  return hasPattern(word) && !word.shape.startsWith("/");
}

const LOOKS_NOWHERE =
  /^(?:echo|printf|true|false|:|sleep|exit|return|shift|wait|kill|set|unset|export|declare|local|typeset|readonly|read|umask|ulimit|type|hash|trap|eval|basename|dirname|seq|break|continue|getopts|let|xargs|which|test|\[)$/;

function looksAround(call: Call): boolean {
  const { program, args } = call;
  const other = otherOperand(call);
  const operands = (program === "find" ? fileOperands(call) : operandsOf(args)).filter(
    (word) => word !== other,
  );
  if (operands.some(({ shape }) => /^[^-/][^=:]*\//.test(shape))) return true;
  if (LOOKS_NOWHERE.test(program)) return false;
  return operands.length === 0 || operands.some(({ shape }) => !posix.isAbsolute(shape));
}
