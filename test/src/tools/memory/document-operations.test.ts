import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { flatSchema } from "../../../../src/contract/tools/tool-schema.ts";
import type { Workspace, WorkspaceCall } from "../../../../src/contract/workspace/workspace.ts";
import { workspaceView } from "../../../../src/conversation/subagents/workspace-view.ts";
import {
  createDocumentOperations,
  documentOperations,
} from "../../../../src/tools/memory/document-operations.ts";
import { createMemoryOperations } from "../../../../src/tools/memory/memory-operations.ts";
import { call, contextOf, failureOf } from "../../../support/calls.ts";
import { localWorkspace } from "../../../support/local-workspace.ts";
import { memoryLab } from "../../memory/lab.ts";

async function makeTool(seen = (workspace: Workspace) => workspace) {
  const lab = await memoryLab();
  const { files, workspace: whole, calls, ...local } = localWorkspace();
  const workspace = seen(whole);
  const tool = createDocumentOperations({ memories: lab.memories });
  const context = contextOf("A", { workspace: async () => workspace });
  const run = (operation: string, args: object = {}) => call(tool, { operation, ...args }, context);
  const refusal = (operation: string, args: object) =>
    failureOf(tool, { operation, ...args }, context);
  return {
    lab,
    files,
    calls,
    context,
    run,
    refusal,
    [Symbol.asyncDispose]: async () => {
      local[Symbol.dispose]();
      await lab[Symbol.asyncDispose]();
    },
  };
}

/** The workspace as a subagent has it, at the place where it is in a container. */
function subagents(workspace: Workspace): Workspace {
  const mounted = (path: unknown) => String(path).replace(/^\/workspace\//, "");
  const placed = ({ args, ...call }: WorkspaceCall): WorkspaceCall => ({
    ...call,
    args: "filePath" in args ? { ...args, filePath: mounted(args.filePath) } : args,
  });
  const inContainer: Workspace = {
    ...workspace,
    call: async (call, how) =>
      call.args.operation === "create_directory"
        ? { success: true }
        : workspace.call(placed(call), how),
    pathsOf: (call) => workspace.pathsOf(placed(call)),
    download: (path) => workspace.download(mounted(path)),
  };
  const checkpoint = async () => "none";
  return workspaceView(inContainer, { id: "abc", isShared: false, checkpoint });
}

describe("2.49 document_operations", () => {
  it("10.8 a subagent imports its parent's files by their absolute paths, and writes in its own directory alone", async () => {
    await using own = await makeTool(subagents);
    const directory = ".deckhand/subagents/abc";
    own.files.write("notes.txt", "The parent's notes.");
    own.files.write(`${directory}/notes.txt`, "Its own, which are longer.");
    const theirs = await own.run("document_import", { path: "/workspace/notes.txt" });
    expect(theirs.data).toMatchObject({ path: "/workspace/notes.txt", characters: 19 });
    const mine = await own.run("document_import", { path: "notes.txt" });
    expect(mine.data).toMatchObject({ path: "notes.txt", characters: 26 });
    const again = { path: `/workspace/${directory}/notes.txt` };
    expect((await own.run("document_import", again)).data).toMatchObject({ outcome: "unchanged" });
    await own.run("document_create", { output_path: "report", content: "Done." });
    expect(own.files.read(`${directory}/report.md`)).toBe("Done.");
    const elsewhere = { output_path: "/workspace/report", content: "Done." };
    expect(await own.refusal("document_create", elsewhere)).toMatchObject({
      kind: "permissionDenied",
    });
  });

  it("imports a text file, finds it in the memory of its scope, and lists it", async () => {
    await using own = await makeTool();
    own.files.write("notes.txt", "Release notes\n\nThe anchor is made of steel.\n");
    const imported = await own.run("document_import", {
      path: "/workspace/notes.txt",
      tags: ["ship"],
    });
    expect(imported.text).toContain("notes.txt is imported (44 characters in 1 part");
    const memory = createMemoryOperations({ memories: own.lab.memories });
    const query = { operation: "search_memory", query: "anchor", similarity_threshold: 0.2 };
    const found = await call(memory, query, own.context);
    expect(found.text).toContain("[document]");
    expect(found.text).toContain("The anchor is made of steel.");
    const elsewhere = await call(memory, query, contextOf("B"));
    expect(elsewhere.data?.results).toEqual([]);
    const { text, data } = await own.run("get_doc_info");
    expect(text).toMatch(
      /^1 document imported:\n- notes\.txt: 44 characters, 1 part, id \w{8}, imported 2030-.*, tags: ship$/,
    );
    expect(data).toMatchObject({ documents: [{ path: "notes.txt", characters: 44 }] });
  });

  it("records a file once under all ways to write its path, and takes its new text", async () => {
    await using own = await makeTool();
    own.files.write("docs/a.md", "one");
    await own.run("document_import", { path: "docs/a.md" });
    const again = await own.run("document_import", { path: "./docs/../docs//a.md" });
    expect(again.data).toMatchObject({ outcome: "unchanged" });
    own.files.write("docs/a.md", "two");
    const changed = await own.run("document_import", { path: "docs/a.md" });
    expect(changed.data).toMatchObject({ outcome: "replaced", path: "docs/a.md" });
    expect((await own.run("get_doc_info")).data?.documents).toHaveLength(1);
  });

  it.each([
    ["is not there", "missing.txt", "list_dir"],
    ["is binary", "a.bin", "not a text file"],
    ["is not UTF-8", "latin.txt", "not a text file"],
    ["is too large", "big.txt", "Split it"],
    ["is empty", "empty.txt", "nothing to import"],
    ["is a directory", "docs", "Only single files"],
  ])("says what to do when a file %s", async (_why, path, said) => {
    await using own = await makeTool();
    own.files.write("a.bin", Buffer.from([65, 0, 66]));
    own.files.write("latin.txt", Buffer.from([65, 0xe4, 66]));
    own.files.write("big.txt", "x".repeat(1024 * 1024 + 1));
    own.files.write("empty.txt", " \n");
    own.files.write("docs/x.txt", "x");
    const failure = await own.refusal("document_import", { path });
    expect(failure.kind).toBe("executionFailed");
    expect(failure.message).toContain(said);
    expect((await own.run("get_doc_info")).text).toContain("No document");
  });

  it.each(["/etc/passwd", "../x", "/workspace", "/workspace/../etc/x", "."])(
    "neither reads nor writes outside of the workspace: %s",
    async (path) => {
      await using own = await makeTool();
      for (const [operation, args] of [
        ["document_import", { path }],
        ["document_create", { output_path: path, content: "x" }],
      ] as const) {
        expect(await own.refusal(operation, args)).toMatchObject({ kind: "invalidParameters" });
      }
      expect(own.calls).toEqual([]);
    },
  );

  it("writes Markdown and plain text, and offers no format that it cannot write", async () => {
    await using own = await makeTool();
    expect(flatSchema(documentOperations).properties.format?.enum).toEqual(["markdown", "txt"]);
    await own.run("document_create", { output_path: "out/report", content: "# Report" });
    await own.run("document_create", { output_path: "plain", content: "text", format: "txt" });
    await own.run("document_create", { output_path: "tasks.json", content: "kept", format: "txt" });
    expect(own.files.read("out/report.md")).toBe("# Report");
    expect(own.files.read("plain.txt")).toBe("text");
    expect(own.files.read("tasks.json.txt")).toBe("kept");
    expect(own.calls.map(({ id }) => id)).toEqual(["call-1", "call-1", "call-1"]);
    const pdf = { output_path: "x.pdf", content: "x", format: "pdf" };
    expect(await own.refusal("document_create", pdf)).toMatchObject({ kind: "invalidParameters" });
  });

  it.each([".git/hooks/a.md", ".vscode/a.md", "planted/a.md", "planted.md"])(
    "leaves %s, about which a human may have to be asked, to file_operations",
    async (path) => {
      await using own = await makeTool();
      own.files.write(".git/hooks/a.md", "x");
      symlinkSync("/", own.files.path("planted"));
      symlinkSync("/etc/motd", own.files.path("planted.md"));
      const args = { output_path: path, content: "x", overwrite: true };
      const failure = await own.refusal("document_create", args);
      expect(failure).toMatchObject({ kind: "permissionDenied" });
      expect(failure.message).toContain("file_operations.create_file");
      expect(own.calls).toEqual([]);
    },
  );

  it("does not read through a link that leads outside", async () => {
    await using own = await makeTool();
    symlinkSync("/etc", own.files.path("planted"));
    const failure = await own.refusal("document_import", { path: "planted/hostname" });
    expect(failure).toMatchObject({ kind: "permissionDenied" });
  });

  it("replaces a document only when told to", async () => {
    await using own = await makeTool();
    own.files.write("a.md", "old");
    const args = { output_path: "a.md", content: "new" };
    expect((await own.refusal("document_create", args)).message).toContain("overwrite");
    expect(own.files.read("a.md")).toBe("old");
    await own.run("document_create", { ...args, overwrite: "true" });
    expect(own.files.read("a.md")).toBe("new");
  });

  it.each([
    ["document_import", { path: "/a/b/notes.md" }, "Importing document: notes.md"],
    ["document_import", {}, "Importing document"],
    ["document_create", { output_path: "out/x.md" }, "Creating document: x.md"],
    ["get_doc_info", {}, "Listing imported documents"],
  ] as const)("1.40 %s %j is shown in one line", (operation, args, line) => {
    expect(documentOperations.operations[operation].line(args)).toBe(line);
  });

  it("1.42 shows the format and the length of what is created", () => {
    const { details } = documentOperations.operations.document_create;
    expect(details({ format: "txt", content: "12345" })).toEqual(["Format: txt", "5 characters"]);
    expect(details({ content: 5 })).toEqual([]);
  });
});
