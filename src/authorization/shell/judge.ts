import type { Level } from "../../contract/level.ts";
import { changedOperands } from "./change-operands.ts";
import {
  type CodeOperand,
  codeOperands,
  dependsOnDirectory,
  gitDirectories,
  loadsCodeFromDirectory,
  pathsMentioned,
  pathsOfOperand,
} from "./code-uses.ts";
import type { ShellPlace } from "./command-class.ts";
import { mayChangeFiles, pathsOfModes } from "./data-operands.ts";
import { judgeDeletion, judgeWrite } from "./effects.ts";
import { judgeAssignment, pointsToWritable } from "./environment.ts";
import { lengthsOfPart, MAXIMUM_PIECES, piecesOf, roughWords } from "./fragments.ts";
import { guessedNames } from "./guessed-names.ts";
import { hiddenCommands } from "./hidden-texts.ts";
import { Links } from "./links.ts";
import { absoluteRoutes, absoluteShapes, ancestorsOf, zoneOf } from "./paths.ts";
import { ruleFor } from "./programs.ts";
import type { Call, Input, Inspector } from "./rule.ts";
import { objectionToCode } from "./rules/code.ts";
import { judgeUnknown } from "./rules/unknown.ts";
import { fromEnvironment } from "./rules/upstream.ts";
import { Scope } from "./scope.ts";
import { type CodeUse, Script } from "./script.ts";
import {
  copiesEnvironment,
  isSecretName,
  namesCredentials,
  PRINTS_ENVIRONMENT,
  readsWholeHome,
  showsCredentials,
} from "./secrets.ts";
import { Sheet } from "./sheet.ts";
import { grantKeyOf } from "./subcommands.ts";
import type { Parse } from "./syntax.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import type { Assignment, Simple, Visitor } from "./visitor.ts";
import { Walk } from "./walk.ts";
import {
  exactly,
  hasMarks,
  hasPattern,
  isUnknown,
  literalWord,
  readable,
  runsInSubscript,
  UNKNOWN,
  UNKNOWN_WORDS,
  type Word,
} from "./word.ts";
import {
  type Content,
  contentOf,
  contentOfCall,
  holdsCode,
  holdsCommands,
  runsProject,
} from "./written-code.ts";

/** How deep shells may start shells, and functions call functions. */
const MAXIMUM_NESTING = 8;
/** How deep words are tried as commands, and how many of them. */
const MAXIMUM_PROBE_DEPTH = 3;
const MAXIMUM_PROBED_WORDS = 16;
const MAXIMUM_PROBED_CHARS = 4_096;

/** Behind a piece of a text that cannot be parsed: the output of another command belongs to it. */
const SUBSTITUTED = /^(?:`|\$\(|[<>]\(|\{)/;

/** Words that only a parse error puts in the place of a program. */
const KEYWORDS = new Set(
  "{ } ! [[ ]] if then elif else fi for while until do done case esac select function in".split(
    " ",
  ),
);

/** Reads a text as one shell would and writes down all that it could do. */
export class Judge implements Visitor {
  readonly scope: Scope;
  readonly #parse: Parse;
  readonly #sheet: Sheet;
  readonly #place: ShellPlace;
  #nesting = 0;
  #probeDepth = 0;
  /** The text that is being read, as long as the places of its words are known. */
  #script: Script | undefined;
  /** What was tried as a command, by every judge of the same text. */
  #probed = new Set<string>();
  /** What is judged now runs as root. */
  #root = false;
  /** The whole text, of which files that the command writes are made. */
  #text = "";
  #objection: { readonly why: string | undefined } | undefined;
  readonly #links: Links;

  constructor(parse: Parse, sheet: Sheet, place: ShellPlace, links = new Links()) {
    this.#links = links;
    this.#parse = parse;
    this.#sheet = sheet;
    this.#place = place;
    this.scope = new Scope([place.cwd ?? place.workspaceDir], place.homeDir);
  }

  /** Gives the text back with the files that it executes, as far as it could be read. */
  read(text: string): Script | undefined {
    this.#text ||= text;
    const parsed = this.#parse(text, this.#sheet.effort);
    if ("unparsed" in parsed) {
      if (parsed.isTooLong) this.#sheet.tooLong(text);
      else {
        this.#sheet.cannotRead(parsed.unparsed, text);
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
    this.#sheet.code.script ??= script;
    new Walk(this).statement(root);
    this.#script = outer;
    return script;
  }

  /** Where the text does not tell what runs, everything in it that may be a command counts. */
  tryHiddenCommands(text: string): void {
    if (this.#sheet.risk !== "click" || !this.#sheet.hidesCode) return;
    for (const words of hiddenCommands(text)) this.#mayRun(words.map(literalWord), text);
  }

  /** Judges what can be parsed of a text that cannot be parsed as a whole: it never lowers a level. */
  readParts(text: string): void {
    const work = () => {
      const pieces = piecesOf(text);
      if (pieces.length > MAXIMUM_PIECES) this.#sheet.tooLong(text);
      for (let index = 0; index < pieces.length; ) {
        const start = pieces[index]?.start ?? 0;
        const lengths = new Set(lengthsOfPart(pieces, index));
        // Without anything around its pieces, all of it together is the text that could not be parsed.
        if (text.slice(start, pieces.at(-1)?.end).trim() === text.trim())
          lengths.delete(pieces.length);
        const length = [...lengths].find((one) =>
          this.#readPart(text.slice(start, pieces[index + one - 1]?.end)),
        );
        index += length ?? 1;
        const end = pieces[index - 1]?.end;
        const goesOn = SUBSTITUTED.test(text.slice(end, (end ?? 0) + 2));
        if (length === undefined || goesOn)
          this.#roughly(text.slice(pieces[index - 1]?.start, end), { goesOn });
      }
    };
    // The places of words in a part are not those of the whole text.
    this.#nested("a part", text, work, { withoutScript: true });
  }

  #readPart(part: string): boolean {
    const parsed = this.#parse(part, this.#sheet.effort);
    if ("unparsed" in parsed) return false;
    this.scope.uncertain(() => new Walk(this).statement(parsed.root));
    return true;
  }

  /** Where a substitution follows, the command has more words than the piece. */
  #roughly(piece: string, { goesOn }: { goesOn: boolean }): void {
    const more = goesOn ? [{ text: "…", shape: UNKNOWN_WORDS }] : [];
    this.#start([...roughWords(piece).map(literalWord), ...more], { upstream: [] }, piece);
  }

  /** Whether there is work left for one more part of the command. */
  proceeds(segment: string, words = 0): boolean {
    const proceeds = this.#sheet.effort.takesStep(words);
    if (!proceeds) this.#sheet.tooLong(segment);
    return proceeds;
  }

  command({ words, input, segment }: Simple): readonly Call[] {
    return this.#start(words, input, segment);
  }

  assignment(assignment: Assignment, segment: string): void {
    const say = (risk: Level, why: string) => this.#sheet.say(risk, why, segment);
    const code = (value: Word, what: string) => this.#code(value, what, segment);
    const { asked } = this.#sheet;
    judgeAssignment(assignment, {
      say,
      code,
      homeDir: this.#place.homeDir,
      workspaceDir: this.#place.workspaceDir,
    });
    if (this.#sheet.asked > asked) this.#sheet.hidesCode = true;
    if (/^GIT_CONFIG_/.test(assignment.name))
      this.#mayRun(gitWords(assignment.value.shape), segment);
    if (copiesEnvironment(assignment.value)) this.#sheet.environmentCopies.add(assignment.name);
    if (pointsToWritable(assignment, this.scope.directories))
      this.#leaveOpen(`${assignment.name}=${readable(assignment.value.shape)}`);
    for (const piece of pathsMentioned(assignment.value.shape))
      for (const path of absoluteShapes(piece, this.scope.directories))
        this.#sheet.code.uses.push(mentionOf(path, assignment.name));
  }

  redirection(written: Word, operator: string, segment: string, input: Input): void {
    const target = this.#links.follow(written, this.scope.directories, { alsoLast: true });
    if (target !== written) this.#noteChanged(written, this.#sheet.code.changed);
    if (operator.includes("<")) {
      this.#credentials(target, segment);
      if (!/^\/dev\/(?:tcp|udp)\//.test(target.shape) && !operator.includes(">")) return;
    }
    if (/^\/dev\/(?:tcp|udp)\//.test(target.shape)) this.#sheet.sends = true;
    if (operator.endsWith("&") && /^\d+-?$|^-$/.test(target.shape)) return;
    this.#sheet.parts++;
    this.#sheet.code.dependsOnDirectory ||= !written.shape.startsWith("/");
    this.#write(target, segment, contentOf(segment, input));
    if (PRINTS_ENVIRONMENT.test(segment) || fromEnvironment(input))
      for (const path of this.#knownShapes(target)) this.#sheet.environmentCopies.add(path);
  }

  expansion(node: SyntaxNode): void {
    const name = /^\s*\$\{?[!#]?(\w+)/.exec(node.text)?.[1] ?? "";
    if (isSecretName(name) && !this.scope.assigned(name))
      this.#credentialsRead(`reads the secret ${name}`, node.text);
    const isIndirect =
      /^\s*\$\{!\w/.test(node.text) && !/^\s*\$\{!\w+(?:\[[@*]\]|[@*])\}$/.test(node.text);
    if (/@P\}$/.test(node.text) || isIndirect)
      this.#hides("expands a variable's value as if it were written here", node.text);
    const assigned = /^\s*\$\{(\w+)(?:\[[^\]]*\])?:?=/.exec(node.text)?.[1];
    if (assigned === undefined) return;
    const value = { text: node.text, shape: UNKNOWN };
    this.assignment({ name: assigned, value, prefix: false }, node.text);
    this.scope.forget(assigned);
  }

  test(node: SyntaxNode): void {
    if (node.type === "test_command" && /(?:^|\s)-v\s+["']?[^\s"']*\$/.test(node.text))
      this.#hides("a variable's name that is only known when it runs", node.text);
    if (node.type === "raw_string" && runsInSubscript(node.text))
      this.#hides("a subscript that runs a command", node.text);
    for (const child of node.children) this.test(child);
  }

  /** Something that runs without being written as a command. */
  #hides(why: string, segment: string): void {
    this.#sheet.hidesCode = true;
    this.#sheet.say("click", why, segment);
  }

  defines(name: string, body: SyntaxNode): void {
    this.scope.functions.set(name, body);
    this.#sheet.parts++;
    this.#sheet.program(name, name);
    const callsItself = new RegExp(
      `(?:^|[;&|({\\n\`]|\\b(?:then|do|else|time)\\s)\\s*${escaped(name)}(?:[\\s;&|)}]|$)`,
    ).test(body.text);
    if (callsItself) this.#sheet.say("click", `the function ${name} calls itself`, body.text);
    if (ruleFor(name))
      this.#sheet.say("click", `gives the name ${name} another meaning`, body.text);
  }

  unreadable(why: string, segment: string): void {
    this.#sheet.cannotRead(why, segment);
  }

  backticks(inside: string, segment: string): void {
    if (inside.includes("<<")) this.#sheet.cannotRead("a here-document in backticks", segment);
    this.#code({ text: segment, shape: inside }, "backticks", segment);
  }

  #start(words: readonly Word[], input: Input, segment: string): readonly Call[] {
    const [name, ...args] = words;
    if (!name || !this.proceeds(segment, args.length)) return [];
    const written = this.#nameOf(name, segment);
    if (written === undefined) {
      for (const guess of guessedNames(name, args))
        this.#mayRun([literalWord(guess), ...args], segment);
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
    this.#sheet.program(written, program);
    // What is only tried as a command executes no files.
    if (this.#probeDepth === 0) this.#noteCode(name, call);
    this.#sheet.parts++;
    // The route that root takes is bound as written; what it leads to is judged.
    this.#judge({ ...call, args: this.#followed(call) });
    return [call];
  }

  #followed({ program, args }: Call): readonly Word[] {
    const alsoLast = !KEEPS_LINKS.test(program);
    return args.map((arg) => {
      const followed = this.#links.follow(arg, this.scope.directories, { alsoLast });
      if (followed !== arg) this.#noteChanged(arg, this.#sheet.code.changed);
      return followed;
    });
  }

  /** What is started; a name that only the running shell knows is not accepted. */
  #nameOf(name: Word, segment: string): string | undefined {
    const written = exactly(name);
    const odd =
      written === undefined ? "the program's name is only known when it runs" : oddName(written);
    if (odd === undefined) return written;
    if (KEYWORDS.has(written ?? "")) this.#sheet.cannotRead(odd, segment);
    else this.#sheet.say("click", odd, segment);
    this.#leaveOpen(readable(name.shape));
    return undefined;
  }

  #judge(call: Call): void {
    const usesIdentity = IDENTITY_OPTIONS.find(([programs]) => programs.test(call.program))?.[1];
    for (const [index, word] of call.args.entries())
      if (!usesIdentity?.(call.args[index - 1]?.shape ?? "", word.shape)) {
        this.#credentials(word, call.segment);
        if (showsCredentials(call.program, word))
          this.#credentialsRead("reaches for credentials", call.segment);
      }
    const inspector = this.#inspector(call);
    const body = this.scope.functions.get(call.written);
    if (body) {
      const run = () => this.scope.call(() => new Walk(this).statement(body, call.input));
      // The body's places are those of the text in which it was defined.
      this.#nested("a function", call.segment, run, { withoutScript: true });
      return;
    }
    const local = isLocal(call.written);
    const rule = local ? undefined : ruleFor(call.program);
    this.#sheet.grantKey = local || !rule ? undefined : grantKeyOf(call);
    if (rule && onlyAsksForHelp(call)) return;
    const [asked, root] = [this.#sheet.asked, this.#root];
    const { sends } = this.#sheet;
    this.#sheet.sends = false;
    if (rule) rule(call, inspector);
    else this.#unknown(call, inspector, local);
    if (this.#sheet.sends && this.#holdsEnvironment(call))
      inspector.phrase("sends the environment to another machine");
    this.#sheet.sends ||= sends;
    if (readsWholeHome(call, this.#place.homeDir))
      this.#credentialsRead("reads a whole home directory", call.segment);
    if (/^(?:source|\.)$/.test(call.program)) this.scope.forgetAll();
    if (call.program === "eval" && call.args.some(isUnknown)) this.scope.forgetAll();
    // A program that people are asked about may be one that starts others.
    if (!rule || this.#sheet.asked > asked) {
      const { text } = call.input;
      this.#mayRun(text ? [...call.args, text] : call.args, call.segment);
    }
    this.#root = root;
  }

  #unknown(call: Call, inspector: Inspector, local: boolean): void {
    const why = local ? "runs a program of its own" : "runs a program that the guard does not know";
    inspector.notes(why);
    judgeUnknown(call, inspector);
    if (this.#justWritten(call.written)) inspector.hides("runs what it has just written");
    else if (local && this.#cameFromElsewhere(call.written))
      inspector.click("runs what was downloaded");
  }

  /** Code that the command wrote runs unasked where its text shows nothing that code is asked for. */
  #runsWritten(call: Call, operands: readonly CodeOperand[]): void {
    const { authored } = this.#sheet;
    if (authored.size === 0) return;
    const named = operands
      .filter(({ kind, candidates }) => kind === "run" || candidates)
      .flatMap((operand) => pathsOfOperand(operand, call));
    const found = runsProject(call)
      ? [...authored.keys()].filter((path) => holdsCode(path) || holdsCommands(path))
      : [];
    for (const path of new Set([...named, ...found])) {
      const content = authored.get(path);
      if (content === undefined) continue;
      const isScript =
        holdsCommands(path) ||
        (named.includes(path) &&
          /make$|^just$|sed$|awk$|^dc$|^bc$|^gdb$|^psql$/.test(call.program));
      const isPlain = content !== "hidden" && !(content === "shown" && isScript);
      const objection = isPlain ? this.#objectionToText() : "runs what it has just written";
      if (objection) this.#hides(objection, call.segment);
    }
  }

  /** The same for every file that the command writes, so it is looked for once. */
  #objectionToText(): string | undefined {
    this.#objection ??= { why: objectionToCode(this.#text) };
    return this.#objection.why;
  }

  #inspector(call: Call): Inspector {
    const { segment } = call;
    const sheet = this.#sheet;
    const { workspaceDir, homeDir } = this.#place;
    return {
      workspaceDir,
      homeDir,
      gitAliases: sheet.gitAliases,
      wasWritten: (path) => this.#justWritten(path.shape),
      asRoot: this.#root,
      cameFromElsewhere: (path) => this.#cameFromElsewhere(path.shape),
      notes: (why) => sheet.say("free", why, segment),
      click: (why) => sheet.say("click", why, segment),
      phrase: (why) => sheet.say("phrase", why, segment),
      hides: (why) => this.#hides(why, segment),
      discards: (why, directories = call.directories) => this.#discards(why, directories, segment),
      credentials: (why) => this.#credentialsRead(why, segment),
      sends: () => {
        sheet.sends = true;
      },
      downloads: (path) => this.#downloads(path),
      mayRun: (words) => this.#mayRun(words, segment),
      root: () => {
        sheet.asksRoot = true;
        sheet.namesRoot = true;
        this.#root = true;
      },
      writes: (path) => {
        this.#write(path, segment, contentOfCall(call));
        if (call.program === "tee" && fromEnvironment(call.input))
          for (const one of this.#knownShapes(path)) sheet.environmentCopies.add(one);
      },
      touches: (path, sources = []) => this.#touches(path, sources, segment),
      mayWrite: (path, source) => {
        this.#writeEffect(path, segment);
        for (const shape of this.#knownShapes(path)) {
          sheet.writes.add(shape);
          if (!source) sheet.authored.set(shape, "hidden");
        }
        if (source) this.#copies(path, [source]);
      },
      links: (path, target) => {
        for (const shape of absoluteShapes(path.shape, call.directories))
          this.#links.add(shape, target.shape);
      },
      outputs: (path) => {
        this.#writeEffect(path, segment);
        for (const shape of this.#knownShapes(path)) sheet.outputs.add(shape);
        this.#noteChanged(path, sheet.code.changed);
      },
      deletes: (path, how) => {
        const { risk, why, discards } = judgeDeletion(path, how, call.directories, this.#place);
        sheet.say(risk, why, segment);
        if (discards) sheet.discards = true;
        for (const shape of this.#knownShapes(path)) sheet.writes.add(shape);
        this.#noteChanged(path, sheet.code.removed);
      },
      runs: (words, input = call.input) =>
        this.#nested("a program", segment, () =>
          this.#inShellOf(call, () => this.#start(words, input, segment)),
        ),
      runsCode: (code, what) => this.#inShellOf(call, () => this.#code(code, what, segment)),
      assigns: (name, value) => this.assignment({ name, value, prefix: true }, segment),
      enters: (directory) => this.scope.enter(directory),
      forgets: (names) => {
        for (const name of names) {
          if (isUnknown(name)) this.scope.forgetAll();
          this.scope.forget(readable(name.shape).replace(/\[.*$/, ""));
        }
      },
    };
  }

  /** Builtins run their words in this shell, a trap may run later; all others start programs. */
  #inShellOf({ program }: Call, work: () => unknown): void {
    if (program === "trap") this.scope.uncertain(work);
    else if (/^(?:eval|builtin|command|exec|time|source|\.)$/.test(program)) work();
    else this.scope.foreign(work);
  }

  #code(code: Word, what: string, segment: string): void {
    if (isUnknown(code)) {
      this.#sheet.say("click", `${what}: what will run is only known when it runs`, segment);
      this.#leaveOpen(`the text of ${what}`);
      // What stands around the unknown part tells something all the same.
      const text = readable(code.shape.replaceAll(UNKNOWN_PARTS, "$_unknown_"));
      this.#probe([literalWord(text)], (judge) => judge.read(text));
    } else {
      this.#nested(what, segment, () => {
        const inner = this.read(readable(code.shape));
        if (inner && !inner.isEmpty) this.#script?.replaces(code, inner);
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
      this.#sheet.cannotRead(`${what} inside too many others`, segment);
      return;
    }
    this.#nesting++;
    const outer = this.#script;
    if (withoutScript) this.#script = undefined;
    work();
    this.#script = outer;
    this.#nesting--;
  }

  /** Writes down the files that decide what this call does. */
  #noteCode(name: Word, call: Call): void {
    const { code } = this.#sheet;
    code.dependsOnDirectory ||= dependsOnDirectory(call);
    code.loadsCodeFromDirectory ||= loadsCodeFromDirectory(call);
    for (const directory of gitDirectories(call)) code.git.add(directory);
    this.#noteChanges(call);
    const operands = codeOperands(name, call);
    for (const operand of operands) this.#noteOperand(operand, call);
    this.#runsWritten(call, operands);
  }

  /** Writes down what keeps a copy of a file from standing for the file itself. */
  #noteChanges(call: Call): void {
    const { code } = this.#sheet;
    if (mayChangeFiles(call) || this.scope.functions.has(call.written)) code.changing.add(call);
    for (const word of changedOperands(call)) this.#noteChanged(word, code.changed);
    const paths = pathsOfModes(call);
    if (!paths) code.changesUnknown = true;
    for (const path of paths ?? []) code.changed.add(path);
  }

  /** Writes down that the text does not tell which code runs here. */
  #leaveOpen(written: string): void {
    this.#sheet.hidesCode = true;
    this.#sheet.code.uses.push({ kind: "run", paths: [], written, alsoMissing: false });
  }

  #noteOperand(operand: CodeOperand, call: Call): void {
    const { word, kind, before, candidates, alsoMissing = false, isMentioned = false } = operand;
    const isData = operand.isData && !this.scope.functions.has(call.written);
    const paths = pathsOfOperand(operand, call);
    if (paths.length === 0 && kind === "read" && !hasPattern(word)) return;
    const written = isUnknown(word) ? word.text : readable(word.shape);
    const { uses } = this.#sheet.code;
    if (kind === "run" && paths.length === 0) this.#sheet.hidesCode = true;
    const isOneFile = candidates ? call.directories.length === 1 : paths.length <= 1;
    if (!isOneFile) {
      for (const path of paths)
        uses.push({ kind, paths: [path], written, alsoMissing, isMentioned });
      return;
    }
    const reader = isData ? { reader: call } : {};
    const use: CodeUse = { kind, paths, written, alsoMissing, isMentioned, ...reader };
    uses.push(use);
    if (kind !== "run" && !isData) return;
    if (before !== undefined) this.#script?.addsBehind(word, before, use);
    else this.#script?.replaces(word, use);
  }

  #write(path: Word, segment: string, content: Content): void {
    this.#touches(path, [], segment);
    for (const shape of this.#knownShapes(path)) this.#sheet.authored.set(shape, content);
  }

  #touches(path: Word, sources: readonly Word[], segment: string): void {
    this.#writeEffect(path, segment);
    this.#noteWrite(path);
    this.#copies(path, sources);
  }

  /** A copy of a file that the command wrote is as good as the file. */
  #copies(path: Word, sources: readonly Word[]): void {
    const { authored, downloads } = this.#sheet;
    if (authored.size === 0 && downloads.size === 0) return;
    const copies = this.#knownShapes(path);
    for (const { shape } of sources)
      for (const source of absoluteShapes(shape, this.scope.directories)) {
        const content = authored.get(source);
        for (const copy of content ? copies : []) authored.set(copy, content ?? "hidden");
        for (const copy of downloads.has(source) ? copies : []) downloads.add(copy);
      }
  }

  #writeEffect(path: Word, segment: string): void {
    for (const shape of absoluteShapes(path.shape, this.scope.directories)) {
      const effect = judgeWrite(shape, this.#place);
      if (effect) this.#sheet.say(effect.risk, effect.why, segment);
    }
  }

  /** In the workspace a checkpoint brings it back, and scratch directories hold no work. */
  #discards(why: string, directories: readonly string[], segment: string): void {
    const zones = directories.map((directory) => zoneOf(directory, this.#place));
    const isKept = zones.every((zone) => zone !== "outside" && zone !== "unknown");
    this.#sheet.say(isKept ? "free" : "click", why, segment);
    this.#sheet.discards = true;
  }

  #downloads(path: Word | undefined): void {
    if (!path || isUnknown(path)) this.#sheet.downloadsUnknown = true;
    else
      for (const shape of absoluteShapes(path.shape, this.scope.directories))
        this.#sheet.downloads.add(readable(shape));
  }

  #noteWrite(path: Word): void {
    for (const shape of this.#knownShapes(path)) this.#sheet.writes.add(shape);
    this.#noteChanged(path, this.#sheet.code.changed);
  }

  #knownShapes(path: Word): string[] {
    return absoluteShapes(path.shape, this.scope.directories)
      .filter((shape) => !isUnknown(literalWord(shape)) && !shape.startsWith("/dev/"))
      .map(readable);
  }

  #noteChanged(path: Word, changed: Set<string>): void {
    const { code } = this.#sheet;
    const routes = absoluteRoutes(path.shape, this.scope.directories).filter(
      (route) => zoneOf(route, this.#place) !== "stream",
    );
    code.changesUnknown ||=
      routes.length > 0 &&
      (hasMarks(path) || routes.some((shape) => isUnknown({ ...path, shape })));
    // A slash at its end makes a program follow a link in the last place.
    const end = path.shape.endsWith("/") ? "/" : "";
    for (const route of routes) changed.add(route === "/" ? route : route + end);
  }

  #justWritten(path: string): boolean {
    return absoluteShapes(path, this.scope.directories).some((shape) =>
      this.#sheet.authored.has(shape),
    );
  }

  #credentials(word: Word, segment: string): void {
    if (namesCredentials(word, this.#place.homeDir, this.scope.directories))
      this.#credentialsRead("reaches for credentials", segment);
  }

  #credentialsRead(why: string, segment: string): void {
    this.#sheet.readsCredentials = true;
    this.#sheet.say("click", why, segment);
  }

  /** Words or texts that may be commands, judged apart: what asks for a phrase or for root in them counts. */
  #mayRun(words: readonly Word[], segment: string): void {
    if (this.#probeDepth >= MAXIMUM_PROBE_DEPTH) return;
    for (const [index, word] of words.slice(0, MAXIMUM_PROBED_WORDS).entries()) {
      for (const text of textsIn(word))
        this.#probe([literalWord(text)], (judge) => judge.read(text));
      const name = exactly(word);
      if (name === undefined || !ruleFor(name.slice(name.lastIndexOf("/") + 1))) continue;
      const rest = words.slice(index);
      this.#probe(rest, (judge) =>
        judge.command({ words: rest, input: { upstream: [] }, segment }),
      );
    }
  }

  /** Each candidate once for every directory; too many of them cannot be judged. */
  #probe(candidate: readonly Word[], work: (judge: Judge) => void): void {
    if (this.#probeDepth >= MAXIMUM_PROBE_DEPTH) return;
    const sheet = new Sheet(this.#sheet.effort);
    if (!sheet.effort.guesses(candidate.length)) {
      this.#sheet.cannotRead(
        "it has too many parts that may be commands",
        candidate[0]?.text ?? "",
      );
      return;
    }
    const [cwd] = this.scope.directories;
    const key = [cwd, ...candidate.map(({ shape }) => shape)].join("\0");
    if (this.#probed.has(key)) return;
    this.#probed.add(key);
    const place = { ...this.#place, ...(cwd ? { cwd } : {}) };
    const judge = new Judge(this.#parse, sheet, place, this.#links);
    judge.#nesting = this.#nesting;
    judge.#probeDepth = this.#probeDepth + 1;
    judge.#probed = this.#probed;
    work(judge);
    if (sheet.namesRoot || sheet.risk === "phrase") this.#sheet.absorb(sheet);
  }

  /** Whether the words or the input of a call are made of all variables of the environment. */
  #holdsEnvironment({ args, input }: Call): boolean {
    const { environmentCopies } = this.#sheet;
    const words = [
      ...args,
      ...(input.text ? [input.text] : []),
      ...(input.file ? [input.file] : []),
    ];
    return words.some((word) => {
      if (copiesEnvironment(word)) return true;
      if (environmentCopies.size === 0) return false;
      const names = [...word.text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name ?? "");
      const [file = ""] = /[^@=]*$/.exec(readable(word.shape)) ?? [];
      const paths = file === "" ? [] : absoluteShapes(file, this.scope.directories);
      return [...names, ...paths].some((one) => environmentCopies.has(one));
    });
  }

  #cameFromElsewhere(path: string): boolean {
    const { downloads } = this.#sheet;
    const fetches = this.#sheet.hasProgram(FETCHING);
    return (
      this.#sheet.downloadsUnknown ||
      (fetches && this.#justWritten(path)) ||
      absoluteShapes(path, this.scope.directories).some((shape) =>
        ancestorsOf(shape).some((one) => downloads.has(one)),
      )
    );
  }
}

/** `ssh -i KEY`, `kubectl --kubeconfig FILE`: the program uses the file, and does not show or send it. */
const IDENTITY_OPTIONS: readonly [RegExp, (before: string, word: string) => boolean][] = [
  [
    /^(?:kubectl|helm|oc)$/,
    (before, word) => before === "--kubeconfig" || word.startsWith("--kubeconfig="),
  ],
  [/^(?:ssh|scp|sftp|rsync)$/, (before) => /^-[a-zA-Z]*i$/.test(before)],
];

function mentionOf(path: string, written: string): CodeUse {
  return { kind: "read", paths: [path], written, alsoMissing: false, isMentioned: true };
}

/** These act on a link itself, and not on what it leads to. */
const KEEPS_LINKS = /^(?:rm|unlink|mv|ln|readlink|ls|stat|file|test|\[|find|trash|rmdir)$/;

const UNKNOWN_PARTS = /[\ue000\ue001]/g;

const FETCHING = [
  "curl",
  "wget",
  "aria2c",
  "axel",
  "http",
  "https",
  "xh",
  "nc",
  "ncat",
  "scp",
  "ssh",
  "fetch",
  "wget2",
  "curlie",
  "wcurl",
  "lwp-download",
  "lwp-request",
];

function isLocal(written: string): boolean {
  if (/^\.\/(?:mvnw|gradlew)$/.test(written)) return false;
  return (
    written.includes("/") &&
    !/^\/(?:opt|snap|usr\/(?:lib(?:exec)?|share)|(?:usr\/(?:local\/)?)?s?bin)\//.test(written)
  );
}

/** `GIT_CONFIG_VALUE_0='push -f'`, `GIT_CONFIG_PARAMETERS="'alias.p=push -f'"` as words of git. */
function gitWords(value: string): Word[] {
  const text = readable(value)
    .replaceAll(/['"]/g, "")
    .replace(/^alias\.[^=]*=/, "");
  return ["git", ...text.split(/\s+/)].map(literalWord);
}

/** Every argument is such a flag; a launcher with another argument runs it, and so asks. */
function onlyAsksForHelp({ args }: Call): boolean {
  return args.length > 0 && args.every(({ shape }) => /^--(?:help|version)$/.test(shape));
}

/** Texts inside a word that may be commands: the word itself, what follows `=` or an editor's `!`, what is quoted in it. */
function textsIn({ shape }: Word): string[] {
  const text = readable(shape);
  if (!/\s/.test(text) || text.length > MAXIMUM_PROBED_CHARS) return [];
  const quoted = [...text.matchAll(/"([^"]*)"|'([^']*)'|`([^`']*)[`']/g)].map(
    ([, one, other, third]) => one ?? other ?? third ?? "",
  );
  const behind = [
    /^[^\s=]*=(.*)$/s,
    /!\s*(.*)$/s,
    /\bexec=(.*)$/s,
    /^-[a-zA-Z](.*)$/s,
    // `$e COMMAND`, `shell-escape COMMAND`: a word of the program's own language stands before it.
    /^\s*(?:[^\w\s./\\]\S*|\w+-\w+)\s+(.*)$/s,
  ].map((pattern) => pattern.exec(text)?.[1] ?? "");
  const pieces = text.length < 300 ? text.split(/[;:|&!({]/) : [];
  const texts = [text, ...behind, ...quoted, ...pieces];
  return [...new Set(texts)].filter((one) => /^\s*[\w./\\]+\s+\S/.test(one)).slice(0, 12);
}

function oddName(name: string): string | undefined {
  if (name === "") return "the program has no name";
  if (KEYWORDS.has(name)) return "a keyword stands where a program should";
  return /^[\x21-\x7e]+$/.test(name) ? undefined : "the program's name has unusual characters";
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
