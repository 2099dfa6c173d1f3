import type { Rule } from "./rule.ts";
import { archives } from "./rules/archives.ts";
import { building } from "./rules/building.ts";
import { builtins } from "./rules/builtins.ts";
import { cloud } from "./rules/cloud.ts";
import { launchingTools } from "./rules/cmake.ts";
import { databases } from "./rules/databases.ts";
import { editors } from "./rules/editors.ts";
import { files } from "./rules/files.ts";
import { find } from "./rules/find.ts";
import { dashedGit, git } from "./rules/git.ts";
import { interpreters } from "./rules/interpreters.ts";
import { leftovers } from "./rules/leftovers.ts";
import { machine } from "./rules/machine.ts";
import { network } from "./rules/network.ts";
import { packages } from "./rules/packages.ts";
import { queues } from "./rules/queues.ts";
import { reading } from "./rules/reading.ts";
import { senders } from "./rules/senders.ts";
import { services } from "./rules/services.ts";
import { shells } from "./rules/shells.ts";
import { DISK_PROGRAMS, disks, system } from "./rules/system.ts";
import { textTools } from "./rules/text-tools.ts";
import { typesetting } from "./rules/typesetting.ts";
import { wrappers } from "./rules/wrappers.ts";

const RULES: ReadonlyMap<string, Rule> = new Map(
  [
    services,
    senders,
    machine,
    leftovers,
    reading,
    files,
    archives,
    { find },
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
    typesetting,
  ].flatMap((rules) => Object.entries(rules)),
);

/** `php8.3`, `lua5.4`, `node20`: the same program with its version behind its name. */
const VERSIONED =
  /^(python|pypy|ruby|perl|php|lua|luajit|tclsh|node|guile|erl|julia|octave)-?\d[\d.]*$/;

/** What is known about a program by its name. Unknown ones are medium: the kernel holds them in the sandbox. */
export function ruleFor(program: string): Rule | undefined {
  const rule = RULES.get(program);
  if (rule) return rule;
  const [, name = ""] = VERSIONED.exec(program) ?? [];
  if (name !== "") return RULES.get(name);
  if (/^git-[a-z]/.test(program)) return dashedGit;
  return DISK_PROGRAMS.test(program) ? disks : undefined;
}
