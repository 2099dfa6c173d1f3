import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PIPELINE = "src/tools/perform-call.ts";
const JOURNAL = "src/journal/journal.ts";

/** The methods that begin or allow something, by the interface that has them, and the only files that may call them. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  "RunnableTool.run": [PIPELINE],
  "Guard.preview": [PIPELINE],
  "Guard.decide": [PIPELINE],
  "CallJournal.started": [PIPELINE],
  "CallJournal.checkpoint": [PIPELINE],
  // The audit has a journal of its own.
  "Store.append": ["src/audit/audit.ts", JOURNAL],
  "Store.last": ["src/audit/journal.ts", JOURNAL],
  "Store.read": [
    "src/audit/conversation-index.ts",
    "src/audit/journal.ts",
    "src/audit/verify.ts",
    JOURNAL,
  ],
};

let found: Map<string, Set<string>>;

beforeAll(() => {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const own = fileNames.filter((name) => /^(src|adapters)\//.test(relative(ROOT, name)));
  found = callersOf(ts.createProgram(own, { ...options, types: [] }, ownModulesOnly(options)));
}, 120_000);

describe("one pipeline over one journal", () => {
  it.each(Object.entries(CALLERS))("%s is called by nobody else", (method, files) => {
    expect([...(found.get(method) ?? [])].toSorted()).toEqual(files);
  });
});

/** Reading the types of packages would take most of the time, and no interface of ours is declared there. */
function ownModulesOnly(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, file) =>
    names.map(({ text }) =>
      text.startsWith(".")
        ? ts.resolveModuleName(text, file, options, host)
        : { resolvedModule: undefined },
    );
  return host;
}

/** Which of our files call each method of an interface. */
function callersOf(program: ts.Program): Map<string, Set<string>> {
  const checker = program.getTypeChecker();
  const names = new Set(Object.keys(CALLERS).map((method) => method.split(".")[1]));
  const callers = new Map<string, Set<string>>();
  /** A method that is taken out of its object could be called later, so that counts as well. */
  const methodIn = (node: ts.Node): ts.Symbol | undefined => {
    if (ts.isPropertyAccessExpression(node) && names.has(node.name.text)) {
      return checker.getSymbolAtLocation(node.name);
    }
    if (!ts.isBindingElement(node)) return undefined;
    const { text = "" } = (node.propertyName ?? node.name) as Partial<ts.Identifier>;
    return names.has(text) ? checker.getTypeAtLocation(node.parent).getProperty(text) : undefined;
  };
  const visit = (node: ts.Node, file: string): void => {
    for (const method of declaredAs(methodIn(node))) {
      callers.set(method, (callers.get(method) ?? new Set()).add(file));
    }
    ts.forEachChild(node, (child) => visit(child, file));
  };
  for (const source of program.getSourceFiles()) {
    const file = relative(ROOT, source.fileName);
    if (/^(src|adapters)\//.test(file)) visit(source, file);
  }
  return callers;
}

function declaredAs(symbol: ts.Symbol | undefined): string[] {
  return (symbol?.declarations ?? []).flatMap(({ parent }) =>
    ts.isInterfaceDeclaration(parent) ? [`${parent.name.text}.${symbol?.name}`] : [],
  );
}
