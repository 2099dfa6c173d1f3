import type { Level } from "../../src/contract/permission/level.ts";
import { fedShells } from "./bypass/fed-shells.ts";
import { launchedCode } from "./bypass/launched-code.ts";
import { outwardEffects } from "./bypass/outward.ts";
import { programBypasses } from "./bypass/programs.ts";
import { shellBypasses } from "./bypass/shell.ts";
import { shellConnections } from "./bypass/shell-connections.ts";
import { writtenCode } from "./bypass/written-code.ts";
import { coldDangerous } from "./cold/dangerous.ts";
import { coldDisguised } from "./cold/disguised.ts";
import { coldEveryday } from "./cold/everyday.ts";
import { coldDangerous as fourthDangerous } from "./cold-fourth/dangerous.ts";
import { coldEveryday as fourthEveryday } from "./cold-fourth/everyday.ts";
import { coldDangerous as secondDangerous } from "./cold-second/dangerous.ts";
import { coldDisguised as secondDisguised } from "./cold-second/disguised.ts";
import { coldEveryday as secondEveryday } from "./cold-second/everyday.ts";
import { coldDangerous as thirdDangerous } from "./cold-third/dangerous.ts";
import { coldEveryday as thirdEveryday } from "./cold-third/everyday.ts";
import { dangerousCommands } from "./dangerous-commands.ts";
import { dangerousWork } from "./dangerous-work.ts";
import { everydayNeighbours } from "./everyday-neighbours.ts";
import { everydayWork } from "./everyday-work.ts";
import type { GuardRow, LevelledCommands } from "./guard-row.ts";
import { harmlessCommands } from "./harmless-commands.ts";
import { rounds } from "./rounds/rounds.ts";

/** One command, the level it must have, and the rule it follows. */
export interface TableRow {
  readonly level: Level;
  readonly command: string;
  readonly rule: string;
}

/** Runs unasked. */
export const everyday: readonly TableRow[] = [
  ...rowsOf(harmlessCommands),
  ...[everydayWork, everydayNeighbours, coldEveryday, secondEveryday, thirdEveryday, fourthEveryday]
    .flatMap(Object.entries<readonly string[]>)
    .flatMap(([rule, commands]) =>
      commands.map((command) => ({ level: "free" as const, command, rule })),
    ),
  ...roundRows(({ level }) => level === "free"),
];

/** Asks, at this level at least. */
export const dangerous: readonly TableRow[] = [
  ...rowsOf(dangerousCommands),
  ...[
    ...dangerousWork,
    ...coldDangerous,
    ...secondDangerous,
    ...thirdDangerous,
    ...fourthDangerous,
  ].flatMap(({ level, rule, commands }) => commands.map((command) => ({ level, command, rule }))),
  ...roundRows(({ level }) => level !== "free"),
];

/** Hides an effect of this level. */
export const bypasses: readonly TableRow[] = [
  ...shellBypasses,
  ...programBypasses,
  ...fedShells,
  ...writtenCode,
  ...launchedCode,
  ...outwardEffects,
  ...shellConnections,
  ...coldDisguised,
  ...secondDisguised,
].flatMap(({ name, level, spellings }) =>
  spellings.map((command) => ({ level, command, rule: name })),
);

function roundRows(isWanted: (group: LevelledCommands) => boolean): TableRow[] {
  return rounds
    .filter(isWanted)
    .flatMap(({ level, rule, commands }) => commands.map((command) => ({ level, command, rule })));
}

function rowsOf(groups: Readonly<Record<string, readonly GuardRow[]>>): TableRow[] {
  return Object.values(groups)
    .flat()
    .map(([level, command, rule]) => ({ level, command, rule }));
}
