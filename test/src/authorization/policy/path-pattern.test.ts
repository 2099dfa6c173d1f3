import { describe, expect, it } from "vitest";
import { absolutePattern, matchesPath } from "../../../../src/authorization/policy/path-pattern.ts";

describe("patterns of paths", () => {
  it.each([
    ["**/.env", "/workspace/.env", true],
    ["**/.env", "/workspace/a/b/.env", true],
    ["**/.env", "/workspace/x.env", false],
    ["**/.env", "/workspace/.env.local", false],
    ["/data/**", "/data/a/b", true],
    ["/data/**", "/data/.hidden/x", true],
    ["/data/**", "/data", true],
    ["/data/**", "/database", false],
    ["/data/**", "/DATA/x", false],
    ["/a/*.ts", "/a/x.ts", true],
    ["/a/*.ts", "/a/b/x.ts", false],
    ["/a/?.ts", "/a/x.ts", true],
    ["/a/?.ts", "/a//.ts", false],
    ["/a/*.{ts,js}", "/a/x.js", true],
    ["/a/*.{ts,js}", "/a/x.jsx", false],
    ["/a.b", "/aXb", false],
    ["/a(b", "/a(b", true],
    ["/a\nb", "/a\nb", true],
  ])("%j on %j: %s", (pattern, path, matches) => {
    expect(matchesPath(pattern, path)).toBe(matches);
  });

  it("means the workspace where a pattern names no place", () => {
    expect(absolutePattern("secrets/**", "/workspace")).toBe("/workspace/secrets/**");
    expect(absolutePattern("**/.env", "/workspace")).toBe("**/.env");
    expect(absolutePattern("/etc/x", "/workspace")).toBe("/etc/x");
  });
});
