# Sourced at the first prompt of every interactive bash of a terminal, because PROMPT_COMMAND comes with the
# environment; nested shells inherit it. A nonce makes our marks (OSC 133) unlike anything that output could carry.
# The terminal's own shell reads it from a pipe that only this shell has, once. A nested shell reads another one from
# the terminal's directory, $1; the server checks its marks against the process table. The marks stand in PS1 and PS0;
# they are put back before each prompt, since people and their ~/.bashrc set these variables, too.

[[ $- == *i* ]] || return 0
if [[ ${DECKHAND_SHELL-} == "$$":* ]]; then
  builtin read -r -u "${DECKHAND_SHELL#*:}" __deckhand_nonce
  builtin eval "exec ${DECKHAND_SHELL#*:}<&-"
fi
builtin unset DECKHAND_SHELL
[[ -n ${__deckhand_nonce-} ]] || builtin read -r __deckhand_nonce < "$1/nested" || return 0

__deckhand_hook=__deckhand_prompt
__deckhand_last=0
# Without the hook's variable, i.e. in a nested shell, the same PROMPT_COMMAND sources this file.
__deckhand_command='${__deckhand_hook:-. '"${BASH_SOURCE[0]} $1}"
# The prompt names the variable and not its value: people export PS1.
__deckhand_before='\[\e]133;D;$?;$$;$__deckhand_nonce\a\]'
__deckhand_after='\[\e]133;B;$__deckhand_nonce\a\]'
__deckhand_start='\e]133;C;$__deckhand_nonce\a'
builtin declare +x __deckhand_hook __deckhand_nonce

# Tells the directory in hexadecimal, when it has changed: no other process can read it from the kernel.
__deckhand_directory() {
  [[ $PWD != "${__deckhand_told-}" ]] || builtin return 0
  __deckhand_told=$PWD
  builtin local LC_ALL=C text='' at code
  for ((at = 0; at < ${#PWD}; at++)); do
    builtin printf -v code %d "'${PWD:at:1}"
    builtin printf -v code %02x $((code & 255))
    text+=$code
  done
  builtin printf '\e]133;P;%s;%s;%s\a' "$text" "$$" "$__deckhand_nonce"
}

__deckhand_prompt() {
  builtin local status=$?
  __deckhand_last=$status
  __deckhand_return_directory
  __deckhand_directory
  if [[ $PS1 != "$__deckhand_before"*"$__deckhand_after" ]]; then
    PS1=${PS1//"$__deckhand_before"/}
    PS1=$__deckhand_before${PS1//"$__deckhand_after"/}$__deckhand_after
  fi
  [[ ${PS0-} == *"$__deckhand_start"* ]] || PS0=${PS0-}$__deckhand_start
  [[ ${HISTCONTROL-} == *ignore@(space|both)* ]] || HISTCONTROL=ignorespace${HISTCONTROL:+:$HISTCONTROL}
  if [[ ${PROMPT_COMMAND[*]-} != *__deckhand_hook* ]]; then
    PROMPT_COMMAND=$__deckhand_command${PROMPT_COMMAND:+;$PROMPT_COMMAND}
    builtin export PROMPT_COMMAND
  fi
  [[ $- == *e* ]] || builtin return "$status"
}

# Goes to the directory that one command asked for; __deckhand_return_directory undoes it after that command,
# unless the command went elsewhere itself.
__deckhand_enter() {
  builtin local from="$PWD" before="${OLDPWD-}"
  builtin cd -- "$1" || builtin return 1
  __deckhand_from=$from __deckhand_from_old=$before __deckhand_entered=$PWD
}

__deckhand_return_directory() {
  [[ -n ${__deckhand_from-} ]] || builtin return 0
  if [[ $PWD == "$__deckhand_entered" ]]; then
    builtin cd -- "$__deckhand_from" 2>/dev/null && OLDPWD=$__deckhand_from_old
  fi
  builtin unset __deckhand_from __deckhand_from_old __deckhand_entered
}

# Sets $? to what the previous command left (the keystrokes that run a command change it), so that `echo $?` means what it says. Under `set -e` it cannot.
__deckhand_status() {
  [[ $- == *e* ]] || builtin return "$1"
}

__deckhand_done() {
  builtin printf '\e]133;D;%s;%s;%s\a' "$1" "$$" "$__deckhand_nonce"
  __deckhand_status "$1"
  __deckhand_prompt
}

# Whoever reads the output need not know bracketed paste; input is typed without brackets anyway.
builtin bind 'set enable-bracketed-paste off' 2>/dev/null

__deckhand_prompt
