import { expect, it } from "vitest";
import { eighthRound } from "../../../data/rounds/eighth.ts";

const rounds = [eighthRound];

it("expects one level of every command of the rounds", () => {
  const commands = rounds.flat().flatMap((group) => group.commands);
  expect(commands.filter((command, index) => commands.indexOf(command) !== index)).toEqual([]);
});
