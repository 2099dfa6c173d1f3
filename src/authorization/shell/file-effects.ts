import type { ShellPlace } from "./command-class.ts";
import { judgeDeletion, judgeWrite } from "./effects.ts";
import { absoluteShapes, ancestorsOf, zoneOf } from "./paths.ts";
import type { Call } from "./rule.ts";
import type { Scope } from "./scope.ts";
import { namesCredentials } from "./secrets.ts";
import type { Sheet } from "./sheet.ts";
import { isUnknown, literalWord, readable, type Word } from "./word.ts";
import type { Content } from "./written-code.ts";

/** What a command does to files, judged by where they lie and remembered for later parts of the command. */
export class FileEffects {
  readonly #sheet: Sheet;
  readonly #scope: Scope;
  readonly #place: ShellPlace;

  constructor(sheet: Sheet, scope: Scope, place: ShellPlace) {
    this.#sheet = sheet;
    this.#scope = scope;
    this.#place = place;
  }

  writes(path: Word, segment: string, content: Content): void {
    this.touches(path, [], segment);
    for (const shape of this.knownShapes(path)) this.#sheet.authored.set(shape, content);
  }

  /** A directory, a mode, or a copy of these files. */
  touches(path: Word, sources: readonly Word[], segment: string): void {
    this.#judgeWrite(path, segment);
    for (const shape of this.knownShapes(path)) this.#sheet.writes.add(shape);
    this.noteChange(path);
    this.#copies(path, sources);
  }

  /** A database, or a copy of a file if the place before its name is a directory. */
  mayWrite(path: Word, source: Word | undefined, segment: string): void {
    this.#judgeWrite(path, segment);
    for (const shape of this.knownShapes(path)) {
      this.#sheet.writes.add(shape);
      if (!source) this.#sheet.authored.set(shape, "hidden");
    }
    if (source) this.#copies(path, [source]);
  }

  outputs(path: Word, segment: string): void {
    this.#judgeWrite(path, segment);
    for (const shape of this.knownShapes(path)) this.#sheet.outputs.add(shape);
    this.noteChange(path);
  }

  deletes(path: Word, how: { recursive: boolean }, { directories, segment }: Call): void {
    const { risk, why, discards } = judgeDeletion(path, how, directories, this.#place);
    this.#sheet.say(risk, why, segment);
    if (discards) this.#sheet.discards = true;
    for (const shape of this.knownShapes(path)) this.#sheet.writes.add(shape);
    this.#sheet.code.removes(path, this.#scope.directories);
  }

  /** In the workspace a checkpoint brings it back, and scratch directories hold no work. */
  discards(why: string, directories: readonly string[], segment: string): void {
    const zones = directories.map((directory) => zoneOf(directory, this.#place));
    const isKept = zones.every((zone) => zone !== "outside" && zone !== "unknown");
    this.#sheet.say(isKept ? "free" : "click", why, segment);
    this.#sheet.discards = true;
  }

  downloads(path: Word | undefined): void {
    if (!path || isUnknown(path)) this.#sheet.downloadsUnknown = true;
    else
      for (const shape of absoluteShapes(path.shape, this.#scope.directories))
        this.#sheet.downloads.add(readable(shape));
  }

  wasWritten(path: string): boolean {
    if (this.#sheet.authored.size === 0) return false;
    return absoluteShapes(path, this.#scope.directories).some((shape) =>
      this.#sheet.authored.has(shape),
    );
  }

  cameFromElsewhere(path: string): boolean {
    const { downloads, downloadsUnknown } = this.#sheet;
    if (downloadsUnknown || (this.wasWritten(path) && this.#sheet.hasProgram(FETCHING)))
      return true;
    if (downloads.size === 0) return false;
    return absoluteShapes(path, this.#scope.directories).some((shape) =>
      ancestorsOf(shape).some((one) => downloads.has(one)),
    );
  }

  copiesEnvironmentTo(path: Word, segment: string): void {
    if (NETWORK.test(path.shape))
      this.#sheet.say("phrase", "sends the environment to another machine", segment);
    for (const shape of this.knownShapes(path)) this.#sheet.environmentCopies.add(shape);
  }

  /** Asks where the word names a place of credentials. */
  mayReadCredentials(word: Word, segment: string): void {
    if (namesCredentials(word, this.#place.homeDir, this.#scope.directories))
      this.readsCredentials("reads or uses credentials", segment);
  }

  readsCredentials(why: string, segment: string): void {
    this.#sheet.readsCredentials = true;
    this.#sheet.say("click", why, segment);
  }

  /** For the report on the files that decide what the command does. */
  noteChange(path: Word): void {
    this.#sheet.code.changes(path, this.#scope.directories);
  }

  /** A copy of a file that the command wrote is as good as the file. */
  #copies(path: Word, sources: readonly Word[]): void {
    const { authored, downloads } = this.#sheet;
    if (authored.size === 0 && downloads.size === 0) return;
    const copies = this.knownShapes(path);
    for (const { shape } of sources)
      for (const source of absoluteShapes(shape, this.#scope.directories)) {
        const content = authored.get(source);
        for (const copy of content ? copies : []) authored.set(copy, content ?? "hidden");
        for (const copy of downloads.has(source) ? copies : []) downloads.add(copy);
      }
  }

  #judgeWrite(path: Word, segment: string): void {
    for (const shape of absoluteShapes(path.shape, this.#scope.directories)) {
      const effect = judgeWrite(shape, this.#place);
      if (effect) this.#sheet.say(effect.risk, effect.why, segment);
      if (zoneOf(shape, this.#place) === "network") this.#sheet.carriesTexts = true;
    }
  }

  /** The absolute paths of a word, as far as the text tells them. */
  knownShapes(path: Word): string[] {
    return absoluteShapes(path.shape, this.#scope.directories)
      .filter((shape) => !isUnknown(literalWord(shape)) && !shape.startsWith("/dev/"))
      .map(readable);
  }
}

/** Paths that bash opens as connections. */
export const NETWORK = /^\/dev\/(?:tcp|udp)\//;

const FETCHING =
  "curl wget aria2c axel http https xh nc ncat scp ssh fetch wget2 curlie wcurl lwp-download lwp-request".split(
    " ",
  );
