import type { LevelledCommands } from "../guard-row.ts";
import { eighthRound } from "./eighth.ts";
import { eleventhRound } from "./eleventh.ts";
import { fifteenthRound } from "./fifteenth.ts";
import { fifthRound } from "./fifth.ts";
import { fourteenthRound } from "./fourteenth.ts";
import { ninthRound } from "./ninth.ts";
import { seventhRound } from "./seventh.ts";
import { sixthRound } from "./sixth.ts";
import { tenthRound } from "./tenth.ts";
import { thirteenthRound } from "./thirteenth.ts";
import { twelfthRound } from "./twelfth.ts";

/** Rounds of commands that were rated before the guard saw them. Where one was rated wrongly, its level was mended later. */
export const rounds: readonly LevelledCommands[] = [
  ...fifthRound,
  ...sixthRound,
  ...seventhRound,
  ...eighthRound,
  ...ninthRound,
  ...tenthRound,
  ...eleventhRound,
  ...twelfthRound,
  ...thirteenthRound,
  ...fourteenthRound,
  ...fifteenthRound,
];
