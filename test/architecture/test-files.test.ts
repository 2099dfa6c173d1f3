import { globSync } from "node:fs";
import { matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import config from "../../vitest.config.ts";

const Config = z.object({
  test: z.object({
    projects: z.array(
      z.object({
        test: z.object({
          name: z.string(),
          include: z.array(z.string()),
          exclude: z.array(z.string()).default([]),
        }),
      }),
    ),
  }),
});
const projects = Config.parse(config).test.projects.map(({ test }) => test);
const FOLDERS = "{adapters,docs,prompts,sandbox-image,scripts,src,test}";
const testFiles = globSync(`${FOLDERS}/**/*.{test,spec}.{ts,tsx,mts,cts,js,mjs,cjs}`);

const matches = (file: string, globs: readonly string[]) =>
  globs.some((glob) => matchesGlob(file, glob));

describe("the projects of vitest.config.ts", () => {
  it("run every test file exactly once", () => {
    const runs = testFiles.map((file) => {
      const names = projects
        .filter(({ include, exclude }) => matches(file, include) && !matches(file, exclude))
        .map(({ name }) => name);
      return { file, names };
    });
    expect(runs.length).toBeGreaterThan(300);
    expect(runs.filter(({ names }) => names.length !== 1)).toEqual([]);
  });

  it("name no files that do not exist", () => {
    const globs = new Set(projects.flatMap(({ include, exclude }) => [...include, ...exclude]));
    const empty = [...globs].filter((glob) => !testFiles.some((file) => matches(file, [glob])));
    expect(empty).toEqual([]);
  });
});
