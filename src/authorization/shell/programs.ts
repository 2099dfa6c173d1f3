import type { Rule } from "./rule.ts";
import { building } from "./rules/building.ts";
import { builtins } from "./rules/builtins.ts";
import { cloud } from "./rules/cloud.ts";
import { launchingTools } from "./rules/cmake.ts";
import { databases } from "./rules/databases.ts";
import { editors } from "./rules/editors.ts";
import { files } from "./rules/files.ts";
import { dashedGit, git } from "./rules/git.ts";
import { interpreters } from "./rules/interpreters.ts";
import { network } from "./rules/network.ts";
import { packages } from "./rules/packages.ts";
import { queues } from "./rules/queues.ts";
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
    editors,
    wrappers,
    git,
    packages,
    building,
    network,
    system,
    cloud,
    databases,
    queues,
    launchingTools,
  ].flatMap((rules) => Object.entries(rules)),
);

/** What is known about a program by its name. Unknown ones are medium: the kernel holds them in the sandbox. */
export function ruleFor(program: string): Rule | undefined {
  return RULES.get(program) ?? (/^git-[a-z]/.test(program) ? dashedGit : undefined);
}
