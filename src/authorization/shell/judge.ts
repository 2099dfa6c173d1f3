import type { ShellPlace } from "./command-class.ts";
import { judgeDeletion, judgeWrite } from "./effects.ts";
import { judgeAssignment } from "./environment.ts";
import { absoluteShapes } from "./paths.ts";
import { ruleFor } from "./programs.ts";
import type { Call, Input, Inspector } from "./rule.ts";
import { Scope } from "./scope.ts";
import { isSecretName, namesCredentials } from "./secrets.ts";
import type { Sheet } from "./sheet.ts";
import { grantKeyOf } from "./subcommands.ts";
import type { Parse } from "./syntax.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import type { Assignment, Simple, Visitor } from "./visitor.ts";
import { Walk } from "./walk.ts";
import { exactly, isUnknown, readable, runsInSubscript, UNKNOWN, type Word } from "./word.ts";

/** How deep shells may start shells, and functions call functions. */
const MAXIMUM_NESTING = 8;
/** A bound on the work: functions that call functions multiply. */
const MAXIMUM_PARTS = 5_000;

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

  constructor(parse: Parse, sheet: Sheet, place: ShellPlace) {
    this.#parse = parse;
    this.#sheet = sheet;
    this.#place = place;
    this.scope = new Scope([place.cwd ?? place.workspaceDir], place.homeDir);
  }

  read(text: string): void {
    const parsed = this.#parse(text);
    if ("unparsed" in parsed) this.#sheet.cannotRead(parsed.unparsed, text);
    else new Walk(this).statement(parsed.root);
  }

  command({ words, input, segment }: Simple): readonly Call[] {
    return this.#start(words, input, segment);
  }

  assignment(assignment: Assignment, segment: string): void {
    const say = (risk: "medium" | "high", why: string) => this.#sheet.say(risk, why, segment);
    const code = (value: Word, what: string) => this.#code(value, what, segment);
    judgeAssignment(assignment, {
      say,
      code,
      homeDir: this.#place.homeDir,
      workspaceDir: this.#place.workspaceDir,
    });
  }

  redirection(target: Word, operator: string, segment: string): void {
    if (operator.includes("<")) {
      this.#credentials(target, segment);
      if (/^\/dev\/(?:tcp|udp)\//.test(target.shape))
        this.#sheet.say("high", "opens a network connection", segment);
      return;
    }
    if (operator.endsWith("&") && /^\d+-?$|^-$/.test(target.shape)) return;
    this.#sheet.parts++;
    this.#write(target, segment);
  }

  expansion(node: SyntaxNode): void {
    const name = /^\s*\$\{?[!#]?(\w+)/.exec(node.text)?.[1] ?? "";
    if (isSecretName(name) && !this.scope.assigned(name))
      this.#sheet.say("high", `reads the secret ${name}`, node.text);
    if (/^\s*\$\{[^}]*@P\}$/.test(node.text) || /^\s*\$\{!\w+\}$/.test(node.text))
      this.#sheet.say("high", "expands a variable's value as if it were written here", node.text);
  }

  test(node: SyntaxNode): void {
    if (node.type === "raw_string" && runsInSubscript(node.text))
      this.#sheet.say("high", "a subscript that runs a command", node.text);
    for (const child of node.children) this.test(child);
  }

  defines(name: string, body: SyntaxNode): void {
    this.scope.functions.set(name, body);
    this.#sheet.parts++;
    this.#sheet.program(name, name);
    const callsItself = new RegExp(`(?:^|[\\s;&|({])${escaped(name)}(?:[\\s;&|)}]|$)`).test(
      body.text,
    );
    if (callsItself) this.#sheet.say("high", `the function ${name} calls itself`, body.text);
    if (ruleFor(name)) this.#sheet.say("high", `gives the name ${name} another meaning`, body.text);
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
    if (!name) return [];
    const written = this.#nameOf(name, segment);
    if (written === undefined) return [];
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
    if (++this.#sheet.parts > MAXIMUM_PARTS)
      this.#sheet.cannotRead("it has too many parts", segment);
    else this.#judge(call);
    return [call];
  }

  /** What is started; a name that only the running shell knows is not accepted. */
  #nameOf(name: Word, segment: string): string | undefined {
    const written = exactly(name);
    const odd =
      written === undefined ? "the program's name is only known when it runs" : oddName(written);
    if (odd === undefined) return written;
    if (KEYWORDS.has(written ?? "")) this.#sheet.cannotRead(odd, segment);
    else this.#sheet.say("high", odd, segment);
    return undefined;
  }

  #judge(call: Call): void {
    for (const word of call.args) this.#credentials(word, call.segment);
    const inspector = this.#inspector(call);
    const body = this.scope.functions.get(call.written);
    if (body) {
      this.#nested("a function", call.segment, () => new Walk(this).statement(body, call.input));
      return;
    }
    const local =
      call.written.includes("/") && !/^\/(?:usr\/(?:local\/)?)?s?bin\//.test(call.written);
    const rule = local ? undefined : ruleFor(call.program);
    if (rule) rule(call, inspector);
    else
      inspector.medium(
        local ? "runs a program of its own" : "runs a program that the guard does not know",
      );
    if (rule === undefined && this.#justWritten(call.written))
      inspector.high("runs what it has just written");
    this.#sheet.grantKey = local || !rule ? undefined : grantKeyOf(call);
  }

  #inspector(call: Call): Inspector {
    const { segment } = call;
    const sheet = this.#sheet;
    const { workspaceDir, homeDir } = this.#place;
    return {
      workspaceDir,
      homeDir,
      written: sheet.writes,
      medium: (why) => sheet.say("medium", why, segment),
      high: (why) => sheet.say("high", why, segment),
      root: () => {
        sheet.asksRoot = true;
      },
      writes: (path) => this.#write(path, segment),
      deletes: (path, how) => {
        const { risk, why } = judgeDeletion(path, how, call.directories, this.#place);
        sheet.say(risk, why, segment);
        this.#noteWrite(path);
      },
      runs: (words, input = call.input) =>
        this.#nested("a program", segment, () => this.#start(words, input, segment)),
      runsCode: (code, what) => this.#code(code, what, segment),
      assigns: (name, value) => this.assignment({ name, value, prefix: true }, segment),
      enters: (directory) => this.scope.enter(directory),
      forgets: (names) => {
        for (const name of names) this.scope.forget(readable(name.shape).replace(/\[.*$/, ""));
      },
    };
  }

  #code(code: Word, what: string, segment: string): void {
    if (isUnknown(code))
      this.#sheet.say("high", `${what}: what will run is only known when it runs`, segment);
    else this.#nested(what, segment, () => this.read(readable(code.shape)));
  }

  #nested(what: string, segment: string, work: () => unknown): void {
    if (this.#nesting >= MAXIMUM_NESTING) {
      this.#sheet.cannotRead(`${what} inside too many others`, segment);
      return;
    }
    this.#nesting++;
    work();
    this.#nesting--;
  }

  #write(path: Word, segment: string): void {
    for (const shape of absoluteShapes(path.shape, this.scope.directories)) {
      const effect = judgeWrite(shape, this.#place);
      if (effect) this.#sheet.say(effect.risk, effect.why, segment);
    }
    this.#noteWrite(path);
  }

  #noteWrite(path: Word): void {
    for (const shape of absoluteShapes(path.shape, this.scope.directories))
      if (!shape.includes(UNKNOWN) && !shape.startsWith("/dev/"))
        this.#sheet.writes.add(readable(shape));
  }

  #justWritten(path: string): boolean {
    return absoluteShapes(path, this.scope.directories).some((shape) =>
      this.#sheet.writes.has(shape),
    );
  }

  #credentials(word: Word, segment: string): void {
    if (namesCredentials(word, this.#place.homeDir, this.scope.directories))
      this.#sheet.say("high", "reaches for credentials", segment);
  }
}

function oddName(name: string): string | undefined {
  if (name === "") return "the program has no name";
  if (KEYWORDS.has(name)) return "a keyword stands where a program should";
  return /^[\x21-\x7e]+$/.test(name) ? undefined : "the program's name has unusual characters";
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
