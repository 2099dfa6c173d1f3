import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface LockedPackage {
  readonly resolved?: string;
  readonly optionalDependencies?: Record<string, string>;
}

const text = readFileSync("package-lock.json", "utf8");
const packages: Record<string, LockedPackage> = JSON.parse(text).packages;

it("names no registry in package-lock.json, so that every machine uses its own", () => {
  expect(Object.values(packages).flatMap(({ resolved = [] }) => resolved)).toEqual([]);
});

it("lists the optional packages of all platforms, without which npm ci refuses the lock file", () => {
  const wanted = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ parent, name })),
  );
  const missing = wanted.filter(
    ({ parent, name }) =>
      !packages[`node_modules/${name}`] && !packages[`${parent}/node_modules/${name}`],
  );
  expect(missing, "scripts/complete-lock adds them").toEqual([]);
});

it("pins every dependency to one version", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const version of Object.values({ ...dependencies, ...devDependencies })) {
    expect(version).toMatch(/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+$/);
  }
});
