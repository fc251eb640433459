#!/bin/bash
# Instructions that a substep takes for each column, counted by callgrind on one thread, against the table
# bench/instructions-<architecture>.csv: a machine's speed is noisy, these are not.
#   tests/test_instructions.sh COUNT_STEPS           compares
#   tests/test_instructions.sh --write COUNT_STEPS   writes what is counted now into the table
# COUNT_STEPS is build/tests/count_steps. Ends in status 77, skipped, where there is no valgrind, and where
# compilers or architecture are others than the table's.
set -uo pipefail
write=false
[ "${1:-}" = --write ] && { write=true; shift; }
program=${1:?count_steps}
folder=$(cd "$(dirname "$0")/../bench" && pwd)
table=$folder/instructions-$(uname -m).csv
cases="rough film violent dry still three-layers"
tolerance=3 # percent more than the table has, for new tables

skip() {
    echo "skipped: $*"
    exit 77
}
command -v valgrind >/dev/null || skip "there is no valgrind"
$write || [ -f "$table" ] || skip "there is no $table; --write makes it"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Prints instructions per column and substep.
count() {
    valgrind --tool=callgrind --toggle-collect=counted_steps --callgrind-out-file="$scratch/out" "$program" "$1" \
        >"$scratch/stdout" 2>"$scratch/stderr" || { cat "$scratch/stderr" >&2; return 1; }
    read -r columns substeps <"$scratch/stdout"
    awk -v columns="$columns" -v substeps="$substeps" '
        /^(summary|totals):/ {found = $2}
        END {if (found > 0) printf "%.2f\n", found / columns / substeps; else exit 1}' "$scratch/out"
}

failed=0
for case in $cases; do
    now=$(count "$case") || { echo "FAILED: $case could not be counted"; exit 1; }
    line=$(grep "^\"$case\"," "$table" 2>/dev/null)
    before=$(cut -d, -f2 <<<"$line" | tr -d ' ')
    allowed=$(cut -d, -f3 <<<"$line" | tr -d ' ')
    echo "\"$case\", $now, ${allowed:-$tolerance}," >>"$scratch/table"
    $write && { echo "$case: $now instructions, before ${before:-unknown}"; continue; }
    [ -n "$before" ] || { echo "FAILED: $case is not in $table"; failed=1; continue; }
    verdict=$(awk -v now="$now" -v before="$before" -v allowed="$allowed" 'BEGIN {
        change = 100 * (now / before - 1)
        if (change > allowed) print "FAILED: more than " allowed " % above the table"
        else if (change < -allowed) print "FAILED: fewer, so the table guards nothing: write them into it with --write"
        else print "fine"}')
    echo "$case: $now instructions for each column and substep, the table has $before: $verdict"
    [[ $verdict == FAILED* ]] && failed=1
done

if $write; then
    {
        echo "// Instructions for each column and substep: case, count, percent that it may grow by."
        echo "// Made by: tests/test_instructions.sh --write build/tests/count_steps"
        cat "$scratch/table"
    } >"$table"
    echo "written: $table"
fi
exit $failed
