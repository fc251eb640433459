"""Pictures and films of runs, as a user meets them: test_frames.py RUNNEL"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from png import read_png

RUNNEL = str(pathlib.Path(sys.argv[1]).resolve())
SMALL = ["--size", "160x90"]
SCENE = {
    "title": "A small test",
    "grid": {"cells": [24, 18], "cell": 0.005},
    "solid": {"type": "plane"},
    "liquid": "blood",
    "sources": [{"at": [0.06, 0.045, 0.1], "radius": 0.012, "rate": 2e-5}],
    "frames": 6,
    "frame_time": 0.04,
    "view": {"width": 200, "ground": [0.5, 0.5, 0.4], "gloss": 0.1, "exposure": 0.2},
    "views": [{"name": "front", "azimuth": 10, "elevation": 40, "zoom": 1.1},
              {"name": "carousel", "elevation": 25, "turn": 200}],
}
failures = []
film_tools = all(shutil.which(tool) for tool in ("ffmpeg", "ffprobe"))


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments, status=0, environment=None, says="", first=None):
    done = subprocess.run([RUNNEL, *arguments], capture_output=True, text=True, timeout=3600,
                          env={**os.environ, **(environment or {})}, preexec_fn=first)
    expect(done.returncode == status, f"{arguments}: status {done.returncode} instead of {status}: {done.stderr}")
    expect(says in done.stdout + done.stderr, f"{arguments}: no {says!r} in {done.stdout}{done.stderr}")
    return done


def refuse(says, *arguments, environment=None):
    done = run(*arguments, status=2, says=says, environment=environment)
    expect(done.stderr.count("\n") == 1 and not done.stdout, f"{arguments}: not one sentence: {done.stderr}{done.stdout}")


def colours_of(path):
    return {row[i:i + 3] for row in read_png(path)[2] for i in range(0, len(row), 3)}


def summary(folder):
    return json.loads(pathlib.Path(folder, "summary.json").read_text())


def pictures(folder):
    return sorted(p.name for p in pathlib.Path(folder).glob("*.png"))


def probe(path):
    entries = "stream=nb_read_frames,width,height,pix_fmt,codec_name,r_frame_rate"
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", entries, "-of", "json", path],
                          capture_output=True, text=True)
    expect(done.returncode == 0 and not done.stderr, f"{path}: {done.stderr}")
    return json.loads(done.stdout)["streams"][0]


def test_defaults():
    """A run draws its first view; the summary says how."""
    run("run", "small.json", "--out", "plain", says="view front")
    names = [f"frame-{i:04d}.png" for i in range(1, 7)] + ["last.png"]
    expect(pictures("plain") == names, pictures("plain"))
    expect(read_png("plain/last.png")[:2] == (1280, 720), "the default size is not 1280x720")
    expect(len(colours_of("plain/last.png")) > 500, "the last picture is flat")
    same = pathlib.Path("plain/last.png").read_bytes() == pathlib.Path("plain/frame-0006.png").read_bytes()
    expect(same, "last.png is not the last frame")
    expect(pathlib.Path("plain/frame-0001.png").read_bytes() != pathlib.Path("plain/last.png").read_bytes(), "nothing moves")
    summary = json.loads(pathlib.Path("plain/summary.json").read_text())
    told = summary["pictures"]
    expect((told["view"], told["width"], told["height"], told["drawn"]) == ("front", 1280, 720, 6), told)
    expect(told["fine"] is True, "six pictures are not drawn finely")
    run("run", "small.json", *SMALL, "--frames", "40", "--out", "many")
    expect(json.loads(pathlib.Path("many/summary.json").read_text())["pictures"]["fine"] is False, "40 pictures are drawn finely")
    run("run", "small.json", *SMALL, "--frames", "30", "--out", "few")
    expect(json.loads(pathlib.Path("few/summary.json").read_text())["pictures"]["fine"] is True, "30 pictures are not drawn finely")
    expect(told["device"] and told["drawing_s"] > 0 and told["writing_s"] > 0, told)


def holes(path):
    """How often the backdrop shows between two lighter pixels of a column."""
    width, height, rows = read_png(path)
    lit = ["".join("#" if rows[y][3 * x] > 60 else " " for y in range(height)).strip() for x in range(width)]
    return sum(column.count(" ") for column in lit)


def test_fine_ground():
    """Few pictures have a fine mesh of ground that moves: a plate that is thinner than a cell has no holes."""
    plate = {**SCENE, "sources": [], "views": [{"name": "side", "azimuth": 0, "elevation": 12, "zoom": 1.2}],
             "view": {"ground": [0.9, 0.9, 0.9], "backdrop": [0.01, 0.01, 0.01]},
             "solids": [{"shape": {"type": "box", "size": [0.07, 0.0035, 0.05], "turn": [17, 11, 23]},
                         "path": [[0, 0.06, 0.045, 0.02], [1, 0.06, 0.045, 0.021]]}]}
    pathlib.Path("plate.json").write_text(json.dumps(plate))
    run("run", "plate.json", "--size", "320x180", "--frames", "1", "--out", "fine")
    run("run", "plate.json", "--size", "320x180", "--frames", "31", "--out", "coarse")
    fine, coarse = holes("fine/frame-0001.png"), holes("coarse/frame-0001.png")
    print(f"{fine} pixels of holes with a fine mesh, {coarse} with a coarse one")
    expect(fine < 0.4 * coarse, f"the plate has holes with a fine mesh: {fine} pixels, and {coarse} with a coarse one")


def test_clear():
    """A liquid that hides nothing at any depth is drawn all the same."""
    clear = 'liquid={"name": "water", "absorption": [0, 0, 0], "scattering": [0, 0, 0]}'
    run("run", "small.json", *SMALL, "--no-frames", "--frames", "1", "--set", clear, "--export", "ply", "--out", "clear")


def test_views():
    for view in ("carousel", "orbit", "top", "turntable"):
        run("run", "small.json", "--view", view, *SMALL, "--no-frames", "--out", view, says=f"160 x 90, view {view}")
        expect(pictures(view) == ["last.png"], pictures(view))
        expect(read_png(f"{view}/last.png")[:2] == (160, 90), view)
    shots = {pathlib.Path(f"{view}/last.png").read_bytes() for view in ("carousel", "orbit", "top", "turntable")}
    expect(len(shots) == 4, "two views show the same")
    run("run", "small.json", "--view", "map", "--no-frames", "--out", "map", says="200 x 150, view map")
    run("run", "small.json", "--view", "map", "--size", "400x60", "--no-frames", "--out", "map", says="80 x 60, view map")
    flat = "views=[{\"elevation\": 0}, {\"name\": \"default\"}, {\"target\": [0, 0, 0]}]"
    for view in ("v1", "default", "v3"):
        run("run", "small.json", "--set", flat, "--view", view, *SMALL, "--no-frames", "--frames", "1", "--out", view)
    shots = {pathlib.Path(f"{view}/last.png").read_bytes() for view in ("v1", "default", "v3")}
    expect(len(shots) == 3, "an elevation of 0, or a target at the origin, is not drawn")
    for overlay in ("depth", "speed", "layers", "flooded", "links", "distance"):
        run("run", "small.json", *SMALL, "--overlay", overlay, "--no-frames", "--out", overlay)


def test_refusals():
    refuse('small has no view "fornt"; did you mean "front"?', "run", "small.json", "--view", "fornt", "--out", "no")
    refuse("it has front, carousel, orbit, top, turntable and map", "run", "small.json", "--view", "x", "--out", "no")
    for size in ("15x90", "160", "160x", "160x90x3", "160x9000", "-160x90", "0x0", "160 x 90", "1e3x900", "4294967312x16"):
        refuse("it must be WIDTHxHEIGHT, each from 16 to 8192 pixels", "run", "small.json", "--size", size, "--out", "no")
    refuse('did you mean "depth"?', "run", "small.json", "--overlay", "dept", "--out", "no")
    refuse("the overlays are none, depth, speed, layers, flooded, links and distance", "run", "small.json", "--overlay", "heat",
           "--out", "no")
    refuse("maps have no overlays", "run", "small.json", "--overlay", "depth", "--view", "map", "--out", "no")
    refuse("leaves no frame for --video", "run", "small.json", "--every", "100", "--video", "none.mp4", "--out", "no")
    refuse("this name is longer than 4095 bytes", "run", "small.json", "--video", 5000 * "a" + ".mp4", "--out", "no")
    for name in ("film.avi", "film", "mp4"):
        refuse("a name that ends in .mp4, .webm, .webp or .gif", "run", "small.json", "--video", name, "--out", "no")
    refuse("--no-render draws nothing; leave out --video", "run", "small.json", "--no-render", "--video", "a.mp4")
    refuse("--no-render draws nothing; leave out --view", "run", "small.json", "--no-render", "--view", "top")
    for change, says in (('[{"name": "a", "elevation": 91}]', '"views.0.elevation" is 91'),
                         ('[{"turn": "fast"}]', '"views.0.turn" is "fast"'),
                         ('[{"zoom": 0}]', '"views.0.zoom" is 0'),
                         ('[{"name": "map"}]', '"views.0.name" is "map"'),
                         ('[{"name": "--a"}]', '"views.0.name" begins with "-"'),
                         ('[{"name": "a\\nb"}]', '"views.0.name" has a line break'),
                         ('[{"name": "a"}, {"name": "a"}]', '"views.1.name" names "views.0" too')):
        refuse(says, "run", "small.json", "--set", f"views={change}", "--out", "no")
    expect(not pathlib.Path("no").exists(), "a refused run has made a folder")


def test_without_gl():
    """No GL: numbers as ever, and pictures from above."""
    blind = {"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent", "LIBGL_DRIVERS_PATH": "/nonexistent"}
    run("run", "small.json", "--no-render", "--out", "numbers", environment=blind)
    expect(sorted(os.listdir("numbers")) == ["ledger.csv", "summary.json"], os.listdir("numbers"))
    expect("pictures" not in json.loads(pathlib.Path("numbers/summary.json").read_text()), "a picture that is not there")
    done = run("run", "small.json", "--frames", "2", "--out", "blind", environment=blind, says="view map")
    expect(re.match(r"OpenGL is not available: .*; drawing maps instead\n", done.stderr), done.stderr)
    refuse("--overlay depth needs OpenGL", "run", "small.json", "--overlay", "depth", "--out", "blind2", environment=blind)
    expect(pictures("blind") == ["frame-0001.png", "frame-0002.png", "last.png"], pictures("blind"))
    run("run", "small.json", "--frames", "2", "--view", "map", "--out", "map")
    expect(pathlib.Path("blind/last.png").read_bytes() == pathlib.Path("map/last.png").read_bytes(), "it is no map")


def test_checkpoints():
    """What a checkpoint shows is what the run saw last. Ground that liquid has left is wet in the run alone: here the
    liquid only spreads."""
    run("run", "small.json", *SMALL, "--checkpoint", "3", "--out", "saved")
    run("render", "saved/checkpoint.rnl", *SMALL, says="picture  saved/picture.png, 160 x 90, view front")
    seen, drawn = read_png("saved/last.png"), read_png("saved/picture.png")
    expect(seen == drawn, "render CHECKPOINT is not the last frame")
    run("render", "saved/checkpoint.rnl", *SMALL, "--view", "top", "--out", "above.png")
    run("render", "saved/checkpoint.rnl", *SMALL, "--turntable", "3", "--out", "around.png", says="around-0001.png (3 of them)")
    expect(len({pathlib.Path(f"around-000{i}.png").read_bytes() for i in (1, 2, 3)}) == 3, "it does not turn")
    refuse("a map cannot turn", "render", "saved/checkpoint.rnl", "--view", "map", "--turntable", "3")
    refuse("a map cannot turn", "render", "saved/checkpoint.rnl", "--view", "map", "--video", "map.mp4")
    blind = {"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent", "LIBGL_DRIVERS_PATH": "/nonexistent"}
    refuse("a turntable needs OpenGL", "render", "saved/checkpoint.rnl", "--turntable", "3", environment=blind)
    refuse("give a checkpoint.rnl", "render")
    refuse("small.json: is not a runnel checkpoint", "render", "small.json")
    refuse('small has no view "side"', "render", "saved/checkpoint.rnl", "--view", "side")
    refuse("nowhere/a.png: cannot be written", "render", "saved/checkpoint.rnl", *SMALL, "--out", "nowhere/a.png")
    refuse("--out or --video, not both", "render", "saved/checkpoint.rnl", "--out", "a.png", "--video", "a.mp4")


def test_resumed():
    """A checkpoint has no pictures before it that are missing, and a last one after it is of this run."""
    os.makedirs("hole/frame-0003.png/x")
    run("run", "small.json", *SMALL, "--checkpoint", "1", "--out", "hole", status=2, says="frame-0003.png")
    shutil.rmtree("hole/frame-0003.png")
    run("run", "--resume", "hole/checkpoint.rnl", *SMALL)
    expect(pictures("hole") == [f"frame-{i:04d}.png" for i in range(1, 7)] + ["last.png"], pictures("hole"))
    run("run", "--resume", "hole/checkpoint.rnl", "--no-render", "--frames", "8")
    expect(len(pictures("hole")) == 6 and "picture" not in summary("hole")["files"], pictures("hole"))


def test_turning():
    """Views turn by seconds of the film, of which --every makes fewer."""
    slow = ["run", "small.json", *SMALL, "--view", "carousel", "--frames", "4", "--set", "frame_time=0.2"]
    run(*slow, "--every", "2", "--out", "thinned")
    run(*slow, "--set", "views.1.turn=100", "--out", "all")
    expect(pictures("thinned") == ["frame-0002.png", "frame-0004.png", "last.png"], pictures("thinned"))
    expect(read_png("thinned/frame-0004.png") == read_png("all/frame-0004.png"), "it turns at another speed")


def test_closed_stderr():
    """What would be written there must not get into a file that took its number."""
    run("run", "small.json", *SMALL, "--no-frames", "--out", "deaf", first=lambda: os.close(2))
    rows = pathlib.Path("deaf/ledger.csv").read_text().splitlines()
    expect(len(rows) == 7 and all(row.count(",") == 13 for row in rows), rows)


def test_full_disk():
    """A film that did not fit is no film, and the one of before stays."""
    os.mkdir("tight")
    fake = pathlib.Path("tight/ffmpeg")
    fake.write_text(f"#!/bin/sh\nulimit -f 2\ntrap '' XFSZ\nexec {shutil.which('ffmpeg')} \"$@\"\n")
    fake.chmod(0o755)
    for ending in ("mp4", "webm"):
        film = pathlib.Path(f"tight.{ending}")
        film.write_text("unchanged")
        done = run("run", "small.json", *SMALL, "--no-frames", "--out", "tight", "--video", str(film), status=2,
                   environment={"PATH": f"{os.getcwd()}/tight:{os.environ['PATH']}"}, says="ffmpeg gave up")
        expect(film.read_text() == "unchanged", f"{film} is another: {done.stderr}")
    expect(not list(pathlib.Path(".").glob("*.part")), "temporary files are left")


def test_films():
    for ending, codec in ("mp4", "h264"), ("webm", "vp9"), ("gif", "gif"):
        run("run", "small.json", "--size", "161x91", "--out", ending, "--video", f"film.{ending}", says=f"video    film.{ending}")
        found = probe(f"film.{ending}")
        expect(found["codec_name"] == codec and found["nb_read_frames"] == "6" and found["r_frame_rate"] == "25/1", found)
        size = (161, 91) if ending == "gif" else (160, 90)
        expect((found["width"], found["height"]) == size, found)
        expect(ending == "gif" or found["pix_fmt"] == "yuv420p", found)
        expect(len(pictures(ending)) == 7, pictures(ending))
    data = pathlib.Path("film.mp4").read_bytes()
    expect(0 < data.find(b"moov") < data.find(b"mdat"), "the mp4 does not begin with what players ask for first")
    expect(b"NETSCAPE2.0" in pathlib.Path("film.gif").read_bytes(), "the gif does not loop")
    run("run", "small.json", "--size", "161x91", "--no-frames", "--out", "webp", "--video", "film.webp", says="video    film.webp")
    data = pathlib.Path("film.webp").read_bytes()  # ffprobe does not read films of this format
    expect(data[:4] == b"RIFF" and data[8:16] == b"WEBPVP8X" and data.count(b"ANMF") == 6, "the webp does not have six frames")
    width, height = (1 + int.from_bytes(data[i:i + 3], "little") for i in (24, 27))
    loops = data.index(b"ANIM") + 12
    expect((width, height) == (161, 91) and data[loops:loops + 2] == bytes(2), "the webp has another size, or does not loop forever")
    run("run", "small.json", *SMALL, "--no-frames", "--every", "2", "--out", "thin", "--video", "thin.mp4")
    found = probe("thin.mp4")
    expect(found["nb_read_frames"] == "3" and found["r_frame_rate"] == "25/2" and pictures("thin") == ["last.png"], found)
    lapse = ["run", "small.json", *SMALL, "--no-frames", "--set", "frame_time=0.5", "--out", "lapse", "--video", "lapse.mp4"]
    run(*lapse, says="video    lapse.mp4, which plays 12.5 times faster than real time; --fps real changes that")
    expect(summary("lapse")["pictures"]["film_pace"] == 12.5, summary("lapse")["pictures"])
    done = run(*lapse, "--fps", "real", says="video    lapse.mp4\n")
    expect(probe("lapse.mp4")["r_frame_rate"] == "2/1" and "faster" not in done.stdout, done.stdout)
    run(*lapse, "--fps", "1", says="plays 2 times slower than real time")
    pathlib.Path("flat.MP4.123.part").write_text("of a run that was killed")
    run("run", "small.json", "--view", "map", "--out", "flat", "--video", "flat.MP4")
    expect(probe("flat.MP4")["nb_read_frames"] == "6", "a film of a map")
    run("render", "saved/checkpoint.rnl", *SMALL, "--turntable", "5", "--video", "around.webm", says="5 frames")
    expect(probe("around.webm")["nb_read_frames"] == "5", "a turntable")
    expect(not list(pathlib.Path(".").glob("*.part")), "temporary files are left")


def test_interrupted_film():
    """Ctrl-C, which reaches the whole group as in a terminal, leaves a film of all that was drawn."""
    command = [RUNNEL, "run", "small.json", *SMALL, "--frames", "100000", "--out", "stopped", "--video", "stopped.mp4"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    while len(pictures("stopped") if os.path.isdir("stopped") else []) <= 5 and process.poll() is None:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=3600)[0]
    expect(process.returncode == 130 and "video    stopped.mp4" in said, f"Ctrl-C: {process.returncode}: {said}")
    frames = json.loads(pathlib.Path("stopped/summary.json").read_text())["frames"]
    expect(probe("stopped.mp4")["nb_read_frames"] == str(frames), f"the film has not {frames} frames")
    expect(len(pictures("stopped")) == frames + 1, "pictures are missing")
    on = f"--resume stopped/checkpoint.rnl --frames 100000 --size 160x90 --video stopped-from-{frames}.mp4\n"
    expect(on in said, f"it does not say how to go on: {said}")


def test_no_ffmpeg():
    """One sentence, the pictures are kept, and the status says that not all is well."""
    kept = "the frames are kept as pictures in "
    nothing = {"PATH": "/nonexistent"}
    done = run("run", "small.json", *SMALL, "--out", "bare", "--video", "bare.mp4", status=2, environment=nothing,
               says="ffmpeg was not found; install it (apt-get install ffmpeg); " + kept + "bare")
    expect(done.stderr.count("--video") == 1 and len(pictures("bare")) == 7, done.stderr)
    os.mkdir("bin")
    fake = pathlib.Path("bin/ffmpeg")
    for script, says in (("head -c 1000 >/dev/null; echo 'Unknown encoder' >&2; exit 1", "gave up after 0 frames: Unknown encoder"),
                         ("cat >/dev/null; echo 'no room' >&2; exit 1", "ffmpeg gave up: no room"),
                         ("kill -9 $$", "ffmpeg was killed")):
        fake.write_text(f"#!/bin/sh\n{script}\n")
        fake.chmod(0o755)
        done = run("run", "small.json", "--size", "400x300", "--out", "failed", "--video", "failed.mp4", status=2,
                   environment={"PATH": f"{os.getcwd()}/bin:{os.environ['PATH']}"}, says=says)
        expect(kept + "failed" in done.stderr and done.stderr.count("--video") == 1, done.stderr)
        expect(len(pictures("failed")) == 7 and not os.path.exists("failed.mp4"), pictures("failed"))
        if "no room" in script:
            run("run", "small.json", *SMALL, "--out", "failed", "--video", "failed.mp4", status=2, says=says,
                environment={"PATH": f"{os.getcwd()}/bin:{os.environ['PATH']}"},
                first=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    run("run", "small.json", *SMALL, "--no-frames", "--out", "bare", "--video", "bare.mp4", status=2, environment=nothing)
    expect(summary("bare")["pictures"]["drawn"] == 1, "frames are drawn for a film that cannot be")
    pathlib.Path("failed.mp4").write_text("unchanged")
    fake.write_text("#!/bin/sh\ncat >/dev/null\n")
    os.makedirs("broken/frame-0003.png/x")
    run("run", "small.json", *SMALL, "--out", "broken", "--video", "failed.mp4", status=2, says="frame-0003.png",
        environment={"PATH": f"{os.getcwd()}/bin:{os.environ['PATH']}"})
    expect(pathlib.Path("failed.mp4").read_text() == "unchanged", "a failed run has replaced a film")
    run("run", "small.json", *SMALL, "--out", "bare", "--video", "small.json/a.mp4", status=2,
        says="small.json/: this folder cannot be created: ")
    expect(not list(pathlib.Path(".").glob("*.part")), "temporary files are left")


def main():
    with tempfile.TemporaryDirectory() as top:
        os.chdir(top)
        pathlib.Path("small.json").write_text(json.dumps(SCENE))
        tests = [test_defaults, test_fine_ground, test_clear, test_views, test_refusals, test_without_gl, test_checkpoints]
        tests += [test_resumed, test_turning, test_closed_stderr]
        tests += [test_films, test_interrupted_film, test_full_disk] if film_tools else []
        for test in [*tests, test_no_ffmpeg]:
            before = time.monotonic()
            test()
            print(f"{test.__name__}: {time.monotonic() - before:.1f} s", flush=True)
        os.chdir("/")
    print(f"{len(failures)} failed" if failures else "all fine" + ("" if film_tools else "; no ffmpeg, so no films"))
    sys.exit(1 if failures else 0)


main()
