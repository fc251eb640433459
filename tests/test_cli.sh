#!/usr/bin/env bash
# The command from outside: exit statuses, sentences, files, Ctrl-C.  usage: test_cli.sh path/to/runnel
set -u
runnel=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect STATUS TEXT ARGUMENTS...: the exit status, and a text that stdout or stderr must hold.
expect() {
    local status=$1 text=$2
    shift 2
    timeout 3600 "$runnel" "$@" >stdout 2>stderr
    local got=$?
    [ $got -eq "$status" ] || fail "runnel $*: exit status $got instead of $status: $(cat stderr)"
    grep -qF -- "$text" stdout stderr || fail "runnel $*: no \"$text\" in: $(cat stdout stderr)"
}

# refuse TEXT ARGUMENTS...: status 2 and exactly one line on stderr, nothing on stdout.
refuse() {
    expect 2 "$@"
    [ "$(wc -l <stderr)" -eq 1 ] || fail "runnel ${*:2}: not one sentence: $(cat stderr)"
    [ -s stdout ] && fail "runnel ${*:2}: something on stdout: $(cat stdout)"
}

cat >small.json <<'JSON'
{
  "title": "A small test",
  "grid": {"cells": [20, 16], "cell": 0.005},
  "solid": {"type": "plane"},
  "liquid": "water",
  "sources": [{"at": [0.05, 0.04, 0.1], "radius": 0.01, "rate": 1e-5}],
  "frames": 5,
  "view": {"width": 200}
}
JSON

# Help and mistakes in the command line
expect 0 "runnel run" --help
expect 0 "runnel run"
expect 0 "runnel 0." --version
expect 0 "--set" run --help
expect 0 "--json" help scenes
expect 0 'json-schema.org' schema
expect 0 '# Scene reference' schema --docs
refuse 'did you mean --docs?' schema --doc
refuse 'unexpected argument' schema spill
refuse 'did you mean "run"?' rnu
refuse 'there is no command' frobnicate
refuse 'did you mean --frames?' run small.json --frame 3
refuse '--frames needs a whole number' run small.json --frames
refuse '--out needs a folder' run small.json --out --json
refuse '--set needs KEY=VALUE' run small.json --set --json
refuse 'runnel run: --export needs kinds of files, separated by commas: ' run small.json --export
refuse ' vtp, ' run small.json --export
refuse 'there is no option --fill; "runnel run --help" lists them' run small.json --fill
refuse '--frames is "ten"' run small.json --frames ten
refuse '--frames is "0"' run small.json --frames 0
refuse '--frames is "3x"' run small.json --frames 3x
refuse '--frames is "1e3"' run small.json --frames 1e3
refuse '--seconds is "nan"' run small.json --seconds nan
refuse '--seconds is "-1"' run small.json --seconds -1
refuse 'only one of' run small.json --seconds 1 --frames 2
refuse 'only one of' run small.json --seconds 1 --poster
refuse '--threads is "-1"' run small.json --threads -1
refuse 'runnel run: --backend is "gpu"; it must be cpu, cuda or auto' run small.json --backend gpu
refuse 'runnel view: --backend is "gpu"; it must be cpu, cuda or auto' view small.json --backend gpu
RUNNEL_CUDA_LIBRARY=nowhere.so refuse 'small.json:1:1: the backend "cuda" needs' run small.json --backend cuda
RUNNEL_CUDA_LIBRARY=nowhere.so refuse '--set backend=cuda: "backend": the backend "cuda" needs' run small.json --set backend=cuda
expect 0 'this world runs on the CPU: only the solvers "explicit" and "implicit" have the backend "cuda", not "packets"' \
    run small.json --set solver=packets --set backend=cuda --frames 1 --no-render --out fallback
RUNNEL_CUDA_LIBRARY=nowhere.so refuse 'the backend "cuda" needs nowhere.so' run small.json --set solver=implicit --set backend=cuda
expect 2 '"contact"' run small.json --set solver=packets --set backend=cuda --set contact=dynamic # not the backend
refuse '--set grid.lid=-1: "grid.lid": bottom is' run small.json --set grid.lid=-1
refuse '"gravity": gravity is (50, 0, -9.81); sideways' run small.json --set 'gravity=[50, 0, -9.81]'
refuse '"gravity": gravity is (50, 0, -9.81); sideways' run small.json --set solver=mac --set 'gravity=[50, 0, -9.81]'
refuse 'one argument too many' run small.json other.json
refuse 'takes no value' run small.json --json=yes
refuse 'did you mean "spill"?' run spil
refuse 'nothing.json: cannot be read' run nothing.json
refuse 'there is no scene "bowl.jsn"; did you mean "bowl"?' run bowl.jsn
refuse 'there is no file "scenes/spil.json"; did you mean the scene "spill"?' run scenes/spil.json
refuse 'did you mean "view"?' vew

# Bad input: one sentence with file and line, or with the --set argument
sed 's/"cell": 0.005/"cell": -1/' small.json >bad.json
refuse 'bad.json:3:' run bad.json
sed 's/"liquid"/"liqiud"/' small.json >bad.json
refuse 'bad.json:5:3: "liqiud" is not a known key; did you mean "liquid"?' run bad.json
sed 's/"water"/7/' small.json >bad.json
refuse 'bad.json:5:3: "liquid" is 7' run bad.json
sed 's/1e-5/NaN/' small.json >bad.json
refuse 'bad.json:6:' run bad.json
sed 's/1e-5/-1e-5/' small.json >bad.json
refuse '"sources.0.rate" is -1e-05; it must be 0 or more (m³/s)' run bad.json
sed 's/\[0.05, 0.04, 0.1\]/[5, 5, 0.1]/' small.json >bad.json
refuse 'bad.json:6:' run bad.json
sed 's/\[20, 16\]/[0, 16]/' small.json >bad.json
refuse 'bad.json:3:' run bad.json
sed 's/\[20, 16\]/[65536, 32768]/' small.json >bad.json
refuse 'bad.json:3:' run bad.json
sed 's/\[20, 16\]/[2147483648, 1]/' small.json >bad.json
refuse 'bad.json:3:' run bad.json
sed 's/{"type": "plane"}/{"type": "sphere", "radius": 0.01, "at": [9, 9, 9]}/' small.json >bad.json
refuse 'bad.json:4:' run bad.json
sed 's/{"type": "plane"}/{"type": "heightmap", "file": "missing.png"}/' small.json >bad.json
refuse 'missing.png: cannot be read' run bad.json
head -c 100 small.json >bad.json
refuse 'bad.json:' run bad.json
printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10' >cut.png
sed 's/{"type": "plane"}/{"type": "heightmap", "file": "cut.png"}/' small.json >bad.json
refuse 'cut.png' run bad.json
refuse '"friction" is 0; it must be more than 0 and at most 1' run small.json --set friction=0
refuse '"friction" is 1.1' run small.json --set friction=1.1
refuse "the paper's model has one friction for all" run small.json --set model=paper \
  --set 'roughness=[{"in": {"type": "plane"}, "friction": 0.1}]'
refuse '--set grid.layers=1000000000:' run small.json --set grid.layers=1000000000
refuse 'write key=value' run small.json --set frames
touch file
refuse 'file/out' run small.json --out file/out
refuse '/proc/nowhere' run small.json --out /proc/nowhere/out
[ -e out ] && fail "a refused run has made an output folder"

# A viscosity in Pa s is no mistake that can be known, but it is worth a hint
expect 0 'small.json: "liquid.viscosity" is 4 m²/s, 1000 times that of honey; if these are Pa s, divide by the density: 0.00401 m²/s' \
    run small.json --set liquid.viscosity=4 --frames 1 --no-render --out viscous
expect 0 drift run small.json --set liquid.viscosity=0.5 --frames 1 --no-render --out viscous
grep -q viscosity stderr && fail "a hint at a viscosity that is plausible: $(cat stderr)"
long=$(printf 'n%.0s' $(seq 64))
body='{"shape": {"type": "box", "size": [0.01, 0.01, 0.01]}, "density": 500, "at": [0.05, 0.04, 0.02]'
refuse 'is longer than the 63 bytes that a name may have' run small.json --set "bodies=[$body, \"name\": \"$long\"}]"
rm -rf viscous

# A run and its files
expect 0 "one/last.png" run --view map small.json --out one
for name in frame-0001.png frame-0005.png last.png ledger.csv summary.json; do
    [ -s one/$name ] || fail "one/$name is missing"
done
[ "$(wc -l <one/ledger.csv)" -eq 6 ] || fail "the ledger has not one row a frame"
head -1 one/ledger.csv | grep -q '^frame,time_s,substeps,dt_s,poured_m3,.*,drift_m3,deepest_m,fastest_m_s,body_offset_m3$' ||
    fail "the ledger's first line: $(head -1 one/ledger.csv)"
awk -F, 'NR > 1 && $11 != 0 { exit 1 }' one/ledger.csv || fail "volume drifts"

# A poster: one picture, at the scene's "poster" time
sed 's/"frames": 5/"frames": 5, "poster": 0.05/' small.json >poster.json
expect 0 'last.png' run poster.json --poster --view map --out poster
[ "$(wc -l <poster/ledger.csv)" -eq 4 ] || fail "the poster is not after 3 frames: $(cat poster/ledger.csv)"
[ -e poster/frame-0001.png ] && fail "--poster draws more than one picture"
ls one | grep -q part && fail "a temporary file is left in one"
expect 0 "frames" run --view map small.json --out one --frames 2
[ -e one/frame-0005.png ] && fail "a frame of an earlier run is left"
expect 0 "last.png" run --view map small.json --no-frames --out two
[ -e two/frame-0001.png ] && fail "--no-frames has written one"
expect 0 "last.png" run --view map small.json --every 2 --out three
[ -e three/frame-0002.png ] && [ ! -e three/frame-0001.png ] || fail "--every 2"
expect 0 "last.png" run --view map small.json
[ -s out/small/last.png ] || fail "the default folder is not out/small"
expect 0 "time runs slower" run --no-render small.json --set max_substeps=1 --set frame_time=0.5 --out slow
expect 0 " of 2.50 s asked simulated" run --no-render small.json --set max_substeps=1 --set frame_time=0.5 --out slow
expect 0 "s with pictures and files" run --view map small.json --out one

# Probes: a table of their own, one whole row a frame, gone when the scene has none
probes='[{"at": [0.05, 0.04, 0.1]}, {"name": "a \"b\", c", "from": [0.04, 0.08], "to": [0.04, 0]}]'
expect 0 "one/probes.csv" run --no-render small.json --out one --set probes="$probes"
python3 - <<'PY' || fail "probes.csv: $(head -3 one/probes.csv)"
import csv, json
rows = list(csv.reader(open("one/probes.csv")))
assert rows[0] == ["frame", "time_s", "p1_level_m", "p1_depth_m", "p1_velocity_x_m_s", "p1_velocity_y_m_s",
                   'a "b", c_discharge_m3_s', 'a "b", c_volume_m3', 'a "b", c_area_m2'], rows[0]
assert len(rows) == 6 and all(len(row) == 9 for row in rows)
passed = [float(row[7]) for row in rows[1:]]
assert float(rows[5][3]) > 0 and passed[4] < 0  # the pour is east of the line, which runs north to south
for before, after, row in zip([0] + passed, passed, rows[1:]):
    assert abs((after - before) * 60 - float(row[6])) <= 1e-8 * abs(float(row[6]))
assert json.load(open("one/summary.json"))["files"]["probes"] == "one/probes.csv"
PY
expect 0 "last.png" run --view map small.json --out one
[ -e one/probes.csv ] && fail "probes of an earlier run are left"
grep -q probes one/summary.json stdout && fail "a run without probes speaks of them"
refuse '"probes.0.at" lies at x 5' run small.json --set 'probes=[{"at": [5, 0, 0]}]'

# Volumes: units by size, what was refused, nothing at all
expect 0 " ml poured = " run --no-render small.json --out units
expect 0 " l poured = " run --no-render small.json --set sources.0.rate=0.1 --out units
expect 0 " m³ poured = " run --no-render small.json --set sources.0.rate=100 --set grid.cell=1 --set grid.bottom=-1 --set grid.lid=1e3 \
    --out units
grep -q "refused" stdout stderr && fail "refused without a ceiling"
expect 0 "no room under a ceiling" run --no-render small.json --set sources.0.rate=1 --set grid.bottom=-1 --set grid.lid=0.01 \
    --out units
grep -q "^volume .* refused$" stdout || fail "the volume line does not say what was refused: $(cat stdout)"
expect 0 "nothing was poured or filled" run --no-render small.json --set sources='[]' --out dry

# Passages: contradictions name the key, and a solve that fails is counted
refuse '"passages": the implicit solver does not have the paper' run small.json --set model=paper --set passages=implicit
refuse '"solver": the implicit solver does not have the paper' run small.json --set model=paper --set solver=implicit
refuse '"passages": the paper'"'"'s model has no such passages' run small.json --set model=paper --set passages=unified-long
refuse '"passages": the implicit solver has passages of its own' run small.json --set passages=axis --set solver=implicit
refuse '"passages" is "implicit", but "solver" is "explicit"' run small.json --set passages=implicit --set solver=explicit
refuse '"solver": there is no solver "quick"' run small.json --set solver=quick
for way in passages solver; do
    expect 0 "hash " run --no-render u-tube --frames 5 --set $way=implicit --hash --out by-$way
    grep "^hash" stdout >hash-by-$way
done
cmp -s hash-by-passages hash-by-solver || fail "\"passages\": \"implicit\" is not the same as \"solver\": \"implicit\""
refuse 'unified-long' run small.json --set passages=unified-log
refuse 'the scene has no parameter "lenght"; it has length' run u-tube --set parameters.lenght=0.1
refuse '"courant" is 0' run small.json --set courant=0
expect 0 "did not converge" run --no-render u-tube --frames 3 --set solver=implicit --set solver_iterations=1 --out failing
grep -Eq "^unsolved [0-9]+ substeps?" stdout || fail "the summary does not count the solves that failed: $(cat stdout)"
python3 -c 'import json; assert json.load(open("failing/summary.json"))["passages"]["fallbacks"] > 0' ||
    fail "summary.json does not count the solves that failed"

for scene in bend siphon-not; do
    expect 0 "drift 0" run "$scene" --frames $([ -z "${RUNNEL_LONG-}" ] && echo 12 || echo 45) --set solver=implicit --no-render --out "implicit-$scene"
    grep "^unsolved" stdout | grep -vq "^unsolved 1 substep," && fail "$scene: solves fail: $(cat stdout stderr)"
done

# --json, --hash
timeout 3600 "$runnel" run --view map small.json --json --out json 2>/dev/null >stdout || fail "--json: status $?"
python3 - <<'PY' || fail "--json"
import json
printed, written = json.load(open("stdout")), json.load(open("json/summary.json"))
assert printed == written
assert printed["frames"] == 5 and not printed["interrupted"]
assert printed["volume"]["drift_m3"] == 0 and printed["volume"]["present_m3"] > 0
assert len(printed["hash"]) == 16 and int(printed["hash"], 16) >= 0
assert abs(printed["simulated_s"] - 5 / 60) < 1e-9
PY
# Names that are not UTF-8, or only nearly: JSON stays JSON, and bytes that are no character become U+FFFD
odd=$(printf 'a"b\\c\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80 \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 \xe2\x82')
timeout 3600 "$runnel" run --view map small.json --frames 1 --json --out "$odd" 2>/dev/null >stdout || fail "--out with odd bytes: status $?"
[ -s "$odd/summary.json" ] && cp "$odd/summary.json" odd.json || fail "--out with odd bytes: no summary"
python3 - <<'PY' || fail "--json with odd bytes in a name"
import json
bad = "\ufffd"
expected = 'a"b\\c' + bad * 3 + bad * 3 + bad * 4 + " é€😀 " + bad * 2 + "/last.png"
for name in "stdout", "odd.json":
    found = json.loads(open(name, "rb").read().decode())["files"]["picture"]
    assert found == expected, (name, found)
PY
expect 0 "hash " run --no-render small.json --hash --threads 1
first=$(grep '^hash [0-9a-f]\{16\}$' stdout)
expect 0 "hash " run --no-render small.json --hash --threads 2
[ -n "$first" ] && [ "$first" = "$(grep '^hash' stdout)" ] || fail "the hash differs between two runs"
expect 0 "hash " run --no-render small.json --hash --set liquid=honey
[ "$first" != "$(grep '^hash' stdout)" ] || fail "another liquid has the same hash"

# Parameters: set by name, listed, kept by a checkpoint
sed 's/"title"/"parameters": {"length": 0.1, "flow": 1e-5}, &/; s/\[20, 16\]/["=length \/ 0.005", 16]/; s/"rate": 1e-5/"rate": "=flow"/' \
    small.json >named.json
expect 0 "hash " run --no-render named.json --hash --out named-as-is
[ "$first" = "$(grep '^hash' stdout)" ] || fail "a scene with parameters is not the one with their values"
expect 0 "hash " run --no-render named.json --hash --set length=0.12 --checkpoint 3 --out named-longer
longer=$(grep '^hash' stdout)
[ "$first" != "$longer" ] || fail "--set length=0.12 has changed nothing"
expect 0 "last.png" run --view map named.json --set length=0.12 --frames 3 --checkpoint 3 --out named-parts
rm named.json
expect 0 "hash " run --no-render --resume named-parts/checkpoint.rnl --hash
[ "$longer" = "$(grep '^hash' stdout)" ] || fail "a resumed run has other parameters"
sed 's/"title"/"parameters": {"length": 0.1, "flow": 1e-5}, &/' small.json >named.json
refuse '--set lenght=1: "lenght" is not a known key; did you mean "length"?' run named.json --set lenght=1
refuse "is neither a key nor one of the scene's parameters, length, flow" run named.json --set depth=1
refuse '"frames" is "=length / 0", which divides by 0' run named.json --set 'frames==length / 0'
mkdir listed && mv named.json listed/
RUNNEL_SCENES=$PWD/listed "$runnel" scenes | grep -F '(length=0.1, flow=1e-05)' >/dev/null || fail "scenes does not list parameters"
RUNNEL_SCENES=$PWD/listed "$runnel" scenes --json | python3 -c '
import json, sys
assert {"length": 0.1, "flow": 1e-5} in [s["parameters"] for s in json.load(sys.stdin)["scenes"]]' || fail "scenes --json: parameters"

# Scenes by name
expect 0 "spill" scenes

# A scene over columns and in 3D.
cat >deep.json <<'END'
{"grid": {"cells": [16, 8], "cell": 0.05, "bottom": -0.1, "lid": 0.5}, "solid": {"type": "plane"},
 "fills": [{"shape": {"type": "box", "size": [0.3, 0.4, 0.3], "at": [0.15, 0.2, 0.15]}}], "frame_time": 0.02}
END
expect 0 "fronts by" compare deep.json --frames 4 --no-render --out compared
[ "$(wc -l <compared/differences.csv)" = 5 ] || fail "compare: differences.csv"
grep -q "Outline" compared/index.html || fail "compare: index.html"
cut -d, -f6-12 compared/differences.csv >columns.csv
cut -d, -f13- compared/differences.csv >deep.csv
expect 0 "fronts by" compare deep.json --frames 4 --no-render --set-columns liquid.viscosity=0.5 --out compared
cut -d, -f13- compared/differences.csv | cmp - deep.csv || fail "compare: --set-columns changes the 3D liquid"
! cut -d, -f6-12 compared/differences.csv | cmp -s - columns.csv || fail "compare: --set-columns changes nothing"
expect 2 "which scene" compare
expect 2 '"rain" is not for the solver "mac"' compare deep.json --set 'rain=[{"rate": 1}]' --out compared
expect 0 "drift" run deep.json --set solver=mac --frames 3 --no-render --out deep
"$runnel" scenes --json | python3 -c '
import json, sys
names = [scene["name"] for scene in json.load(sys.stdin)["scenes"]]
assert {"bowl", "incline", "spill", "three-layers"} <= set(names), names' || fail "scenes --json"
mkdir mine && cp small.json mine/tiny.json
RUNNEL_SCENES=$PWD/mine "$runnel" run --view map tiny >stdout 2>stderr || fail "\$RUNNEL_SCENES: $(cat stderr)"
scenes="bowl passages spill valley" # golden hashes and pictures are of all
[ -z "${RUNNEL_LONG-}" ] || scenes="aquarium bend branches cross culvert hydrograph incline siphon-not suction three-layers u-tube vertebra $scenes"
for scene in $scenes; do
    expect 0 "last.png" run --view map $scene --frames 1 --out named/$scene
done
expect 0 "last.png" run --view map u-tube --set length=0.1 --frames 1 --no-frames --out named/u-tube
refuse '--set lenght=0.1: "lenght" is not a known key; did you mean "length"?' run u-tube --set lenght=0.1
expect 0 "out/spill" run --frames 1 --no-render

# await COMMAND...: until it succeeds, or the job in the background, $pid, is gone.
await() {
    while ! "$@" 2>/dev/null && kill -0 $pid 2>/dev/null; do sleep 0.05; done
}
# What an earlier command has left in stdout must not be taken for what the next one says.
begin_anew() { rm -f stdout stderr terminal shell; }
more_rows() { [ "$(wc -l <"$1")" -gt "$2" ]; }

# validate: a row without its data is skipped, says so, and fails nothing
begin_anew
RUNNEL_DATA=nowhere "$runnel" validate --only bp01 >stdout || fail "validate without data: $(cat stdout)"
grep -q '^bp01  *-  .*skipped: no data$' stdout || fail "validate without data: no word of it: $(cat stdout)"
[ "$(tail -n 1 stdout)" = "0 passed, 0 failed, 1 skipped" ] || fail "validate without data: $(cat stdout)"
RUNNEL_DATA=nowhere "$runnel" validate --json --only monai >stdout || fail "validate --json without data: $(cat stdout)"
python3 -c 'import json; row, = json.load(open("stdout"))["results"]; assert row["skipped"] and row["measured"] is None, row' ||
    fail "validate --json without data: $(cat stdout)"

# validate: Ctrl-C keeps the rows so far; on a terminal an ETA stands below them, and nothing of it stays
begin_anew
"$runnel" validate --json --only friction-speed --only film-steep >stdout 2>stderr &
pid=$!
await grep -q '"friction-speed"' stdout
kill -INT $pid
wait $pid
[ -s stderr ] && fail "validate: something on stderr that is no terminal: $(cat stderr)"
python3 - <<'PY' || fail "validate --json: Ctrl-C: $(cat stdout)"
import json
found = json.load(open("stdout"))
assert found["interrupted"] is True and [row["name"] for row in found["results"]] == ["friction-speed"], found
PY
begin_anew
"$runnel" validate --only film-steep >stdout &
pid=$!
await grep -q '^name' stdout
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "validate: Ctrl-C: exit status is not 130"
[ "$(tail -n 1 stdout)" = interrupted ] || fail "validate: Ctrl-C: $(cat stdout)"
if script --version >/dev/null 2>&1; then
    begin_anew
    script -qefc "echo \$\$ >shell; exec '$runnel' validate --only friction-speed --only film-steep" terminal </dev/null >stdout 2>&1 &
    pid=$!
    await grep -q '2 of 2.*ETA [0-9]* s' terminal
    kill -INT "$(cat shell)"
    wait $pid
    grep -q 'friction-speed .*pass' terminal || fail "validate on a terminal: no row: $(cat terminal)"
    grep -q '\[2 of 2\] film-steep  ETA [0-9]* s' terminal || fail "validate on a terminal: no ETA: $(cat terminal)"
fi

# bench: rows and groups by name, JSON that a program can read, also after Ctrl-C
expect 0 "passages-break-even" bench --help
refuse 'did you mean "pipes-200"?' bench --only pipes-20
refuse 'did you mean "passages"?' bench --only pasages
refuse 'there is no row "frobnicate"; "runnel bench --help" lists them' bench --only frobnicate
refuse 'there is no row "step-"' bench --only save --only step-
refuse 'there is no row ""' bench --only=
refuse '--only needs a name' bench --only
refuse '--threads is "-1"' bench --threads -1
expect 0 "save" bench --only save
[ "$(grep -c '^[a-z]*-' stdout)" -eq 0 ] || fail "bench --only save runs other rows: $(cat stdout)"
expect 0 '"roofline"' bench --only save --only restore --threads 2 --json
[ -s stderr ] && fail "bench: something on stderr that is no terminal: $(cat stderr)"
python3 - <<'PY' || fail "bench --json: $(cat stdout)"
import json
found = json.load(open("stdout"))
assert found["copy_gbs"] > 0 and [row["name"] for row in found["results"]] == ["save", "restore"]
for row in found["results"]:
    assert row["n"] == 200000 and row["threads"] == 2 and row["model"] == "physical" and row["unit"] == "ms"
    assert 0 < row["best"] <= row["median"] == row["ms_per_frame"] and row["mcells_per_s"] > 0 and row["roofline"] > 0
    assert row["ratio"] is None and row["bar"] is None
PY
begin_anew
"$runnel" bench --only save --only passages-break --json >stdout 2>stderr &
pid=$!
await grep -q '"save"' stdout
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "bench: Ctrl-C: exit status is not 130"
python3 - <<'PY' || fail "bench --json: Ctrl-C: $(cat stdout)"
import json
found = json.load(open("stdout"))
assert found["interrupted"] is True and [row["name"] for row in found["results"]] == ["save"], found
PY

# Ctrl-C keeps what is done
begin_anew
"$runnel" run --view map small.json --frames 1000000 --no-frames --out stopped >stdout 2>stderr &
pid=$!
await more_rows stopped/ledger.csv 3
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "Ctrl-C: exit status is not 130"
python3 - <<'PY' || fail "Ctrl-C: summary"
import json
summary = json.load(open("stopped/summary.json"))
rows = open("stopped/ledger.csv").read().splitlines()
assert summary["interrupted"] and summary["frames"] == len(rows) - 1 > 2
PY
[ -s stopped/last.png ] || fail "Ctrl-C: no picture"
ls stopped | grep -q part && fail "Ctrl-C: a temporary file is left"

# Ctrl-C leaves a checkpoint and says how to go on; done as it says, until a second one, and again to the end
grep -F 'go on    runnel run --resume stopped/checkpoint.rnl --frames 1000000' stdout >/dev/null ||
    fail "Ctrl-C: it does not say how to go on: $(cat stdout)"
first=$(($(wc -l <stopped/ledger.csv) - 1))
begin_anew
"$runnel" run --view map --resume stopped/checkpoint.rnl --frames 1000000 --no-frames >stdout 2>stderr &
pid=$!
await more_rows stopped/ledger.csv $((first + 3))
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "Ctrl-C in a resumed run: exit status is not 130"
grep -F ", after $first before" stdout >/dev/null || fail "a resumed run does not say after how many: $(cat stdout)"
second=$(($(wc -l <stopped/ledger.csv) - 1))
[ "$second" -gt "$first" ] || fail "a resumed run has $second frames, after $first"
expect 0 "hash " run --resume stopped/checkpoint.rnl --frames $((second + 3)) --no-render --hash
interrupted=$(grep '^hash' stdout)
grep -F 'go on' stdout >/dev/null && fail "a finished run says how to go on"
expect 0 "hash " run small.json --frames $((second + 3)) --no-render --hash --out unstopped
[ "$interrupted" = "$(grep '^hash' stdout)" ] || fail "interrupted twice, it ends elsewhere"
cmp stopped/ledger.csv unstopped/ledger.csv || fail "interrupted twice, the ledger differs"

# Checkpoints: pictures, tables and hash are those of a run that was never stopped
measured=(--set probes="$probes" --set liquid=blood)
expect 0 "hash " run --view map small.json "${measured[@]}" --frames 12 --hash --out whole
hash=$(grep '^hash' stdout)
[ -e whole/checkpoint.rnl ] && fail "a checkpoint that nobody asked for"
same() {
    local name
    [ "$hash" = "$(grep '^hash' stdout)" ] || fail "$1: the hash is not that of an uninterrupted run"
    for name in ledger.csv probes.csv last.png; do
        cmp "$1/$name" "whole/$name" || fail "$1/$name is not that of an uninterrupted run"
    done
    ls "$1" | grep part >/dev/null && fail "$1: a temporary file is left: $(ls "$1")"
}
frames_of() { (cd "$1" && ls frame-*.png | tr '\n' ' '); }
expect 0 "last.png" run --view map small.json "${measured[@]}" --frames 4 --checkpoint 3 --out parts
cp -r parts early
cp parts/checkpoint.rnl four.rnl
mv small.json kept.json
expect 0 "hash " run --view map --resume parts/checkpoint.rnl --frames 12 --hash --threads 2
same parts
[ "$(frames_of parts)" = "$(frames_of whole)" ] || fail "frames of a resumed run: $(frames_of parts)"
for name in whole/frame-*.png; do cmp "$name" "parts/${name#whole/}" || fail "$name differs in a resumed run"; done
python3 - <<'PY' || fail "the summary of a resumed run: $(cat parts/summary.json)"
import json
resumed, whole = (json.load(open(name + "/summary.json")) for name in ("parts", "whole"))
for key in "scene", "title", "grid", "frames", "frames_asked", "simulated_s", "substeps", "volume", "hash":
    assert resumed[key] == whole[key], key
PY
# what was written after the checkpoint is cut and written again, but for frames that are not asked for
cp early/checkpoint.rnl parts/
expect 0 "hash " run --view map --resume parts/checkpoint.rnl --frames 12 --hash --no-frames
same parts
[ "$(frames_of parts)" = "$(frames_of early)" ] || fail "frames after the checkpoint are left: $(frames_of parts)"
# in steps, from the folder itself, with --seconds and --checkpoint
(cd early && "$runnel" run --view map --resume checkpoint.rnl --seconds 0.1 --checkpoint 100 >../stdout 2>../stderr) ||
    fail "--resume without a folder: $(cat stderr)"
[ "$(wc -l <early/ledger.csv)" -eq 7 ] || fail "--seconds 0.1 in all: $(cat early/ledger.csv)"
expect 0 "hash " run --view map --resume early/checkpoint.rnl --frames 12 --hash --checkpoint 5
same early
# into another folder: only what is new
cp -r parts before
expect 0 "hash " run --view map --resume four.rnl --frames 12 --hash --out elsewhere/deep
cmp <(sed '2,5d' whole/ledger.csv) elsewhere/deep/ledger.csv || fail "--resume --out: ledger.csv"
cmp <(sed '2,5d' whole/probes.csv) elsewhere/deep/probes.csv || fail "--resume --out: probes.csv"
cmp whole/last.png elsewhere/deep/last.png || fail "--resume --out: last.png"
[ "$(frames_of elsewhere/deep)" = "$(cd whole && ls frame-*.png | sed 1,4d | tr '\n' ' ')" ] || fail "--resume --out: frames"
diff -r parts before || fail "--resume --out has changed the folder that it came from"
# what is refused
refuse '--resume continues the scene unchanged; leave out small.json' run small.json --resume four.rnl
refuse '--resume continues the scene unchanged; leave out --set' run --resume four.rnl --set liquid=honey
refuse 'four.rnl: has 4 frames already; give --frames or --seconds for more' run --resume four.rnl --frames 4
refuse 'early/checkpoint.rnl: has 12 frames already' run --resume early/checkpoint.rnl
refuse 'missing.rnl: cannot be read: No such file or directory' run --resume missing.rnl
refuse 'bad.json: is not a runnel checkpoint' run --resume bad.json
refuse 'parts: is not a file, but a folder, a pipe or a device' run --resume parts
head -c 3000 four.rnl >cut.rnl
refuse 'cut.rnl: is cut short: it has 3000 bytes of ' run --resume cut.rnl
refuse '--resume needs a file' run --resume
refuse '--checkpoint is "0"' run spill --checkpoint 0
[ -e out/cut ] && fail "a refused resume has made a folder"
diff -r parts before || fail "a refused resume has changed a folder"
# a new run in the same folder is a new run
expect 0 "last.png" run --view map incline --frames 2 --no-frames --out parts
[ -e parts/checkpoint.rnl ] || [ -e parts/frame-0001.png ] || [ -e parts/probes.csv ] && fail "a new run keeps: $(ls parts)"

# Meshes: faults of a file are told once, however often it is used; another file in its place
mkdir meshes
printf 'v %s\n' '0 0 0' '1 0 0' '0 1 0' '0 0 1' >meshes/open.obj
printf 'f %s\n' '1 2 4' '2 3 4' '1 4 3' >>meshes/open.obj
{ cat meshes/open.obj; echo 'f 1 3 2'; } >closed.obj
printf 'v %s\n' '0 0 0' '1 0 0' '0 1 0' >points.obj
mesh='{"type": "mesh", "file": "meshes/open.obj", "as": "solid", "unit": "cm"'
sed "s|{\"type\": \"plane\"}|{\"type\": \"union\", \"of\": [{\"type\": \"plane\"}, $mesh}, $mesh, \"at\": [0.05, 0, 0]}]}|" kept.json >mesh.json
"$runnel" run mesh.json --no-render --out mesh >stdout 2>stderr
if ! grep -q "this build cannot read meshes" stderr; then
    [ "$(grep -c '^meshes/open.obj: 3 open edges around 1 hole' stderr)" -eq 1 ] || fail "faults of a mesh: $(cat stderr)"
    cd meshes || exit 1
    expect 0 "frames" run ../mesh.json --no-render --geometry ../closed.obj --set "solid.of.2.file=$scratch/closed.obj" \
        --out ../mesh --checkpoint 2
    cd ..
    grep -q "open edges" meshes/stderr && fail "the file that was replaced is talked about: $(cat meshes/stderr)"
    expect 0 "hash " run --resume mesh/checkpoint.rnl --frames 7 --no-render --hash
    refuse 'points.obj: holds no triangles' run mesh.json --no-render --geometry points.obj
    refuse 'gone.obj: cannot be read: No such file or directory' run mesh.json --geometry gone.obj
    refuse 'kept.json: has no mesh, volume or heightmap with a "file" that closed.obj could replace' run kept.json --geometry closed.obj
    refuse '--resume continues the scene unchanged; leave out --geometry' run --resume mesh/checkpoint.rnl --geometry closed.obj
fi

# Once more with an eye on leaks, in builds that can see them
unset ASAN_OPTIONS
expect 0 "last.png" run --view map kept.json --set liquid=honey --every 2 --out one
expect 0 "spill" scenes --json
refuse '"friction" is 0' run kept.json --set friction=0

[ $failures -eq 0 ] && echo "all fine" || { echo "$failures failed"; exit 1; }
