#!/usr/bin/env python3
"""What the window of `runnel view` saves, opens again and looks like.  usage: test_view_files.py RUNNEL SCENES PART

Parts: files, opened, saved, looks. Exit status 77: there is no window, or no virtual display, to test with."""
import os
import re
import struct
import subprocess

import png
from view_window import RUNNEL, check_picture, environment, fail, headless, run, view, write_flat


def brightness(path, box):
    _, _, rows = png.read_png(path)
    x0, y0, x1, y1 = box
    total = sum(rows[y][3 * x + k] for y in range(y0, y1, 2) for x in range(x0, x1, 2) for k in range(3))
    return total / (3 * len(range(y0, y1, 2)) * len(range(x0, x1, 2)))


def stl_of_box(size):
    """A box as an ASCII STL file."""
    corner = [[size * (i >> k & 1) for k in range(3)] for i in range(8)]
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    faces = [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))]
    lines = "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % tuple(corner[i]) for i in face) +
                    "endloop\nendfacet\n" for face in faces)
    return "solid box\n" + lines + "endsolid box\n"


def test_files(folder):
    hand = """
        tool pour
        point 0.05 0.05 0.005
        press left
        wait 12
        move 150 200
        wait 5
        release left
        tool dig
        point 0.06 0.05 0.005
        press left
        release left
        set liquid.viscosity 1e-4
        set body duck
        tool drop
        point 0.05 0.05 0.005
        press left
        release left
        key W
        wait 10
        """
    with open(os.path.join(folder, "broken.input.txt"), "w", encoding="utf-8") as f:
        f.write("runnel input 1\nscene bowl.json\n0 poor 1\n")
    os.utime(os.path.join(folder, "broken.input.txt"), (1e9, 1e9))
    view(folder, "bowl", script=hand + """
        move 630 5
        screenshot first.png
        wait 1
        set body log
        point 0.04 0.05 0.005
        press left
        release left
        set body car
        point 0.06 0.05 0.005
        press left
        release left
        wait 4
        expect bottom 2 > -1
        tool suck
        point 0.05 0.05 0.005
        press left
        wait 2
        release left
        tool push
        point 0.045 0.05 0.005
        press left
        point 0.055 0.05 0.005
        wait 2
        release left
        tool drag
        point body 0
        press left
        point 0.05 0.05 0.03
        wait 3
        release left
        save input hand.txt
        save checkpoint hand.rnl
        save scene hand.json
        expect notice hand.json
        wait 5
        keep volume
        screenshot shot.png
        film hand.gif
        wait 7
        film end
        expect notice hand.gif
        # The chooser by keyboard: arrows select, and do nothing to the scene behind; Esc closes it; Enter opens the sixth scene, "bowl".
        key C
        expect page near 1 0
        keep tilt_x
        key down
        key up
        key pagedown
        key home
        key right
        expect entry near 1 0
        expect tilt_x near kept 0
        screenshot chooser.png
        key escape
        expect page near 0 0
        key ?
        keep steps
        key .
        key space
        key enter
        expect steps near kept 0
        key escape
        keep poured
        wait 1
        expect steps > 0
        key F6
        expect notice .input.txt
        # The newest of the saved files is the first of the page that opens them: the log, which is replayed.
        key ctrl+O
        expect page near 3 0
        screenshot open.png
        key enter
        expect page near 0 0
        expect time near 0 0
        wait 51
        expect poured near kept 1e-12
        key C
        key right
        key right
        key right
        key right
        key right
        key enter
        expect title bowl
        expect time near 0 0
        drop hand.txt
        wait 20
        expect viscosity near 1e-4 1e-9
        drop broken.input.txt
        expect notice broken.input.txt:3
        """, size="640x400")
    for name in ("hand.txt", "hand.rnl", "hand.json", "shot.png", "hand.gif", "chooser.png"):
        if not os.path.exists(os.path.join(folder, name)):
            fail(f"{name} was not written")
    with open(os.path.join(folder, "hand.txt"), encoding="utf-8") as f:
        kinds = {line.split()[1] for line in f if line[0].isdigit()}
    if not {"pour", "suck", "push", "drag", "drop", "dig", "rain", "set"} <= kinds:
        fail(f"the log lacks actions; it has {sorted(kinds)}")
    check_picture("chooser, second scene", os.path.join(folder, "chooser.png"))
    # The log leads to the same state, without a window and in one, also with another number of threads.
    said = headless(folder, "hand.txt")
    steps = int(re.search(r"(\d+) steps", said).group(1))
    view(folder, "--replay", "hand.txt", "--record-input", "again.txt", size="640x400",
         script=f"wait 27\nmove 630 5\nscreenshot second.png\nwait {steps - 27}\nexpect steps near {steps} 0\n")
    pictures = [png.read_png(os.path.join(folder, name))[2] for name in ("first.png", "second.png")]
    if any(bytes(pictures[0][y][:3 * 300]) != bytes(pictures[1][y][:3 * 300]) for y in range(130, 330)):
        fail("the replay does not look the same")
    ends = [open(os.path.join(folder, name), encoding="utf-8").read().splitlines()[-1] for name in ("hand.txt", "again.txt")]
    if ends[0] != ends[1]:
        fail(f"the replay in a window ends with \"{ends[1]}\" instead of \"{ends[0]}\"")
    # A log whose end is another is told apart.
    text = open(os.path.join(folder, "hand.txt"), encoding="utf-8").read()
    with open(os.path.join(folder, "other.txt"), "w", encoding="utf-8") as f:
        f.write(re.sub(r"end (\d+) \S+", r"end \1 0123456789abcdef", text))
    if "the final state differs" not in headless(folder, "other.txt", expect=1):
        fail("a log with another hash is not told apart")
    # The checkpoint goes on in the window and in a run, and the scene runs.
    view(folder, "hand.rnl", script="wait 2\nexpect time > 0.4\nexpect errors < 1\n")
    for arguments in (["--resume", "hand.rnl", "--frames", "40"], ["hand.json", "--frames", "40"]):
        done = subprocess.run([RUNNEL, "run"] + arguments + ["--no-render", "--out", "out"], cwd=folder, env=environment(folder),
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"runnel run {' '.join(arguments)}: {done.stderr}")
    # The picture: the panel is dark, the front of the bowl's board is light.
    panel, scene = brightness(os.path.join(folder, "shot.png"), (330, 200, 620, 390)), brightness(
        os.path.join(folder, "shot.png"), (10, 230, 100, 330))
    if not (20 < panel < 80 and 90 < scene < 240):
        fail(f"the picture is not as it should be: panel {panel:.0f}, scene {scene:.0f}")
    # Settings are kept, but not by scripts.
    if os.path.exists(os.path.join(folder, "config", "runnel", "view.conf")):
        fail("a script has written settings")


def test_opened(folder):
    """Logs with many changes, and scenes made from meshes, terrains and volumes."""
    # A log may end with an action, and the scene may have been opened with any number of changes of any length.
    many = [word for i in range(40) for word in ("--set", f"liquid.viscosity={1e-6 * (i + 1)}")]
    fills = ('fills=[' + ",\n".join('{"level": 0.01, "in": {"type": "sphere", "radius": 0.2, "at": [0.3, 0.3, 0]}}' for _ in range(60))
             + "]")
    view(folder, write_flat(folder), *many, "--set", fills, "--record-input", "many.txt", script="""
        wait 3
        tool raise
        point 1.0 0.4 0.0
        press left
        release left
        """)
    text = open(os.path.join(folder, "many.txt"), encoding="utf-8").read()
    if text.count("\nset ") != 41 or not re.search(r"\n3 raise .*\n3 release\nend 3 ", text):
        fail(f"the log is not as expected: {text[:2000]}")
    headless(folder, "many.txt")
    view(folder, "--replay", "many.txt", "--record-input", "many-again.txt", script="wait 3\n")
    if open(os.path.join(folder, "many-again.txt"), encoding="utf-8").read() != text:
        fail("the replay in a window leads to another log")
    # Two meshes of the same name are two scenes.
    for place, size in (("one", 1.0), ("two", 2.0)):
        os.makedirs(os.path.join(folder, place))
        with open(os.path.join(folder, place, "part.stl"), "w", encoding="utf-8") as f:
            f.write(stl_of_box(size))
    # A terrain and a volume open as a mesh does: given, dropped or opened.
    with open(os.path.join(folder, "valley.asc"), "w", encoding="utf-8") as f:
        f.write("ncols 20\nnrows 16\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n")
        f.writelines(" ".join(str(abs(x - 10) + y) for x in range(20)) + "\n" for y in range(16))
    with open(os.path.join(folder, "ball.nrrd"), "wb") as f:
        f.write(b"NRRD0004\ntype: short\ndimension: 3\nspace: RAS\nsizes: 16 16 16\n"
                b"space directions: (2,0,0) (0,2,0) (0,0,2)\nspace origin: (0,0,0)\nendian: little\nencoding: raw\n\n")
        f.write(b"".join(struct.pack("<h", 900 if (x - 8) ** 2 + (y - 8) ** 2 + (z - 8) ** 2 < 36 else 0)
                         for z in range(16) for y in range(16) for x in range(16)))
    said = subprocess.run([RUNNEL, "inspect", "ball.nrrd", "--no-render"], cwd=folder, env=environment(folder), capture_output=True, text=True,
                          check=False).stderr
    volume = "" if "cannot read NRRD" in said else "drop ball.nrrd\nexpect title ball\nwait 1\nexpect steps near 1 0\nexpect errors < 1\n"
    view(folder, "one/part.stl", script="open two/part.stl\nwait 1\nexpect errors < 1\n" + volume)
    view(folder, "valley.asc", script="expect title valley\nwait 1\nexpect steps near 1 0\nexpect errors < 1\n", size="400x300")
    made = [name for _, _, names in os.walk(os.path.join(folder, "cache")) for name in names if name.startswith("part") and
            name.endswith(".json")]
    if len(made) != 2:
        fail(f"expected a scene for each of two meshes: {made}")


def test_saved(folder):
    """What was done by hand, saved as a scene: a run of it repeats it. Pours that were held and then moved, further tools and
    settings in between, several strokes in a step."""
    values = ["steps", "volume", "poured", "drained", "depth 0.3 0.4", "depth 0.1 0.1", "depth 0.2 0.6", "depth 1.0 0.2", "depth 1.1 0.4", "bottom 0", "top 0"]
    printed = "".join(f"print {value}\n" for value in values)
    begin = view(folder, write_flat(folder), script="""
        set rate 1e-3
        set radius 0.05
        tool pour
        point 1.0 0.2 0
        press left
        wait 20
        point 0.8 0.6 0
        wait 5
        point 0.9 0.6 0
        point 0.7 0.3 0
        wait 10
        release left
        tool suck
        point 0.2 0.4 0.15
        press left
        wait 10
        release left
        tool push
        set radius 0.1
        point 0.2 0.4 0.15
        press left
        point 0.3 0.4 0.15
        wait 5
        set courant 0.5
        wait 10
        release left
        set body box
        tool drop
        point 0.4 0.6 0.15
        press left
        release left
        tool raise
        point 0.2 0.6 0.0
        press left
        point 0.2 0.7 0.0
        release left
        tool dig
        point 1.1 0.4 0.0
        press left
        release left
        set rain 20000
        wait 12
        set rain 0
        wait 8
        save scene hand.json
        """ + printed)
    again = view(folder, "hand.json", script="wait 80\n" + printed)
    numbers = [[float(word) for word in re.findall(r"\w+ (\S+)\n", said)] for said in (begin, again)]
    for name, live, later in zip(values, *numbers):
        most = 0 if name == "steps" else 1e-8 if name in ("volume", "poured", "drained") else 1e-4
        print(name, live, later)
        if not abs(live - later) <= most:
            fail(f"{name} is {live} by hand and {later} in the saved scene")
    done = subprocess.run([RUNNEL, "run", "hand.json", "--no-render", "--json", "--out", "out"], cwd=folder, env=environment(folder),
                          capture_output=True, text=True, check=False)
    if not re.search(r'"frames": 80\b', done.stdout):
        fail(f"the saved scene does not run for the 80 frames that were done by hand: {done.stdout}{done.stderr}")
    # A file that cannot be written: one sentence, and nothing is left.
    view(folder, "bowl", script="save scene none/hand.json\nexpect notice none/hand.json\nwait 1\nexpect steps near 1 0\n")


def count_near(path, colour, box=None):
    """How many pixels of a picture have about this colour."""
    width, height, rows = png.read_png(path)
    x0, y0, x1, y1 = box or (0, 0, width, height)
    return sum(max(abs(rows[y][3 * x + k] - colour[k]) for k in range(3)) < 12 for y in range(y0, y1) for x in range(x0, x1))


def test_looks(folder):
    """What every page, the panel and the overlays look like; marks are in pictures and films; files by their keys."""
    view(folder, "u-tube", script="""
        wait 3
        screenshot panel.png
        key ?
        screenshot keys.png
        key escape
        set overlay 1
        set marks 7
        wait 1
        screenshot depth.png
        key F12
        expect notice .png
        key F9
        key F8
        wait 3
        key space
        key .
        key .
        screenshot film.png
        screenshot after.png
        key space
        key F8
        expect notice .gif
        # Two files within a second have two names.
        key F7
        expect notice .json
        key F7
        expect notice .json
        set overlay 3
        wait 1
        screenshot layers.png
        key ctrl+pagedown
        key ctrl+pagedown
        key ctrl+pagedown
        key ctrl+pagedown
        wait 1
        screenshot plots.png
        """, size="900x560")
    for name in ("panel", "keys", "depth", "layers", "plots"):
        check_picture(name, os.path.join(folder, name + ".png"))
    accent, warning = (64, 178, 204), (240, 115, 97)
    if count_near(os.path.join(folder, "film.png"), warning, (400, 430, 568, 490)) < 30:
        fail("nothing over the scene says that a film is being made")
    saved = [name for name in os.listdir(folder) if name.startswith("u-tube-")]
    if sorted(name.rsplit(".", 1)[1] for name in saved) != ["gif", "json", "json", "png"]:
        fail(f"F12, F8 after F9, and F7 twice saved {saved}")
    # Marks look the same in the window while the film takes a picture (the first of the two) and while it does not.
    taken, other = (png.read_png(os.path.join(folder, name + ".png"))[2] for name in ("film", "after"))
    if any(bytes(taken[y][:3 * 568]) != bytes(other[y][:3 * 568]) for y in range(430)):
        fail("marks look different while the film takes a picture")
    picture = os.path.join(folder, next(name for name in saved if name.endswith(".png")))
    first = os.path.join(folder, "first.png")
    film = os.path.join(folder, next(name for name in saved if name.endswith(".gif")))
    subprocess.run(["ffmpeg", "-loglevel", "error", "-i", film, "-frames:v", "1", "-pix_fmt", "rgb24", first], check=True)
    for path in (picture, first):
        if count_near(path, accent) < 40:
            fail(f"{path} has no marks of probes")


run(globals())
