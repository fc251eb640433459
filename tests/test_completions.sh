#!/bin/bash
# Completions know every command, every option that --help lists, and scenes; in bash and fish as they complete, in zsh with
# its builtins replaced, which work in an interactive shell only.
#   test_completions.sh RUNNEL BASH-FILE ZSH-FILE FISH-FILE
set -euo pipefail
runnel=$(realpath "$1") in_bash=$(realpath "$2") in_zsh=$(realpath "$3") in_fish=$(realpath "$4")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PATH=$(dirname "$runnel"):$PATH
cd "$scratch"
mkdir folder
touch file.json

# complete_in_SHELL WORD...: what it offers for the last word, one to a line.
complete_in_bash() (
    set +u
    compopt() { :; } # works within a completion only
    source "$in_bash"
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _runnel
    printf '%s\n' "${COMPREPLY[@]}"
)
complete_in_fish() {
    HOME=$scratch fish --no-config -c 'source $argv[1]; complete -C "$argv[2..]"' "$in_fish" "$@" | sed 's/\t.*//'
}
complete_in_zsh() {
    zsh -fc '
        compadd() {
            local -a found
            while (($#)); do
                case $1 in
                -a) found+=(${(P)2}); shift ;;
                -d) shift ;;
                -l | --) ;;
                *) found+=($1) ;;
                esac
                shift
            done
            print -l -- ${(M)found:#$PREFIX*}
        }
        compset() { setopt localoptions extendedglob; PREFIX=${PREFIX##${~2}}; }
        _files() { print -l -- $PREFIX*(N); }
        file=$1
        shift
        words=("$@")
        CURRENT=$#
        PREFIX=${@[-1]}
        source $file' zsh "$in_zsh" "$@" | sed '/^$/d'
}

# check SHELL "EXPECTED..." WORD...: offers all of that, perhaps more.
status=0
check() {
    local shell=$1 expected=$2 found
    shift 2
    found=" $("complete_in_$shell" "$@" | tr '\n' ' ')"
    for word in $expected; do
        case $found in *" $word "* | *" $word/ "*) ;; *)
            echo "$shell: \"$*\" does not offer $word but$found" >&2
            status=1
            ;;
        esac
    done
}
# only SHELL "EXPECTED..." WORD...: offers that and nothing else.
only() {
    local shell=$1 expected=$2 found
    shift 2
    found=$("complete_in_$shell" "$@" | sed 's|/$||' | sort | xargs)
    [ "$found" = "$expected" ] && return
    echo "$shell: \"$*\" offers \"$found\", not \"$expected\"" >&2
    status=1
}

# As people read the help: commands in its examples; options that begin a line, or stand in brackets in the first.
commands=$(runnel --help | sed -n 's/^ *runnel \([a-z]*\).*/\1/p' | sort -u)
options_of() {
    { runnel "$1" --help | sed -n 's/^ \{1,4\}\(--[a-z-]*\).*/\1/p'
      runnel "$1" --help | head -n 1 | grep -oE -- '\[--[a-z-]+' | tr -d '['; } | sort -u
}
[ "$(echo "$commands" | wc -l)" -ge 8 ] && [ "$(options_of run | wc -l)" -ge 20 ] || {
    echo "--help cannot be read: $commands" >&2
    exit 1
}
scenes=$(runnel scenes | sed -n 's/^  \([^ ]*\) .*/\1/p')

for shell in bash zsh fish; do
    if ! command -v $shell >/dev/null; then
        echo "$shell is not installed; tools/setup installs it" >&2
        status=1
        continue
    fi
    check $shell "$(echo $commands) help" runnel ""
    check $shell "--help --version" runnel --
    for command in $commands; do check $shell "$(options_of "$command" | xargs) --help" runnel "$command" --; done
    check $shell "$(echo $scenes) file.json folder" runnel run ""
    check $shell "file.json" runnel inspect ""
    only $shell "spill" runnel run spi
    only $shell "scenes schema" runnel help s
    only $shell "top turntable" runnel run bowl --view t
    only $shell "naive-1024 naive-200" runnel bench --only naive
    only $shell "nusselt" runnel validate --only nus
    only $shell "boundary" runnel figures --only boun
    only $shell "" runnel run --frames ""
    check $shell "folder" runnel run --out ""
    check $shell "file.json" runnel run --resume f
done
only bash "ply,obj" runnel run --export ply,o
only fish "ply,obj" runnel run --export ply,o
only bash "top turntable" runnel run --view = t
only fish "--view=top --view=turntable" runnel run --view=t

# Words that options take are words of the help.
for option in "run view" "run overlay" "run export" "run export-unit" "run export-up" "inspect unit" "inspect up" "inspect as"; do
    set -- $option
    help=$(runnel "$1" --help) # at once: grep ends at the first match
    for word in $(complete_in_bash runnel "$1" "--$2" ""); do
        grep -qwe "$word" <<<"$help" || { echo "bash: --$2 $word is not in the help"; status=1; }
        for shell in zsh fish; do check $shell "$word" runnel "$1" "--$2" "${word:0:1}"; done
    done
done
[ $status = 0 ] && echo "bash, zsh and fish complete commands, options and scenes"
exit $status
