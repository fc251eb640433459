#!/usr/bin/env python3
"""The window of `runnel view` closes at any moment, and loses nothing.  usage: test_view_close.py RUNNEL SCENES close"""
import json
import os
import re
import shutil
import signal
import subprocess
import time

import x_window
from view_window import RUNNEL, SCENES, TIMED, count_pictures, environment, fail, run, view


def by_signal(_, process):
    process.send_signal(signal.SIGTERM if process.pid % 2 else signal.SIGINT)


def close_when(moment, folder, *arguments, end=by_signal, size=("--size", "500x320")):
    """Starts the window, does what `moment(display, process)` does, and asks the program to end, as `end(display, process)` does.
    Returns its exit status, and after how many seconds the window was gone and the program had ended."""
    display = x_window.Display()
    process = subprocess.Popen([RUNNEL, "view", *size, "--threads", "2", *arguments], cwd=folder, env=environment(folder))
    moment(display, process)
    end(display, process)
    asked, gone = time.monotonic(), None
    while process.poll() is None:
        if gone is None and not display.find("runnel"):
            gone = time.monotonic() - asked
        time.sleep(0.005)
    ended = time.monotonic() - asked
    return process.returncode, ended if gone is None else gone, ended


def check_close(name, status, gone, ended, most=1.0):
    """The limit of a second is that of an idle machine; a minute, for any machine, is far less than what runs then takes."""
    print(f"{name}: status {status}, window gone after {gone:.2f} s, ended after {ended:.2f} s")
    if status not in (0, -signal.SIGINT, -signal.SIGTERM) or gone > (most if TIMED else 60):
        fail(f"{name}: status {status}, window gone after {gone:.2f} s")


def close_now(folder):
    """At any moment: before the window is there, while a scene opens, while it plays, and during a step of many minutes."""
    opened = lambda display, process: display.wait_for("runnel", process)
    for delay in (0.0, 0.1, 0.3):
        check_close(f"after {delay} s", *close_when(lambda display, process, delay=delay: time.sleep(delay), folder, "three-layers"))
    check_close("scene opens", *close_when(opened, folder, "three-layers"))
    plays = lambda display, process: (opened(display, process), display.wait_for(" - runnel", process), time.sleep(0.5))
    check_close("plays", *close_when(plays, folder, "three-layers"))
    step = lambda display, process: (display.press(display.wait_for(" - runnel", process), "period"), time.sleep(0.5))
    status, gone, ended = close_when(step, folder, "three-layers", "--set", "frame_time=3600")
    check_close("long step", status, ended, ended)  # the program has ended, not only its window


def processor_time(process):
    """Waits for a program to end well; the seconds of processor time that it took."""
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        fail(f"a window that closes while a scene opens ends with {status}")
    return usage.ru_utime + usage.ru_stime


def used_so_far(process):
    """Seconds of processor time that a running program has taken."""
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def close_opening(folder):
    """The window takes keys while a scene opens: one that is closed meanwhile does not take the processor time to open it, most of
    which is for the mesh of its ground."""
    command = [RUNNEL, "view", "teapot", "--size", "500x320", "--threads", "1"]
    with open(os.path.join(folder, "empty.txt"), "w", encoding="utf-8") as f:
        f.write("quit\n")
    whole = processor_time(subprocess.Popen(command + ["--script", "empty.txt"], cwd=folder, env=environment(folder)))
    process = subprocess.Popen(command, cwd=folder, env=environment(folder))
    display = x_window.Display()
    window = display.wait_for("runnel", process)
    while used_so_far(process) < 0.3 * whole:
        time.sleep(0.01)
    display.press(window, "q")
    part = processor_time(process)
    print(f"closed while it opens: {part:.2f} s of {whole:.2f} s")
    if part > 0.7 * whole:
        fail("the window takes no keys until the scene is open")


def slow_ffmpeg(folder, seconds):
    """An encoder that begins late. Returns the PATH that finds it first."""
    tools = os.path.join(folder, "tools")
    os.makedirs(tools, exist_ok=True)
    path = os.path.join(tools, "ffmpeg")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\nsleep {seconds}\nexec {shutil.which('ffmpeg')} \"$@\"\n")
    os.chmod(path, 0o755)
    return tools + ":" + os.environ["PATH"]


def close_film(folder):
    """A film that is being encoded is complete in the end, and the window does not wait for that."""
    before = os.environ["PATH"]
    os.environ["PATH"] = slow_ffmpeg(folder, 3)
    with open(os.path.join(folder, "film.txt"), "w", encoding="utf-8") as f:
        f.write("film late.mp4\nwait 4\nscreenshot filmed.png\nplay 3600\n")

    def moment(_, process):
        while not os.path.exists(os.path.join(folder, "filmed.png")) and process.poll() is None:
            time.sleep(0.01)
    check_close("film", *close_when(moment, folder, "bowl", "--script", "film.txt"))
    os.environ["PATH"] = before
    if count_pictures(os.path.join(folder, "late.mp4"))[0] < 3:
        fail("pictures of the film are lost")


def close_save(folder):
    """A checkpoint that was asked for during a long step is written, though the window closes before."""
    def moment(display, process):
        window = display.wait_for(" - runnel", process)
        display.press(window, "period")
        time.sleep(0.3)
        display.press(window, "F5")
        display.key(window, "F6")
        display.key(window, "F6")  # held down: one file
        time.sleep(0.3)
    check_close("save", *close_when(moment, folder, "bowl", "--set", "frame_time=4"))
    names = [name for name in os.listdir(folder) if name.startswith("bowl-")]
    if sorted(name.split(".", 1)[1] for name in names) != ["input.txt", "rnl"]:
        fail(f"expected a checkpoint and an input log: {names}")
    view(folder, next(name for name in names if name.endswith(".rnl")), script="wait 1\nexpect time > 3.9\n")  # before the step or after it


def close_picture(folder):
    """A picture that was asked for just before the end is saved: F12 and Q come while the window cannot look."""
    def keys(display, process):
        window = display.wait_for(" - runnel", process)
        process.send_signal(signal.SIGSTOP)
        display.press(window, "F12")
        display.press(window, "q")
        process.send_signal(signal.SIGCONT)
    check_close("picture", *close_when(lambda display, process: None, folder, "bowl", end=keys))
    if not any(name.startswith("bowl-") and name.endswith(".png") for name in os.listdir(folder)):
        fail("a picture that was asked for just before the window closed is lost")


def children_of(folder):
    """The programs that make pictures for the chooser with a cache in this folder, with their command lines."""
    found = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as f:
                line = f.read().split(b"\0")
        except OSError:
            continue
        if b"run" in line and any(word.startswith(folder.encode() + b"/cache") for word in line):
            found[int(number)] = line
    return found


def own_scene(folder, name):
    """A scene of the user in ./scenes, where the window finds it; its picture is a step of many minutes away."""
    os.makedirs(os.path.join(folder, "scenes"), exist_ok=True)
    with open(os.path.join(SCENES, "three-layers.json"), encoding="utf-8") as f:
        scene = json.load(f)
    scene.update(poster=3600, frame_time=3600)
    path = os.path.join(folder, "scenes", name + ".json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(scene, f)
    return path


def close_chooser(folder):
    """The program that makes a picture for the chooser ends with the window. It makes pictures only of scenes that have none beside
    them, at their poster time, and once more when the scene has changed since."""
    path = own_scene(folder, "mine")
    lines = []

    def moment(display, process):
        display.wait_for("runnel", process)
        while not children_of(folder) and process.poll() is None:
            time.sleep(0.01)
        lines.extend(children_of(folder).values())
    check_close("chooser", *close_when(moment, folder))
    if children_of(folder):
        fail("a program that makes pictures runs on")
    if not all(b"scenes/mine.json" in line and b"--poster" in line for line in lines):
        fail(f"pictures are made of other scenes, or at another time: {lines}")
    # A picture in the cache that is older than its scene is made again; one that is newer is not.
    made = next(line[line.index(b"--out") + 1] for line in lines).decode()
    os.makedirs(made, exist_ok=True)
    shutil.copy(os.path.join(SCENES, "posters", "bowl.png"), os.path.join(made, "last.png"))
    os.utime(os.path.join(made, "last.png"), (1e9, 1e9))
    lines.clear()
    check_close("chooser with an old picture", *close_when(moment, folder))
    os.utime(path, (9e8, 9e8))
    seen = []

    def watch(display, process):
        display.wait_for("runnel", process)
        until = time.monotonic() + 2
        while time.monotonic() < until:
            seen.extend(children_of(folder))
            time.sleep(0.05)
    check_close("chooser with a new picture", *close_when(watch, folder))
    if not lines or seen:
        fail(f"an old picture is made again {len(lines)} times, a new one {len(seen)} times")


def close_by_hand(folder):
    """Keys act by what they write on the user's keyboard, here a German one; the close button ends the program; its window comes back
    with the same size, and where it can be seen."""
    kept_open = x_window.Display()  # without a client, the display would forget the keyboard
    german = shutil.which("setxkbmap") and subprocess.run(["setxkbmap", "de"], check=False).returncode == 0
    settings = os.path.join(folder, "config", "runnel", "view.conf")
    with open(settings, "w", encoding="utf-8") as f:
        f.write("width 420\nheight 300\nx 5000\ny 5000\n")
    seen = []

    def type_keys(display, process):
        window = display.wait_for(" - runnel", process)
        seen.extend(display.place(window))
        for name, held in (("z", 0), ("plus", 0 if german else x_window.SHIFT), ("KP_Add", 0), ("question", x_window.SHIFT), ("z", 0),
                           ("Right", 0), ("Return", 0), ("question", x_window.SHIFT), ("z", 0), ("bracketleft", x_window.ALT_GR if german else 0)):
            display.press(window, name, held)
        time.sleep(0.5)
    button = lambda display, process: display.close(display.wait_for(" - runnel", process))
    check_close("close button", *close_when(type_keys, folder, "bowl", "--record-input", "keys.txt", end=button, size=()))
    with open(os.path.join(folder, "keys.txt"), encoding="utf-8") as f:
        log = f.read()
    if log.count("set liquid.viscosity=") != 2 or "gravity" in log:
        fail(f"z, pressed twice without a page and once behind the help page, with an arrow, is logged as: {log}")
    with open(settings, encoding="utf-8") as f:
        kept = f.read()
    if not re.search(r"width 420\nheight 300\n[^$]*speed 4\nrate 1\nradius 0.8\n", kept):
        fail(f"the keys +, keypad + and [ left these settings: {kept}")
    if seen[2:] != [420, 300] or not (0 <= seen[0] <= 1500 and 0 <= seen[1] <= 940):
        fail(f"the window with x 5000, y 5000, 420 x 300 came back at {seen}")
    for name, held in (("q", 0), ("w", x_window.CONTROL)):
        wait = lambda display, process: display.wait_for(" - runnel", process)
        end = lambda display, process, name=name, held=held: display.press(wait(display, process), name, held)
        check_close(f"key {name}", *close_when(wait, folder, "bowl", end=end, size=()))
    kept_open.end()


def test_close(folder):
    close_now(folder)
    close_opening(folder)
    close_film(folder)
    close_save(folder)
    close_picture(folder)
    close_chooser(folder)
    settings = os.path.join(folder, "config", "runnel", "view.conf")
    if not re.search(r"width 500\nheight 320", open(settings, encoding="utf-8").read()):
        fail("the size of the window was not kept")
    close_by_hand(folder)


run(globals())
