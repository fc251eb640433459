#!/usr/bin/env python3
"""The window of `runnel view`, driven by scripts on a virtual display.  usage: test_view.py RUNNEL SCENES PART [SHARE]

Parts: soak (random input), scenes (SHARE 1/3: the first of three parts of them), tools, films, wait, refusals, context, leaks. Exit status 77: there is no window, or no virtual display, to test with."""
import json
import os
import random
import re
import subprocess
import time

import png
from view_window import RUNNEL, SCENES, SHARE, check_picture, count_pictures, environment, fail, headless, run, view, write_flat


# Most of the time to open these goes into the mesh of their ground. Cells of twice the size test the window as well.
COARSER = ("adaptive", "arch", "beating", "instrument", "teapot", "vertebra", "vertebra-mesh")


def coarser(name):
    """Changes for "open": the grid of a scene with cells of twice the size."""
    with open(os.path.join(SCENES, name + ".json"), encoding="utf-8") as f:
        grid = json.load(f)["grid"]
    cells = [count // 2 for count in grid["cells"]]
    return f" grid.cells=[{cells[0]},{cells[1]}] grid.cell={2 * grid['cell']}"


def test_scenes(folder):
    """Every scene starts, takes steps and is drawn."""
    names = sorted(name[:-5] for name in os.listdir(SCENES) if name.endswith(".json") and name != "schema.json")
    names = names[int(SHARE[0]) - 1::int(SHARE[1])]
    script = "".join(f"open {name}{coarser(name) if name in COARSER else ''}\nscreenshot start.png\nwait 1\nexpect steps > 0\nexpect errors < 1\nexpect time > 0\n"
                     for name in names)
    view(folder, script=script + "quit\n", size="420x240")


def test_tools(folder):
    # What is poured is booked: 0.5 l/s for 40 frames of 1/60 s.
    flat = write_flat(folder)
    view(folder, flat, script="""
        # The lake rests in all three tiles of the solver (16 rows each), until something moves it.
        expect resting < 1
        wait 3
        expect resting near 3 0
        keep poured
        set rate 5e-4
        set radius 0.05
        tool pour
        point 0.3 0.4 0.15
        press left
        wait 40
        expect resting < 1
        release left
        wait 2
        expect drift near 0 0
        set rate 5e-5
        expect poured > kept
        print poured
        keep poured
        wait 10
        expect poured near kept 0
        # Digging through the dam lets the water flow to the dry side.
        expect depth 1.0 0.4 < 1e-6
        set radius 0.1
        tool dig
        point 0.6 0.4 0.2
        press left
        point 0.6 0.4 0.12
        point 0.6 0.4 0.06
        release left
        wait 60
        expect depth 0.8 0.4 > 0.001
        point 1.1 0.4 0.0
        press left
        release left
        expect notice Digging
        expect drift near 0 0
        # Sucking takes away.
        keep volume
        set rate 1e-3
        tool suck
        point 0.2 0.4 0.12
        press left
        wait 10
        release left
        expect drained > 0
        expect volume < kept
        # Pushed liquid piles up in the direction of the push.
        wait 30
        keep depth 0.5 0.4
        tool push
        set radius 0.1
        point 0.2 0.4 0.13
        press left
        point 0.3 0.4 0.13
        wait 12
        release left
        expect depth 0.5 0.4 > kept
        # Ground rises.
        tool raise
        set radius 0.06
        point 0.2 0.2 0.1
        press left
        release left
        wait 2
        # Enter holds no button down where there is nothing to end: the mouse turns nothing, and boxes drop one by one.
        tool look
        point 0.6 0.4 0.1
        key enter
        keep azimuth
        point 1.0 0.4 0.1
        expect azimuth near kept 0
        # With a tool that works until it is stopped, Enter begins and ends it.
        tool pour
        point 0.2 0.4 0.13
        keep poured
        key enter
        wait 5
        key enter
        expect poured > kept
        wait 1
        keep poured
        wait 5
        expect poured near kept 0
        # A page ends the tool in use: it does not go on behind the page.
        key enter
        wait 1
        key ?
        expect page near 2 0
        wait 1
        keep poured
        wait 5
        expect poured near kept 0
        key escape
        wait 1
        # A pour follows its slider though the mouse rests.
        press left
        wait 1
        set rate 1e-12
        wait 1
        keep poured
        wait 5
        expect poured near kept 1e-9
        set rate 1e-3
        wait 5
        expect poured > kept
        release left
        expect errors < 1
        # The middle button and ctrl with arrows move the scene; "+" and "-" change the speed; R goes back to the start.
        keep target_x
        press middle
        move 150 200
        release middle
        expect target_x > kept
        keep target_x
        key ctrl+left
        expect target_x < kept
        key +
        expect speed near 2 0
        key -
        key -
        expect speed near 0.5 0
        key +
        key R
        expect steps near 0 0
        expect time near 0 0
        key space
        key .
        key .
        expect steps near 2 0
        key space
        # What was set by hand stays when the model, the passages, contact or the solver change, which restarts the scene.
        set friction 0.8
        set liquid.viscosity 1e-4
        set tilt 3 -2
        key right
        expect tilt_x near 5 1e-4
        key left
        set rain 5000
        wait 2
        key shift+M
        expect model paper
        expect time near 0 0
        expect friction near 0.8 1e-9
        expect viscosity near 1e-4 1e-12
        expect tilt_x near 3 1e-4
        expect tilt_y near -2 1e-4
        expect rain near 5000 1e-6
        keep poured
        wait 3
        expect poured > kept
        key shift+M
        expect model physical
        key shift+N
        expect passages unified-long
        key shift+E
        expect contact dynamic
        key shift+E
        restart passages=default
        key shift+S
        expect solver implicit
        expect friction near 0.8 1e-9
        keep courant
        key K
        expect courant > kept
        wait 2
        expect errors < 1
        # A value that is refused: the panel shows the old one, and a restart does not try it again.
        set friction 7
        expect notice friction
        expect friction near 0.8 1e-9
        keep viscosity
        set liquid.viscosity -1
        expect viscosity near kept 0
        restart frames=21
        expect time near 0 0
        expect friction near 0.8 1e-9
        expect viscosity near kept 0
        # Friction slows the flow.
        restart frames=22
        set friction 0.01
        wait 10
        keep fastest
        restart frames=23
        set friction 1
        wait 10
        expect fastest > kept
        set friction 0.8
        # What does not suit a solver comes back with one that it suits; a solver shows the Courant number only if it has one, and its own.
        set courant 7
        restart solver=packets
        expect solver packets
        expect courant near 0.5 0
        set courant 9
        expect courant near 0.5 0
        set packets.courant 0.25
        expect courant near 0.25 0
        set courant 7
        restart solver=explicit
        set packets.courant 0.25
        restart solver=mac
        expect notice rain
        expect rain near 0 0
        key G
        expect notice Friction
        key R
        expect notice Friction
        expect rain near 0 0
        restart solver=implicit
        expect courant near 7 0
        expect friction near 0.8 1e-9
        expect rain near 5000 1e-6
        restart solver=packets
        expect courant near 0.25 0
        restart solver=implicit
        # Plots have a sample of every step, also if fewer frames are drawn.
        key R
        play 0.2 3
        expect steps > 2
        keep steps
        expect samples near kept 0
        expect status real
        """)
    # A 3D liquid: what its solver does not have is refused, and sucking takes away.
    with open(os.path.join(folder, "deep.json"), "w", encoding="utf-8") as f:
        f.write("""{"grid": {"cells": [16, 12], "cell": 0.02, "bottom": -0.02, "lid": 0.3}, "solver": "mac",
            "solid": {"type": "plane", "at": [0, 0, 0]},
            "fills": [{"level": 0.1, "in": {"type": "box", "size": [1, 1, 1], "at": [0, 0, 0]}}]}""")
    view(folder, "deep.json", script="""
        key 7
        expect notice mac
        expect tool near 0 0
        key W
        expect notice rain
        expect rain near 0 0
        key shift+M
        expect notice Model
        key G
        expect notice Friction
        tool suck
        point 0.15 0.1 0.1
        press left
        wait 10
        release left
        expect drained > 0
        expect errors < 1
        """, size="400x300")
    poured = float(re.search(r"poured (\S+)", view(folder, flat, script="""
        set rate 5e-4
        tool pour
        point 0.3 0.4 0.15
        keep poured
        print kept
        press left
        wait 60
        release left
        wait 1
        print poured""")).group(1))
    before = 0.56 * 0.8 * 0.15
    if not abs(poured - before - 5e-4) < 2e-6:
        fail(f"0.5 l/s for a second: {1e3 * (poured - before):.6g} l were poured")
    # A box that is dropped floats; a slider makes the liquid thick; tilted gravity moves it; a body is dragged.
    view(folder, "ducks", script="""
        set body box
        tool drop
        point 0.9 0.4 0.15
        press left
        release left
        wait 100
        expect bottom 5 > 0.03
        expect bottom 5 < 0.16
        expect top 5 > 0.15
        # It is lifted out of the water, stays there while it is held, and falls back.
        tool drag
        point body 5
        press left
        point 0.9 0.4 0.5
        wait 60
        expect bottom 5 > 0.18
        keep bottom 5
        wait 10
        expect bottom 5 near kept 0.05
        release left
        wait 90
        expect bottom 5 < 0.16
        set liquid.viscosity 0.05
        wait 20
        keep fastest
        set gravity [1.5,0,-9.5]
        wait 10
        expect fastest > kept
        set friction 0.9
        expect friction near 0.9 1e-9
        key G
        expect friction < 0.9
        keep contact_angle
        key F
        expect contact_angle > kept
        key D
        set courant 5
        expect courant near 5 1e-9
        key J
        expect courant < 5
        set rain 100000
        wait 2
        keep poured
        wait 5
        expect poured > kept
        expect errors < 1
        set overlay 1
        set marks 7
        wait 1
        # The panel: a button chooses a tool, a slider makes the liquid thicker.
        move 492 93
        press left
        release left
        expect tool near 1 0
        keep viscosity
        move 510 312
        press left
        move 586 312
        release left
        expect viscosity > kept
        keep viscosity
        key Z
        expect viscosity < kept
        expect errors < 1
        # The wheel zooms, the right button turns, keys work.
        keep zoom
        move 100 100
        scroll 3
        expect zoom > kept
        keep azimuth
        press right
        move 200 120
        release right
        expect azimuth < kept
        keep azimuth
        key shift+left
        expect azimuth < kept
        key space
        keep steps
        wait 5
        expect steps near kept 0
        key .
        wait 1
        key tab
        wait 1
        key ?
        wait 1
        key escape
        """)


def test_films(folder):
    """A film has a picture for every second step of 1/60 s, though the window draws fewer than the simulation makes."""
    said = view(folder, "bowl", script="""
        set speed 64
        wait 3
        print steps
        film fast.mp4
        play 1 1
        print steps
        film end
        expect notice fast.mp4
        restart frame_time=0.05
        film coarse.mp4
        wait 5
        film end
        restart frame_time=0.004
        film fine.gif
        wait 16
        restart
        expect notice fine.gif
        """, size="900x560")
    begin, end = map(int, re.findall(r"steps (\d+)", said))
    for name, expected in (("fast.mp4", ((end - begin) // 2 + 1, "30/1")), ("coarse.mp4", (6, "20/1")), ("fine.gif", (3, None))):
        pictures, rate = count_pictures(os.path.join(folder, name))
        if pictures != expected[0] or expected[1] not in (None, rate):
            fail(f"{name} has {pictures} pictures, {rate} a second; expected {expected}")


def test_wait(folder):
    """A scene of 200 x 200 columns in five layers: the window does not wait for its steps, and says how fast they are and what
    bounds them. Waits are counted, not timed: a thread that a busy machine interrupts does not wait for anything."""
    plates = [{"type": "box", "size": [1.6, 1.6, 0.04], "at": [1, 1, 0.3 * i]} for i in range(1, 5)]
    fills = [{"level": 0.3 * i + 0.1, "in": {"type": "box", "size": [1.2, 1.2, 0.2], "at": [1, 1, 0.3 * i + 0.1]}} for i in range(5)]
    with open(os.path.join(folder, "large.json"), "w", encoding="utf-8") as f:
        json.dump({"grid": {"cells": [200, 200], "cell": 0.01, "bottom": -0.05, "lid": 1.8}, "fills": fills,
                   "solid": {"type": "union", "of": [{"type": "plane", "at": [0, 0, 0]}] + plates}}, f)
    said = view(folder, "large.json", script="""
        play 2 2
        print waited
        print blocked
        expect blocked < 0.5
        expect status real
        expect status bound
        expect layers near 5 0
        expect errors < 1
        print steps
        wait 1
        """, size="500x320")
    print(said)


def test_refusals(folder):
    broken = os.path.join(folder, "broken.stl")
    with open(broken, "wb") as f:
        f.write(b"no mesh at all")
    bad = os.path.join(folder, "bad.json")
    with open(bad, "w", encoding="utf-8") as f:
        f.write('{"grid": {"cells": [4, 4]}}')
    view(folder, "bowl", script=f"""
        wait 2
        drop {broken}
        expect notice broken.stl
        drop {bad}
        expect notice bad.json
        drop {folder}/none.rnl
        expect notice none.rnl
        open no-such-scene
        expect notice no-such-scene
        set gravity [0,0,5]
        expect notice gravity
        wait 2
        expect steps near 4 0
        """)
    flat = write_flat(folder)
    for script, words in (("wait x\n", r"script.txt:1: "), ("\npres left\n", r"script.txt:2: .*did you mean \"press\""),
                          ("expect volume < -1\n", r"script.txt:1: expected volume < -1; it is"), ("key F99\n", r":1: there is no key"),
                          ("set overlay 1e300\n", r":1: overlay is 1e\+300; it must be from 0 to 6"),
                          ("set marks -1\n", r":1: marks is -1; it must be from 0 to 7"),
                          ("set view 1e99\n", r":1: view is 1e\+99; it must be from"), ("set radius nan\n", r":1: \"nan\" is not a number"),
                          ("set body boat\n", r":1: there is no body \"boat\"; there are box, duck, log and car"),
                          ("tool saw\n", r":1: there is no tool \"saw\"; there are look, pour,.* and raise"),
                          ("wait 1 2\n", r":1: write \"wait FRAMES\|SECONDSs\""), ("move 1\n", r":1: write \"move X Y\""),
                          ("set gravity [0, 0, -9]\n", r":1: write \"set NAME VALUE\""),
                          ("set title " + 200 * "x" + "\n", r":1: the key and its value have more than 126 bytes"),
                          ("wait 1 #" + 9000 * "x" + "\n", r":1: the line has more than 8190 bytes"),
                          ("wait 1\nopen bowl" + 70 * " a=1" + "\n", r":2: the line has more than 64 words"),
                          ("film end\n", r":1: no film is being made"), ("expect bottom 1e99 > 0\n", r":1: bottom is 1e\+99; it must be")):
        said = view(folder, flat, script=script, size="400x300", expect=1 if "volume" in script or "film" in script else 2)
        if not re.search(words, said):
            fail(f"{script!r} is answered by: {said}")
    for text, words in (("no log\n", r"log.txt:1: is not an input log"), ("runnel input 1\nscene x\n0 poor 1\n", r"log.txt:3: .*did you mean \"pour\""),
                        ("runnel input 1\nscene x\n0 pour 1 2\n", r"log.txt:3: .*pour X Y Z RADIUS RATE"),
                        ("runnel input 1\nscene x\n5 release\n4 release\n", r"log.txt:4: step 4 comes after step 5"),
                        ("runnel input 1\nscene x\n", r"log.txt:3: has no \"end\" line"),
                        ("runnel input 1\nscene /none.json\nend 1 0\n", r"log.txt: /none.json")):
        with open(os.path.join(folder, "log.txt"), "w", encoding="utf-8") as f:
            f.write(text)
        said = headless(folder, "log.txt", expect=2)
        if not re.search(words, said):
            fail(f"{text!r} is answered by: {said}")
    # Without a display, and with an OpenGL that is too old: one sentence.
    for more, word in ((["env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY"], "no display"),
                       (["env", "MESA_GL_VERSION_OVERRIDE=2.1"], "OpenGL 3.3")):
        done = subprocess.run(more + [RUNNEL, "view", "bowl", "--no-settings"], cwd=folder, env=environment(folder), capture_output=True,
                              text=True, check=False)
        lines = [line for line in done.stderr.splitlines() if "runnel view:" in line]
        if done.returncode != 2 or len(lines) != 1 or word not in lines[0]:
            fail(f"expected one sentence about {word}: {done.returncode}, {done.stderr}")


def test_context(folder):
    """A lost OpenGL context: the window gets a new one and goes on. If that is lost too: one sentence, and the scene is saved;
    another one about a picture that could not be taken."""
    path = os.path.join(folder, "lose.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write(9 * "wait 1\n" + "key F12\n" + "expect notice reset\nwait 1\nexpect notice .png\n" + 5 * "wait 1\n" +
                "key C\nscreenshot again.png\nexpect steps near 15 0\n")
    command = [RUNNEL, "view", "bowl", "--size", "640x400", "--script", path]
    lost = dict(environment(folder), LD_PRELOAD=os.environ["LOST_CONTEXT"])
    done = subprocess.run(command, cwd=folder, env=dict(lost, LOST_TIMES="1"), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"a context that was lost once: {done.returncode}, {done.stderr}")
    check_picture("chooser", os.path.join(folder, "again.png"))
    # A picture that was asked for when the context was lost shows the scene, not what is left of the old one.
    saved = next(name for name in os.listdir(folder) if name.startswith("bowl-") and name.endswith(".png"))
    _, _, rows = png.read_png(os.path.join(folder, saved))
    if sum(map(sum, rows)) < 40 * sum(map(len, rows)):
        fail(f"{saved} is dark")
    done = subprocess.run(command, cwd=folder, env=lost, capture_output=True, text=True, check=False)
    said = re.fullmatch(r"runnel view: the graphics driver was reset; the scene is saved as (\S+\.rnl)\n"
                        r"\S+\.png is not saved: the window was never drawn again\n", done.stderr)
    if done.returncode != 2 or not said:
        fail(f"a context that is lost again: {done.returncode}, {done.stderr}")
    # A checkpoint goes on only as it began: its model cannot be changed, and a notice says so.
    view(folder, said[1], script="expect time > 0.1\nkey shift+M\nexpect notice checkpoint\nwait 1\nexpect errors < 1\n")


def test_leaks(folder):
    """With a leak sanitizer: nothing of ours is left at the end, after scenes, tools, files and refusals."""
    view(folder, "bowl", script="""
        tool pour
        point 0.05 0.05 0.005
        press left
        wait 2
        release left
        tool dig
        press left
        release left
        save input a.txt
        save checkpoint a.rnl
        save scene a.json
        save scene none/a.json
        film a.gif
        wait 3
        restart
        open ducks
        set body car
        tool drop
        point 0.9 0.4 0.15
        press left
        release left
        wait 2
        open no-such-scene
        open a.rnl
        key C
        wait 1
        play 0.5
        """, size="480x300")
    view(folder, "--replay", "a.txt", "--record-input", "b.txt", script="wait 2\nwait x\n", expect=2, size="480x300")
    headless(folder, "a.txt")


def random_line(draw):
    """One command of a monkey."""
    tools = ["look", "pour", "suck", "push", "drop", "drag", "dig", "raise"]
    keys = ["space", ".", "R", "+", "-", "B", "[", "]", ",", ";", "W", "L", "left", "right", "up", "down", "0", "V", "home", "pageup",
            "pagedown", "O", "A", "T", "P", "tab", "C", "?", "escape", "1", "2", "5", "7", "Z", "X", "D", "F", "G", "H", "J", "K", "shift+M",
            "shift+N", "shift+E", "enter", "shift+left", "ctrl+up", "F5", "F6", "F7", "F8", "F9", "F12",
            "ctrl+O", "ctrl+pagedown", "shift+W"]
    scenes = ["bowl", "ducks", "three-layers", "pond", "u-tube", "splash", "logs", "no-such-scene"]
    kind = draw.randrange(20)
    if kind < 8:
        return f"move {draw.randrange(-20, 720)} {draw.randrange(-20, 440)}"
    if kind < 12:
        return draw.choice(["press", "release"]) + " " + draw.choice(["left", "left", "right", "middle"])
    if kind < 14:
        return f"key {draw.choice(keys)}"
    if kind < 16:
        return f"tool {draw.choice(tools)}"
    if kind == 16:
        return draw.choice(["set tilt %d %d", "scroll %d\n# %d", "# %d\nset rain %d"]) % (draw.randrange(-9, 9), draw.randrange(9))
    if kind == 17 and draw.random() < 0.03:
        return "restart solver=" + draw.choice(["explicit", "implicit", "packets"])  # "mac" takes minutes for a step
    if kind == 17 and draw.random() < 0.05:
        return f"play {draw.random():.2f}"
    if kind == 17 and draw.random() < 0.1:
        return f"open {draw.choice(scenes)}"
    if kind == 18 and draw.random() < 0.1:
        return draw.choice(["save checkpoint soak.rnl", "save input soak.txt", "save scene soak.json", "resize 640 400", "resize 900 500"])
    return f"wait {draw.randrange(1, 4)}"


def test_soak(folder):
    """Random input for as many seconds as SOAK says. A fault that a sanitizer finds ends the program, and fails."""
    seconds, seed = float(os.environ.get("SOAK", "20")), int(os.environ.get("SEED", "1"))
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        draw = random.Random(seed)
        script = "\n".join(random_line(draw) for _ in range(400)) + "\nrelease left\nwait 1\n"
        print(f"seed {seed}", flush=True)
        view(folder, "bowl", script=script)
        seed += 1


run(globals())
