"""What `runnel run` prints, and how it ends when it is asked to: test_run.py RUNNEL"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

RUNNEL = os.path.abspath(sys.argv[1])
SCENE = {"grid": {"cells": [20, 16], "cell": 0.005}, "solid": {"type": "plane"}, "frames": 5, "frame_time": 0.04,
         "sources": [{"at": [0.05, 0.04, 0.1], "radius": 0.01, "rate": 1e-5}]}


def expect(condition, what):
    if not condition:
        sys.exit(f"not as expected: {what}")


def run(*arguments, status=0):
    done = subprocess.run([RUNNEL, "run", "small.json", "--no-render", "--out", "out", *map(str, arguments)],
                          capture_output=True, text=True)
    expect(done.returncode == status, (arguments, done.returncode, done.stderr))
    return done


def check_quiet():
    done = run("--quiet")
    expect(done.stdout == "" and done.stderr == "", done)
    expect(json.loads(pathlib.Path("out/summary.json").read_text())["frames"] == 5, "the summary is there")
    done = run("--quiet", "--set", "sources=[]")
    expect(done.stdout == "" and "nothing was poured" in done.stderr, "warnings stay")
    expect(run("--quiet", "--hash").stdout.startswith("hash "), "what is asked for stays")


def check_seconds():
    """As many frames as are needed, and a sentence if that is more."""
    for seconds, frames, told in ((0.2, 5, False), (0.04, 1, False), (0.1, 3, True), (0.001, 1, True), (0.12, 3, False)):
        done = run("--seconds", seconds, "--json")
        expect(json.loads(done.stdout)["frames"] == frames, (seconds, frames))
        expect(("--seconds" in done.stderr) == told, (seconds, done.stderr))
    expect(f"--seconds 0.1 becomes 0.12: 3 frames of 0.04 s" in run("--seconds", 0.1).stderr, "the sentence")


def check_speed():
    """A run that is slower than real time says why in a sentence."""
    done = run("--set", "frame_time=1e-7")
    line = next((line for line in done.stdout.splitlines() if line.startswith("slow ")), "")
    expect("x real time" in line and "the number of columns" in line, done.stdout)
    done = run("--set", "grid.cell=0.0001", "--set", "frame_time=0.004", "--set", "sources=[]", "--set", 'fills=[{"depth": 0.01}]')
    summary = json.loads(pathlib.Path("out/summary.json").read_text())
    expect(("\nslow " in done.stdout) == (summary["real_time_factor"] < 1), done.stdout)
    expect("x real time" in done.stdout.splitlines()[0], done.stdout)


def check_ends():
    """Ctrl-C and SIGTERM leave a checkpoint, which the summary lists."""
    for number in (signal.SIGINT, signal.SIGTERM):
        ledger = pathlib.Path("out/ledger.csv")
        ledger.unlink(missing_ok=True)
        process = subprocess.Popen([RUNNEL, "run", "small.json", "--no-render", "--out", "out", "--json", "--frames", "100000000"],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while not (ledger.exists() and ledger.read_text().count("\n") > 3) and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(number)
        told = json.loads(process.communicate(timeout=3600)[0])
        expect(process.returncode == 130 and told["interrupted"], (number, process.returncode))
        expect(told["files"]["checkpoint"] == "out/checkpoint.rnl" and pathlib.Path("out/checkpoint.rnl").exists(), told["files"])
    expect("checkpoint" not in json.loads(run("--json").stdout)["files"], "none was written")


def check_refusals():
    for arguments, words in ((["--fps", "real"], "--video"), (["--fps", "fast", "--video", "a.mp4"], "0.001 to 1000, or real"),
                             (["--fps", "real", "--video", "a.mp4", "--set", "frame_time=1e-5", "--every", "2"], "frames of 1e-05 s and --every 2")):
        done = subprocess.run([RUNNEL, "run", "small.json", *arguments], capture_output=True, text=True)
        expect(done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1, done)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("small.json").write_text(json.dumps(SCENE))
        for check in (check_quiet, check_seconds, check_speed, check_ends, check_refusals):
            check()
    print("a run says what it should")
