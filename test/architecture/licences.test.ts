import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

/** Licences under which a part may come with Deckhand: nothing that binds our own code or its users to more than a notice. */
const SHIPPED = [
  "0BSD",
  "Apache-2.0",
  "Apache 2.0",
  "Artistic-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC-BY-3.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "PSF-2.0",
  "Unlicense",
];
/** Tools that only build or test may change files of their own licence. */
const TOOLS = [
  ...SHIPPED,
  "MPL-2.0",
  "MIT OR Apache-2.0",
  "(MIT AND Zlib)",
  "(MIT OR GPL-3.0-or-later)",
];
/** The reference servers of MCP name a LICENSE file that npm does not get; their READMEs say MIT. Only tests run them. */
const BY_FILE = /^node_modules\/@modelcontextprotocol\/server-[a-z-]+$/;

const packages = Object.entries(
  JSON.parse(readFileSync("package-lock.json", "utf8")).packages as Record<string, LockedPackage>,
)
  .filter(([path]) => path !== "")
  .map(([path, locked]) => ({ path, ...locked, license: locked.license ?? olderField(path) }));

it("depends only on packages under licences of the list", () => {
  const others = packages.filter(
    ({ path, license, dev }) =>
      license && !(dev ? TOOLS : SHIPPED).includes(license) && !(dev && BY_FILE.test(path)),
  );
  expect(others.map(({ path, license }) => `${path}: ${license}`)).toEqual([]);
});

it("knows the licence of every package but those for other platforms, which are never installed here", () => {
  const silent = packages.filter(({ license, optional }) => !license && !optional);
  expect(silent.map(({ path }) => path)).toEqual([]);
});

it("is under the Apache License 2.0 itself", () => {
  expect(JSON.parse(readFileSync("package.json", "utf8")).license).toBe("Apache-2.0");
  expect(readFileSync("LICENSE", "utf8")).toContain("Version 2.0, January 2004");
});

/** npm does not copy the older form of the field to the lock file. */
function olderField(path: string): string | undefined {
  const file = `${path}/package.json`;
  if (!existsSync(file)) return undefined;
  const { license, licenses = [] } = JSON.parse(readFileSync(file, "utf8"));
  return license ?? licenses[0]?.type;
}
