import { expect, it } from "vitest";
import { fifthRound } from "../../../data/rounds/fifth.ts";
import { sixthRound } from "../../../data/rounds/sixth.ts";

const rounds = [fifthRound, sixthRound];

it("expects one level of every command of the rounds", () => {
  const commands = rounds.flat().flatMap((group) => group.commands);
  expect(commands.filter((command, index) => commands.indexOf(command) !== index)).toEqual([]);
});
