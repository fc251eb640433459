"""What programs read from `runnel bench --json`: test_bench.py RUNNEL"""
import json
import os
import subprocess
import sys

runnel = sys.argv[1]
cores = len(os.sched_getaffinity(0))
both = [1, cores] if cores > 1 else [1]


def bench(*options):
    run = subprocess.run([runnel, "bench", "--json", *options], capture_output=True, text=True, check=True)
    assert run.stderr == "", run.stderr
    found = json.loads(run.stdout)
    assert set(found) == {"copy_gbs", "results"} and found["copy_gbs"] > 0
    return found


def expect(condition, row):
    if not condition:
        sys.exit(f"not as expected: {json.dumps(row, indent=1)}")


# One layer: with one thread and with all, or as asked for; roofline at 44 bytes against a copy with as many threads.
ways = [((), both), (("--threads", "3"), [3])]
for options, threads in ways if "RUNNEL_LONG" in os.environ else ways[:1]:
    found = bench("--only", "pipes-200", *options)
    expect([row["threads"] for row in found["results"]] == threads, found)
    for row in found["results"]:
        expect(row["name"] == "pipes-200" and row["n"] == 40000 and row["model"] == "physical", row)
        expect(row["unit"] == "Mcell/s" and 0 < row["median"] <= row["best"], row)
        expect(abs(row["mcells_per_s"] / row["median"] - 1) < 1e-9 and row["bytes_per_cell"] == 44, row)
        expect(abs(row["ms_per_frame"] * row["mcells_per_s"] / 40 - 1) < 1e-6, row)
        expect(row["against_naive"] > 0 and row["ms_per_step"] is None and "columns move" in row["note"], row)
    last = found["results"][-1]
    expect(abs(last["roofline"] * found["copy_gbs"] * 1e3 / (44 * last["mcells_per_s"]) - 1) < 1e-6, found)
    if threads[0] == 1:
        expect(found["results"][0]["speedup"] == 1 and last["speedup"] > 0, found)

plain = bench("--only", "naive-200")["results"]
expect(len(plain) == 1 and plain[0]["threads"] == 1 and plain[0]["mcells_per_s"] > 0, plain)

# The paper's examples: both models, average and maximum of steps and frames, beside the paper's.
rows = bench("--only", "table1-viscosity", "--threads", "1")["results"]
expect([row["model"] for row in rows] == ["physical", "paper"], rows)
for row in rows:
    expect(row["n"] == 40000 and row["unit"] == "ms" and row["median"] == row["ms_per_step"], row)
    for key in ("ms_per_step", "ms_per_frame"):
        expect(row[key] > 0 and row[key + "_max"] > 0, row)
        if "RUNNEL_TIMED" in os.environ:  # the mean of a disturbed run may lie above what steps take at most
            expect(row[key] <= 1.5 * row[key + "_max"], row)
    expect(abs(row["ms_per_frame"] / row["ms_per_step"] / (16.6 / 3) - 1) < 1e-9, row)
    expect(row["paper_ms"] == 0.62 and row["paper_ms_max"] == 1.03 and "GTX 970" in row["note"], row)
expect(rows[0]["substeps"] > rows[1]["substeps"] > 5, rows)
