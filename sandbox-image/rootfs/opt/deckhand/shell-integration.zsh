# The first file that a terminal's own zsh reads: ZDOTDIR leads to the terminal's directory, $1, whose .zshenv sources
# this one. It reads the nonce of the marks (OSC 133) from a pipe that only this shell has, gives ZDOTDIR back, and leaves
# the rest to people's own files. The marks are put back before each prompt, since those files set prompt and hooks, too.

builtin unset ZDOTDIR
if [[ ${DECKHAND_SHELL-} == $$:* ]]; then
  builtin read -r -u ${DECKHAND_SHELL#*:} __deckhand_nonce
  builtin eval "exec ${DECKHAND_SHELL#*:}<&-"
fi
builtin unset DECKHAND_SHELL

typeset -g __deckhand_directory=$1 __deckhand_last=0
# An escape sequence that no key sends; it runs the command that lies in the terminal's directory.
typeset -g __deckhand_key=$'\e[27;33;133~'

# Neither a wizard for new users nor a question before `rm *`, which nobody would answer.
zsh-newuser-install() { :; }
builtin setopt rm_star_silent
builtin unsetopt prompt_sp prompt_cr beep

# In hexadecimal, byte by byte.
__deckhand_hex() {
  builtin emulate -L zsh
  builtin unsetopt multibyte
  builtin local character code
  REPLY=
  for character in ${(s::)1}; do
    builtin printf -v code %02x $(( #character & 255 ))
    REPLY+=$code
  done
}

# Tells the directory when it has changed: no other process can read it from the kernel.
__deckhand_tell_directory() {
  [[ $PWD != "${__deckhand_told-}" ]] || builtin return 0
  typeset -g __deckhand_told=$PWD
  builtin local REPLY
  __deckhand_hex $PWD
  builtin printf '\e]133;P;%s;%s;%s\a' $REPLY $$ $__deckhand_nonce
}

__deckhand_prompt() {
  builtin local __deckhand_status=$?
  builtin emulate -L zsh
  __deckhand_last=$__deckhand_status
  __deckhand_return_directory
  __deckhand_tell_directory
  # The prompt names the variable and not its value: people export PS1.
  psvar[99]=$__deckhand_nonce
  builtin local before=$'%{\e]133;D;%?;'$$$';%99v\a%}' after=$'%{\e]133;B;%99v\a%}'
  if [[ $PS1 != "$before"*"$after" ]]; then
    PS1=${PS1//"$before"/}
    PS1=$before${PS1//"$after"/}$after
  fi
  # Last, because hooks of others set the prompt.
  precmd_functions=(${precmd_functions:#__deckhand_prompt} __deckhand_prompt)
  (( ${preexec_functions[(I)__deckhand_typed]} )) || preexec_functions+=(__deckhand_typed)
  builtin local keymap
  builtin zle -N __deckhand_run
  for keymap in emacs viins vicmd; do builtin bindkey -M $keymap $__deckhand_key __deckhand_run; done
  builtin setopt no_local_options hist_ignore_space
  builtin return $__deckhand_status
}

__deckhand_typed() {
  builtin local REPLY
  __deckhand_hex ${1[1,1000]}
  builtin printf '\e]133;C;%s;%s\a' "$REPLY" $__deckhand_nonce
}

# The line begins with a blank, so that the history does not keep it.
__deckhand_run() {
  BUFFER=" builtin eval \"\$(<${(q)__deckhand_directory}/run)\""
  builtin zle .accept-line
}

# Goes to the directory that one command asked for; __deckhand_return_directory undoes it after that command,
# unless the command went elsewhere itself.
__deckhand_enter() {
  builtin local from=$PWD before=${OLDPWD-}
  builtin cd -q -- $1 || builtin return 1
  typeset -g __deckhand_from=$from __deckhand_from_old=$before __deckhand_entered=$PWD
}

__deckhand_return_directory() {
  [[ -n ${__deckhand_from-} ]] || builtin return 0
  if [[ $PWD == $__deckhand_entered ]]; then
    builtin cd -q -- $__deckhand_from 2>/dev/null && OLDPWD=$__deckhand_from_old
  fi
  builtin unset __deckhand_from __deckhand_from_old __deckhand_entered
}

# Sets $? to what the previous command left. Under `setopt err_exit` it cannot.
__deckhand_status() {
  [[ -o err_exit ]] || builtin return $1
}

__deckhand_done() {
  builtin printf '\e]133;D;%s;%s;%s\a' $1 $$ $__deckhand_nonce
  __deckhand_status $1
  __deckhand_prompt
}

precmd_functions+=(__deckhand_prompt)
[[ ! -r ~/.zshenv ]] || builtin source ~/.zshenv
