import type { Level } from "../../src/contract/level.ts";

/** One command, the level it must have, and the rule it follows. */
export type GuardRow = readonly [level: Level, command: string, rule: string];
