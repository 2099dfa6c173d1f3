import type { ShellPlace } from "./command-class.ts";
import type { FileEffects } from "./file-effects.ts";
import type { Links } from "./links.ts";
import { absoluteShapes } from "./paths.ts";
import type { Call, Input, Inspector } from "./rule.ts";
import { fromEnvironment } from "./rules/upstream.ts";
import type { Scope } from "./scope.ts";
import type { Sheet } from "./sheet.ts";
import type { Assignment } from "./visitor.ts";
import { isUnknown, type Word } from "./word.ts";
import { contentOfCall } from "./written-code.ts";

/** The reader of a command: everything that a call starts goes back there. */
export interface Reader {
  readonly sheet: Sheet;
  readonly scope: Scope;
  readonly place: ShellPlace;
  readonly links: Links;
  readonly effects: FileEffects;
  /** True while what is judged runs as root. */
  isRoot: boolean;
  /** Why people have to be asked about files that the text of the command writes and runs. */
  readonly objectionToText: string | undefined;
  hides(why: string, segment: string): void;
  mayRun(words: readonly Word[], segment: string): void;
  starts(call: Call, words: readonly Word[], input: Input): void;
  startsCode(call: Call, code: Word, what: string): void;
  callsFunction(call: Call): void;
  assignment(assignment: Assignment, segment: string): void;
  forgets(name: Word): void;
}

/** Takes what a rule says about one call. */
export class CallInspector implements Inspector {
  readonly asRoot: boolean;
  readonly #call: Call;
  readonly #reader: Reader;
  /** Where the program works. */
  readonly #directories: readonly string[];

  constructor(call: Call, reader: Reader, directories = call.directories) {
    this.#call = call;
    this.#reader = reader;
    this.#directories = directories;
    this.asRoot = reader.isRoot;
  }

  get workspaceDir(): string {
    return this.#reader.place.workspaceDir;
  }

  get homeDir(): string {
    return this.#reader.place.homeDir;
  }

  get gitAliases(): Map<string, readonly Word[]> {
    return this.#reader.sheet.gitAliases;
  }

  worksIn(directories: readonly string[]): Inspector {
    return new CallInspector(this.#call, this.#reader, directories);
  }

  notes(why: string): void {
    this.#reader.sheet.say("free", why, this.#call.segment);
  }

  click(why: string): void {
    this.#reader.sheet.say("click", why, this.#call.segment);
  }

  phrase(why: string): void {
    this.#reader.sheet.say("phrase", why, this.#call.segment);
  }

  hides(why: string): void {
    this.#reader.hides(why, this.#call.segment);
  }

  discards(why: string, directories = this.#directories): void {
    this.#reader.effects.discards(why, directories, this.#call.segment);
  }

  credentials(why: string): void {
    this.#reader.effects.readsCredentials(why, this.#call.segment);
  }

  sends(): void {
    this.#reader.sheet.sends = true;
  }

  connects(): void {
    this.#reader.sheet.sends = true;
    this.#reader.sheet.carriesTexts = true;
  }

  downloads(path: Word | undefined): void {
    this.#reader.effects.downloads(path);
  }

  cameFromElsewhere({ shape }: Word): boolean {
    return this.#reader.effects.cameFromElsewhere(shape);
  }

  wasWritten({ shape }: Word): boolean {
    return this.#reader.effects.wasWritten(shape);
  }

  mayRun(words: readonly Word[]): void {
    this.#reader.mayRun(words, this.#call.segment);
  }

  root(): void {
    this.#reader.sheet.asksRoot = true;
    this.#reader.sheet.namesRoot = true;
    this.#reader.isRoot = true;
  }

  writes(path: Word): void {
    const { effects } = this.#reader;
    effects.writes(path, this.#call.segment, contentOfCall(this.#call));
    if (this.#call.program === "tee" && fromEnvironment(this.#call.input))
      effects.copiesEnvironmentTo(path, this.#call.segment);
  }

  touches(path: Word, sources: readonly Word[] = []): void {
    this.#reader.effects.touches(path, sources, this.#call.segment);
  }

  mayWrite(path: Word, source?: Word): void {
    this.#reader.effects.mayWrite(path, source, this.#call.segment);
  }

  links(path: Word, target: Word): void {
    for (const shape of absoluteShapes(path.shape, this.#call.directories))
      this.#reader.links.add(shape, target.shape);
  }

  outputs(path: Word): void {
    this.#reader.effects.outputs(path, this.#call.segment);
  }

  deletes(path: Word, how: { recursive: boolean }): void {
    this.#reader.effects.deletes(path, how, this.#call);
  }

  runs(words: readonly Word[], input = this.#call.input): void {
    this.#reader.starts(this.#call, words, input);
  }

  runsCode(code: Word, what: string): void {
    this.#reader.startsCode(this.#call, code, what);
  }

  assigns(name: string, value: Word): void {
    this.#reader.assignment({ name, value, prefix: true }, this.#call.segment);
  }

  enters(directory: Word): void {
    this.#reader.scope.enter(directory);
  }

  forgets(names: readonly Word[]): void {
    for (const name of names) {
      if (isUnknown(name)) this.#reader.scope.forgetAll();
      this.#reader.forgets(name);
    }
  }
}
