import { isWorkloadPath } from "../binding/workload-paths.ts";
import { bodyOf, isInert } from "./inert-producers.ts";
import { absoluteShapes } from "./paths.ts";
import type { Call } from "./rule.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import { CALCULATED } from "./walk.ts";
import { isUnknown, readable, type Word } from "./word.ts";

/**
 * What a command leaves to be decided while it runs. Only sources are looked for: bash evaluates data in so many places
 * (arithmetic, subscripts, names of variables, words that become options) that none of them is safe for text which the
 * workload chooses.
 */
export class RunTimeSources {
  readonly #texts: SyntaxNode[] = [];
  readonly #calls: Call[] = [];

  reads(root: SyntaxNode): void {
    this.#texts.push(root);
  }

  starts(call: Call): void {
    this.#calls.push(call);
  }

  /** Each as the end of "decided by …". Waits until it is asked for: only commands of root need it. */
  get all(): string[] {
    const found = new Findings(this.#texts.flatMap(functionsIn));
    for (const root of this.#texts) look(root, found, { calculates: false });
    for (const call of this.#calls) noteCall(call, found);
    return [...new Set([...found.sources, ...found.variables()])];
  }
}

class Findings {
  readonly sources: string[] = [];
  readonly #assigned = new Set<string>();
  readonly #used = new Map<string, string>();
  /** Variables whose values have a fixed form that is only known when it runs. */
  readonly #inert = new Set<string>();
  readonly #calculated: string[] = [];
  readonly #unread = new Set<string>();
  /** Variables that hold more than numbers. */
  readonly #texts = new Set<string>();
  /** It reads a file of settings, which is bound as code is, and may set any variable. */
  readsSettings = false;
  /** Names to which the text gives a meaning of its own. */
  readonly functions: ReadonlySet<string>;

  constructor(functions: readonly string[]) {
    this.functions = new Set(functions);
  }

  assigns(name: string, value = ""): void {
    this.#assigned.add(name);
    if (!/^\s*=?\s*\d*$/.test(value.replaceAll(NUMBERS, ""))) this.#texts.add(name);
    const isOpen = /\$\(|`/.test(value) || namesIn(value).some((one) => this.#inert.has(one));
    if (isOpen) this.#inert.add(name);
  }

  uses(name: string, text: string): void {
    this.#used.set(name, text);
  }

  calculates(text: string): void {
    this.#calculated.push(text);
    for (const [, one, other] of text.matchAll(CALCULATED)) this.assigns(one ?? other ?? "");
  }

  /** A word of a program that the text does not spell out, although everything in it has a value from the text. */
  opens({ text, shape }: Word): void {
    if (!/[\ue000\ue001]/.test(shape)) return;
    const rest = text
      .replaceAll(/\$\([^()]*(?:\([^()]*\)[^()]*)*\)|`[^`]*`/g, "")
      .replaceAll(/\$(?:(\w+)|\{(\w+)\})/g, (whole, one?: string, other?: string) =>
        this.#isPlain(one ?? other ?? "") ? "" : whole,
      );
    if (/\$|^~[^/]/.test(rest)) this.#unread.add(text);
  }

  /** It has a fixed form, or is named as a source already. */
  #isPlain(name: string): boolean {
    if (!/^[A-Za-z_]/.test(name)) return false;
    return !this.#assigned.has(name) || this.#inert.has(name) || !this.#texts.has(name);
  }

  /** Variables that the text does not set, and those that it calculates with although it does not tell their values. */
  variables(): string[] {
    const open = [...this.#used].filter(([name]) => !this.#assigned.has(name) && !isFixed(name));
    const evaluated = this.#calculated.filter(
      // Where something else decides the value, that is named already.
      (text) => this.sources.length === 0 && namesIn(text).some((name) => this.#inert.has(name)),
    );
    const unread = this.sources.length === 0 ? this.#unread : [];
    const unset = this.readsSettings ? [] : open.map(([, text]) => text);
    const texts = [...unset, ...evaluated, ...unread];
    return texts.map((text) => `the value of \`${text}\``);
  }
}

/** An approved command has an environment made from nothing; these are in it, or bash sets them by itself. */
const FIXED =
  /^(?:HOME|USER|LOGNAME|SHELL|PATH|LANG|TERM|PWD|OLDPWD|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|IFS|U?ID|EUID|PPID|GROUPS|S?RANDOM|SECONDS|EPOCH(?:SECONDS|REALTIME)|LINENO|FUNCNAME|SHLVL|OPT(?:IND|ARG)|PIPESTATUS|REPLY|MAPFILE|COPROC|DIRSTACK|COLUMNS|LINES|BASH\w*|_)$/;

const BRACES = /^(?:word|concatenation|brace_expression)$/;
const NUMBERS = /\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}/g;

/** Positions and counters hold what the text gives them. */
function isFixed(name: string): boolean {
  return FIXED.test(name) || !/^[A-Za-z_]/.test(name);
}

function namesIn(text: string): string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

interface Place {
  /** Bash evaluates what stands here. */
  readonly calculates: boolean;
}

function look(node: SyntaxNode, found: Findings, { calculates }: Place): void {
  if (/^(?:command|process)_substitution$/.test(node.type) && !isOutput(node)) {
    const body = bodyOf(node.text);
    const isOwnName = found.functions.has(/^[\w.-]+/.exec(body)?.[0] ?? "");
    if (calculates || isOwnName || !isInert(body)) found.sources.push(`the output of \`${body}\``);
    return;
  }
  noteNames(node, found);
  if (node.type === "for_statement") noteLoop(node, found);
  if (node.type === "array") found.sources.push(...node.children.flatMap(filesOf));
  for (const child of node.children) {
    const isStart = !calculates && isCalculated(child, node);
    if (isStart) found.calculates(headOf(child));
    look(child, found, { calculates: (calculates || isStart) && child.field !== "body" });
  }
}

function functionsIn(node: SyntaxNode): string[] {
  const name = node.type === "function_definition" ? node.children.find(isName)?.text : undefined;
  return [...(name === undefined ? [] : [name]), ...node.children.flatMap(functionsIn)];
}

function isName({ field }: SyntaxNode): boolean {
  return field === "name";
}

/** `>(…)` */
function isOutput({ text }: SyntaxNode): boolean {
  return text.trimStart().startsWith(">(");
}

/** Arithmetic, subscripts, names of variables, `[[ a -gt b ]]`, and expansions that evaluate a variable's value. */
function isCalculated({ type, text }: SyntaxNode, parent: SyntaxNode): boolean {
  if (/^(?:declaration|unset)_command$/.test(parent.type)) return type !== "variable_assignment";
  if (type === "test_command")
    return text.startsWith("[[") && /\s-(?:eq|ne|lt|le|gt|ge|v|R)\s/.test(text);
  if (type === "expansion") return !/^\s*\$\{#?\w+(?:\[[@*]\])?(?:[-+=?#%/^,}]|:[-+=?])/.test(text);
  if (type === "compound_statement") return text.startsWith("((");
  return /^(?:arithmetic_expansion|c_style_for_statement|subscript)$/.test(type);
}

/** The part of it that is calculated. */
function headOf({ type, text, children }: SyntaxNode): string {
  const body = type === "c_style_for_statement" && children.find(({ field }) => field === "body");
  return body ? text.slice(0, text.indexOf(body.text)).trim() : text.trim();
}

function noteNames({ type, text }: SyntaxNode, found: Findings): void {
  if (type === "variable_assignment") {
    const [name = ""] = /^\w+/.exec(text) ?? [];
    found.assigns(name, text.slice(name.length));
  }
  // The guard spells out `{a,b}` only; a range of numbers spells no path.
  if (BRACES.test(type) && /\{[^\s{},]*\.\.[^\s{},]*\}/.test(text.replaceAll(NUMBERS, "")))
    found.sources.push(`the range in \`${text}\``);
  if (type !== "simple_expansion" && type !== "expansion") return;
  const [, name = ""] = /^\s*\$\{?[!#]?(\w+)/.exec(text) ?? [];
  // With a value of its own for that case, a variable that is not set decides nothing.
  if (name !== "" && !/^\s*\$\{\w+:?[-=?+]/.test(text)) found.uses(name, text.trim());
  if (/^\s*\$\{\w+:?=/.test(text)) found.assigns(name, text);
}

/** The names of files in a directory of the workload are the workload's words. */
function noteLoop(node: SyntaxNode, found: Findings): void {
  const variable = node.children.find(({ field }) => field === "variable");
  const values = node.children.filter(({ field }) => field === "value");
  const chooses = node.text.startsWith("select");
  if (variable) found.assigns(variable.text, values.map(({ text }) => text).join(" "));
  found.sources.push(...values.flatMap(filesOf), ...(chooses ? ["the input of `select`"] : []));
}

function filesOf({ type, text }: SyntaxNode): string[] {
  const isPattern = /^(?:word|concatenation|extglob_pattern)$/.test(type) && /[*?[]/.test(text);
  const isOpen = !text.startsWith("/") || isWorkloadPath(text) || /^\/[^/]*[*?[]/.test(text);
  return isPattern && isOpen ? [`the names of files that \`${text}\` finds`] : [];
}

/** Builtins and programs that make words of their input, or names of variables of their words. */
function noteCall(call: Call, found: Findings): void {
  const { program, args } = call;
  if (/^(?:source|\.)$/.test(program)) found.readsSettings = true;
  if (/^(?:read|mapfile|readarray|xargs|parallel)$/.test(program))
    found.sources.push(`the input of \`${program}\``);
  if (/^(?:read|mapfile|readarray|getopts|printf)$/.test(program))
    for (const { shape } of args) if (/^[A-Za-z_]\w*$/.test(shape)) found.assigns(shape, "=text");
  if (namesOfVariables(call).some(isUnknown))
    found.sources.push(`the name of a variable in \`${call.segment}\``);
  if (program === "find") found.sources.push(...filesFound(call));
  if (!HANDS_ON.test(program)) for (const word of args) found.opens(word);
}

/** They only print their words, keep them in the shell, or hand them on to a call that is looked at by itself. */
const HANDS_ON =
  /^(?:echo|printf|:|true|false|test|\[|exit|return|shift|set|local|declare|typeset|export|readonly|unset|let|eval|sudo|doas|env|timeout|nice|ionice|nohup|command|exec|time|stdbuf|setsid|builtin)$/;

function namesOfVariables({ program, args }: Call): readonly Word[] {
  if (/^(?:let|eval|unset)$/.test(program)) return args;
  const isName = (_: Word, index: number) => /^-[vRp]$/.test(args[index - 1]?.shape ?? "");
  return /^(?:test|\[|printf|wait)$/.test(program) ? args.filter(isName) : [];
}

/** `find /workspace -exec …` */
function filesFound({ args, directories }: Call): string[] {
  if (!args.some(({ shape }) => /^-(?:exec|ok)(?:dir)?$/.test(shape))) return [];
  const end = args.findIndex(({ shape }) => /^[-(!]/.test(shape));
  const starts = args.slice(0, Math.max(0, end)).map(({ shape }) => shape);
  return (starts.length > 0 ? starts : ["."])
    .flatMap((shape) => absoluteShapes(shape, directories))
    .filter((path) => isWorkloadPath(path) || path === "/")
    .map((path) => `the names of files in ${readable(path)}`);
}
