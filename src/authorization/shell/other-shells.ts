import type { Shell } from "../../contract/workspace/shell.ts";
import { isOwnName } from "./own-names.ts";

/**
 * Whether zsh or fish executes the same commands for a text as bash. The guard reads bash, so this is a list of what is
 * known to be the same: simple commands in plain words and quotes, pipes, lists and plain redirections, for zsh also loops
 * and quoted here-documents. Everything else counts as different.
 */
export function readsAsInBash(text: string, shell: Shell): boolean {
  return shell === "bash" || new Reader(text, shell).reads();
}

export function mayDiffer(shell: Shell): string {
  return `${shell} may read this differently from bash`;
}

/** Builtins that change the shell itself: in a pipeline or a substitution only bash forgets what they did. */
const CHANGES_SHELL = new Set(["cd", "exit", "export"]);
const KEYWORDS = new Set(["if", "then", "elif", "else", "fi", "while", "until", "do", "done"]);
const LOOP_VARIABLE = /^(?:[a-z]|dir|file|item|line|name|word)$/;
/** Variables whose values mean nothing special in any of the shells, or the same in all. */
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;
const SPECIAL_VARIABLE =
  /^(?:ARGC|ARGV0|BAUD|CDPATH|COLUMNS|DIRSTACKSIZE|ENV|EGID|EUID|FIGNORE|FISH.*|FPATH|FUNCNEST|GID|HISTCHARS|HISTCMD|HISTFILE|HISTSIZE|HOST|IFS|KEY.*|LINENO|LINES|LISTMAX|LOGCHECK|MAIL.*|MODULE_PATH|NULLCMD|OLDPWD|OPTARG|OPTIND|PERIOD|POSTEDIT|PPID|PROMPT.*|PS[0-9].*|PSVAR|PWD|RANDOM|READNULLCMD|REPORT.*|RPROMPT.*|RPS.*|SAVEHIST|SECONDS|SHLVL|SPROMPT|STTY|TIMEFMT|TMOUT|TMP(?:PREFIX|SUFFIX)|TRY_.*|TTY.*|UID|USERNAME|WATCH.*|WORDCHARS|ZDOTDIR|ZLE.*|ZSH.*)$/;

interface Word {
  readonly text: string;
  /** Holds an unquoted `*` or `?`. */
  readonly globs: boolean;
  /** Holds an expansion of a variable or a command. */
  readonly expands: boolean;
  readonly isQuoted: boolean;
}

/** Thrown where the text leaves what is known to be the same. */
class DifferentError extends Error {}

class Reader {
  readonly #text: string;
  readonly #shell: Exclude<Shell, "bash">;
  readonly #depth: number;
  #at: number;
  readonly #assigned: Set<string>;
  readonly #expandedBare: Set<string>;
  /** Delimiters of here-documents whose bodies begin at the end of the line. */
  #documents: string[] = [];
  #hasKeyword = false;
  #hasPipe = false;
  #changesShell = false;
  #lists = 0;

  constructor(text: string, shell: Exclude<Shell, "bash">, outer?: Reader) {
    this.#text = text;
    this.#shell = shell;
    this.#depth = outer ? outer.#depth + 1 : 0;
    this.#at = outer ? outer.#at : 0;
    this.#assigned = outer ? outer.#assigned : new Set();
    this.#expandedBare = outer ? outer.#expandedBare : new Set();
  }

  reads(): boolean {
    try {
      this.#script("");
      // Words that bash splits and the others do not.
      return [...this.#assigned].every((name) => !this.#expandedBare.has(name));
    } catch (error) {
      if (error instanceof DifferentError) return false;
      throw error;
    }
  }

  /** Commands up to the end of the text, or to the `)` of a substitution. */
  #script(end: "" | ")"): void {
    for (;;) {
      this.#blank(/[ \t\n]/);
      if (this.#isAt(end)) break;
      this.#list(end);
      if (this.#isAt(end)) break;
    }
    if (this.#changesShell && (this.#depth > 0 || (this.#hasKeyword && this.#hasPipe)))
      this.#differ();
    if (this.#documents.length > 0) this.#differ();
  }

  /** Pipelines joined by && and ||, up to `;`, the end of the line or a last `&`. */
  #list(end: "" | ")"): void {
    this.#lists += 1;
    this.#pipeline(end);
    let joins = 0;
    while (this.#takes("&&") || this.#takes("||")) {
      joins += 1;
      this.#pipeline(end);
    }
    if (this.#takes(";") || this.#isAt(end)) return;
    if (this.#takes("\n")) this.#skipDocuments();
    else if (this.#takes("&")) {
      this.#blank(/[ \t\n]/);
      if (!this.#isAt("") || joins > 0 || this.#lists > 1) this.#differ();
    } else this.#differ();
  }

  #pipeline(end: "" | ")"): void {
    for (let isFirst = true; ; isFirst = false) {
      this.#blank(/[ \t]/);
      const { name, reads, writes } = this.#command(end);
      const isLast = !(this.#text.startsWith("|", this.#at) && this.#text[this.#at + 1] !== "|");
      const isPiped = !isFirst || !isLast;
      // zsh writes to the file and into the pipe, and reads the file and the pipe.
      if (isPiped && ((writes && !isLast) || (reads && !isFirst))) this.#differ();
      if (CHANGES_SHELL.has(name)) {
        if (isPiped) this.#differ();
        this.#changesShell = true;
      }
      if (isLast) return;
      this.#at += 1;
      this.#hasPipe = true;
    }
  }

  #command(end: "" | ")"): { name: string; reads: boolean; writes: boolean } {
    const name = this.#name();
    if (name === undefined) return { name: "", reads: false, writes: false };
    const args: Word[] = [];
    let reads = false;
    let writes = false;
    for (;;) {
      const isApart = this.#blank(/[ \t]/);
      if (this.#isAt(end) || /[;\n|]/.test(this.#next)) break;
      if (this.#next === "&" && this.#text[this.#at + 1] !== ">") break;
      if (!isApart) this.#differ();
      const redirection = this.#redirection();
      if (redirection === undefined) args.push(this.#word());
      else if (redirection === "reads" && !reads) reads = true;
      else if (redirection === "writes" && !writes) writes = true;
      else if (redirection !== "joins") this.#differ();
    }
    this.#check(name, args);
    // What stands at the end of a text is the only program of fish that could be a directory to go to.
    if (this.#shell === "fish" && name.includes("/") && !this.#isAt("")) this.#differ();
    return { name, reads, writes };
  }

  /** Undefined where no program is started: a bare assignment, or a keyword that ends something. */
  #name(): string | undefined {
    for (;;) {
      const word = this.#word();
      const [, variable] = /^([A-Za-z_]\w*)\+?=/.exec(word.text) ?? [];
      if (variable !== undefined) {
        this.#assign(variable);
        this.#blank(/[ \t]/);
        if (!/[;\n&|]/.test(this.#next) && !this.#isAt("")) continue;
        if (this.#shell === "fish") this.#differ();
        return undefined;
      }
      if (word.isQuoted || word.globs || word.expands) this.#differ();
      if (word.text === "for") return this.#loop();
      if (!KEYWORDS.has(word.text)) return this.#known(word.text);
      if (this.#shell === "fish") this.#differ();
      this.#hasKeyword = true;
      const isApart = this.#blank(/[ \t\n]/);
      if (word.text === "fi" || word.text === "done") return undefined;
      if (!isApart) this.#differ();
    }
  }

  #known(name: string): string {
    const isPlain = /^(?:[A-Za-z0-9_][\w.+-]*|(?:\.{0,2}|~|[\w.+-]+)(?:\/[\w.+@-]+)+|:|\[)$/.test(
      name,
    );
    if (!isPlain || isOwnName(name, this.#shell)) this.#differ();
    return name;
  }

  /** `for x in a b`, up to the separator. */
  #loop(): undefined {
    if (this.#shell === "fish") this.#differ();
    this.#hasKeyword = true;
    this.#blank(/[ \t]/);
    const variable = this.#word().text;
    this.#blank(/[ \t]/);
    if (!LOOP_VARIABLE.test(variable) || this.#word().text !== "in") this.#differ();
    this.#assigned.add(variable);
    while (this.#blank(/[ \t]/) && !/[;\n]/.test(this.#next)) this.#word();
    return undefined;
  }

  #assign(variable: string): void {
    if (!VARIABLE.test(variable) || SPECIAL_VARIABLE.test(variable)) this.#differ();
    this.#assigned.add(variable);
  }

  /** What the shells' own versions of a builtin understand in the same way. */
  #check(name: string, args: readonly Word[]): void {
    const texts = args.map(({ text }) => text);
    if (name === "cd" && (args.length > 1 || texts.some((text) => /^[-+]./.test(text))))
      this.#differ();
    if (name === "echo" && texts.some((text) => text.includes("\\"))) this.#differ();
    if (name === "[" && texts.at(-1) !== "]") this.#differ();
    if (name !== "[" && texts.includes("]")) this.#differ();
    if (name === "exit" && texts.some((text) => !/^\d+$/.test(text))) this.#differ();
    if (name !== "export") return;
    for (const text of texts) {
      const [, variable] = /^([A-Za-z_]\w*)(?:=|$)/.exec(text) ?? this.#differ();
      this.#assign(variable ?? "");
    }
  }

  #redirection(): "reads" | "writes" | "joins" | undefined {
    if (this.#shell === "zsh" && this.#next === "<" && this.#text[this.#at + 1] === "<") {
      const [whole, , delimiter = ""] =
        /^<<(['"])([A-Za-z_]\w*)\1(?=[\s;|&])/.exec(this.#text.slice(this.#at, this.#at + 100)) ??
        this.#differ();
      this.#at += whole.length;
      this.#documents.push(delimiter);
      return "reads";
    }
    const found = /^(?:([12])?(>>?)(&[12])?|(&>)|(<))/.exec(
      this.#text.slice(this.#at, this.#at + 5),
    );
    if (!found) return undefined;
    const [whole, descriptor, , joined, , input] = found;
    this.#at += whole.length;
    if (joined !== undefined) {
      if (whole.includes(">>") || !/[\s;|&)]|^$/.test(this.#next)) this.#differ();
      return "joins";
    }
    this.#blank(/[ \t]/);
    const target = this.#word();
    if (target.globs || target.expands || target.text === "") this.#differ();
    if (input !== undefined) return "reads";
    return descriptor === "2" ? "joins" : "writes";
  }

  #word(): Word {
    const start = this.#at;
    let text = "";
    let globs = false;
    let expands = false;
    let bare = false;
    let isQuoted = false;
    for (;;) {
      const next = this.#next;
      if (next === "'") [text, isQuoted] = [text + this.#single(), true];
      else if (next === '"') {
        const inside = this.#double();
        [text, isQuoted, expands] = [text + inside.text, true, expands || inside.expands];
      } else if (next === "$") {
        this.#expansion({ isQuoted: false });
        [text, expands, bare] = [`${text}\ue000`, true, true];
      } else if (this.#isPlain(next, this.#at === start)) {
        globs ||= next === "*" || next === "?";
        text += next;
        this.#at += 1;
      } else break;
    }
    if (this.#at === start || /\*\*/.test(text)) this.#differ();
    const whole = this.#text.slice(start, this.#at);
    // An unset variable takes the rest of its word with it in fish.
    if (bare && this.#shell === "fish" && text !== "\ue000") this.#differ();
    if (/[{}]/.test(whole) && !isQuoted && !expands && whole !== "{}") this.#differ();
    return { text, globs, expands, isQuoted };
  }

  #isPlain(character: string, isFirst: boolean): boolean {
    if (/^[A-Za-z0-9_@+,./:-]$/.test(character)) return true;
    const before = this.#text[this.#at - 1] ?? "";
    const after = this.#text[this.#at + 1] ?? "";
    switch (character) {
      case "%":
        return !isFirst;
      case "=":
        return !isFirst && before !== "=" && before !== ":";
      case "~":
        return isFirst && /^[\s/;|&)]?$/.test(after);
      case "*":
        return after !== "(" && after !== "*";
      case "?":
        return this.#shell === "zsh" && after !== "(";
      case "{":
        return isFirst && after === "}";
      case "}":
        return before === "{" && /^[\s;|&)]?$/.test(after);
      case "[":
      case "]":
        return isFirst && /^[\s;|&)]?$/.test(after);
      default:
        return false;
    }
  }

  #single(): string {
    const close = this.#text.indexOf("'", this.#at + 1);
    if (close < 0) this.#differ();
    const inside = this.#text.slice(this.#at + 1, close);
    // In fish a backslash before a backslash or the quote disappears.
    if (this.#shell === "fish" && /\\(?:\\|$)/.test(inside)) this.#differ();
    this.#at = close + 1;
    return inside;
  }

  #double(): { text: string; expands: boolean } {
    this.#at += 1;
    let text = "";
    let expands = false;
    for (;;) {
      const next = this.#next;
      if (next === "" || next === "\\" || next === "`" || next === "!") this.#differ();
      if (next === "$") {
        this.#expansion({ isQuoted: true });
        [text, expands] = [`${text}\ue000`, true];
        continue;
      }
      this.#at += 1;
      if (next === '"') return { text, expands };
      text += next;
    }
  }

  /** `$NAME`, `${NAME}`, `$?` or `$(…)`, and nothing behind it that would be a part of it in one of the shells. */
  #expansion({ isQuoted }: { readonly isQuoted: boolean }): void {
    const rest = this.#text.slice(this.#at, this.#at + 200);
    const [name] =
      /^\$[A-Za-z_]\w*/.exec(rest) ??
      (this.#shell === "zsh" ? /^\$\{[A-Za-z_]\w*\}|^\$\?/.exec(rest) : null) ??
      [];
    if (name !== undefined) {
      this.#at += name.length;
      if (/[[:(]/.test(this.#next)) this.#differ();
      if (!isQuoted) this.#expandedBare.add(name.replace(/^\$\{?|\}$/g, ""));
      return;
    }
    if (!rest.startsWith("$(") || this.#depth >= 4) this.#differ();
    this.#at += 2;
    const inner = new Reader(this.#text, this.#shell, this);
    inner.#script(")");
    this.#at = inner.#at + 1;
    if (/[[(]/.test(this.#next)) this.#differ();
  }

  /** The bodies of quoted here-documents are no code. */
  #skipDocuments(): void {
    for (const delimiter of this.#documents) {
      const rest = this.#text.slice(this.#at);
      const found = new RegExp(`(?:^|\\n)${delimiter}(?:\\n|$)`).exec(rest) ?? this.#differ();
      this.#at += found.index + found[0].length;
    }
    this.#documents = [];
  }

  get #next(): string {
    return this.#text[this.#at] ?? "";
  }

  #isAt(end: "" | ")"): boolean {
    return end === "" ? this.#at >= this.#text.length : this.#next === end;
  }

  #takes(operator: string): boolean {
    if (!this.#text.startsWith(operator, this.#at)) return false;
    this.#at += operator.length;
    return true;
  }

  #blank(characters: RegExp): boolean {
    const start = this.#at;
    while (characters.test(this.#next)) this.#at += 1;
    return this.#at > start;
  }

  #differ(): never {
    throw new DifferentError();
  }
}
