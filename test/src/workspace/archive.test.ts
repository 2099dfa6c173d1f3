import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { extract, type Header, pack } from "tar-stream";
import { describe, expect, it } from "vitest";
import { belowWorkspace } from "../../../src/workspace/archive.ts";
import { copyChecked } from "../../../src/workspace/archive-entries.ts";

const limits = { entries: 10, bytes: 1000 };
type Given = Partial<Header> & { name: string };

describe("an uploaded archive", () => {
  it("arrives whole, owned by the workspace's user and without special bits", async () => {
    const entries = await copied([
      { name: "bin", type: "directory" },
      { name: "bin/run", mode: 0o4755, uid: 0, gid: 0, uname: "root" },
      { name: "run", type: "symlink", linkname: "bin/run" },
    ]);
    expect(entries.map(({ name, mode, uid, type }) => [name, mode, uid, type])).toEqual([
      ["bin", 0o755, 1000, "directory"],
      ["bin/run", 0o755, 1000, "file"],
      ["run", 0o644, 1000, "symlink"],
    ]);
  });

  it.each<[string, Given]>([
    ["an absolute path", { name: "/etc/passwd" }],
    ["a path with dots", { name: "a/../../b" }],
    ["a link to an absolute path", { name: "a", type: "symlink", linkname: "/etc" }],
    ["a link out of the directory", { name: "a/b", type: "symlink", linkname: "../../c" }],
    ["a hard link to the outside", { name: "a", type: "link", linkname: "../x" }],
    ["a device", { name: "sda", type: "block-device", devmajor: 8, devminor: 0 }],
    ["a pipe", { name: "pipe", type: "fifo" }],
  ])("is refused for %s", async (_what, header) => {
    await expect(copied([header])).rejects.toThrow("Unpacking stopped at");
  });

  it("is refused when it has too many entries or too many bytes", async () => {
    const many = Array.from({ length: 11 }, (_, index) => ({ name: `f${index}` }));
    await expect(copied(many)).rejects.toThrow("more than 10 entries");
    await expect(copied([{ name: "big" }], "x".repeat(1001))).rejects.toThrow(
      "more than 1000 bytes",
    );
  });

  it("goes below /workspace and nowhere else", () => {
    expect(belowWorkspace("uploads")).toBe("/workspace/uploads");
    expect(belowWorkspace("/workspace/a/./b")).toBe("/workspace/a/b");
    for (const path of ["/", "/etc", "..", "a/../../etc", "/workspace/../root", "/workspaces"]) {
      expect(() => belowWorkspace(path), path).toThrow("is outside");
    }
  });
});

async function copied(given: Given[], content = "content"): Promise<Header[]> {
  const source = pack();
  for (const header of given) {
    const isFile = header.type === undefined;
    source.entry({ ...header, size: isFile ? content.length : 0 }, isFile ? content : "");
  }
  source.finalize();
  const input = new PassThrough();
  source.pipe(input as never);
  const target = pack();
  const [bytes] = await Promise.all([
    buffer(target as AsyncIterable<Buffer>),
    copyChecked(input, target, limits).catch((error: Error) => {
      target.destroy(error);
      throw error;
    }),
  ]);
  const headers: Header[] = [];
  const reader = extract();
  reader.end(bytes);
  for await (const entry of reader) {
    headers.push(entry.header);
    entry.resume();
  }
  return headers;
}
