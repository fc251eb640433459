"""Runs the window of `runnel view` on a virtual display, for tests.  usage of these: TEST RUNNEL SCENES PART [SHARE]"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import png

RUNNEL, SCENES, PART = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
SHARE = (sys.argv[4] if len(sys.argv) > 4 else "1/1").split("/")
TIMED = "RUNNEL_TIMED" in os.environ  # as in make nightly, on an idle machine


def fail(text):
    print(text)
    sys.exit(1)


def environment(folder):
    """Of the command. KEEP_LOADED: a library that keeps Mesa loaded, so that a sanitizer can leave out what Mesa leaks, and that
    alone. Without it, leaks are not looked for."""
    result = dict(os.environ, RUNNEL_SCENES=SCENES, XDG_CACHE_HOME=folder + "/cache", XDG_CONFIG_HOME=folder + "/config",
                  LIBGL_ALWAYS_SOFTWARE="1", ASAN_OPTIONS="detect_leaks=0")
    if "KEEP_LOADED" in os.environ:
        known = os.path.join(os.path.dirname(os.path.abspath(__file__)), "view_leaks.txt")
        result.update(LD_PRELOAD=os.environ["KEEP_LOADED"], ASAN_OPTIONS="detect_leaks=1:verify_asan_link_order=0",
                      LSAN_OPTIONS=f"suppressions={known}:print_suppressions=0")
    return result


def view(folder, *arguments, script=None, expect=0, size="700x420"):
    """Runs the command; returns what it printed."""
    command = [RUNNEL, "view", "--size", size, "--threads", "2"] + list(arguments)
    if script is not None:
        path = os.path.join(folder, "script.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write(script)
        command += ["--script", path]
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False)
    if done.returncode != expect:
        fail(f"{' '.join(command)}\nends with {done.returncode}, expected {expect}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def headless(folder, log, expect=0):
    done = subprocess.run([RUNNEL, "view", "--replay", log, "--headless", "--threads", "1"], cwd=folder, env=environment(folder),
                          capture_output=True, text=True, check=False)
    if done.returncode != expect:
        fail(f"the replay of {log} ends with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def write_flat(folder):
    """A scene with a lake behind a dam. It runs for 20 frames."""
    path = os.path.join(folder, "flat.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write("""{"grid": {"cells": [60, 40], "cell": 0.02, "bottom": -0.2, "lid": 0.6}, "frames": 20,
            "solid": {"type": "union", "of": [{"type": "plane", "at": [0, 0, 0]},
                {"type": "box", "size": [0.08, 0.8, 0.4], "at": [0.6, 0.4, 0]}]},
            "fills": [{"level": 0.15, "in": {"type": "box", "size": [0.56, 0.8, 1], "at": [0.28, 0.4, 0]}}],
            "views": [{"name": "above", "azimuth": 0, "elevation": 60}]}""")
    return path


def count_pictures(path):
    said = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                           "stream=nb_read_frames,r_frame_rate", "-of", "default=nw=1", path], capture_output=True, text=True, check=False)
    found = re.search(r"r_frame_rate=(\S+)\nnb_read_frames=(\d+)", said.stdout)
    if not found:
        fail(f"{path} is no film: {said.stdout}{said.stderr}")
    return int(found[2]), found[1]


def grid_of(path):
    """The mean colour of 16 x 10 parts of a picture."""
    width, height, rows = png.read_png(path)
    cells = []
    for j in range(10):
        for i in range(16):
            xs, ys = range(i * width // 16, (i + 1) * width // 16, 3), range(j * height // 10, (j + 1) * height // 10, 3)
            cells.append([sum(rows[y][3 * x + k] for y in ys for x in xs) // (len(xs) * len(ys)) for k in range(3)])
    return cells


def check_picture(name, path):
    """Compares a picture of the window coarsely with what it looked like when somebody looked at it: tests/view_pictures.json. Fonts
    and drivers differ a little, a page that is missing or a poster that is blank differs a lot. With VIEW_PICTURES, notes it instead."""
    known = os.path.join(os.path.dirname(os.path.abspath(__file__)), "view_pictures.json")
    with open(known, encoding="utf-8") as f:
        pictures = json.load(f)
    now = grid_of(path)
    if "VIEW_PICTURES" in os.environ:
        pictures[name] = now
        with open(known, "w", encoding="utf-8") as f:
            f.write("{" + ",\n".join(f"{json.dumps(key)}: {json.dumps(grid, separators=(',', ':'))}" for key, grid in sorted(pictures.items())) + "}\n")
        return
    far = [max(abs(a - b) for a, b in zip(one, two)) for one, two in zip(now, pictures[name])]
    if sum(far) > 4 * len(far) or max(far) > 60:
        fail(f"{name} looks different: by {sum(far) / len(far):.1f} of 255 in the mean, and by {max(far)} in part {far.index(max(far))}")


def start_display():
    """Starts a virtual display for all windows of this test, as $DISPLAY. Returns its process."""
    read_end, write_end = os.pipe()
    process = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
                               pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    with os.fdopen(read_end) as answer:
        number = answer.readline().strip()
    if not number:
        fail("Xvfb does not start")
    os.environ["DISPLAY"] = ":" + number
    return process


def run(tests):
    """Runs the part of the test that the command line names; tests: functions by their names."""
    if not shutil.which("Xvfb"):
        print("there is no Xvfb")
        sys.exit(77)
    said = subprocess.run([RUNNEL, "view"], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False).stderr
    if "has no window" in said:
        print("this build has no window")
        sys.exit(77)
    display = start_display()
    try:
        with tempfile.TemporaryDirectory() as folder:
            tests["test_" + PART](folder)
    finally:
        display.terminate()
        display.wait()
