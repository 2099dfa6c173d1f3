import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = makeWorkspace();
});
afterAll(() => workspace[Symbol.dispose]());

const read = (filePath: string, range = {}) => workspace.call("read_file", { filePath, ...range });
const edit = (filePath: string) =>
  workspace.call("replace_string", { filePath, oldString: "a", newString: "b" });

describe("files that do not state their size", () => {
  it("reads the text files of /proc and /sys whole", async () => {
    expect(await read("/proc/self/status")).toMatchObject({
      content: expect.stringContaining("VmPeak"),
      truncated: false,
    });
    expect(await read("/proc/cpuinfo")).toMatchObject({
      totalLines: readFileSync("/proc/cpuinfo", "utf8").split("\n").length - 1,
    });
    expect(await read("/sys/kernel/mm/transparent_hugepage/enabled")).toMatchObject({
      returnedLines: 1,
    });
  });

  it.each(["pagemap", "mem", "clear_refs", "environ"])(
    "reads /proc/PID/%s within bounds: the process grows by less than 16 MB",
    async (name) => {
      const before = process.resourceUsage().maxRSS;
      for (const use of [read, edit]) {
        const result = await use(`/proc/${process.pid}/${name}`);
        expect(result).toMatchObject({ success: false, message: expect.stringContaining("/proc") });
      }
      expect(process.resourceUsage().maxRSS - before).toBeLessThan(16 * 1024);
    },
  );
});

describe("what is no regular file", () => {
  it.each([
    ["/dev/zero", "a character device"],
    ["/dev/null", "a character device"],
    ["/dev/tty", "a character device"],
    ["/dev/ptmx", "a character device"],
    ["/proc", "a directory"],
  ])("is named for what it is: %s", async (path, kind) => {
    for (const use of [read, edit]) {
      expect(await use(path)).toMatchObject({
        success: false,
        message: expect.stringContaining(kind),
      });
    }
  });

  it("leaves a named pipe and the process that writes to it alone", async () => {
    execFileSync("mkfifo", [workspace.path("pipe")]);
    const writer = spawn("sh", ["-c", "echo text > pipe; echo done"], {
      cwd: workspace.dir,
      stdio: ["ignore", "pipe", "inherit"],
    });
    for (const use of [read, edit]) {
      expect((await use("pipe")).message).toContain("is a named pipe, not a regular file");
    }
    expect(writer.exitCode).toBeNull();
    expect(execFileSync("cat", [workspace.path("pipe")], { encoding: "utf8" })).toBe("text\n");
    await new Promise((resolve) => writer.on("close", resolve));
  });

  it("names a socket", async () => {
    const server = createServer().listen(workspace.path("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect((await read("socket")).message).toContain("is a socket, not a regular file");
    server.close();
  });

  it("says that a standard stream is the server's and no file", async () => {
    const pipes = readdirSync("/proc/self/fd").filter((fd) => isStream(fd));
    expect(pipes.length).toBeGreaterThan(0);
    for (const path of [`/dev/fd/${pipes[0]}`, `/proc/self/fd/${pipes[0]}`]) {
      for (const use of [read, edit]) {
        const { success, message } = await use(path);
        expect(success).toBe(false);
        expect(message).toContain("is an open stream of the workspace server");
        expect(message).not.toContain("create_file");
      }
    }
  });
});

function isStream(fd: string): boolean {
  try {
    const stats = statSync(`/proc/self/fd/${fd}`);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false; // the descriptor of the listing itself
  }
}

describe("large, sparse and growing files", () => {
  it.each([
    ["a terabyte of nothing", 2 ** 40, "MB, which is too large to read whole"],
    ["60 MB of nothing", 60 * 2 ** 20, "binary or not UTF-8"],
  ])("refuses %s without reading it", async (_, bytes, reason) => {
    workspace.write("sparse", "");
    truncateSync(workspace.path("sparse"), bytes);
    const before = process.resourceUsage().maxRSS;
    for (const use of [read, edit]) expect((await use("sparse")).message).toContain(reason);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(16 * 1024);
  });

  it("reads a file that another process keeps appending to", async () => {
    workspace.write("growing", "line\n");
    const writer = spawn("sh", ["-c", "while echo line; do :; done >> growing"], {
      cwd: workspace.dir,
    });
    for (let n = 0; n < 20; n++) {
      expect(await read("growing", { limit: 1 })).toMatchObject({ content: "line\n" });
    }
    writer.kill("SIGKILL");
    await new Promise((resolve) => writer.on("close", resolve));
  });
});

describe("2.2 pages of a text", () => {
  const TEXTS: readonly (readonly [string, string])[] = [
    ["LF", "one\ntwo\nthree\n"],
    ["no newline at the end", "one\ntwo\nthree"],
    ["CRLF", "one\r\ntwo\r\nthree\r\n"],
    ["CR", "one\rtwo\rthree\r"],
    ["CR without one at the end", "one\rtwo\rthree"],
    ["a mixture", "one\r\ntwo\nthree\r\n"],
    ["wide characters", "öne\ntwö\nthrëë 𝄞\n"],
  ];
  it.each(TEXTS)("put together give the file back, with %s", async (_, text) => {
    workspace.write("text", text);
    const pages: unknown[] = [];
    for (let startLine = 1; startLine <= 3; startLine++) {
      const page = await read("text", { startLine, endLine: startLine });
      expect(page).toMatchObject({ totalLines: 3, returnedLines: 1, truncated: startLine < 3 });
      pages.push(page.content);
    }
    expect(pages.join("")).toBe(text);
  });

  it("put together give the file back wherever characters and lines meet the border of a piece", async () => {
    const piece = 256 * 1024;
    for (let shift = -4; shift <= 4; shift++) {
      const front = `${"x".repeat(piece + shift - 5)}\n`;
      const text = `${front}ö€𝄞\nlast\n`;
      workspace.write("text", text);
      expect(await read("text", { startLine: 2 })).toMatchObject({ content: "ö€𝄞\nlast\n" });
      expect(await read("text", { startLine: 1, endLine: 1 })).toMatchObject({
        truncated: true,
        tokenLimited: true,
        message: expect.stringContaining("Line 1 is too long"),
      });
    }
  });

  it("says that a single long line was cut", async () => {
    workspace.write("text", "x".repeat(40_001));
    expect(await read("text")).toMatchObject({ totalLines: 1, truncated: true });
    workspace.write("text", "x".repeat(40_000));
    expect(await read("text")).toMatchObject({ truncated: false, tokenLimited: false });
  });
});
