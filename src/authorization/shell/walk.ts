import { expandOne, expandWords, joined } from "./expand.ts";
import type { Input } from "./rule.ts";
import type { Scope } from "./scope.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import { UNKNOWN, UNKNOWN_WORDS, type Word, wordsOf } from "./word.ts";

export interface Assignment {
  readonly name: string;
  readonly value: Word;
  /** It is for one command only. */
  readonly prefix: boolean;
}

/** A simple command as the tree has it, words expanded. */
export interface Simple {
  readonly words: readonly Word[];
  readonly input: Input;
  readonly segment: string;
}

/** What a walk over a tree meets, in the order in which a shell would. */
export interface Visitor {
  readonly scope: Scope;
  command(simple: Simple): ReturnedCalls;
  assignment(assignment: Assignment, segment: string): void;
  redirection(target: Word, operator: string, segment: string): void;
  expansion(node: SyntaxNode): void;
  /** `[ … ]` and `[[ … ]]`. */
  test(node: SyntaxNode): void;
  defines(name: string, body: SyntaxNode): void;
  /** Something whose meaning the tree does not tell. */
  unreadable(why: string, segment: string): void;
  /** Backticks: bash takes one layer of backslashes away before it reads the inside. */
  backticks(inside: string, segment: string): void;
}

type ReturnedCalls = Input["upstream"];

const NO_INPUT: Input = { upstream: [] };

export class Walk {
  readonly #visitor: Visitor;
  readonly #scope: Scope;

  constructor(visitor: Visitor) {
    this.#visitor = visitor;
    this.#scope = visitor.scope;
  }

  /** Gives the calls whose output may be this statement's output. */
  statement(node: SyntaxNode, input: Input = NO_INPUT): ReturnedCalls {
    switch (node.type) {
      case "command":
        return this.#command(node, input);
      case "pipeline":
        return this.#pipeline(node.children, input);
      case "list":
        return this.#list(node, input);
      case "redirected_statement":
        return this.#redirected(node, input);
      case "subshell":
        return this.#apart(node, input);
      case "for_statement":
        return this.#forLoop(node, input);
      case "if_statement":
      case "while_statement":
      case "c_style_for_statement":
      case "case_statement":
        return this.#branches(node, input);
      case "function_definition":
        return this.#function(node);
      case "variable_assignment":
        this.#assignment(node, { prefix: false });
        return [];
      case "declaration_command":
      case "unset_command":
        return this.#declaration(node, input);
      case "command_substitution":
      case "process_substitution":
        this.#inside(node);
        return [];
      case "comment":
        return [];
      default:
        return this.#parts(node, input);
    }
  }

  #parts(node: SyntaxNode, input: Input): ReturnedCalls {
    if (node.type === "test_command") this.#visitor.test(node);
    this.#expansionAt(node);
    return node.children.flatMap((child) => this.statement(child, input));
  }

  #command(node: SyntaxNode, input: Input, more: readonly SyntaxNode[] = []): ReturnedCalls {
    const words: SyntaxNode[][] = [];
    let end = -1;
    let own = input;
    for (const child of [...node.children, ...node.children.flatMap(argumentsIn), ...more]) {
      if (child.type === "comment") continue;
      if (child.type === "variable_assignment") this.#assignment(child, { prefix: true });
      else if (child.field === "redirect") own = this.#redirect(child, own, node.text);
      else {
        this.#inside(child);
        // The grammar sometimes cuts a word where bash sees none: `$"text"`.
        if (child.start === end && words.length > 0) words.at(-1)?.push(child);
        else words.push([child]);
        end = child.end;
      }
    }
    const lookup = this.#scope.lookup;
    const expanded = words.flatMap((nodes) => {
      const [only] = nodes;
      if (nodes.length === 1 && only) return expandWords(only, lookup);
      return wordsOf(nodes.map((part) => part.text).join(""), joined(nodes, lookup));
    });
    return this.#visitor.command({ words: expanded, input: own, segment: node.text });
  }

  #pipeline(children: readonly SyntaxNode[], input: Input): ReturnedCalls {
    let upstream = input;
    let last: ReturnedCalls = [];
    for (const child of children) {
      if (child.type === "|" || child.type === "|&") continue;
      this.#scope.apart(() => {
        last = this.statement(child, upstream);
      });
      upstream = { upstream: [...last, ...upstream.upstream] };
    }
    return upstream.upstream;
  }

  #list(node: SyntaxNode, input: Input): ReturnedCalls {
    const [left, operator, right] = node.children;
    if (!left || !operator || !right) return this.#parts(node, input);
    const before = this.statement(left, input);
    const conditional = () => this.statement(right, input);
    let after: ReturnedCalls = [];
    const moves = endsWithCd(left);
    if (operator.type === "&&" && moves) {
      this.#scope.commitToEntered();
      after = conditional();
    } else {
      this.#scope.uncertain(() => {
        after = conditional();
      });
      if (operator.type === "||" && moves && /^(?:exit|return)\b/.test(right.text))
        this.#scope.commitToEntered();
    }
    return [...before, ...after];
  }

  #redirected(node: SyntaxNode, input: Input): ReturnedCalls {
    const body = node.children.find((child) => child.field === "body");
    let own = input;
    for (const child of node.children)
      if (child !== body) own = this.#redirect(child, own, node.text);
    const more = node.children.flatMap(argumentsIn);
    const calls = body ? this.#body(body, own, more) : [];
    return [...calls, ...this.#afterHeredoc(node, calls, input)];
  }

  #body(body: SyntaxNode, input: Input, more: readonly SyntaxNode[]): ReturnedCalls {
    if (body.type === "command") return this.#command(body, input, more);
    if (more.length > 0) this.#visitor.unreadable("words behind a redirection", body.text);
    return this.statement(body, input);
  }

  /** The grammar puts what follows on a here-document's first line inside the here-document. */
  #afterHeredoc(node: SyntaxNode, calls: ReturnedCalls, input: Input): ReturnedCalls {
    const heredocs = node.children.filter((child) => child.type === "heredoc_redirect");
    return heredocs.flatMap((heredoc) =>
      heredoc.children.flatMap((child) => {
        if (child.type === "pipeline") return this.#pipeline(child.children, { upstream: calls });
        return child.field === "right" ? this.statement(child, input) : [];
      }),
    );
  }

  #redirect(node: SyntaxNode, input: Input, segment: string): Input {
    if (node.type === "herestring_redirect") {
      const target = node.children.at(-1) ?? node;
      this.#inside(target);
      return { ...input, text: expandOne(target, this.#scope.lookup) };
    }
    if (node.type === "heredoc_redirect") return this.#heredoc(node, input, segment);
    const target = node.children.find((child) => child.field === "destination");
    if (!target) return input;
    this.#inside(target);
    const operator = node.children.find((child) => /[<>]/.test(child.type))?.type ?? ">";
    const words = expandWords(target, this.#scope.lookup).map((word) => ({
      ...word,
      shape: word.shape.replaceAll(UNKNOWN_WORDS, UNKNOWN),
    }));
    for (const word of words) this.#visitor.redirection(word, operator, segment);
    return operator === "<" && words[0] ? { ...input, file: words[0] } : input;
  }

  #heredoc(node: SyntaxNode, input: Input, segment: string): Input {
    let own = input;
    for (const child of node.children)
      if (child.field === "redirect") own = this.#redirect(child, own, segment);
    const body = node.children.find((child) => child.type === "heredoc_body");
    const start = node.children.find((child) => child.type === "heredoc_start");
    for (const child of body?.children ?? []) this.#inside(child);
    const expands = start !== undefined && /^[^"'\\]*$/.test(start.text);
    const text = body?.text ?? "";
    const shape = expands && /[$`\\]/.test(text) ? UNKNOWN : text;
    return { ...own, text: { text, shape } };
  }

  #apart(node: SyntaxNode, input: Input): ReturnedCalls {
    let calls: ReturnedCalls = [];
    this.#scope.apart(() => {
      calls = this.#parts(node, input);
    });
    return calls;
  }

  #branches(node: SyntaxNode, input: Input): ReturnedCalls {
    let calls: ReturnedCalls = [];
    this.#scope.uncertain(() => {
      calls = this.#parts(node, input);
    });
    // A loop's second round starts where its first one ended.
    if (/while|for/.test(node.type))
      this.#scope.uncertain(() => {
        calls = this.#parts(node, input);
      });
    return calls;
  }

  #forLoop(node: SyntaxNode, input: Input): ReturnedCalls {
    const variable = node.children.find((child) => child.field === "variable");
    const values = node.children.filter((child) => child.field === "value");
    const words = values.flatMap((value) => {
      this.#inside(value);
      return expandWords(value, this.#scope.lookup);
    });
    const shapes = words.map((word) => word.shape.replaceAll(UNKNOWN_WORDS, UNKNOWN));
    if (variable) this.#scope.assignAll(variable.text, shapes.length > 0 ? shapes : [UNKNOWN]);
    const body = node.children.find((child) => child.field === "body");
    return body ? this.#branches({ ...body, type: "for_body" }, input) : [];
  }

  #function(node: SyntaxNode): ReturnedCalls {
    const name = node.children.find((child) => child.field === "name");
    const body = node.children.find((child) => child.field === "body");
    if (name && body) this.#visitor.defines(name.text, body);
    this.#scope.apart(() => {
      for (const child of node.children) if (child !== name) this.statement(child);
    });
    return [];
  }

  #assignment(node: SyntaxNode, { prefix }: { prefix: boolean }): void {
    const [name, operator] = node.children;
    const value = node.children.find((child) => child.field === "value");
    this.#inside(node);
    const word =
      value && value.type !== "array"
        ? expandOne(value, this.#scope.lookup)
        : { text: value?.text ?? "", shape: value ? UNKNOWN : "" };
    const known = operator?.text === "=" && name?.type === "variable_name";
    const assigned = known ? word : { ...word, shape: UNKNOWN + word.shape };
    const plainName = (name?.text ?? "").replace(/\[.*$/, "");
    this.#visitor.assignment({ name: plainName, value: assigned, prefix }, node.text);
    if (!prefix) this.#scope.assign(plainName, assigned.shape);
  }

  /** `export`, `declare`, `local`, `unset`: commands whose words may be assignments. */
  #declaration(node: SyntaxNode, input: Input): ReturnedCalls {
    const words: Word[] = [];
    for (const child of node.children) {
      if (child.type === "variable_assignment") {
        this.#assignment(child, { prefix: false });
        words.push({ text: child.text, shape: child.text.replace(/=[\s\S]*$/, "=") });
      } else {
        this.#inside(child);
        words.push(
          ...expandWords(
            child.children.length > 0 ? child : { ...child, type: "word" },
            this.#scope.lookup,
          ),
        );
      }
    }
    return this.#visitor.command({ words, input, segment: node.text });
  }

  /** Whatever runs while a word is expanded. */
  #inside(node: SyntaxNode): void {
    if (node.type === "command_substitution" && node.text.startsWith("`")) {
      const inside = node.text.slice(1, -1).replaceAll(/\\([\\$`])/g, "$1");
      this.#scope.apart(() => this.#visitor.backticks(inside, node.text));
      return;
    }
    if (node.type === "command_substitution" || node.type === "process_substitution") {
      this.#apart(node, NO_INPUT);
      return;
    }
    this.#expansionAt(node);
    for (const child of node.children) this.#inside(child);
  }

  #expansionAt(node: SyntaxNode): void {
    if (node.type.includes("expansion")) this.#visitor.expansion(node);
    if (node.type === "heredoc_body") for (const child of node.children) this.#inside(child);
  }
}

/** Whether a statement works only if a `cd` at its end has worked. */
function endsWithCd(node: SyntaxNode): boolean {
  if (node.type === "list") {
    const [, operator, right] = node.children;
    return operator?.type === "&&" && right !== undefined && endsWithCd(right);
  }
  return node.type === "command" && /^(?:cd|pushd)\s/.test(node.text);
}

/** `cat <<END file`, `rm > log -r x`: the grammar puts words that follow a redirection inside it; they are arguments. */
function argumentsIn(redirect: SyntaxNode): SyntaxNode[] {
  if (redirect.field !== "redirect") return [];
  const targets = redirect.children.filter((child) => child.field === "destination");
  const words = redirect.children.filter((child) => child.field === "argument");
  return [...targets.slice(1), ...words, ...redirect.children.flatMap(argumentsIn)];
}
