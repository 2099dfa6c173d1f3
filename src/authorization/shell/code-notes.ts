import { loadedFrom, lookedAtBy, openWordsOf, patternsOf, placesOf } from "./call-places.ts";
import { changedOperands } from "./change-operands.ts";
import type { CodeOperand } from "./code-operand.ts";
import type { CodeReport } from "./code-report.ts";
import {
  codeOperands,
  loadsCodeFromDirectory,
  pathsMentioned,
  pathsOfOperand,
} from "./code-uses.ts";
import { mayChangeFiles, pathsOfModes } from "./data-operands.ts";
import { isFixedVariable, leavesFixed, overridesFixed } from "./fixed-environment.ts";
import { gitDirectories } from "./git-places.ts";
import { repositoryChangeOf, sendingOf } from "./git-pushes.ts";
import { Handovers } from "./handovers.ts";
import { absoluteRoutes, absoluteShapes, leadsToStream } from "./paths.ts";
import { needsDirectory } from "./root-directory.ts";
import { rootMentions, rootOperands } from "./root-rules.ts";
import type { Call } from "./rule.ts";
import type { CodeUse, Script } from "./script.ts";
import { hasMarks, isUnknown, readable, type Word } from "./word.ts";

/** The text in which a call stands, and whether that text defines what its name means. */
interface Standing {
  readonly script: Script | undefined;
  readonly isFunction: boolean;
}

/**
 * Which files decide what a command does. Only an approval of a command as root needs the report, so the notes wait
 * until it is read.
 */
export class CodeNotes {
  readonly #report: CodeReport = {
    uses: [],
    places: new Set(),
    lookedAt: new Set(),
    loadedFrom: new Set(),
    patterns: [],
    open: new Set(),
    git: new Set(),
    sendings: [],
    branches: new Set(),
    addsCommits: false,
    changesRepository: false,
    changesRemotes: false,
    leaves: new Set(),
    script: undefined,
    dependsOnDirectory: false,
    loadsCodeFromDirectory: false,
    changing: new Set(),
    changed: new Set(),
    removed: new Set(),
    changesUnknown: false,
    handovers: new Handovers(),
  };
  #waiting: (() => void)[] = [];
  #hidesFile = false;
  readonly #isRoot: () => boolean;

  constructor(isRoot: () => boolean) {
    this.#isRoot = isRoot;
  }

  get report(): CodeReport {
    this.#processNotes();
    const { script } = this.#report;
    return { ...this.#report, script: script?.isEmpty ? undefined : script };
  }

  /** Whether it executes a file that its text does not name. */
  get hidesFile(): boolean {
    this.#processNotes();
    return this.#hidesFile;
  }

  /** The first text that is read is the command's own. */
  reads(script: Script): void {
    this.#report.script ??= script;
  }

  call(name: Word, call: Call, standing: Standing): void {
    this.#waiting.push(() => this.#noteCall(name, call, standing));
  }

  /** The word of a text that is itself a text with files in it. */
  holds(script: Script | undefined, word: Word, inner: Script): void {
    this.#waiting.push(() => {
      if (!inner.isEmpty) script?.replaces(word, inner);
    });
  }

  mentions(
    word: Word,
    written: string,
    { directories, isExported }: { directories: readonly string[]; isExported: boolean },
  ): void {
    const { shape } = word;
    this.#waiting.push(() => {
      if (isExported && this.#isRoot())
        for (const { path, isStrict } of rootMentions(word, directories))
          this.#report.uses.push({
            ...mentionOf(path, `${written}=${readable(shape)}`),
            kind: "run",
            isPossible: true,
            alsoMissing: isStrict,
          });
      for (const piece of pathsMentioned(shape))
        for (const path of absoluteShapes(piece, directories))
          this.#report.uses.push(mentionOf(path, written));
    });
  }

  /** A program may read it through a descriptor of its own choice. */
  opens({ shape }: Word, directories: readonly string[]): void {
    this.#waiting.push(() => {
      if (!this.#isRoot()) return;
      for (const path of absoluteRoutes(shape, directories))
        this.#report.uses.push({
          ...mentionOf(path, "a redirection"),
          kind: "run",
          isPossible: true,
          alsoMissing: true,
        });
    });
  }

  assigns(name: string, value: Word): void {
    if (overridesFixed(name, value)) this.#report.leaves.add(`it gives ${name} another value`);
  }

  /** The variable loses its value, or gets one that is known only when it runs. */
  forgets(name: Word): void {
    if (hasMarks(name) || isFixedVariable(name.shape.replace(/\[.*$/s, "")))
      this.#report.leaves.add(`it changes ${readable(name.shape)}`);
  }

  redirects(target: Word, directories: readonly string[]): void {
    this.#report.dependsOnDirectory ||= !target.shape.startsWith("/");
    this.#waiting.push(() => {
      if (this.#isRoot()) this.#report.handovers.writes(target, directories);
    });
  }

  changes(path: Word, directories: readonly string[]): void {
    this.#waiting.push(() => this.#noteChange(path, directories, this.#report.changed));
  }

  removes(path: Word, directories: readonly string[]): void {
    this.#waiting.push(() => this.#noteChange(path, directories, this.#report.removed));
  }

  /** The text does not tell which code runs here. */
  leaveOpen(written: string): void {
    this.#waiting.push(() => {
      this.#report.uses.push({ kind: "run", paths: [], written, alsoMissing: false });
    });
  }

  #processNotes(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const note of waiting) note();
  }

  #noteCall(name: Word, call: Call, standing: Standing): void {
    const report = this.#report;
    report.dependsOnDirectory ||= needsDirectory(name, call);
    const mayLoad = loadsCodeFromDirectory(call);
    report.loadsCodeFromDirectory ||= mayLoad;
    if (mayLoad) for (const place of loadedFrom(call)) report.loadedFrom.add(place);
    this.#noteGit(call);
    if (this.#isRoot()) report.handovers.call(call);
    for (const path of lookedAtBy(call)) report.lookedAt.add(path);
    for (const place of [...placesOf(call), ...report.lookedAt, ...report.loadedFrom])
      report.places.add(place);
    const leaving = leavesFixed(call);
    if (leaving !== undefined) report.leaves.add(leaving);
    report.patterns.push(...patternsOf(call));
    for (const text of openWordsOf(call, { asRoot: this.#isRoot() })) report.open.add(text);
    this.#noteChanges(call, standing);
    const operands = this.#isRoot() ? rootOperands(name, call, standing) : codeOperands(name, call);
    for (const operand of operands) this.#noteOperand(operand, call, standing);
  }

  #noteGit(call: Call): void {
    const report = this.#report;
    const directories = gitDirectories(call);
    for (const directory of directories) report.git.add(directory);
    const sending = sendingOf(call, directories);
    if (sending) report.sendings.push(sending);
    const { branches, addsCommits, isOpen, changesSettings } = repositoryChangeOf(call);
    for (const branch of branches) report.branches.add(branch);
    report.addsCommits ||= addsCommits;
    report.changesRepository ||= isOpen;
    report.changesRemotes ||= changesSettings;
  }

  /** Notes what keeps a copy of a file from standing for the file itself. */
  #noteChanges(call: Call, { isFunction }: Standing): void {
    const report = this.#report;
    if (mayChangeFiles(call) || isFunction) report.changing.add(call);
    for (const path of changedOperands(call))
      this.#noteChange(path, call.directories, report.changed);
    const paths = pathsOfModes(call);
    if (!paths) report.changesUnknown = true;
    for (const path of paths ?? []) report.changed.add(path);
  }

  #noteChange(path: Word, directories: readonly string[], changed: Set<string>): void {
    const routes = absoluteRoutes(path.shape, directories).filter((route) => !leadsToStream(route));
    this.#report.changesUnknown ||=
      routes.length > 0 &&
      (hasMarks(path) || routes.some((shape) => isUnknown({ ...path, shape })));
    // A slash at its end makes a program follow a link in the last place.
    const end = path.shape.endsWith("/") ? "/" : "";
    for (const route of routes) changed.add(route === "/" ? route : route + end);
  }

  #noteOperand(operand: CodeOperand, call: Call, { script, isFunction }: Standing): void {
    const { word, kind, before, candidates, alsoMissing = false, isMentioned = false } = operand;
    const { isProgram = false, isPossible = false } = operand;
    const isData = operand.isData && !isFunction;
    const paths = pathsOfOperand(operand, call);
    if (paths.length === 0 && (kind === "read" || isPossible)) return;
    const written = isUnknown(word) || isMentioned ? word.text : readable(word.shape);
    const { uses } = this.#report;
    if (kind === "run" && paths.length === 0) this.#hidesFile = true;
    const isOneFile = candidates ? call.directories.length === 1 : paths.length <= 1;
    const about = { kind, written, alsoMissing, isMentioned, isProgram, isPossible };
    if (!isOneFile) {
      for (const path of paths) uses.push({ ...about, paths: [path] });
      return;
    }
    const use: CodeUse = { ...about, paths, ...(isData ? { reader: call } : {}) };
    uses.push(use);
    if (kind !== "run" && !isData) return;
    if (before !== undefined) script?.addsBehind(word, before, use);
    else script?.replaces(word, use);
  }
}

function mentionOf(path: string, written: string): CodeUse {
  return { kind: "read", paths: [path], written, alsoMissing: false, isMentioned: true };
}
