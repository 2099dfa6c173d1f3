import type { Level } from "../../contract/permission/level.ts";
import { absoluteShapes, zoneOf } from "./paths.ts";
import { INDEX_VARIABLES, isForeign } from "./rules/package-indexes.ts";
import type { Assignment } from "./visitor.ts";
import { readable, runsInSubscript, type Word } from "./word.ts";

interface Say {
  readonly say: (risk: Level, why: string) => void;
  /** The value is run as a command by whoever reads the variable. */
  readonly code: (value: Word, what: string) => void;
  readonly homeDir: string;
  readonly workspaceDir: string;
}

/** Loaded into every program that starts, or run by every shell. */
const LOADED =
  /^(?:LD_(?!LIBRARY_PATH$)\w+|BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|GLIBC_TUNABLES|GCONV_PATH|PERL5DB|PYTHONSTARTUP|PYTHONINSPECT|PYTHONWARNINGS|PYTHONBREAKPOINT|PYTEST_PLUGINS|VIMINIT|EXINIT|JDK_JAVA_OPTIONS|R_PROFILE(?:_USER)?|RUBYOPT|PERL5OPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG\w*|LESSOPEN|LESSCLOSE|TERMINFO|TAR_OPTIONS|RSYNC_RSH|npm_config_(?:script_shell|node_options|globalconfig|userconfig)|NPM_CONFIG_(?:SCRIPT_SHELL|NODE_OPTIONS|GLOBALCONFIG|USERCONFIG)|BASH_ALIASES|BASH_CMDS|HISTFILE|FPATH|ZDOTDIR|INPUTRC|CDPATH|SUDO_ASKPASS)$/;

/** Their value is a command. */
const COMMANDS =
  /^(?:PAGER|GIT_PAGER|MANPAGER|EDITOR|VISUAL|GIT_EDITOR|GIT_SEQUENCE_EDITOR|FCEDIT|BROWSER|GIT_SSH|GIT_SSH_COMMAND|GIT_ASKPASS|SSH_ASKPASS|GIT_PROXY_COMMAND|GIT_EXTERNAL_DIFF|SHELL|CC|CXX|CPP|LD|MAKE|SUDO_EDITOR|SYSTEMD_PAGER|AWS_PAGER)$/;

const AGENT = /-(?:javaagent|agentpath|agentlib:(?!jdwp)|XX:On)/;

/** Their value may name a program, or code to load. */
const RUNS_WITH: Readonly<Record<string, RegExp>> = {
  RUSTFLAGS: /linker/,
  GOFLAGS: /-(?:toolexec|exec|vettool)/,
  MAKEFLAGS: /--eval|-f\b|--file/,
  PYTEST_ADDOPTS: /(?:^|\s)-p|--rootdir|-c\s|--import-mode|--confcutdir/,
  GRADLE_OPTS: AGENT,
  MAVEN_OPTS: AGENT,
  JAVA_OPTS: AGENT,
  SBT_OPTS: AGENT,
};

/** A compiler's cache is no stranger. */
const COMPILER_CACHES =
  /^(?:(?:\/usr)?\/(?:local\/)?bin\/)?(?:sccache|ccache|distcc|icecc|cachepot)?$/;
const COMPILERS =
  /^(?:RUSTC|RUSTDOC|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|CARGO_BUILD_RUSTC\w*|CARGO_TARGET_\w+_(?:RUNNER|LINKER)|CARGO_ALIAS_\w+|CCACHE_PREFIX|CMAKE_\w+_LAUNCHER)$/;

/** They change where programs find code: the workspace's own code, as a rule. */
const SEARCHED =
  /^(?:LD_LIBRARY_PATH|PYTHONPATH|PYTHONHOME|NODE_PATH|NODE_OPTIONS|PERL5LIB|RUBYLIB|CLASSPATH|GOFLAGS|CFLAGS|LDFLAGS|MAKEFLAGS|RUSTFLAGS|HOME|TMPDIR|IFS|GIT_DIR|GIT_WORK_TREE|XDG_CONFIG_HOME)$/;

export function judgeAssignment({ name, value, prefix }: Assignment, inspect: Say): void {
  const text = readable(value.shape);
  if (RUNS_WITH[name]?.test(text) || (COMPILERS.test(name) && !COMPILER_CACHES.test(text)))
    inspect.say("click", `${name} makes other programs run code`);
  if (INDEX_VARIABLES.test(name) && isForeign(value))
    inspect.say("click", `${name} decides where packages come from`);
  // Arithmetic runs substitutions in subscripts, also when they come out of a variable.
  if (runsInSubscript(text))
    inspect.say("click", "a value that runs a command when used in arithmetic");
  if (name === "PATH") judgePath(value, inspect);
  else if (LOADED.test(name) && !(name === "HISTFILE" && text === "/dev/null"))
    inspect.say("click", `${name} makes other programs run code`);
  else if (COMMANDS.test(name)) {
    inspect.say("free", `${name} names a program that others start`);
    if (text !== "") inspect.code(value, name);
  } else if (SEARCHED.test(name) && !(name === "IFS" && prefix)) {
    inspect.say("free", `${name} changes how programs behave`);
    if (
      /--(?:require|import|loader|experimental-loader)|-r\b|-e\b/.test(text) &&
      name === "NODE_OPTIONS"
    )
      inspect.say("click", "NODE_OPTIONS makes other programs run code");
    const isTree = name === "GIT_WORK_TREE" || name === "GIT_DIR";
    if (
      isTree &&
      /^(?:outside|unknown)$/.test(
        zoneOf(absoluteShapes(value.shape, [inspect.workspaceDir])[0] ?? "", inspect),
      )
    )
      inspect.say("click", `${name} points git outside the workspace`);
    if (name === "HOME" || name === "XDG_CONFIG_HOME")
      inspect.say("click", `${name} moves the files that programs obey`);
  }
}

/** Where the workload can put files. */
const WRITABLE = /^\/(?:workspace|home\/agent|tmp|var\/tmp|dev\/shm|proc)(?:\/|$)/;

/** Whether a variable makes programs load code out of a place that the workload can write to. */
export function pointsToWritable(
  { name, value }: Assignment,
  directories: readonly string[],
): boolean {
  if (name === "IFS" || name === "TMPDIR") return false;
  if (name !== "PATH" && !LOADED.test(name) && !SEARCHED.test(name)) return false;
  return value.shape
    .split(/[\s:=,;]/)
    .filter((part) => part !== "" && (!part.startsWith("-") || part.includes("/")))
    .map((part) => part.replace(/^-[^/]*/, ""))
    .flatMap((part) => absoluteShapes(part, directories))
    .some((path) => WRITABLE.test(path));
}

/** More places to find programs in: behind the usual ones, or the usual places of the project's own tools. */
function judgePath(value: Word, inspect: Say): void {
  inspect.say("free", "PATH changes which programs are found");
  const parts = value.text.replaceAll(/^"|"$/g, "").split(":");
  const own = parts.findIndex((part) => /^\$(?:PATH|\{PATH\})$/.test(part));
  const before = own < 0 ? parts : parts.slice(0, own);
  if (own < 0 || !before.every((part) => isToolDirectory(part, inspect)))
    inspect.say("click", "PATH puts other programs before the usual ones");
}

function isToolDirectory(part: string, { homeDir, workspaceDir }: Say): boolean {
  const path = part
    .replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, homeDir)
    .replace(/^(?:\$PWD|\$\{PWD\}|\$\(pwd\))(?=\/)/, workspaceDir);
  const [shape = ""] = absoluteShapes(path, [workspaceDir]);
  const usual =
    /\/(?:node_modules\/\.bin|\.local\/bin|go\/bin|\.cargo\/bin|\.?venv\/bin|\.npm-global\/bin|\.yarn\/bin|\.bun\/bin|\.deno\/bin|\.pyenv\/(?:shims|bin)|\.rbenv\/(?:shims|bin)|vendor\/bin)\/?$/;
  return (
    usual.test(shape) &&
    ["home", "workspace"].includes(zoneOf(shape, { homeDir, workspaceDir })) &&
    !/[$`]/.test(path)
  );
}
