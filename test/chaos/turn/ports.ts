import { readFileSync } from "node:fs";
import ts from "typescript";

/** The ports of the bot by the names of their crash points, and where they are written down. */
const PORTS = {
  store: ["store", "Store"],
  documents: ["store", "Documents"],
  lease: ["store", "Lease"],
  inbox: ["store", "Inbox"],
  adapter: ["platform/adapter", "Adapter"],
  workspaces: ["workspace/workspace", "Workspaces"],
  workspace: ["workspace/workspace", "Workspace"],
  checkpoints: ["workspace/workspace", "WorkspaceCheckpoints"],
  model: ["model", "Model"],
  audit: ["audit", "Audit"],
} as const;

/** "store.append", as the contract has it. What is there at once and never waits is no verb. */
export function contractVerbs(): string[] {
  return Object.entries(PORTS).flatMap(([port, [file, name]]) =>
    membersOf(`contract/${file}.ts`, name)
      .filter((member) => member !== "documents")
      .map((member) => `${port}.${member}`),
  );
}

/** The methods that an interface declares in a file below src. */
export function membersOf(file: string, name: string, methodsOnly = true): string[] {
  const url = new URL(`../../../src/${file}`, import.meta.url);
  const source = ts.createSourceFile(file, readFileSync(url, "utf8"), ts.ScriptTarget.Latest);
  const found = source.statements
    .filter(ts.isInterfaceDeclaration)
    .find((one) => one.name.text === name);
  if (!found) throw new Error(`${file} has no interface ${name}.`);
  return found.members
    .filter((member) => !methodsOnly || ts.isMethodSignature(member))
    .flatMap(({ name: given }) => (given && ts.isIdentifier(given) ? [given.text] : []));
}
