import fc from "fast-check";
import { expect, it } from "vitest";
import { openShellParser } from "../../../../src/authorization/shell/parser.ts";
import { highest } from "../../../../src/contract/level.ts";
import { dangerous, everyday } from "../../../data/guard-tables.ts";
import { caseCount } from "../../../support/thorough.ts";

const parser = await openShellParser();
const PLACE = { workspaceDir: "/workspace", homeDir: "/home/agent" };
const classify = (command: string) => parser.classify(command, PLACE);

/** Endings that no shell accepts. */
const BROKEN = [
  "echo 'open",
  "if true; then",
  "ls )",
  "echo $(ls",
  "case x in",
  "done",
  "[[ a",
  "echo ${x",
];
const readable = [...everyday, ...dangerous]
  .map(({ command }) => command)
  .filter((command) => classify(command).unparsed === undefined && !command.includes("\n"));

it("text that cannot be parsed never lowers the level of what can be parsed [4.11]", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...readable),
      fc.constantFrom(...BROKEN),
      fc.constantFrom("; ", "\n", " && "),
      (command, broken, between) => {
        const { risk, unparsed } = classify(command + between + broken);
        // A comment at the end swallows what follows.
        fc.pre(unparsed !== undefined);
        expect(risk).toBe(highest([risk, classify(command).risk, "click"]));
      },
    ),
    { numRuns: caseCount({ perChange: 200, all: 10_000 }), seed: 20_261_117 },
  );
}, 600_000);
