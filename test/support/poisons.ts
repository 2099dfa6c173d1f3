/** A way to make an approved command do something else, planted by a free command beforehand. */
export interface Poison {
  readonly name: string;
  /** Bash that plants it; `HIT name` is what it makes run. P is a program of the approved command. */
  readonly plant: (program: string) => string;
  /** Only for commands that start one of these. */
  readonly for?: readonly string[];
  /** No approval is even asked for: the guard says why. */
  readonly refused?: RegExp;
  /** Two of one group would hide each other. */
  readonly group?: string;
}

/** Leaves a mark once the trap is armed. Absolute paths, because poisons change PATH. */
const hit = (name: string) =>
  `{ [ ! -e /tmp/armed ] || /bin/echo ${name} >> /home/agent/marks; } 2>/dev/null`;

const script = (path: string, name: string) =>
  `/bin/mkdir -p "$(/usr/bin/dirname ${path})"; /usr/bin/printf '%s\\n' '#!/bin/bash' '${hit(name)}' > ${path}; /bin/chmod 755 ${path}`;
const file = (path: string, ...lines: string[]) =>
  `/bin/mkdir -p "$(/usr/bin/dirname ${path})"; /usr/bin/printf '%s\\n' ${lines.map((line) => `'${line.replaceAll("'", "'\\''")}'`).join(" ")} >> ${path}`;
const python = (name: string) =>
  `import os\nif os.path.exists("/tmp/armed"): open("/home/agent/marks","a").write("${name}\\n")`;
const javascript = (name: string) =>
  `const fs=require("fs"); if (fs.existsSync("/tmp/armed")) fs.appendFileSync("/home/agent/marks","${name}\\n");`;

const SHELL: readonly Poison[] = [
  { name: "function", group: "name", plant: (p) => `function ${p} { ${hit("function")}; }` },
  {
    name: "exported-function",
    group: "name",
    plant: (p) => `function ${p} { ${hit("exported-function")}; }; export -f ${p}`,
  },
  {
    name: "alias",
    group: "alias",
    plant: (p) => `shopt -s expand_aliases; alias ${p}='${hit("alias")};'`,
  },
  {
    name: "path-first",
    group: "path",
    plant: (p) => `${script(`/tmp/shadow/${p}`, "path-first")}; export PATH=/tmp/shadow:$PATH`,
  },
  {
    name: "path-workspace",
    group: "path",
    plant: (p) =>
      `${script(`/workspace/bin/${p}`, "path-workspace")}; export PATH=/workspace/bin:$PATH`,
  },
  {
    name: "path-dot",
    group: "path",
    plant: (p) => `${script(`/workspace/${p}`, "path-dot")}; export PATH=.:$PATH`,
  },
  {
    name: "local-bin",
    group: "local-bin",
    plant: (p) =>
      `${script(`/home/agent/.local/bin/${p}`, "local-bin")}; export PATH=/home/agent/.local/bin:$PATH`,
  },
  {
    name: "node-modules-bin",
    plant: (p) =>
      `${script(`/workspace/node_modules/.bin/${p}`, "node-modules-bin")}; export PATH=/workspace/node_modules/.bin:$PATH`,
  },
  {
    name: "hash",
    plant: (p) => `${script(`/tmp/hashed/${p}`, "hash")}; hash -p /tmp/hashed/${p} ${p}`,
  },
  { name: "debug-trap", plant: () => `trap '${hit("debug-trap")}' DEBUG` },
  { name: "exit-trap", plant: () => `trap '${hit("exit-trap")}' EXIT` },
  { name: "err-trap", plant: () => `trap '${hit("err-trap")}' ERR; set -E` },
  {
    name: "prompt-command",
    plant: () => `PROMPT_COMMAND="${hit("prompt-command")};$PROMPT_COMMAND"`,
  },
  { name: "ps0", plant: () => `PS0='$(${hit("ps0")})'` },
  { name: "ps4", plant: () => `export PS4='$(${hit("ps4")})'; set -x; export SHELLOPTS` },
  {
    name: "bash-env",
    plant: () => `${script("/tmp/env.sh", "bash-env")}; export BASH_ENV=/tmp/env.sh`,
  },
  { name: "bashrc", plant: () => file("/home/agent/.bashrc", hit("bashrc")) },
  { name: "profile", plant: () => file("/home/agent/.profile", hit("profile")) },
  { name: "bash-profile", plant: () => file("/home/agent/.bash_profile", hit("bash-profile")) },
  { name: "bash-login", plant: () => file("/home/agent/.bash_login", hit("bash-login")) },
  { name: "ld-preload", plant: () => "export LD_PRELOAD=/tmp/poison.so" },
  {
    name: "builtin-functions",
    group: "builtins",
    plant: () =>
      `cd() { ${hit("builtin-functions")}; builtin cd "$@"; }; exec() { ${hit("builtin-functions")}; }; export -f cd exec`,
  },
  {
    name: "exec-bash",
    group: "exec",
    plant: (p) =>
      `/usr/bin/printf '%s\\n' '${p}() { ${hit("exec-bash")}; }; export -f ${p}' > /tmp/rc.sh; export BASH_ENV=/tmp/rc.sh`,
  },
  {
    name: "readonly-path",
    plant: (p) =>
      `${script(`/tmp/ro/${p}`, "readonly-path")}; declare -rx RO=1; export PATH=/tmp/ro:$PATH`,
  },
];

const GIT: readonly Poison[] = [
  ...["pre-push", "reference-transaction"].map(
    (hook): Poison => ({
      name: `hook-${hook}`,
      plant: () => script(`/workspace/.git/hooks/${hook}`, `hook-${hook}`),
    }),
  ),
  {
    name: "git-hooks-path",
    plant: () =>
      `${script("/tmp/hooks/pre-push", "git-hooks-path")}; /usr/bin/git -C /workspace config core.hooksPath /tmp/hooks`,
  },
  {
    name: "git-global-hooks",
    plant: () =>
      `${script("/tmp/hooks2/pre-push", "git-global-hooks")}; /usr/bin/git config --global core.hooksPath /tmp/hooks2`,
  },
  {
    name: "git-fsmonitor",
    plant: () =>
      `${script("/tmp/fsmonitor", "git-fsmonitor")}; /usr/bin/git -C /workspace config core.fsmonitor /tmp/fsmonitor`,
  },
  {
    name: "git-receivepack",
    refused: /remote\.origin\.receivepack makes git run a program/,
    plant: () =>
      `/usr/bin/git -C /workspace config remote.origin.receivepack '${hit("git-receivepack")}; git-receive-pack'`,
  },
  {
    name: "git-include",
    refused: /include\.path makes git run a program/,
    plant: () =>
      `${script("/tmp/hooks6/pre-push", "git-include")}; /usr/bin/printf '[core]\\nhooksPath=/tmp/hooks6\\n' > /tmp/included; /usr/bin/git -C /workspace config include.path /tmp/included`,
  },
  {
    name: "git-config-env",
    plant: () =>
      `${script("/tmp/hooks3/pre-push", "git-config-env")}; export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/tmp/hooks3`,
  },
  {
    name: "git-config-parameters",
    plant: () =>
      `${script("/tmp/hooks4/pre-push", "git-config-parameters")}; export GIT_CONFIG_PARAMETERS="'core.hooksPath=/tmp/hooks4'"`,
  },
  {
    name: "git-exec-path",
    plant: () =>
      `${script("/tmp/exec-path/git-receive-pack", "git-exec-path")}; export GIT_EXEC_PATH=/tmp/exec-path`,
  },
  {
    name: "git-xdg",
    plant: () =>
      `${script("/tmp/hooks5/pre-push", "git-xdg")}; ${file("/home/agent/.config/git/config", "[core]", "hooksPath = /tmp/hooks5")}`,
  },
].map((poison) => ({ ...poison, for: ["git"] }));

const PYTHON: readonly Poison[] = [
  ...["pip", "re"].map(
    (module): Poison => ({
      name: `module-${module}`,
      plant: () => file(`/workspace/${module}.py`, python(`module-${module}`)),
    }),
  ),
  {
    name: "usercustomize",
    plant: () =>
      file(
        "/home/agent/.local/lib/python3.11/site-packages/usercustomize.py",
        python("usercustomize"),
      ),
  },
  {
    name: "user-pth",
    plant: () =>
      file(
        "/home/agent/.local/lib/python3.11/site-packages/x.pth",
        `import os; os.path.exists("/tmp/armed") and open("/home/agent/marks","a").write("user-pth\\n")`,
      ),
  },
  {
    name: "pythonpath",
    plant: () =>
      `${file("/tmp/pp/sitecustomize.py", python("pythonpath"))}; export PYTHONPATH=/tmp/pp`,
  },
].map((poison) => ({ ...poison, for: ["python3"] }));

const NODE: readonly Poison[] = [
  {
    name: "node-options",
    plant: () =>
      `${file("/tmp/req.js", javascript("node-options"))}; export NODE_OPTIONS='--require /tmp/req.js'`,
  },
].map((poison) => ({ ...poison, for: ["node", "npm"] }));

const MAKE: readonly Poison[] = [
  {
    name: "makefiles",
    plant: () =>
      `/usr/bin/printf '%s\\n' '$(shell ${hit("makefiles")})' > /tmp/y.mk; export MAKEFILES=/tmp/y.mk`,
  },
].map((poison) => ({ ...poison, for: ["make"] }));

export const POISONS: readonly Poison[] = [...SHELL, ...GIT, ...PYTHON, ...NODE, ...MAKE];

/** A shared library that leaves the mark in every program that loads it. */
export const PRELOADED = `
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void start(void) {
  if (access("/tmp/armed", F_OK) != 0) return;
  FILE *marks = fopen("/home/agent/marks", "a");
  if (marks) { fputs("ld-preload\\n", marks); fclose(marks); }
}
unsigned int la_version(unsigned int version) { return version; }
`;
