import { expect, it } from "vitest";
import { seventhRound } from "../../../data/rounds/seventh.ts";

const rounds = [seventhRound];

it("expects one level of every command of the rounds", () => {
  const commands = rounds.flat().flatMap((group) => group.commands);
  expect(commands.filter((command, index) => commands.indexOf(command) !== index)).toEqual([]);
});
