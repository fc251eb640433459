#!/usr/bin/env python3
"""Presses the keys of an example that runs a scene live in a window: space, P and Escape. Needs $DISPLAY.
usage: live_keys.py PROGRAM SCENE      SCENE: one whose volume does not change by itself"""
import ctypes
import re
import subprocess
import sys
import time

import x_window


def title(display):
    """The title of its window: seconds, millilitres and a word."""
    window = display.find("runnel: ")
    name = ctypes.c_char_p()
    if not window or not display.x.XFetchName(display.display, window, ctypes.byref(name)):
        return 0.0, 0.0, ""
    found = re.match(r"runnel: (\S+) s, (\S+) ml, (\w+)", name.value.decode())
    return float(found[1]), float(found[2]), found[3]


def wait_until(display, process, what, holds):
    """Waits until the title is as it should be; the test's time limit ends a wait in vain."""
    while not holds(*title(display)):
        if process.poll() is not None:
            sys.exit(f"{what}: it has ended with {process.returncode}")
        time.sleep(0.02)


def main():
    display = x_window.Display()
    process = subprocess.Popen(sys.argv[1:3])
    window = display.wait_for("runnel: ", process)
    wait_until(display, process, "plays", lambda seconds, volume, word: word == "playing" and seconds > 0)
    begin = title(display)[1]
    display.press(window, "p")
    wait_until(display, process, "P pours", lambda seconds, volume, word: volume > 1.001 * begin)
    display.press(window, "space")
    wait_until(display, process, "space pauses", lambda seconds, volume, word: word == "paused")
    display.press(window, "space")
    wait_until(display, process, "space plays", lambda seconds, volume, word: word == "playing")
    display.press(window, "Escape")
    sys.exit(process.wait())


main()
