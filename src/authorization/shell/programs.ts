import type { Rule } from "./rule.ts";
import { building } from "./rules/building.ts";
import { builtins } from "./rules/builtins.ts";
import { cloud } from "./rules/cloud.ts";
import { databases } from "./rules/databases.ts";
import { files } from "./rules/files.ts";
import { dashedGit, git } from "./rules/git.ts";
import { interpreters } from "./rules/interpreters.ts";
import { network } from "./rules/network.ts";
import { packages } from "./rules/packages.ts";
import { reading } from "./rules/reading.ts";
import { shells } from "./rules/shells.ts";
import { system } from "./rules/system.ts";
import { textTools } from "./rules/text-tools.ts";
import { wrappers } from "./rules/wrappers.ts";

const RULES: ReadonlyMap<string, Rule> = new Map(
  [
    reading,
    files,
    textTools,
    builtins,
    shells,
    interpreters,
    wrappers,
    git,
    packages,
    building,
    network,
    system,
    cloud,
    databases,
  ].flatMap((rules) => Object.entries(rules)),
);

/** What is known about a program by its name. Unknown ones are medium: the kernel holds them in the sandbox. */
export function ruleFor(program: string): Rule | undefined {
  return RULES.get(program) ?? (/^git-[a-z]/.test(program) ? dashedGit : undefined);
}
