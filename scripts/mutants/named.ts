import { readFileSync } from "node:fs";
import { join } from "node:path";
import { approvalMutants } from "./authorization/approvals.ts";
import { bindingMutants } from "./authorization/bindings.ts";
import { familyMutants } from "./authorization/families.ts";
import { guardMutants } from "./authorization/guard.ts";
import { levelMutants } from "./authorization/levels.ts";
import { madeThingMutants } from "./authorization/made-things.ts";
import { peopleMutants } from "./authorization/people.ts";
import { roundMutants } from "./authorization/rounds.ts";
import { ruleMutants } from "./authorization/rules.ts";
import { forgeryMutants } from "./forgeries.ts";
import type { Mutant } from "./mutant.ts";
import { redactionMutants } from "./redaction.ts";
import { todoMutants } from "./todos.ts";

export const namedMutants: readonly Mutant[] = [
  ...peopleMutants,
  ...guardMutants,
  ...levelMutants,
  ...ruleMutants,
  ...roundMutants,
  ...familyMutants,
  ...madeThingMutants,
  ...approvalMutants,
  ...bindingMutants,
  ...redactionMutants,
  ...todoMutants,
  ...forgeryMutants,
];

/** Whether the text that the fault replaces stands in its file exactly once. */
export function isApplicable(root: string, { file, text }: Mutant): boolean {
  return readFileSync(join(root, file), "utf8").split(text).length === 2;
}
