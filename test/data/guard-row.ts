import type { Level } from "../../src/contract/permission/level.ts";

/** One command, the level it must have, and the rule it follows. */
export type GuardRow = readonly [level: Level, command: string, rule: string];

/** Commands of one level that follow one rule. */
export interface LevelledCommands {
  readonly level: Level;
  readonly rule: string;
  readonly commands: readonly string[];
}
