#!/bin/bash
# Stands in for the command where test_docs.py runs the documentation: the same command with few frames, small pictures and
# a short row instead of long ones, whose names are checked; or at full length if LENGTH=whole. The real one is the
# file beside this name that ends in -itself, else $RUNNEL; a window opens on a virtual display.
set -euo pipefail
if [ -e "$0-itself" ]; then RUNNEL=$0-itself; fi

# Whether an option is given: has NAME ARGUMENT...
has() {
    local name=$1
    shift
    printf '%s\n' "$@" | grep -Eqx -- "$name(=.*)?"
}

# The names after --only in "$@", one per line.
chosen() {
    while [ $# -gt 0 ]; do
        case $1 in
        --only) printf '%s\n' "$2" | tr , '\n' ;;
        --only=*) printf '%s\n' "${1#--only=}" | tr , '\n' ;;
        esac
        shift
    done
}

# Fails unless each name after --only is in the list on stdin, alone or as the beginning of names.
check_names() {
    local list name
    list=$(cat)
    for name in $(chosen "$@"); do
        grep -Eq "^ *$name(-[^ ]*)?( |\$)" <<<"$list" || { echo "$1: there is no $name" >&2; exit 1; }
    done
}

# "$@" without --only and its names, in the array `others`.
drop_names() {
    others=()
    while [ $# -gt 0 ]; do
        case $1 in
        --only) shift ;;
        --only=*) ;;
        *) others+=("$1") ;;
        esac
        shift
    done
}

if [ "${LENGTH-}" = whole ] && [ "${1-}" != view ]; then exec "$RUNNEL" "$@"; fi
case ${1-} in
run)
    few=(--frames 2)
    if has --seconds "$@"; then few=(--seconds 0.05); fi
    if has --resume "$@"; then few=(--frames 3); fi
    if ! has --no-render "$@"; then few+=(--size 96x54); fi
    # Pictures in perspective only where they are asked for: maps take less time.
    if ! has '--(view|video|overlay|export|no-render|size)' "$@"; then few+=(--view map); fi
    exec "$RUNNEL" "$@" "${few[@]}"
    ;;
render)
    few=()
    if has --turntable "$@"; then few=(--turntable 2); fi
    exec "$RUNNEL" "$@" "${few[@]}" --size 96x54
    ;;
inspect)
    few=()
    if ! has '--cells?' "$@"; then few=(--cells 60); fi
    exec "$RUNNEL" "$@" "${few[@]}"
    ;;
compare) exec "$RUNNEL" "$@" --frames 1 --no-render ;;
validate | bench | figures)
    command=$1
    shift
    "$RUNNEL" "$command" "$([ "$command" = bench ] && echo --help || echo --list)" | check_names "$@"
    drop_names "$@"
    case $command in
    validate) exec "$RUNNEL" validate --only wave-speed "${others[@]}" ;;
    bench) exec "$RUNNEL" bench --only packets-25 "${others[@]}" --threads 1 ;;
    figures) exec "$RUNNEL" figures --quick --only coefficient "${others[@]}" ;;
    esac
    ;;
view)
    if ! has --script "$@"; then
        script=$(mktemp)
        trap 'rm -f "$script"' EXIT
        printf 'wait 1\nquit\n' >"$script"
        set -- "$@" --script "$script"
    fi
    run=("$RUNNEL" "$@" --size 420x240 --no-settings)
    if [ -n "${DISPLAY-}" ]; then "${run[@]}"; else xvfb-run -a -s "-screen 0 640x480x24" "${run[@]}"; fi
    ;;
*) exec "$RUNNEL" "$@" ;;
esac
