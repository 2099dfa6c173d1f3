import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { openShellParser } from "../../../../src/authorization/shell/parser.ts";
import { bashConstructs, unreadConstructs } from "../../../data/bash-constructs.ts";

const parser = await openShellParser();
const PLACE = { workspaceDir: "/workspace", homeDir: "/home/agent" };
const classify = (command: string) => parser.classify(command, PLACE);
const rows = bashConstructs.flatMap((construct) => construct.rows);

/** One process for all: `bash -n` over a script of `eval -n` would not stop at each mistake. */
function isAcceptedByBash(command: string): boolean {
  const options = ["--norc", "--noprofile", "-O", "extglob", "-n"];
  const { status, stderr } = spawnSync("/bin/bash", options, { input: command, encoding: "utf8" });
  return status === 0 && stderr === "";
}

it("the table of constructs holds at least 200 spellings, each accepted by bash", () => {
  expect(new Set(rows.map(([, command]) => command)).size).toBeGreaterThanOrEqual(200);
  const commands = [...rows.map(([, command]) => command), ...unreadConstructs];
  expect(commands.filter((command) => !isAcceptedByBash(command))).toEqual([]);
});

it.each(bashConstructs)("reads $name as bash does and gives each its level", (construct) => {
  const judged = construct.rows.map(([, command]) => {
    const { risk, unparsed } = classify(command);
    return [unparsed ?? risk, command];
  });
  expect(judged).toEqual(construct.rows.map(([level, command]) => [level, command]));
});

it.each(unreadConstructs)("asks about %j, which it does not read", (command) => {
  expect(classify(command)).toMatchObject({ risk: "click", unparsed: expect.any(String) });
});
