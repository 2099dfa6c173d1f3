import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { discoverServers } from "../../../src/mcp/discover.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mcp-discover-"));
  for (const name of ["core", "data", "data/mcp-servers"])
    mkdirSync(join(root, name), { mode: 0o755 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function discover(variables: Readonly<Record<string, string>> = {}, ownSecrets: string[] = []) {
  const settings = {
    file: undefined,
    dataDir: join(root, "data"),
    image: "image",
    variables,
    ownSecrets: new Set(ownSecrets),
  };
  return discoverServers(settings, join(root, "core"));
}

const write = (path: string, content: string) =>
  writeFileSync(join(root, path), content, { mode: 0o644 });
const writeServers = (mcpServers: object) =>
  write("data/.mcp.json", JSON.stringify({ mcpServers }));
const custom = (name: string) => `data/mcp-servers/${name}`;

describe("the discovery of MCP servers", () => {
  it("finds nothing where there is nothing [12.1]", () => {
    rmSync(root, { recursive: true });
    expect(discover()).toEqual({ entries: [], problems: [] });
  });

  it("takes those of the project first, and none twice [12.1]", () => {
    write("core/b.js", "");
    write(custom("a.js"), "");
    write(custom("b.py"), "");
    writeServers({ c: { command: "x" }, a: { command: "y" } });
    const { entries, problems } = discover();
    expect(entries.map(({ name }) => name)).toEqual(["b", "a", "c"]);
    expect(problems).toHaveLength(2);
    expect(problems.join()).toMatch(/"b" of .*b\.py is not started: .*b\.js has it already/);
  });

  it("starts scripts by their extension and leaves everything else [12.2]", () => {
    for (const name of [
      "a.js",
      "b.mjs",
      "c.cjs",
      "d.py",
      "notes.txt",
      ".hidden.js",
      "index.js",
      "_x.js",
    ]) {
      write(custom(name), "");
    }
    const commands = discover().entries.map(
      ({ at }) => at.kind === "stdio" && [at.command, ...at.args],
    );
    expect(commands).toEqual([
      ["node", "a.js"],
      ["node", "b.mjs"],
      ["node", "c.cjs"],
      ["python3", "d.py"],
    ]);
  });

  it.each([
    [
      "a link out of the directory",
      () => symlinkSync("/bin/sh", join(root, custom("x.js"))),
      "not a regular file",
    ],
    ["a directory", () => mkdirSync(join(root, custom("x.js"))), "not a regular file"],
    [
      "a file that everyone may write",
      () => {
        write(custom("x.js"), "");
        chmodSync(join(root, custom("x.js")), 0o666);
      },
      "everyone may write",
    ],
    [
      "a directory that everyone may write",
      () => {
        write(custom("x.js"), "");
        chmodSync(join(root, "data/mcp-servers"), 0o777);
      },
      "everyone may write",
    ],
    ["a description that is no JSON", () => write(custom("x.json"), "{"), "not JSON"],
    ["a description of nothing", () => write(custom("x.json"), "{}"), "command"],
    ["a name that could be two", () => write(custom("x__y.js"), ""), "name"],
  ])("refuses %s, names it, and starts the others [12.2]", (_, make, why) => {
    make();
    chmodSync(join(root, "data"), 0o755);
    writeServers({ good: { command: "node" } });
    const { entries, problems } = discover();
    expect(entries.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(why);
  });

  it("takes the usual entries as they are, stdio and HTTP [12.2] [16.20]", () => {
    writeServers({
      one: { command: "npx", args: ["-y", "server"], env: { A: "b" }, disabled: false },
      two: { type: "http", url: "https://example.org/mcp", headers: { Authorization: "Bearer x" } },
      three: { url: "http://localhost:1/mcp" },
      four: { type: "streamable-http", name: "four", url: "https://example.org/" },
    });
    const { entries, problems } = discover();
    expect(problems).toEqual([]);
    expect(entries.map(({ at }) => at)).toEqual([
      { kind: "stdio", command: "npx", args: ["-y", "server"], env: { A: "b" }, files: {} },
      { kind: "http", url: "https://example.org/mcp", headers: { Authorization: "Bearer x" } },
      { kind: "http", url: "http://localhost:1/mcp", headers: {} },
      { kind: "http", url: "https://example.org/", headers: {} },
    ]);
    expect(entries.every(({ own }) => !own.host && !own.trust && own.network === undefined)).toBe(
      true,
    );
  });

  it("resolves only variables that the entry lists, and only in the two forms", () => {
    const own = { "x-deckhand": { variables: ["SET", "UNSET"] } };
    writeServers({
      good: { command: "x", args: ["${SET}", "${UNSET:-other}", "$SET", "${}"], ...own },
      unset: { command: "x", env: { A: "${UNSET}" }, ...own },
      unlisted: { command: "x", env: { A: "${HOME}" } },
    });
    const { entries, problems } = discover({ SET: "value", HOME: "/root" });
    expect(entries[0]?.at).toMatchObject({ args: ["value", "other", "$SET", "${}"] });
    expect(entries).toHaveLength(1);
    expect(problems.join("\n")).toContain("the variable UNSET is not set");
    expect(problems.join("\n")).toContain("${HOME}, which is not among the variables");
  });

  it("never gives a server a secret of the bot, under whatever name [12.3] [P-X3]", () => {
    const own = { "x-deckhand": { variables: ["ALIAS"] } };
    writeServers({ thief: { command: "x", env: { A: "${ALIAS}" }, ...own } });
    const { entries, problems } = discover({ ALIAS: "xoxb-secret" }, ["xoxb-secret"]);
    expect(entries).toEqual([]);
    expect(problems[0]).toContain("ALIAS holds a secret of the bot");
    expect(problems[0]).not.toContain("xoxb");
  });

  it.each([
    [{ type: "sse", url: "https://example.org" }, "sse is no longer supported"],
    [{ url: "file:///etc/passwd" }, "http:// or https://"],
    [{ command: "x", "x-deckhand": { hots: true } }, "hots"],
    [{ command: "x", "x-deckhand": { network: "host" } }, 'must not be "host"'],
    [{ command: "x", "x-deckhand": { network: "container:other" } }, "network"],
    [{ command: "x", "x-deckhand": { files: ["../secret"] } }, "files"],
    [{ command: "x", env: { "A B": "c" } }, "env"],
    ["text", "object"],
  ])("refuses the entry %j and says what is wrong", (entry, why) => {
    writeServers({ wrong: entry });
    const { entries, problems } = discover();
    expect(entries).toEqual([]);
    expect(problems[0]).toContain(why);
  });
});
