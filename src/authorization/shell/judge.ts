import type { Level } from "../../contract/permission/level.ts";
import type { Reader } from "./call-inspector.ts";
import { judgeCall, judgeWrittenCode } from "./call-judge.ts";
import { type Candidate, candidateOf, candidatesIn } from "./candidates.ts";
import type { ShellPlace } from "./command-class.ts";
import { judgeAssignment, pointsToWritable } from "./environment.ts";
import { namesEnvironment } from "./environment-copies.ts";
import { FileEffects, NETWORK } from "./file-effects.ts";
import { guessedNames } from "./guessed-names.ts";
import { hiddenCommands } from "./hidden-texts.ts";
import { Links } from "./links.ts";
import { type PartReader, readPartsOf } from "./part-reader.ts";
import { isKeyword, objectionToName } from "./program-names.ts";
import { ruleFor } from "./programs.ts";
import type { Call, Input } from "./rule.ts";
import { objectionToCode } from "./rules/code.ts";
import { mayEmptyService } from "./rules/service-texts.ts";
import { fromEnvironment } from "./rules/upstream.ts";
import { Scope } from "./scope.ts";
import { Script } from "./script.ts";
import { copiesEnvironment, isSecretName, PRINTS_ENVIRONMENT } from "./secrets.ts";
import { Sheet } from "./sheet.ts";
import type { Parse } from "./syntax.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import type { Assignment, Simple, Visitor } from "./visitor.ts";
import { Walk } from "./walk.ts";
import {
  exactly,
  isUnknown,
  literalWord,
  readable,
  runsInSubscript,
  UNKNOWN,
  type Word,
} from "./word.ts";
import { contentOf, leadsToWritten } from "./written-code.ts";

/** How deep shells may start shells, and functions call functions. */
const MAXIMUM_NESTING = 8;
/** How deep words are tried as commands. */
const MAXIMUM_PROBE_DEPTH = 3;

/** Reads a text as one shell would and writes down all that it could do. */
export class Judge implements Visitor, Reader, PartReader {
  readonly scope: Scope;
  readonly sheet: Sheet;
  readonly place: ShellPlace;
  readonly links: Links;
  readonly effects: FileEffects;
  isRoot = false;
  readonly #parse: Parse;
  #nesting = 0;
  #probeDepth = 0;
  /** The text that is being read, as long as the places of its words are known. */
  #script: Script | undefined;
  /** What was tried as a command, by every judge of the same text. */
  #probed = new Set<string>();
  /** The whole text, of which files that the command writes are made. */
  #text = "";
  #objection: { readonly why: string | undefined } | undefined;

  constructor(parse: Parse, sheet: Sheet, place: ShellPlace, links = new Links()) {
    this.#parse = parse;
    this.sheet = sheet;
    this.place = place;
    this.links = links;
    this.scope = new Scope([place.cwd ?? place.workspaceDir], place.homeDir);
    this.effects = new FileEffects(sheet, this.scope, place);
  }

  /** Gives the text back with the files that it executes, as far as it could be read. */
  read(text: string): Script | undefined {
    this.#text ||= text;
    const parsed = this.#parse(text, this.sheet.effort);
    if ("unparsed" in parsed) {
      if (parsed.isTooLong) this.sheet.tooLong(text);
      else {
        this.sheet.cannotRead(parsed.unparsed, text);
        this.readParts(text);
      }
      return undefined;
    }
    const { root, source = text } = parsed;
    const outer = this.#script;
    // Where lines were joined to read it, the text as it was read is the one that can be changed.
    const script = text.endsWith(source)
      ? new Script(text, text.length - source.length)
      : new Script(source, 0);
    this.#script = script;
    this.sheet.code.reads(script);
    this.sheet.sources.reads(root);
    new Walk(this).statement(root);
    this.#script = outer;
    return script;
  }

  /** Where the text does not tell what runs, everything in it that may be a command counts. */
  tryHiddenCommands(text: string): void {
    if (this.sheet.risk !== "click" || !(this.sheet.hidesCode || this.sheet.code.hidesFile)) return;
    for (const words of hiddenCommands(text)) this.mayRun(words.map(literalWord), text);
  }

  /** Where a service gets some text of the command, all of it counts. */
  judgeCarriedTexts(text: string): void {
    if (this.sheet.carriesTexts && mayEmptyService(text))
      this.sheet.say("phrase", "has a service delete its data", text);
  }

  /** Judges what can be parsed of a text that cannot be parsed as a whole: it never lowers a level. */
  readParts(text: string): void {
    // The places of words in a part are not those of the whole text.
    this.#nested("a part", text, () => readPartsOf(text, this), { withoutScript: true });
  }

  readPart(part: string): boolean {
    const parsed = this.#parse(part, this.sheet.effort);
    if ("unparsed" in parsed) return false;
    this.scope.uncertain(() => new Walk(this).statement(parsed.root));
    return true;
  }

  readWords(words: readonly Word[], piece: string): void {
    this.#start(words, { upstream: [] }, piece);
  }

  tooLong(): void {
    this.sheet.tooLong(this.#text);
  }

  get isExhausted(): boolean {
    return this.sheet.effort.isExhausted;
  }

  /** Whether there is work left for one more part of the command. */
  proceeds(segment: string, words = 0): boolean {
    const proceeds = this.sheet.effort.takesStep(words);
    if (!proceeds) this.sheet.tooLong(segment);
    return proceeds;
  }

  command({ words, input, segment }: Simple): readonly Call[] {
    return this.#start(words, input, segment);
  }

  assignment(assignment: Assignment, segment: string): void {
    const say = (risk: Level, why: string) => this.sheet.say(risk, why, segment);
    const code = (value: Word, what: string) => this.#code(value, what, segment);
    const { asked } = this.sheet;
    this.sheet.assigns = true;
    judgeAssignment(assignment, {
      say,
      code,
      homeDir: this.place.homeDir,
      workspaceDir: this.place.workspaceDir,
    });
    if (this.sheet.asked > asked) this.sheet.hidesCode = true;
    if (/^GIT_CONFIG_/.test(assignment.name))
      this.mayRun(gitWords(assignment.value.shape), segment);
    const { authored } = this.sheet;
    if (
      leadsToWritten(assignment, authored, this.scope.directories) &&
      this.sheet.hasProgram(["chmod", "install"])
    )
      this.hides("runs a file that it has just written", segment);
    if (copiesEnvironment(assignment.value)) this.sheet.environmentCopies.add(assignment.name);
    if (pointsToWritable(assignment, this.scope.directories))
      this.#leaveOpen(`${assignment.name}=${readable(assignment.value.shape)}`);
    this.sheet.code.assigns(assignment.name, assignment.value);
    this.sheet.code.mentions(assignment.value, assignment.name, {
      directories: this.scope.directories,
      isExported: assignment.prefix || this.scope.isExported(assignment.name),
    });
  }

  forgets(name: Word): void {
    this.scope.forget(readable(name.shape).replace(/\[.*$/, ""));
    this.sheet.code.forgets(name);
  }

  redirection(written: Word, operator: string, segment: string, input: Input): void {
    const target = this.links.follow(written, this.scope.directories, { alsoLast: true });
    if (target !== written) this.effects.noteChange(written);
    const connects = NETWORK.test(target.shape);
    if (operator.includes("<")) {
      this.effects.mayReadCredentials(target, segment);
      if (!connects && !operator.includes(">")) return;
    }
    if (connects) this.sheet.sends = this.sheet.hasConnection = this.sheet.carriesTexts = true;
    const isDescriptor = operator.endsWith("&") && /^\d+-?$|^-$/.test(target.shape);
    const holdsAll = this.#holdsEnvironment(segment, input);
    if (isDescriptor) {
      // What stands behind a descriptor is not followed, so it may be the connection.
      if (holdsAll && this.sheet.hasConnection && !/^[12]$/.test(target.shape))
        this.sheet.say("phrase", "sends the environment to another machine", segment);
      return;
    }
    this.sheet.parts++;
    this.sheet.code.redirects(written, this.scope.directories);
    this.effects.writes(target, segment, contentOf(segment, input));
    if (holdsAll) this.effects.copiesEnvironmentTo(target, segment);
  }

  opens(file: Word): void {
    this.sheet.code.opens(file, this.scope.directories);
  }

  /** Whether a statement prints all variables of the environment. */
  #holdsEnvironment(segment: string, input: Input): boolean {
    if (PRINTS_ENVIRONMENT.test(segment) || fromEnvironment(input)) return true;
    const { environmentCopies } = this.sheet;
    return namesEnvironment({ text: segment, shape: "" }, environmentCopies, []);
  }

  expansion(node: SyntaxNode): void {
    const name = /^\s*\$\{?[!#]?(\w+)/.exec(node.text)?.[1] ?? "";
    if (isSecretName(name) && !this.scope.assigned(name))
      this.effects.readsCredentials(`reads the secret ${name}`, node.text);
    const isIndirect =
      /^\s*\$\{!\w/.test(node.text) && !/^\s*\$\{!\w+(?:\[[@*]\]|[@*])\}$/.test(node.text);
    if (/@P\}$/.test(node.text) || isIndirect)
      this.hides("expands a variable's value as if it were written here", node.text);
    const assigned = /^\s*\$\{(\w+)(?:\[[^\]]*\])?:?=/.exec(node.text)?.[1];
    if (assigned === undefined) return;
    const value = { text: node.text, shape: UNKNOWN };
    this.assignment({ name: assigned, value, prefix: false }, node.text);
    this.scope.forget(assigned);
  }

  test(node: SyntaxNode): void {
    if (node.type === "test_command" && /(?:^|\s)-v\s+["']?[^\s"']*\$/.test(node.text))
      this.hides("a variable name that is known only at run time", node.text);
    if (node.type === "raw_string" && runsInSubscript(node.text))
      this.hides("a subscript that runs a command", node.text);
    for (const child of node.children) this.test(child);
  }

  /** Something that runs without being written as a command. */
  hides(why: string, segment: string): void {
    this.sheet.hidesCode = true;
    this.sheet.say("click", why, segment);
  }

  defines(name: string, body: SyntaxNode): void {
    this.scope.functions.set(name, body);
    this.sheet.parts++;
    this.sheet.program(name, name);
    const callsItself = new RegExp(
      `(?:^|[;&|({\\n\`]|\\b(?:then|do|else|time)\\s)\\s*${escaped(name)}(?:[\\s;&|)}]|$)`,
    ).test(body.text);
    if (callsItself) this.sheet.say("click", `the function ${name} calls itself`, body.text);
    if (ruleFor(name)) this.sheet.say("click", `redefines ${name}`, body.text);
  }

  unreadable(why: string, segment: string): void {
    this.sheet.cannotRead(why, segment);
  }

  backticks(inside: string, segment: string): void {
    if (inside.includes("<<")) this.sheet.cannotRead("a here-document in backticks", segment);
    this.#code({ text: segment, shape: inside }, "backticks", segment);
  }

  #start(words: readonly Word[], input: Input, segment: string): readonly Call[] {
    const [name, ...args] = words;
    if (!name || !this.proceeds(segment, args.length)) return [];
    const written = this.#nameOf(name, segment);
    if (written === undefined) {
      for (const guess of guessedNames(name, args))
        this.mayRun([literalWord(guess), ...args], segment);
      return [];
    }
    const program = written.slice(written.lastIndexOf("/") + 1);
    const call: Call = {
      program,
      written,
      args,
      input,
      segment,
      directories: this.scope.directories,
    };
    this.sheet.program(written, program);
    // What is only tried as a command executes no files.
    if (this.#probeDepth === 0) {
      this.#noteCode(name, call);
      this.sheet.sources.starts(call);
    }
    this.sheet.parts++;
    judgeCall(call, this);
    return [call];
  }

  /** What is started; a name that only the running shell knows is not accepted. */
  #nameOf(name: Word, segment: string): string | undefined {
    const written = exactly(name);
    const odd =
      written === undefined
        ? "the program's name is known only at run time"
        : objectionToName(written);
    if (odd === undefined) return written;
    if (isKeyword(written ?? "")) this.sheet.cannotRead(odd, segment);
    else this.sheet.say("click", odd, segment);
    this.#leaveOpen(readable(name.shape));
    return undefined;
  }

  #noteCode(name: Word, call: Call): void {
    const isFunction = this.scope.functions.has(call.written);
    this.sheet.code.call(name, call, { script: this.#script, isFunction });
    judgeWrittenCode(name, call, this);
  }

  callsFunction({ written, input, segment }: Call): void {
    const body = this.scope.functions.get(written);
    if (!body) return;
    const run = () => this.scope.call(() => new Walk(this).statement(body, input));
    // The body's places are those of the text in which it was defined.
    this.#nested("a function", segment, run, { withoutScript: true });
  }

  starts(call: Call, words: readonly Word[], input: Input): void {
    this.#nested("a program", call.segment, () =>
      this.#inShellOf(call, () => this.#start(words, input, call.segment)),
    );
  }

  startsCode(call: Call, code: Word, what: string): void {
    this.#inShellOf(call, () => this.#code(code, what, call.segment));
  }

  /** The same for every file that the command writes, so it is looked for once. */
  get objectionToText(): string | undefined {
    this.#objection ??= { why: objectionToCode(this.#text) };
    return this.#objection.why;
  }

  /** Builtins run their words in this shell, a trap may run later; all others start programs. */
  #inShellOf({ program }: Call, work: () => unknown): void {
    if (program === "trap") this.scope.uncertain(work);
    else if (/^(?:eval|builtin|command|exec|time|source|\.)$/.test(program)) work();
    else this.scope.foreign(work);
  }

  #code(code: Word, what: string, segment: string): void {
    if (isUnknown(code)) {
      this.sheet.say("click", `${what}: the command is known only at run time`, segment);
      this.#leaveOpen(`the text of ${what}`);
      // What stands around the unknown part tells something all the same.
      const text = readable(code.shape.replaceAll(UNKNOWN_PARTS, "$_unknown_"));
      this.#probe(candidateOf(text), segment);
    } else {
      this.#nested(what, segment, () => {
        const inner = this.read(readable(code.shape));
        if (inner) this.sheet.code.holds(this.#script, code, inner);
      });
    }
  }

  #nested(
    what: string,
    segment: string,
    work: () => unknown,
    { withoutScript = false }: { withoutScript?: boolean } = {},
  ): void {
    if (this.#nesting >= MAXIMUM_NESTING) {
      this.sheet.cannotRead(`${what} inside too many others`, segment);
      return;
    }
    this.#nesting++;
    const outer = this.#script;
    if (withoutScript) this.#script = undefined;
    work();
    this.#script = outer;
    this.#nesting--;
  }

  /** Writes down that the text does not tell which code runs here. */
  #leaveOpen(written: string): void {
    this.sheet.hidesCode = true;
    this.sheet.code.leaveOpen(written);
  }

  /** Words or texts that may be commands, judged apart: what asks for a phrase or for root in them counts. */
  mayRun(words: readonly Word[], segment: string): void {
    if (this.#probeDepth >= MAXIMUM_PROBE_DEPTH) return;
    for (const candidate of candidatesIn(words)) this.#probe(candidate, segment);
  }

  /** Each candidate once for every directory; too many of them cannot be judged. */
  #probe({ words, text }: Candidate, segment: string): void {
    if (this.#probeDepth >= MAXIMUM_PROBE_DEPTH || this.isExhausted) return;
    const [cwd] = this.scope.directories;
    const key = [cwd, ...words.map(({ shape }) => shape)].join("\0");
    if (this.#probed.has(key)) return;
    this.#probed.add(key);
    const sheet = new Sheet(this.sheet.effort);
    if (!sheet.effort.guesses(words.length)) {
      this.sheet.cannotRead("it has too many parts that may be commands", words[0]?.text ?? "");
      return;
    }
    const place = { ...this.place, ...(cwd ? { cwd } : {}) };
    const judge = new Judge(this.#parse, sheet, place, this.links);
    judge.#nesting = this.#nesting;
    judge.#probeDepth = this.#probeDepth + 1;
    judge.#probed = this.#probed;
    if (text === undefined) judge.command({ words, input: { upstream: [] }, segment });
    else judge.read(text);
    judge.judgeCarriedTexts(text ?? words.map(({ shape }) => readable(shape)).join(" "));
    if (sheet.namesRoot || sheet.risk === "phrase") this.sheet.absorb(sheet);
  }
}

const UNKNOWN_PARTS = /[\ue000\ue001]/g;

/** `GIT_CONFIG_VALUE_0='push -f'`, `GIT_CONFIG_PARAMETERS="'alias.p=push -f'"` as words of git. */
function gitWords(value: string): Word[] {
  const text = readable(value)
    .replaceAll(/['"]/g, "")
    .replace(/^alias\.[^=]*=/, "");
  return ["git", ...text.split(/\s+/)].map(literalWord);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
