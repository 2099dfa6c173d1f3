# Sourced by a terminal's own fish after people's own files, by --init-command; $argv[1] is the terminal's directory. The
# nonce of the marks (OSC 133) comes from a pipe that only this shell has. Prompt and key are put back before each prompt,
# since people set them, too.

if string match -q "$fish_pid:*" -- "$DECKHAND_SHELL"
    read -g __deckhand_nonce < /dev/fd/(string replace -r ".*:" "" -- $DECKHAND_SHELL)
end
set -e DECKHAND_SHELL

set -g __deckhand_directory $argv[1]
# An escape sequence that no key sends; it runs the command that lies in the terminal's directory.
set -g __deckhand_key \e'[27;33;133~'
set -q fish_greeting; or set -g fish_greeting
# Without it, fish starts a program that reads all manual pages.
mkdir -p $__fish_user_data_dir/generated_completions 2>/dev/null

# In hexadecimal, byte by byte.
function __deckhand_hex
    set -l escaped (string escape --style=url -- "$argv[1]" | string match -ar '%..|.')
    test -z "$escaped"; or builtin printf %02x (string replace -r '^([^%])$' "'\$1" -- $escaped | string replace -r '^%' 0x)
end

# Tells the directory when it has changed: no other process can read it from the kernel.
function __deckhand_tell_directory
    test "$PWD" != "$__deckhand_told"; or return 0
    set -g __deckhand_told $PWD
    builtin printf '\e]133;P;%s;%s;%s\a' (__deckhand_hex $PWD) $fish_pid $__deckhand_nonce
end

function __deckhand_prompt --on-event fish_prompt
    set -l code $status
    set -g __deckhand_last $code
    __deckhand_return_directory
    __deckhand_tell_directory
    if not functions fish_prompt | string match -q '*__deckhand_their_prompt*'
        functions -e __deckhand_their_prompt
        functions -c fish_prompt __deckhand_their_prompt
        function fish_prompt
            builtin printf '\e]133;D;%s;%s;%s\a' $__deckhand_last $fish_pid $__deckhand_nonce
            __deckhand_status $__deckhand_last
            __deckhand_their_prompt
            builtin printf '\e]133;B;%s\a' $__deckhand_nonce
        end
    end
    for mode in default insert visual
        bind -M $mode $__deckhand_key __deckhand_trigger
    end
    return $code
end

function __deckhand_status
    return $argv[1]
end

# Executes the command as if it were typed, so that the history keeps it. What fish would take for half a line, or for
# none at all, is evaluated: then an open quote is an error and not a wait.
function __deckhand_trigger
    set -l text (string collect -N < $__deckhand_directory/run)
    set -g __deckhand_runs
    commandline -r -- $text
    if test (string length -- "$text") -gt 2000; or not string length -q -- (string trim -- "$text"); or not commandline --is-valid
        commandline -r ' eval (string collect -N < $__deckhand_directory/run)'
    end
    set -l wanted (string collect -N < $__deckhand_directory/enter)
    if test -n "$wanted"; and not __deckhand_enter $wanted 2>/dev/null
        commandline -r " builtin cd "(string escape -- $wanted)
    end
    commandline -f execute
end

function __deckhand_start --on-event fish_preexec
    if set -q __deckhand_runs
        set -e __deckhand_runs
        builtin printf '\e]133;S;%s\a' $__deckhand_nonce
    else
        builtin printf '\e]133;C;%s;%s\a' (__deckhand_hex (string sub -l 300 -- "$argv[1]" | string collect)) $__deckhand_nonce
    end
end

function __deckhand_done --on-event fish_postexec
    builtin printf '\e]133;D;%s;%s;%s\a' $status $fish_pid $__deckhand_nonce
end

# Goes to the directory that one command asked for; __deckhand_return_directory undoes it after that command,
# unless the command went elsewhere itself.
function __deckhand_enter
    set -l from $PWD
    builtin cd $argv[1]; or return 1
    set -g __deckhand_from $from
    set -g __deckhand_entered $PWD
end

function __deckhand_return_directory
    set -q __deckhand_from; or return 0
    test "$PWD" = "$__deckhand_entered"; and builtin cd $__deckhand_from 2>/dev/null
    set -e __deckhand_from __deckhand_entered
end
