import type { Shell } from "../../contract/workspace/shell.ts";

/** Builtins and functions of zsh or fish that do what bash and its programs do under these names. */
const SAME = new Set(
  ": [ cd diff echo exit export false grep kill la ll ls man printf pwd realpath seq test true type which".split(
    " ",
  ),
);

/** What zsh 5.9 knows by itself; without modules that would have to be loaded first. */
const ZSH = names(`
  ! - . [[ { } alias autoload bg bindkey break builtin bye cap case chdir clone command compadd comparguments compcall compctl
  compdescribe compfiles compgroups compquote compset comptags comptry compvalues continue coproc declare dirs disable disown
  do done echotc echoti elif else emulate enable end esac eval exec fc fg fi float for foreach function functions getcap getln
  getopts hash history if integer jobs let limit local log logout nocorrect noglob popd print private pushd pushln r read
  readonly rehash repeat return run-help sched select set setcap setopt shift source suspend then time times trap ttyctl
  typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt until vared wait whence where which-command while
  zcompile zformat zftp zle zmodload zparseopts zprof zpty zregexparse zselect zsocket zstat zstyle ztcp`);

/** What fish 3.6 knows by itself. */
const FISH = names(`
  ! . N_ _ abbr alias and argparse begin bg bind block break breakpoint builtin case cdh command commandline complete contains
  contains_seq continue count dirh dirs disown down-or-search edit_command_buffer else emit end eval exec fg for funced funcsave
  function functions help history if isatty jobs math nextd not open or path popd prevd prompt_hostname prompt_login prompt_pwd
  psub pushd random read return set set_color setenv source status string suspend switch time trap ulimit umask
  up-or-search vared wait while`);

/** Reserved in bash, so that no text of bash has a program of this name. */
const BASH = names(
  "case coproc do done elif else esac fi for function if in select then time until while { } ! [[ ]]",
);

/** Whether a name may mean something else than in bash: a builtin, a reserved word or a function of the shell's own. */
export function isOwnName(name: string, shell: Exclude<Shell, "bash">): boolean {
  if (SAME.has(name)) return false;
  if (BASH.has(name)) return true;
  if (shell === "zsh") return ZSH.has(name) || /^(?:zf_|comp|zsh)/.test(name);
  return FISH.has(name) || /^(?:_|fish_)/.test(name);
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
