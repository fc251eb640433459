#!/usr/bin/env python3
"""Bodies in scenes, and logs of their poses, as a user meets them.  usage: test_poses.py path/to/runnel

A recorded run, replayed, has the same liquid to the bit; so has one that goes on from a checkpoint, by the engine or by the
log. Logs that are cut short, damaged or of another scene are refused in one sentence that names the line.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RUNNEL = str(pathlib.Path(sys.argv[1]).resolve())
failures = []

SCENE = {
    "grid": {"cells": [40, 30], "cell": 0.1},
    "solid": {"type": "plane"},
    "fills": [{"level": 0.5}],
    "frames": 60,
    "bodies": [
        {"name": "crate", "shape": {"type": "box", "size": [0.5, 0.4, 0.3]}, "density": 400, "at": [1, 1, 0.9],
         "turn": [10, 20, 30]},
        {"name": "stone", "shape": {"type": "sphere", "radius": 0.15}, "density": 2500, "at": [2.5, 1, 0.8],
         "copies": {"count": [1, 3, 1], "step": [0, 0.5, 0], "interval": 0.2}},
        {"name": "gate", "shape": {"type": "box", "size": [0.2, 1, 1]}, "motion": "scripted", "way": "blocks",
         "path": [[0, 3.5, 1.5, 0.5], [1, 3, 1.5, 0.5]], "turns": [[0, 0, 0, 0], [1, 0, 0, 25]]},
        {"name": "mast", "shape": {"type": "parts", "of": [
            {"type": "cylinder", "radius": 0.1, "length": 0.8},
            {"type": "capsule", "radius": 0.06, "length": 0.5, "at": [0, 0, 0.2], "turn": [90, 0, 0]}]},
         "density": 600, "at": [1.8, 2.3, 1.2]},
        {"name": "pile", "shape": {"type": "hull", "points": [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0.1, 0.1, 0.3]]},
         "density": 1500, "at": [0.3, 2, 0.6], "copies": {"count": [2, 1, 3], "step": [0.2, 0, 0.35]}},
    ],
    "joints": [{"type": "hinge", "body": "mast", "at": [1.8, 2.3, 1.6], "axis": [1, 0, 0], "limits": [-60, 60]}],
}
COUNT = 12


def check(fine, text):
    if not fine:
        failures.append(text)
        print("FAILED:", text)


def run(*arguments):
    done = subprocess.run([RUNNEL, "run", *arguments, "--no-render", "--hash", "--json"], capture_output=True, text=True)
    found = re.search(r"^hash ([0-9a-f]{16})$", done.stderr, re.M)
    sentence = [line for line in done.stderr.splitlines() if not re.search(r": frame \d+ of|^hash ", line)]
    return done.returncode, found[1] if found else None, "\n".join(sentence)


def write(scene, name="scene.json"):
    pathlib.Path(name).write_text(json.dumps(scene, indent=1))
    return name


def refused(arguments, words, what):
    status, _, sentence = run(*arguments)
    check(status == 2 and words in sentence and "\n" not in sentence, f"{what}: {status} {sentence!r}, without {words!r}")


def scripted(scene):
    """The same without bodies that need an engine."""
    return {**scene, "bodies": [body for body in scene["bodies"] if body.get("motion") == "scripted"], "joints": []}


def check_replay(engine):
    name = write(SCENE if engine else scripted(SCENE))
    status, first, said = run(name, "--record-poses", "log.txt", "--out", "a")
    check(status == 0 and first, f"a run that records: {said}")
    substeps = json.loads(pathlib.Path("a/summary.json").read_text())["substeps"]
    check(substeps <= 400, f"columns that a gate fills nearly whole ask for {substeps} substeps instead of about 190")
    lines = pathlib.Path("log.txt").read_text().splitlines()
    bodies = COUNT if engine else 1
    check(lines[0] == "runnel poses 1" and lines[1].startswith(f"bodies {bodies} frame_time 0.01666"), "how a log begins")
    check(lines[-1] == f"end {len(lines) - 3}", "how a log ends")
    check(all(len(line.split()) == 15 for line in lines[2:-1]), "every line has a frame, a body and 13 numbers")
    for threads in "1", "3":
        status, again, said = run(name, "--replay-poses", "log.txt", "--threads", threads, "--out", "b")
        check(again == first, f"replayed with {threads} threads: {again} instead of {first} {said}")
    status, again, said = run(name, "--replay-poses", "log.txt", "--record-poses", "twice.txt", "--out", "b")
    check(again == first and pathlib.Path("twice.txt").read_bytes() == pathlib.Path("log.txt").read_bytes(),
          "a replay records what it was given")
    run(name, "--frames", "25", "--checkpoint", "25", "--out", "c")
    status, again, said = run("--resume", "c/checkpoint.rnl", "--record-poses", "rest.txt")
    check(again == first, f"a checkpoint goes on: {again} instead of {first} {said}")
    rest = [line for line in lines[2:-1] if int(line.split()[0]) >= 25]
    check(pathlib.Path("rest.txt").read_text().splitlines()[2:-1] == rest, "and so do its poses")
    run(name, "--frames", "25", "--checkpoint", "25", "--replay-poses", "log.txt", "--out", "c")
    status, again, said = run("--resume", "c/checkpoint.rnl", "--replay-poses", "log.txt")
    check(again == first, f"a checkpoint and the rest of the log: {again} instead of {first} {said}")
    moved = [line for line in lines[2:-1]]
    words = moved[-1].split()
    words[2] = "0.5"
    pathlib.Path("other.txt").write_text("\n".join(lines[:2] + moved[:-1] + [" ".join(words), lines[-1]]) + "\n")
    check(run(name, "--replay-poses", "other.txt", "--out", "b")[1] not in (first, None), "another pose is another state")
    return lines


def check_refusals(lines):
    text = "\n".join(lines) + "\n"
    logs = {
        "cut short": (text[:len(text) // 2], "cut short"),
        "without its end": ("\n".join(lines[:-1]) + "\n", "cut short"),
        "without a line": ("\n".join(lines[:5] + lines[6:]) + "\n", 'must be "end'),
        "foreign": ("frame,body,x\n", "log.txt:1: this is not a log of poses"),
        "no number": (text.replace("\n1 0 ", "\n1 0 x", 1), "number 1 of 13"),
        "other bodies": (text.replace("bodies ", "bodies 1", 1), "belongs to a scene with 1"),
        "other frames": (text.replace("frame_time 0.016", "frame_time 0.017", 1), "belongs to a scene with frames of"),
        "too short": ("\n".join(lines[:2] + lines[2:3] + ["end 1"]) + "\n", "it ends before"),
        "unordered": (text.replace("\n1 0 ", "\n0 0 ", 1), "the scene needs body 0 in frame 1 here"),
        "longer": (text + "0\n", "goes on after its end"),
    }
    for what, (content, words) in logs.items():
        pathlib.Path("log.txt").write_text(content)
        refused([write(scripted(SCENE)), "--replay-poses", "log.txt", "--out", "b"], words, what)
    refused([write(scripted(SCENE)), "--replay-poses", "none.txt", "--out", "b"], "none.txt: cannot be read", "no log")
    refused([write(scripted(SCENE)), "--record-poses", "none/log.txt", "--out", "b"], "none/log.txt", "no folder for a log")


def check_scenes():
    crate, gate = SCENE["bodies"][0], SCENE["bodies"][2]
    cases = {
        "a type": ({**crate, "shape": {"type": "bux", "size": [1, 1, 1]}}, 'did you mean "box"?'),
        "a size": ({**crate, "shape": {"type": "box"}}, 'has no "size"'),
        "a hull": ({**crate, "shape": {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}, "bodies.0.shape"),
        "points": ({**crate, "shape": {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1]]}},
                   "is a list of 2; it must have 3 numbers"),
        "a file": ({**crate, "shape": {"type": "mesh", "file": "none.obj"}}, "none.obj"),
        "a part": ({**crate, "shape": {"type": "parts", "of": [{"type": "ball"}]}}, "bodies.0.shape.of.0.type"),
        "a drawn shape's type": ({**crate, "drawn": {"type": "bux", "size": [1, 1, 1]}}, '"bodies.0.drawn.type"'),
        "a drawn shape's size": ({**crate, "drawn": {"type": "box"}}, '"bodies.0.drawn" has no "size"'),
        "a drawn shape": ({**crate, "drawn": "box"}, '"bodies.0.drawn" is "box"'),
        "both masses": ({**crate, "mass": 2}, 'has both "mass" and "density"'),
        "a path": ({**crate, "path": gate["path"]}, '"motion": "scripted"'),
        "a speed": ({**gate, "velocity": [1, 0, 0]}, "is for dynamic bodies"),
        "a way": ({**crate, "way": "swims"}, '"auto", "blocks" or "floats"'),
        "copies": ({**crate, "copies": {"count": [20, 20, 20]}}, "more than the 2000 bodies"),
    }
    for what, (body, words) in cases.items():
        refused([write({**SCENE, "bodies": [body], "joints": []}), "--out", "b"], words, what)
    refused([write({**SCENE, "bodies": [crate, crate], "joints": []}), "--out", "b"], "which another body has", "one name twice")
    shot = {**crate, "velocity": [300, 0, 100]}
    status, _, said = run(write({**SCENE, "bodies": [shot], "joints": [], "edges": "open", "frames": 150}), "--out", "b")
    check(status == 0 and said.count("flew out of the world") == 1, f"a body that is lost is told once: {status} {said}")
    for joint, words in (({"type": "ball", "body": "none"}, "there is no body of that name"),
                         ({"type": "ball", "body": "gate"}, "is scripted"),
                         ({"type": "ball", "body": "crate", "to": "stone-2"}, "must appear together"),
                         ({"type": "hinge", "body": "crate", "limits": [10, 20]}, "must lie between")):
        refused([write({**SCENE, "joints": [joint]}), "--out", "b"], words, f"joint {joint}")


def main():
    status, _, said = run(write({**SCENE, "frames": 1}), "--out", "a")
    engine = status == 0
    if not engine:
        check("ODE" in said and "scene.json" in said, f"a scene that needs an engine: {said}")
    check_replay(engine)
    check_refusals(check_replay(False))
    if engine:
        check_scenes()
    print(f"{len(failures)} failed" if failures else "all fine")
    return 1 if failures else 0


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    result = main()
    os.chdir("/")
sys.exit(result)
