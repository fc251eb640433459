"""runnel figures, as a user meets it: test_figures.py RUNNEL SOURCES"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.dont_write_bytecode = True
from png import read_png

RUNNEL = str(pathlib.Path(sys.argv[1]).resolve())
GALLERY = pathlib.Path(sys.argv[2]).resolve() / "docs/gallery"
# Panels, and how far each must be from the one before it: the mean difference of a channel of a pixel, of 255. Frames are
# early ones, in which little has flowed yet; passages are not flooded, and no crate has fallen, so that the last panel is
# like the one before; no liquid has met the bodies on the hill.
PICTURES = {"surgery": (3, 0.2), "seams": (2, 1), "boundary": (2, 0.4), "minimum": (2, 1), "meniscus": (2, 0.5), "cap": (2, 1),
            "viscosity": (4, 0.1), "layers": (3, 1), "passages": (3, 1), "ways": (2, -1), "truck": (2, 0.1), "dam": (3, 0.1),
            "logs": (3, 0.1), "aliasing": (2, 0.05), "whirlpool": (3, 5), "choppy": (2, 0.15)}
CHARTS = {"coefficient": ("text", 10), "stable-step": ("text", 10), "frame-time": ("text", 10), "checkerboard": ("text", 10),
          "adaptive": ("circle", 30), "reflections": ("text", 10), "vertices": ("path", 150), "updates": ("circle", 2)}
WIDTH, GAP = 320, 6
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments, status=0, says="", environment=None):
    done = subprocess.run([RUNNEL, "figures", *arguments], capture_output=True, text=True, timeout=3600,
                          env={**os.environ, **(environment or {})})
    expect(done.returncode == status, f"{arguments}: status {done.returncode} instead of {status}: {done.stderr}")
    expect(says in done.stdout + done.stderr, f"{arguments}: no {says!r} in {done.stdout}{done.stderr}")
    return done


def panels_of(path, count):
    width, height, rows = read_png(path)
    wide = (width - GAP * (count - 1)) // count
    expect(width == count * wide + GAP * (count - 1), f"{path}: {width} pixels wide")
    return [b"".join(row[3 * i * (wide + GAP):3 * (i * (wide + GAP) + wide)] for row in rows) for i in range(count)]


def apart(one, other):
    return sum(abs(a - b) for a, b in zip(one, other)) / len(one)


def check_gallery(page):
    """What is kept of charts is what the command writes now, and no picture is large."""
    parts = [part for part in page.split("\n## ") if ".png)" not in part]
    expect(len(parts) == 1 + len(CHARTS), f"{len(parts)} parts of the page are not pictures")
    kept = (GALLERY / "README.md").read_text().split("\n## ")
    expect(all(part.strip() in [other.strip() for other in kept] for part in parts), "docs/gallery/README.md is an old one")
    files = sorted(path.name for path in GALLERY.iterdir())
    sheets = ["contact-sheet.webp", "crops.webp"]  # by tools/contact-sheet
    expect(files == sorted(["README.md", *sheets, *(f"{n}.png" for n in PICTURES), *(f"{n}.svg" for n in CHARTS)]), files)
    expect(all(path.stat().st_size < 400e3 for path in GALLERY.iterdir()), "a picture of the gallery is over 400 kB")


def test_all():
    done = run("--quick", "--out", "docs/gallery")
    page = pathlib.Path("docs/gallery/README.md").read_text()
    for name, (count, least) in PICTURES.items():
        path = pathlib.Path(f"docs/gallery/{name}.png")
        expect(path.exists(), f"there is no {path}: {done.stderr}")
        if not path.exists():
            continue
        panels = panels_of(path, count)
        for i in range(1, 2 if name in ("passages", "dam") else count):
            difference = apart(panels[i - 1], panels[i])
            expect(difference > least, f"{name}: panels {i} and {i + 1} differ by {difference:.2f} only")
        expect(f"({name}.png)" in page and f"--only {name} " in page, f"the page does not tell of {name}")
    for name, (tag, least) in CHARTS.items():
        svg = xml.dom.minidom.parse(f"docs/gallery/{name}.svg")
        expect(svg.documentElement.tagName == "svg" and len(svg.getElementsByTagName(tag)) > least, f"{name}.svg is bare")
        expect(f"({name}.svg)" in page, f"the page does not tell of {name}")
    expect(sorted(p.name for p in pathlib.Path("docs/gallery").iterdir()) ==
           sorted([f"{n}.png" for n in PICTURES] + [f"{n}.svg" for n in CHARTS] + ["README.md"]), "files are left over")
    check_gallery(page)


def test_choice():
    listed = [line.split()[0] for line in run("--list").stdout.splitlines()]
    expect(sorted(listed) == sorted([*PICTURES, *CHARTS]), listed)
    for wrong in ("capp", "", "cap,", ",cap", "cap,x"):
        done = run("--only", wrong, "--out", "no", status=2, says="there are surgery, coefficient, ")
        expect(done.stderr.count("\n") == 1 and not done.stdout, f"{wrong}: not one sentence: {done.stderr}")
    expect(not pathlib.Path("no").exists(), "a folder was made for nothing")
    run("--size", "9", "--out", "no", status=2, says="--size")
    told = json.loads(run("--quick", "--only", "stable-step,coefficient", "--out", "two", "--json").stdout)
    expect([f["name"] for f in told["figures"]] == ["coefficient", "stable-step"] and not told["interrupted"], told)
    expect(all(f["error"] is None and pathlib.Path(f["file"]).exists() for f in told["figures"]), told)
    run("--quick", "--only", "frame-time", "--out", "two")
    page = pathlib.Path("two/README.md").read_text()
    expect(all(f"({name}.svg)" in page for name in ("coefficient", "stable-step", "frame-time")), "the page has forgotten what was there before")


def test_no_device():
    """Where there is no OpenGL there is one sentence, and charts."""
    blind = {"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent", "LIBGL_DRIVERS_PATH": "/nonexistent"}
    done = run("--quick", "--only", "cap,coefficient,meniscus", "--out", "blind", status=2, environment=blind,
               says="OpenGL is not available, so only charts were made")
    expect(done.stderr.count("\n") == 1, f"not one sentence: {done.stderr}")
    expect(sorted(p.name for p in pathlib.Path("blind").iterdir()) == ["README.md", "coefficient.svg"], "more or less than the chart")


def test_interrupt():
    process = subprocess.Popen([RUNNEL, "figures", "--only", "coefficient,layers", "--out", "stopped"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=3600)
    expect(process.returncode == 130, f"interrupted: status {process.returncode}")
    expect(sorted(p.name for p in pathlib.Path("stopped").iterdir()) == ["README.md", "coefficient.svg"],
           "interrupted: not what was finished")


def main():
    tests = [value for name, value in sorted(globals().items()) if name.startswith("test_")]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in tests:
            test()
        os.chdir("/")
    print(f"{len(tests)} tests, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
