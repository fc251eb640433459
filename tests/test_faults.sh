#!/usr/bin/env bash
# The command when memory, disks and permissions fail, or when it is killed.
#   test_faults.sh RUNNEL SHIM.so memory|kills|files
# Never a crash, never a torn file under its final name; always one sentence and exit status 2.
set -u
runnel=$(realpath "$1")
shim=$(realpath "$2")
part=$3
scratch=$(mktemp -d)
disk=$scratch/disk
clean() {
    mountpoint -q "$disk" 2>/dev/null && umount "$disk"
    chmod -R u+w "$scratch"
    rm -rf "$scratch"
}
trap clean EXIT
cd "$scratch" || exit 1
# At one of five calls or allocations, the first and then every fifth; at each where RUNNEL_LONG is set.
every=5
[ -z "${RUNNEL_LONG-}" ] || every=1
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

cat >small.json <<'JSON'
{"title": "A small test", "grid": {"cells": [12, 10], "cell": 0.005}, "solid": {"type": "plane"}, "frames": 3,
 "sources": [{"at": [0.03, 0.03, 0.1], "radius": 0.01, "rate": 1e-5}], "view": {"width": 60, "plain": true}}
JSON

cat >probed.json <<'JSON'
{"title": "With probes, and with what a checkpoint keeps", "grid": {"cells": [12, 10], "cell": 0.005},
 "solid": {"type": "plane"}, "edges": {"east": "open"}, "frames": 4, "view": {"width": 60, "plain": true},
 "sources": [{"at": [0.03, 0.03, 0.1], "radius": 0.01, "rate": 1e-5}], "rain": [{"rate": 1e-3}],
 "solids": [{"shape": {"type": "sphere", "radius": 0.01}, "path": [[0, 0.01, 0.02, 0], [0.06, 0.04, 0.02, 0]]}],
 "probes": [{"at": [0.03, 0.03, 0.1]}, {"from": [0.03, 0], "to": [0.03, 0.05]}]}
JSON

cat >whole.py <<'PY'
"""For each FOLDER that it reads, a line: "whole" if pictures, summary, tables and checkpoint are whole, or not there."""
import json, os, struct, sys, zlib

def checksum(parts):
    hash = 0xcbf29ce484222325
    for part in parts:
        end = len(part) // 4 * 4
        for word in struct.unpack(f"<{end // 4}I", part[:end]) + tuple(part[end:]):
            hash = (hash ^ word) * 0x100000001b3 % 2**64
            hash ^= hash >> 29
    return hash

def check_checkpoint(folder, name, data):
    mark, version, path, scene, state, frame, told = struct.unpack("<8sIIQQQQ", data[:48])
    assert mark == b"runnel\r\n" and version == 1 and len(data) == 48 + path + scene + state, name
    ends = [48, 48 + path, 48 + path + scene, len(data)]
    parts = [data[:40] + bytes(8)] + [data[a:b] for a, b in zip(ends, ends[1:])]
    assert checksum(parts) == told, f"{name}: its checksum is wrong"
    there = {other for other in os.listdir(folder) if other.startswith("frame-") and other.endswith(".png")}
    missing = {f"frame-{i:04d}.png" for i in range(1, frame + 1)} - there
    assert not there or not missing, f"{name} is of frame {frame}, but there is no {missing}: nobody would draw it again"

def check(folder):
    for name in os.listdir(folder):
        data = open(os.path.join(folder, name), "rb").read()
        if name.endswith(".part"):
            continue
        if name.endswith(".png"):
            at, end = 8, False
            assert data[:8] == b"\x89PNG\r\n\x1a\n", name
            while at < len(data):
                length, kind = struct.unpack(">I4s", data[at:at + 8])
                body = data[at + 4:at + 8 + length]
                assert zlib.crc32(body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], name
                at, end = at + 12 + length, kind == b"IEND"
            assert end and at == len(data), name
        elif name == "summary.json":
            json.loads(data)
        elif name in ("ledger.csv", "probes.csv"):
            rows = data.decode().split("\n")
            assert rows.pop() == "", f"{name} ends in half a row: {rows[-1:]}"
            assert all(row.count(",") == (13 if name == "ledger.csv" else 8) for row in rows), name
        elif name == "checkpoint.rnl":
            check_checkpoint(folder, name, data)
        else:
            raise AssertionError(f"an unknown file: {name}")

for line in sys.stdin:
    try:
        check(line.rstrip("\n"))
        print("whole", flush=True)
    except Exception as error:
        print(f"{line.strip()}: {type(error).__name__}: {error}".replace("\n", " "), flush=True)
PY

# One Python for all, as each would take longer to start than the runs that it looks at.
coproc WHOLE { exec python3 whole.py; }
whole() {
    local said
    echo "$1" >&"${WHOLE[1]}"
    read -r said <&"${WHOLE[0]}"
    [ "$said" = whole ] || { echo "$said"; return 1; }
}

# told STATUS...: one of these statuses; where it is 2, one sentence that is there for a person.
told() {
    local what=$1 status=$2
    shift 2
    case " $* " in *" $status "*) ;; *) fail "$what: exit status $status: $(cat stderr)" ;; esac
    [ "$status" -ne 2 ] || [ "$(grep -Evc '^(small|probed): ' stderr)" -eq 1 ] || fail "$what: not one sentence: $(cat stderr)"
}

# Memory. The shim takes the place of malloc, as sanitizers do, so not with them.
allocation_faults() {
    FAULT=memory:0 FAULT_COUNT=$PWD/count LD_PRELOAD=$shim "$runnel" run --view map small.json --threads 1 --out one >stdout 2>stderr ||
        { fail "the shim alone: $(cat stderr)"; return; }
    local total=$(cat count) kind n
    [ "$total" -gt 200 ] || fail "only $total allocations are seen"
    for kind in memory memory-from; do
        for ((n = 1; n <= total; n += every)); do
            FAULT=$kind:$n LD_PRELOAD=$shim "$runnel" run --view map small.json --threads 1 --out one >stdout 2>stderr
            told "$kind:$n" $? 0 2
            [ "$kind" = memory ] && [ $failures -gt 20 ] && return
        done
    done
    whole one || fail "memory: a file is torn"
    echo "memory: one of $every of $total allocations failed in turn, alone and with all after them"
}

# The same while a run writes checkpoints, and while one goes on from them; never less than was there before.
checkpoint_allocation_faults() {
    "$runnel" run --view map probed.json --frames 2 --checkpoint 2 --no-frames --out resumed >stdout 2>stderr || fail "$(cat stderr)"
    cp resumed/checkpoint.rnl two.rnl
    local run n
    for run in "run --view map probed.json --frames 2 --checkpoint 1 --no-frames --threads 1 --out one" \
        "run --view map --resume two.rnl --frames 3 --checkpoint 1 --no-frames --threads 1 --out resumed"; do
        FAULT=memory:0 FAULT_COUNT=$PWD/count LD_PRELOAD=$shim "$runnel" $run >stdout 2>stderr ||
            { fail "the shim alone: $(cat stderr)"; return; }
        local total=$(cat count)
        [ "$total" -gt 200 ] || fail "only $total allocations are seen"
        for ((n = 1; n <= total; n += every)); do
            FAULT=memory:$n LD_PRELOAD=$shim "$runnel" $run >stdout 2>stderr
            told "$run: memory:$n" $? 0 2
            [ $failures -gt 20 ] && return
        done
        echo "memory: one of $every of $total allocations failed in turn in runnel $run"
    done
    whole one && whole resumed || fail "memory: a file is torn"
    ls one resumed | grep part >/dev/null && fail "memory: a temporary file is left: $(ls one resumed)"
    "$runnel" run --view map --resume resumed/checkpoint.rnl --frames 4 >stdout 2>stderr ||
        fail "memory: no going on: $(cat stderr)"
}

# goes_on FOLDER WHEN: from its checkpoint to frame 5, as if nothing had happened.
goes_on() {
    "$runnel" run --view map --resume "$1/checkpoint.rnl" --frames 5 --no-frames --hash >stdout 2>stderr ||
        { fail "$2: no going on: $(cat stderr)"; return; }
    [ "$(grep '^hash' stdout)" = "$hash" ] || fail "$2: it goes on elsewhere"
    cmp "$1/ledger.csv" unkilled/ledger.csv && cmp "$1/probes.csv" unkilled/probes.csv || fail "$2: other rows"
    ls "$1" | grep part >/dev/null && fail "$2: temporary files are left: $(ls "$1")"
}

# kill_checkpoints NAME FOLDER ARGUMENTS...: killed at every call, with FOLDER as it is now (or absent) each time.
kill_checkpoints() {
    local name=$1 start=$2 n tried=0 gone_on=0 before=none
    shift 2
    rm -rf killed
    [ -d "$start" ] && cp -r "$start" killed && before=$(ls killed/checkpoint.rnl)
    FAULT=kill:0 FAULT_COUNT=$PWD/count LD_PRELOAD=$shim "$runnel" run --view map "$@" >stdout 2>stderr ||
        { fail "$name: the shim alone: $(cat stderr)"; return; }
    local total=$(cat count)
    [ "$total" -gt 50 ] || fail "$name: only $total calls on files are seen"
    for ((n = 1; n <= total; n += every)); do
        tried=$((tried + 1))
        rm -rf killed
        [ -d "$start" ] && cp -r "$start" killed
        { FAULT=kill:$n LD_PRELOAD=$shim "$runnel" run --view map "$@" >stdout 2>stderr; } 2>/dev/null
        local status=$?
        [ $status -eq 137 ] || fail "$name, kill:$n: exit status $status"
        [ -d killed ] && { whole killed || fail "$name, kill:$n: a file is torn"; }
        [ "$before" = none ] || [ -e killed/checkpoint.rnl ] || fail "$name, kill:$n: the checkpoint is gone"
        [ -e killed/checkpoint.rnl ] && gone_on=$((gone_on + 1)) && goes_on killed "$name, kill:$n"
        [ $failures -gt 20 ] && return
    done
    [ $gone_on -gt $((tried / 2)) ] || fail "$name: only $gone_on of $tried have left a checkpoint"
    echo "$name: kill -9 at $tried of $total calls, after $gone_on of which a checkpoint goes on"
}

kill_while_saving() {
    "$runnel" run --view map probed.json --frames 5 --no-frames --hash --out unkilled >stdout 2>stderr || fail "$(cat stderr)"
    hash=$(grep '^hash' stdout)
    kill_checkpoints "a run with checkpoints" nowhere probed.json --checkpoint 1 --threads 1 --out killed
    # killed once already: rows and frames are there of which the checkpoint knows nothing
    "$runnel" run --view map probed.json --frames 1 --checkpoint 1 --out base >stdout 2>stderr || fail "$(cat stderr)"
    cp base/checkpoint.rnl one.rnl
    "$runnel" run --view map --resume base/checkpoint.rnl --frames 3 >stdout 2>stderr || fail "$(cat stderr)"
    cp one.rnl base/checkpoint.rnl
    kill_checkpoints "a resumed run" base --resume killed/checkpoint.rnl --checkpoint 1 --threads 1
}

kill_everywhere() {
    FAULT=kill:0 FAULT_COUNT=$PWD/count LD_PRELOAD=$shim "$runnel" run --view map small.json --threads 1 --out killed >stdout 2>stderr ||
        { fail "the shim alone: $(cat stderr)"; return; }
    local total=$(cat count) n left=0
    [ "$total" -gt 50 ] || fail "only $total calls on files are seen"
    for ((n = 1; n <= total; n += every)); do
        { FAULT=kill:$n LD_PRELOAD=$shim "$runnel" run --view map small.json --threads 1 --out killed >stdout 2>stderr; } 2>/dev/null
        local status=$?
        [ $status -eq 137 ] || fail "kill:$n: exit status $status"
        whole killed || fail "kill:$n: a file is torn"
        ls killed | grep part >/dev/null && left=$((left + 1))
        [ $failures -gt 20 ] && return
    done
    [ $left -gt $((3 / every)) ] || fail "no killed run has left a temporary file; is the test blind?"
    "$runnel" run --view map small.json --out killed >stdout 2>stderr || fail "after kills: $(cat stderr)"
    ls killed | grep part >/dev/null && fail "temporary files of killed runs are left: $(ls killed)"
    echo "kill -9 at one of $every of $total calls, $left of which left a temporary file"
}

end() {
    [ $failures -eq 0 ] && echo "all fine" || { echo "$failures failed"; exit 1; }
    exit 0
}

sanitized=false
nm -D "$runnel" 2>/dev/null | grep -E '__asan|__tsan' >/dev/null && sanitized=true
[ "$part" = files ] || ! $sanitized || { echo "left out: the shim and sanitizers both stand in for malloc"; exit 0; }
case $part in
memory)
    allocation_faults
    checkpoint_allocation_faults
    end
    ;;
kills)
    kill_everywhere
    kill_while_saving
    end
    ;;
esac

# Real kills, at any time
for n in 1 2 3 4 5 6 7 8 9 10; do
    "$runnel" run --view map small.json --frames 100000 --out random >stdout 2>stderr &
    pid=$!
    until [ -e random/frame-0001.png ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
    sleep "0.$((RANDOM % 20 + 10))"
    kill -9 $pid
    wait $pid 2>/dev/null
    whole random || fail "kill -9: a file is torn"
done

# A full disk
mkdir "$disk"
if mount -t tmpfs -o size=1m,mode=777 tmpfs "$disk" 2>/dev/null; then
    full=0
    for kilobytes in 4 8 12 20 40; do
        mount -o remount,size=${kilobytes}k "$disk" || fail "remount"
        "$runnel" run --view map small.json --frames 200 --out "$disk/out" >stdout 2>stderr
        status=$?
        told "a disk of $kilobytes kB" $status 2
        grep -F "cannot be written: No space left on device" stderr >/dev/null && full=$((full + 1))
        [ -d "$disk/out" ] && { whole "$disk/out" || fail "a disk of $kilobytes kB: a file is torn"; }
        ls "$disk/out" 2>/dev/null | grep part >/dev/null && fail "a disk of $kilobytes kB: a temporary file is left"
        rm -rf "$disk/out"
    done
    [ $full -ge 4 ] || fail "a full disk is not called that"
    umount "$disk"
else
    echo "skipped: a full disk, as tmpfs cannot be mounted here"
fi

# No room for the next checkpoint: the earlier one stays, and goes on once there is room again
"$runnel" run --view map probed.json --frames 5 --no-frames --hash --out unkilled >stdout 2>stderr || fail "$(cat stderr)"
hash=$(grep '^hash' stdout)
"$runnel" run --view map probed.json --frames 2 --checkpoint 2 --no-frames --out tight >stdout 2>stderr || fail "$(cat stderr)"
cp tight/checkpoint.rnl two.rnl
for kilobytes in 1 2 4; do
    (
        trap '' XFSZ
        ulimit -f $kilobytes
        exec "$runnel" run --view map --resume tight/checkpoint.rnl --checkpoint 1 --no-frames >stdout 2>stderr
    )
    told "files of $kilobytes kB" $? 2
    grep -F "tight/checkpoint.rnl: cannot be written: File too large" stderr >/dev/null || fail "$(cat stderr)"
    cmp tight/checkpoint.rnl two.rnl || fail "files of $kilobytes kB: the checkpoint is another"
    whole tight || fail "files of $kilobytes kB: a file is torn"
    ls tight | grep part >/dev/null && fail "files of $kilobytes kB: a temporary file is left"
done
goes_on tight "after a limit"
if mount -t tmpfs -o size=1m,mode=777 tmpfs "$disk" 2>/dev/null; then
    mkdir "$disk/out"
    "$runnel" run --view map probed.json --frames 2 --checkpoint 2 --no-frames --out "$disk/out" >stdout 2>stderr || fail "$(cat stderr)"
    for left in 0 1; do
        dd if=/dev/zero of="$disk/filler" bs=4096 2>/dev/null
        truncate -s -$((4096 * left)) "$disk/filler"
        "$runnel" run --view map --resume "$disk/out/checkpoint.rnl" --checkpoint 1 --no-frames >stdout 2>stderr
        told "a disk with $left pages" $? 2
        grep -F "checkpoint.rnl: cannot be written: No space left on device" stderr >/dev/null || fail "$(cat stderr)"
        cmp "$disk/out/checkpoint.rnl" two.rnl || fail "a disk with $left pages: the checkpoint is another"
        whole "$disk/out" || fail "a disk with $left pages: a file is torn"
        ls "$disk/out" | grep part >/dev/null && fail "a disk with $left pages: a temporary file is left"
        rm "$disk/filler"
    done
    goes_on "$disk/out" "after a full disk"
    umount "$disk"
else
    echo "skipped: checkpoints on a full disk, as tmpfs cannot be mounted here"
fi
if [ -e /dev/full ]; then
    for arguments in "schema" "schema --docs" "scenes" "--help" "validate --only slide" "run --view map small.json --frames 1 --json --out one"; do
        "$runnel" $arguments >/dev/full 2>stderr
        told "runnel $arguments >/dev/full" $? 2
        grep -F "No space left on device" stderr >/dev/null || fail "runnel $arguments >/dev/full: $(cat stderr)"
    done
fi

# Folders and files in the way
refuse() {
    local text=$1
    shift
    "$@" >stdout 2>stderr
    told "$*" $? 2
    grep -F -- "$text" stderr >/dev/null || fail "$*: no \"$text\" in: $(cat stderr)"
}
touch file
refuse "file: this folder cannot be created: Not a directory" "$runnel" run --view map small.json --out file
mkdir -p taken/ledger.csv
refuse "taken/ledger.csv: cannot be written: Is a directory" "$runnel" run --view map small.json --out taken
for name in last.png summary.json frame-0002.png; do
    mkdir -p "way-$name/$name/full"
    refuse "way-$name/$name: cannot be written: Is a directory" "$runnel" run --view map small.json --out "way-$name"
    ls "way-$name" | grep part >/dev/null && fail "$name is in the way: a temporary file is left"
done
mkdir closed
chmod a-w closed
nobody=()
[ "$(id -u)" -ne 0 ] || nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod a+rx "$scratch"
cp "$runnel" command
if "${nobody[@]}" ./command --version >/dev/null 2>&1; then
    refuse "closed/ledger.csv: cannot be written: Permission denied" "${nobody[@]}" ./command run --view map small.json --out closed
    refuse "closed/in: this folder cannot be created: Permission denied" "${nobody[@]}" ./command run --view map small.json --out closed/in
else
    echo "skipped: folders without permission, as nobody cannot run here"
fi

end
