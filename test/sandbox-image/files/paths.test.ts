import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveAll, resolvePath, shownPath } from "../../../sandbox-image/server/paths.ts";
import type { ServerSettings } from "../../../sandbox-image/server/settings.ts";
import { caseCount } from "../../support/thorough.ts";
import { settingsFor } from "./workspace.ts";

let top: string;
let settings: ServerSettings;

/** Names that occur in the tree below, and some that do not. */
const NAMES = ["a", "b", "file", "in", "out", "up", "self", "dead", "deadout", "chain", "absolute"];
const ODD = [
  "missing",
  "..",
  ".",
  "",
  "é",
  "e\u0301",
  "n".repeat(255),
  "n".repeat(256),
  " ",
  "\\",
  "~",
  "-n",
];

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "paths-")));
  const dir = join(top, "conv-123");
  for (const name of ["a/b/a", "a/é", "b", ".git/hooks"])
    mkdirSync(join(dir, name), { recursive: true });
  mkdirSync(join(top, "conv-123-other"));
  mkdirSync(join(top, "home"));
  writeFileSync(join(dir, "file"), "");
  writeFileSync(join(dir, "a/file"), "");
  writeFileSync(join(top, "secret"), "");
  const links: [string, string][] = [
    ["in", "a/b"],
    ["out", "../conv-123-other"],
    ["up", ".."],
    ["self", "."],
    ["dead", "a/nowhere/x"],
    ["deadout", "../nowhere/../x"],
    ["chain", "in/../up"],
    ["absolute", top],
    ["a/up", "../../secret"],
    ["hooks", ".git/hooks"],
    ["a/b/in", "//tmp/./"],
    ["circle", "circle2"],
    ["circle2", "circle/x"],
  ];
  for (const [name, target] of links) symlinkSync(target, join(dir, name));
  settings = settingsFor(dir, join(top, "home"));
});
afterAll(() => rmSync(top, { recursive: true }));

const resolve = (path: string) => resolvePath(settings, path);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 3, arbitrary: fc.constantFrom(...ODD) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }).map(withoutNul) },
);
const relativePath = fc.array(name, { minLength: 1, maxLength: 9 }).map((names) => names.join("/"));
const anyPath = fc
  .tuple(
    fc.constantFrom("", "", "", "/", "//", "~/", "./"),
    relativePath,
    fc.constantFrom("", "/", "//"),
  )
  .map((parts) => parts.join(""))
  .filter((path) => path !== "");

function withoutNul(text: string): string {
  return text.replaceAll("\0", "").replaceAll("/", "");
}

/** What coreutils says about many paths at once. */
function realpathOf(paths: readonly string[]): string[] {
  const absolute = paths.map((path) => {
    if (path === "~" || path.startsWith("~/")) return join(top, "home") + path.slice(1);
    return path.startsWith("/") ? path : `${settings.workspaceDir}/${path}`;
  });
  const output = execFileSync("realpath", ["-z", "-m", "--", ...absolute], { encoding: "utf8" });
  return output.split("\0").slice(0, -1);
}

describe("the resolver", () => {
  it("agrees with realpath -m on 6,000 paths, and finds inside exactly what is inside", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyPath, { minLength: 60, maxLength: 60 }), async (paths) => {
        const expected = realpathOf(paths);
        const actual = await resolveAll(
          settings,
          paths.map((path) => ({ path, link: "follow" as const })),
        );
        expect(actual.map(({ path }) => path)).toEqual(expected);
        for (const { path, inside } of actual) {
          expect(inside).toBe(`${path}/`.startsWith(`${settings.workspaceDir}/`));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("gives the same answer again for its own answer", async () => {
    await fc.assert(
      fc.asyncProperty(anyPath, async (path) => {
        const once = await resolve(path);
        expect(await resolve(once.path)).toEqual(once);
      }),
      { numRuns: caseCount({ perChange: 1000, all: 5000 }) },
    );
  });

  it.each([
    ["conv", ".", true],
    ["a trailing slash", "a/", true],
    ["a missing file", "new/deep/file.txt", true],
    ["a link that stays inside", "in/x", true],
    ["4.3 a link to the outside", "out/passwd", false],
    ["4.3 a/../../x", "a/../../x", false],
    ["4.3 ./a", "./a", true],
    ["a link to a file outside", "a/up", false],
    ["a dangling link to the outside", "deadout", false],
    ["a dangling link to the inside", "dead", true],
    ["the parent of a link's target", "out/../secret", false],
    ["an absolute path", "/etc/passwd", false],
    ["home", "~/x", false],
  ])("knows whether %s is inside (%s)", async (_what, path, inside) => {
    expect(await resolve(path)).toMatchObject({ inside });
  });

  it("4.4 keeps a neighbour with a longer name outside, and takes a workspace with a trailing slash", async () => {
    expect(await resolve(`${settings.workspaceDir}-other/x`)).toMatchObject({ inside: false });
    const slashed = { ...settings, workspaceDir: `${settings.workspaceDir}/` };
    expect(await resolvePath(slashed, "a")).toMatchObject({ inside: true });
    expect(await resolvePath(slashed, settings.workspaceDir)).toMatchObject({ inside: true });
  });

  it("leaves a link in the last place alone when the link itself is meant", async () => {
    const itself = (path: string) => resolvePath(settings, path, { link: "itself" });
    expect(await itself("out")).toMatchObject({
      path: `${settings.workspaceDir}/out`,
      inside: true,
    });
    expect(await itself("in/in")).toMatchObject({ path: `${settings.workspaceDir}/a/b/in` });
    expect(await itself("out/")).toMatchObject({ inside: false });
    expect(await itself("out/x")).toMatchObject({ inside: false });
    expect(await itself("out/..")).toMatchObject({ path: top });
  });

  it("tells scratch from the rest of the outside", async () => {
    const elsewhere = { ...settings, workspaceDir: "/workspace" };
    expect(await resolvePath(elsewhere, "/tmp/x")).toMatchObject({ inside: false, scratch: true });
    expect(await resolvePath(elsewhere, "/tmpx")).toMatchObject({ inside: false, scratch: false });
  });

  it.each(["circle", "circle/x", "a/../circle2"])(
    "says that %s leads in a circle",
    async (path) => {
      await expect(resolve(path)).rejects.toThrow("circle");
    },
  );

  it.each(["", "\0", "a\0b", `a${"/x".repeat(5_000_000)}`])(
    "refuses what is no path",
    async (path) => {
      await expect(resolve(path)).rejects.toMatchObject({ kind: "invalidParameters" });
    },
  );

  it("shows what is inside relative to the workspace", async () => {
    expect(await shownPath(settings, join(settings.workspaceDir, "a/b"))).toBe("a/b");
    expect(await shownPath(settings, settings.workspaceDir)).toBe(".");
    expect(await shownPath(settings, "/etc/passwd")).toBe("/etc/passwd");
  });

  it.each([
    ".git/hooks",
    ".git/hooks/pre-commit",
    "hooks/post-merge",
    ".git/config",
    "sub/module/.git/config",
    ".git/modules/x/hooks/y",
    ".git",
    ".gitmodules",
    ".bashrc",
    "a/.profile",
    ".bash_profile",
    "a/b/.mcp.json",
    ".vscode/tasks.json",
    "a/.idea/workspace.xml",
    "~/.zshrc",
    "~/.config/fish/config.fish",
    ".husky/pre-push",
    ".envrc",
  ])("P-S3 marks %s as sensitive", async (path) => {
    expect(await resolve(path)).toMatchObject({ sensitive: true });
  });

  it.each([
    "a/file",
    "config",
    "hooks.ts",
    "src/hooks/use-x.ts",
    ".git/HEAD",
    "bashrc",
    ".gitignore",
    "vscode/x",
  ])("P-S3 leaves %s alone", async (path) => {
    expect(await resolve(path)).toMatchObject({ sensitive: false });
  });
});
