import { expandCommand, expandOne, expandWhole, expandWords } from "./expand.ts";
import { argumentsIn, expandedIn, redirect } from "./redirections.ts";
import { type Input, SOME_OUTPUT } from "./rule.ts";
import type { Scope } from "./scope.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import type { ReturnedCalls, Visitor } from "./visitor.ts";
import { literalWord, oneOf, UNKNOWN, type Word } from "./word.ts";

const NO_INPUT: Input = { upstream: [] };

/** Goes over a tree in the order in which a shell would. */
export class Walk {
  readonly #visitor: Visitor;
  readonly #scope: Scope;

  constructor(visitor: Visitor) {
    this.#visitor = visitor;
    this.#scope = visitor.scope;
  }

  /** Gives the calls whose output may be this statement's output. */
  statement(node: SyntaxNode, input: Input = NO_INPUT): ReturnedCalls {
    if (node.children.length > 0 && !this.#visitor.proceeds(node.text)) return [];
    switch (node.type) {
      case "command":
        return this.#command(node, input);
      case "pipeline":
        return this.#pipeline(node.children, input);
      case "list":
        return this.#list(node, input);
      case "redirected_statement":
        return isOnList(node)
          ? this.#list(redirectLast(node), input)
          : this.#redirected(node, input);
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
      case "string":
        this.#inside(node);
        return [];
      case "file_redirect":
        // `$(<file)` has no command.
        this.#redirect(node, input, node.text);
        return [];
      case "coprocess":
        return this.#coprocess(node);
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
    const parts: SyntaxNode[] = [];
    const prefixed: string[] = [];
    let own = input;
    for (const child of [...wordsAndRedirections(node), ...more]) {
      if (child.type === "comment") continue;
      if (child.type === "variable_assignment") {
        this.#assignment(child, { prefix: true });
        prefixed.push(child.children[0]?.text ?? "");
        // Only `read` and its like split by it alone: `IFS=, eval` splits what it expands.
        const reads = node.children.some(({ text }) => /^(?:read|mapfile|readarray)$/.test(text));
        if (/^IFS=/.test(child.text) && !reads) this.#scope.hasOtherSplitting = true;
      } else if (child.field === "redirect") own = this.#redirect(child, own, node.text);
      else {
        this.#inside(child);
        parts.push(child);
      }
    }
    const words = expandCommand(parts, this.#scope.lookup);
    return this.#scope.withPrefix(prefixed, () =>
      this.#visitor.command({ words, input: own, segment: node.text }),
    );
  }

  #pipeline(children: readonly SyntaxNode[], input: Input): ReturnedCalls {
    let upstream = input;
    for (const child of children) {
      if (child.type === "|" || child.type === "|&") continue;
      const before = upstream;
      // Each part sees all before it, so that a long pipeline costs more than its length.
      if (!this.#visitor.proceeds(child.text, before.upstream.length)) break;
      const last = this.#scope.apart(() => this.statement(child, before));
      upstream = { upstream: [...last, ...before.upstream] };
    }
    return upstream.upstream;
  }

  #list(node: SyntaxNode, input: Input): ReturnedCalls {
    const [left, operator, right] = node.children;
    if (!left || !operator || !right) return this.#parts(node, input);
    const before = this.statement(left, input);
    const conditional = () => this.statement(right, input);
    const moves = endsWithCd(left);
    if (operator.type === "&&" && moves) {
      this.#scope.commitToEntered();
      return [...before, ...conditional()];
    }
    const after = this.#scope.uncertain(conditional);
    if (operator.type === "||" && moves && /^(?:exit|return)\b/.test(right.text))
      this.#scope.commitToEntered();
    return [...before, ...after];
  }

  #redirected(node: SyntaxNode, input: Input): ReturnedCalls {
    const body = node.children.find((child) => child.field === "body");
    if (body?.type === "function_definition")
      return this.#function(
        body,
        node.children.filter((child) => child !== body),
      );
    let own = input;
    for (const child of node.children)
      if (child !== body) own = this.#redirect(child, own, node.text);
    const more = node.children.flatMap(argumentsIn);
    const calls = this.#body(body, own, more);
    return [...calls, ...this.#afterHeredoc(node, calls, input)];
  }

  #body(body: SyntaxNode | undefined, input: Input, more: readonly SyntaxNode[]): ReturnedCalls {
    if (body?.type === "command") return this.#command(body, input, more);
    const [first] = more;
    if (first) this.#visitor.unreadable("words after a redirection", first.text);
    return body ? this.statement(body, input) : [];
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

  /** What stands before its group: it is an array of descriptors afterwards, and others write to its input. */
  #coprocess(node: SyntaxNode): ReturnedCalls {
    const name = /^coproc\s+(\w+)/.exec(node.text)?.[1] ?? "COPROC";
    for (const one of [name, `${name}_PID`]) this.#becomesUnknown(one, node.text);
    return this.#visitor.command({
      words: [literalWord("true")],
      input: NO_INPUT,
      segment: node.text,
    });
  }

  #becomesUnknown(name: string, segment: string): void {
    const value = { text: name, shape: UNKNOWN };
    this.#visitor.assignment({ name, value, prefix: false }, segment);
    this.#scope.forget(name);
  }

  #redirect(node: SyntaxNode, input: Input, segment: string): Input {
    for (const { type, text } of node.children)
      if (type === "file_descriptor" && text.startsWith("{"))
        this.#becomesUnknown(text.slice(1, -1), segment);
    for (const target of expandedIn(node)) this.#inside(target);
    return redirect(node, input, segment, this.#visitor);
  }

  #apart(node: SyntaxNode, input: Input): ReturnedCalls {
    return this.#scope.apart(() => this.#parts(node, input));
  }

  #branches(node: SyntaxNode, input: Input): ReturnedCalls {
    const round = () => this.#scope.uncertain(() => this.#parts(node, input));
    const calls = round();
    // A loop's second round starts where its first one ended.
    return /while|for/.test(node.type) ? round() : calls;
  }

  #forLoop(node: SyntaxNode, input: Input): ReturnedCalls {
    const variable = node.children.find((child) => child.field === "variable");
    const values = node.children.filter((child) => child.field === "value");
    const shapes = values.flatMap((value) => {
      this.#inside(value);
      return expandWhole(value, this.#scope.lookup).map(({ shape }) => shape);
    });
    // `select` knows answers that are none of its values.
    const isOpen = shapes.length === 0 || node.text.startsWith("select");
    if (variable) {
      const text = values.map((value) => value.text).join(" ");
      const value = { text, shape: oneOf(isOpen ? [UNKNOWN] : shapes) };
      this.#visitor.assignment({ name: variable.text, value, prefix: false }, variable.text);
      this.#scope.assignAll(variable.text, isOpen ? [UNKNOWN] : shapes);
    }
    if (node.text.startsWith("select")) this.#scope.forget("REPLY");
    const body = node.children.find((child) => child.field === "body");
    return body ? this.#branches({ ...body, type: "for_body" }, input) : [];
  }

  #function(node: SyntaxNode, around: readonly SyntaxNode[] = []): ReturnedCalls {
    const name = node.children.find((child) => child.field === "name");
    const body = node.children.find((child) => child.field === "body");
    const redirects = [...node.children.filter((child) => child.field === "redirect"), ...around];
    // `f() { …; } < file`: each call of it has the redirection.
    const whole = redirects.length > 0 && body ? redirected(body, redirects) : body;
    if (name && whole) this.#visitor.defines(name.text, whole);
    this.#scope.apart(() =>
      this.#scope.call(() => {
        if (whole) this.statement(whole);
      }),
    );
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
    this.#properties(node);
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

  #properties({ children, text }: SyntaxNode): void {
    const options = children
      .map((child) => child.text)
      .filter((word) => /^[-+]/.test(word))
      .join("");
    const [program = ""] = /^\w+/.exec(text) ?? [];
    const declared = children.slice(1).filter((child) => !/^[-+]/.test(child.text));
    const names = declared.map((child) => /[A-Za-z_]\w*/.exec(child.text)?.[0] ?? "");
    // `export "x=$y"` assigns as well, but its text is a word.
    for (const [index, child] of declared.entries())
      if (child.type !== "variable_assignment" && child.text.includes("="))
        this.#visitor.forgets(literalWord(names[index] ?? ""));
    this.#scope.declare(names, {
      isLocal: /^(?:local|declare|typeset)$/.test(program) && !options.includes("g"),
      isExported: program === "export" || options.includes("x"),
      isReadonly: program === "readonly" || options.includes("r"),
      isReference: /^(?:local|declare|typeset)$/.test(program) && options.includes("n"),
    });
  }

  /** Whatever runs while a word is expanded. */
  #inside(node: SyntaxNode, isQuoted = false): void {
    if (node.type === "command_substitution" && /^\s*`/.test(node.text)) {
      // Inside double quotes bash also takes the backslash before a quote away.
      const escaped = isQuoted ? /\\([\\$`"])/g : /\\([\\$`])/g;
      const inside = node.text.trim().slice(1, -1).replaceAll(escaped, "$1");
      this.#scope.apart(() => this.#visitor.backticks(inside, node.text));
      return;
    }
    if (node.type === "command_substitution" || node.type === "process_substitution") {
      this.#apart(node, node.text.trimStart().startsWith(">(") ? SOME_OUTPUT : NO_INPUT);
      return;
    }
    this.#expansionAt(node);
    for (const child of node.children) this.#inside(child, node.type === "string");
  }

  #expansionAt(node: SyntaxNode): void {
    if (node.type.includes("expansion")) this.#visitor.expansion(node);
    const calculates =
      node.type === "arithmetic_expansion" ||
      node.type === "c_style_for_statement" ||
      (node.type === "compound_statement" && node.text.startsWith("(("));
    if (calculates)
      for (const [, one, other] of node.text.matchAll(CALCULATED))
        this.#visitor.forgets(literalWord(one ?? other ?? ""));
    if (node.type === "heredoc_body") for (const child of node.children) this.#inside(child);
  }
}

/** The parts of a command; the words that stand inside of its redirections follow at the end. */
function wordsAndRedirections({ children }: SyntaxNode): readonly SyntaxNode[] {
  return children.some(({ field }) => field === "redirect")
    ? [...children, ...children.flatMap(argumentsIn)]
    : children;
}

/** A statement with its redirections, as the grammar would have it. */
function redirected(body: SyntaxNode, redirects: readonly SyntaxNode[]): SyntaxNode {
  const text = [body, ...redirects].map((child) => child.text).join(" ");
  const children = [{ ...body, field: "body" }, ...redirects];
  return { ...body, type: "redirected_statement", text, children };
}

function isOnList({ children }: SyntaxNode): boolean {
  const body = children.find((child) => child.field === "body");
  return body?.type === "list" && body.children.length === 3;
}

/** The grammar gives `cd d && a > f` one redirection for the whole list; bash gives it to the last command. */
function redirectLast(node: SyntaxNode): SyntaxNode {
  const body = node.children.find((child) => child.field === "body");
  const redirects = node.children.filter((child) => child !== body);
  const [left, operator, right] = body?.children ?? [];
  if (!body || !left || !operator || !right) return node;
  const text = [right, ...redirects].map((child) => child.text).join(" ");
  const last = { ...node, text, children: [{ ...right, field: "body" }, ...redirects] };
  return { ...body, children: [left, operator, last] };
}

/** `x = …`, `x += …`, `x++`, `--x`. */
export const CALCULATED =
  /([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/g;

/** Whether a statement works only if a `cd` at its end has worked. */
function endsWithCd(node: SyntaxNode): boolean {
  if (node.type === "list") {
    const [, operator, right] = node.children;
    return operator?.type === "&&" && right !== undefined && endsWithCd(right);
  }
  return node.type === "command" && /^(?:cd|pushd)\s/.test(node.text);
}
