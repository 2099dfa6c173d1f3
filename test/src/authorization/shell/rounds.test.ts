import { expect, it } from "vitest";
import { ninthRound } from "../../../data/rounds/ninth.ts";

const rounds = [ninthRound];

it("expects one level of every command of the rounds", () => {
  const commands = rounds.flat().flatMap((group) => group.commands);
  expect(commands.filter((command, index) => commands.indexOf(command) !== index)).toEqual([]);
});
