import { existsSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";

const FILES = ["config.ts", "format.ts", "inbound.ts", "index.ts", "outbound.ts", "thread.ts"];

const folders = readdirSync("adapters", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "shared")
  .map(({ name }) => name);

it("finds the platforms", () => {
  expect(folders).toEqual(expect.arrayContaining(["discord", "slack", "web"]));
});

it.each(folders)("adapters/%s has the same files as its siblings", (name) => {
  expect(FILES.filter((file) => !existsSync(`adapters/${name}/${file}`))).toEqual([]);
});
