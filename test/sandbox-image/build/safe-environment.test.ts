import { describe, expect, it } from "vitest";
import { overridesFor } from "../../../sandbox-image/server/build/git/safe-environment.ts";

const overridesOf = (...keys: string[]) =>
  Object.fromEntries(overridesFor(new Map(keys.map((key) => [key, "evil"]))));

describe("settings of a repository that name programs", () => {
  it.each([
    ["filter.x.clean", { "filter.x.clean": "" }],
    ["filter.x.smudge", { "filter.x.smudge": "" }],
    ["filter.x.process", { "filter.x.process": "" }],
    ["filter.a.b\nc.required", { "filter.a.b\nc.required": "false" }],
    ["diff.x.textconv", { "diff.x.textconv": "" }],
    ["diff.x.command", { "diff.x.command": "" }],
    ["gpg.ssh.program", { "gpg.ssh.program": "false" }],
    ["hook.x.command", { "hook.x.enabled": "false" }],
    ["user.name", {}],
  ])("%j is overridden by %j", (key, expected) => expect(overridesOf(key)).toEqual(expected));

  it("may fill 32 KB with their names, and no more", () => {
    const filter = (chars: number) => `filter.${"x".repeat(chars - "filter..clean".length)}.clean`;
    const most = 32 * 1024;
    expect(Object.keys(overridesOf(filter(most)))).toHaveLength(1);
    expect(Object.keys(overridesOf(filter(most - 20), filter(20)))).toHaveLength(2);
    expect(() => overridesOf(filter(most + 1))).toThrow("too many filters");
    expect(() => overridesOf(filter(most - 20), filter(21))).toThrow("too many filters");
  });

  it("may not have names that cannot be written into an environment", () => {
    expect(() => overridesOf("filter.\ufffd.clean")).toThrow("invalid names");
  });
});
