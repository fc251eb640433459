"""`runnel inspect` on files made here and, where they are, on those that others made: test_inspect.py RUNNEL"""
import json
import math
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib

RUNNEL = os.path.abspath(sys.argv[1])
REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("RUNNEL_DATA", REPOSITORY.parent / "shared/data"))
SANITIZED = "SANITIZED" in os.environ
TIMED = "RUNNEL_TIMED" in os.environ  # as in make nightly, on an idle machine
LONGEST, LARGEST = 10, 1 << 30  # s, bytes


def expect(condition, what):
    if not condition:
        sys.exit(f"not as expected: {what}")


def runnel(*arguments):
    begin = time.monotonic()
    done = subprocess.run([RUNNEL, *map(str, arguments)], capture_output=True, text=True)
    return done, time.monotonic() - begin


def inspect(path, *options, status=0):
    """Its JSON; of a refusal the one sentence."""
    done, seconds = runnel("inspect", path, "--json", *options)
    expect(done.returncode == status, f"{path}: status {done.returncode}: {done.stderr}")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    expect(SANITIZED or ((seconds < LONGEST or not TIMED) and most < LARGEST), f"{path}: {seconds:.1f} s, {most / 2**20:.0f} MiB")
    if status:
        expect(not done.stdout and done.stderr.count("\n") == 1, f"{path}: more than a sentence: {done.stderr}")
        return done.stderr
    found = json.loads(done.stdout)
    lines = [line.split(": ", 1)[1] for line in done.stderr.splitlines() if line.startswith(f"{path}: ")]
    expect(lines == found["warnings"], f"{path}: {lines} is not {found['warnings']}")
    return found


def check_scene(found, frames=3):
    """What is suggested runs as it is, and is what was printed."""
    path = pathlib.Path(found["files"]["scene"])
    expect(json.loads(path.read_text()) == found["scene"], f"{path}: the file is another scene")
    done, _ = runnel("run", path, "--frames", frames, "--no-render", "--json", "--out", "run")
    expect(done.returncode == 0, f"{path}: {done.stderr}")
    run = json.loads(done.stdout)
    expect(run["volume"]["present_m3"] > 0 and run["volume"]["drift_m3"] == 0, f"{path}: {run['volume']}")
    expect(run["grid"]["columns"] == found["columns"]["columns"], f"{path}: {run['grid']}")


def write_stl(path, triangles):
    faces = b"".join(struct.pack("<12fH", 0, 0, 0, *sum(map(tuple, t), ()), 0) for t in triangles)
    pathlib.Path(path).write_bytes(bytes(80) + struct.pack("<I", len(triangles)) + faces)


def box(low, high, inside_out=False):
    x, y, z = zip(low, high)
    corner = [(x[i & 1], y[i >> 1 & 1], z[i >> 2]) for i in range(8)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return [[corner[i] for i in (t[::-1] if inside_out else t)] for t in faces]


def write_grey(path, rows):
    """A grey PNG of 16 bits."""
    raw = b"".join(b"\0" + struct.pack(f">{len(row)}H", *row) for row in rows)
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 16, 0, 0, 0, 0)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + data)


def near(value, wanted, share=0.02):
    return abs(value - wanted) <= share * abs(wanted)


def check_boxes():
    write_stl("block.stl", box((0, 0, 0), (40, 30, 20)))
    found = inspect("block.stl", "--no-render")
    mesh, columns = found["mesh"], found["columns"]
    expect((found["kind"], mesh["unit"], mesh["up"], mesh["as"]) == ("mesh", "mm", "z", "solid"), mesh)
    expect("40 across" in mesh["unit_why"] and any("--unit" in w for w in found["warnings"]), mesh)
    expect(near(found["size_m"]["x"], 0.04, 1e-6) and near(found["size_m"]["z"], 0.02, 1e-6), found["size_m"])
    expect((mesh["triangles"], mesh["holes"], mesh["open_edges"], mesh["parts"]) == (12, 0, 0, 1), mesh)
    expect(near(columns["solid_m3"], 0.04 * 0.03 * 0.02) and near(mesh["volume_m3"], 2.4e-5, 1e-6), columns)
    expect((columns["layers"], columns["cavities"], columns["overhangs"], columns["thin_share"]) == (1, 0, 0, 0), columns)
    expect(max(found["grid"]["cells_x"], found["grid"]["cells_y"]) in (199, 200), found["grid"])
    expect(found["world"]["bytes"] > 0 and found["files"]["picture"] is None, found["world"])
    check_scene(found)

    found = inspect("block.stl", "--no-render", "--unit", "cm", "--up", "x", "--cell", "0.004")
    expect((found["size_m"]["z"], found["grid"]["cell_m"]) == (0.4, 0.004), found["size_m"])

    hollow = box((0, 0, 0), (0.04, 0.04, 0.04)) + box((0.01, 0.01, 0.01), (0.03, 0.03, 0.03), inside_out=True)
    write_stl("hollow.stl", hollow)
    found = inspect("hollow.stl", "--no-render", "--unit", "m")
    expect(found["columns"]["cavities"] == 1 and near(found["columns"]["sealed_m3"], 8e-6), found["columns"])
    expect(found["columns"]["layers"] == 2 and found["mesh"]["unit_why"] == "as --unit says", found["columns"])
    check_scene(found)

    write_stl("bridge.stl", box((0, 0, 0), (10, 30, 30)) + box((40, 0, 0), (50, 30, 30)) + box((0, 0, 24), (50, 30, 30)))
    found = inspect("bridge.stl", "--no-render")
    expect(near(found["columns"]["overhang_share"], 30 / 50, 0.05), found["columns"])
    expect(found["columns"]["cavities"] == 0 and found["columns"]["layers"] == 2, found["columns"])

    write_stl("plate.stl", box((0, 0, 10), (50, 50, 10.2)) + box((0, 0, 0), (5, 5, 10.1)))
    found = inspect("plate.stl", "--no-render")
    expect(found["columns"]["thin_share"] > 0.9 and any("--cell" in w for w in found["warnings"]), found["warnings"])


def check_meanings():
    """What an open mesh is: a cup, a car without a floor, a slope, a wall; and parts that fill the cavity they are in."""
    whole = box((0, 0, 0), (40, 30, 20))

    def without(face):  # the triangles that lie in this plane are left out
        axis, value = face
        return [t for t in whole if any(corner[axis] != value for corner in t)]
    for name, face, meaning in (("cup", (2, 20), "sheet"), ("car", (2, 0), "solid"), ("room", (0, 40), "sheet")):
        write_stl(f"{name}.stl", without(face))
        found = inspect(f"{name}.stl", "--no-render", "--unit", "mm", "--up", "z", "--cells", 60)
        expect(found["mesh"]["as"] == meaning, f"{name}: {found['mesh']}")
        check_scene(found)
    pathlib.Path("slope.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0.3\nv 0 1 0.2\nf 1 2 3 4\n")
    found = inspect("slope.obj", "--no-render", "--cells", 60)
    expect((found["mesh"]["as"], found["mesh"]["up"]) == ("ground", "z"), found["mesh"])
    check_scene(found)
    write_stl("buried.stl", whole + box((10, 10, 5), (30, 20, 15)))
    found = inspect("buried.stl", "--no-render", "--cells", 60)
    expect(any("wound the same way" in w for w in found["warnings"]), found["warnings"])
    write_stl("hollow.stl", whole + box((10, 10, 5), (30, 20, 15), inside_out=True))
    found = inspect("hollow.stl", "--no-render", "--cells", 60)
    expect(not any("wound the same way" in w for w in found["warnings"]), found["warnings"])
    write_stl("thin.stl", box((0, 0, 10), (40, 30, 10.5)) + box((18, 13, 0), (22, 17, 10)))
    found = inspect("thin.stl", "--no-render", "--unit", "mm", "--up", "z", "--cells", 60)
    expect(any("0.5 mm thick; --cell 0.00033" in w for w in found["warnings"]), found["warnings"])


def check_faults():
    open_box = box((0, 0, 0), (40, 40, 40))[2:]
    write_stl("open.stl", open_box)
    found = inspect("open.stl", "--no-render")
    expect(found["mesh"]["holes"] == 1 and found["mesh"]["open_edges"] == 4, found["mesh"])
    expect(any("hole" in w for w in found["warnings"]), found["warnings"])
    found = inspect("open.stl", "--no-render", "--as", "sheet", "--thickness", "0.002")
    expect(found["mesh"]["as"] == "sheet" and found["scene"]["solid"]["of"][1]["thickness"] == 0.002, found["scene"])
    check_scene(found)

    ridge = [[(0, 0, 0), (100, 0, 0), (100, 50, 20)], [(0, 0, 0), (100, 50, 20), (0, 50, 20)]]
    ridge += [[(0, 50, 20), (100, 50, 20), (100, 100, 0)], [(0, 50, 20), (100, 100, 0), (0, 100, 0)]]
    write_stl("ridge.stl", ridge)
    found = inspect("ridge.stl", "--no-render")
    expect(found["mesh"]["as"] == "ground" and found["columns"]["layers"] == 1, found["mesh"])
    check_scene(found)

    write_stl("none.stl", [])
    write_stl("nan.stl", [[(math.nan, 0, 0), (1, 0, 0), (0, 1, 0)]])
    write_stl("line.stl", [[(0, 0, 0), (1, 0, 0), (2, 0, 0)]])
    pathlib.Path("text.obj").write_text("good morning\n")
    for name in ("none.stl", "nan.stl", "line.stl", "text.obj", "missing.ply"):
        expect(name in inspect(name, status=2), name)
    refusals = [
        (["block.stl", "--unit", "mile"], '--unit is "mile"'),
        (["block.stl", "--up", "w"], '--up is "w"'),
        (["block.stl", "--as", "soup"], '--as is "soup"'),
        (["block.stl", "--thickness", "1"], "--as sheet"),
        (["block.stl", "--cells", "100", "--cell", "1"], "not both"),
        (["block.stl", "--cell", "1e-6"], "larger --cell"),
        (["hill.png", "--unit", "mm"], "for meshes"),
    ]
    for arguments, words in refusals:
        expect(words in inspect(arguments[0], *arguments[1:], status=2), arguments)
    done, _ = runnel("inspect")
    expect(done.returncode == 2 and "give a mesh, a volume or a terrain" in done.stderr, done.stderr)


def check_terrains():
    hill = [[int(1000 * math.exp(-((x - 30) ** 2 + (y - 20) ** 2) / 200)) for x in range(64)] for y in range(48)]
    write_grey("hill.png", hill)
    found = inspect("hill.png", "--no-render")
    terrain = found["terrain"]
    expect((found["kind"], terrain["width"], terrain["height"]) == ("terrain", 64, 48), terrain)
    expect((terrain["lowest_m"], terrain["highest_m"], terrain["pixel_x_m"]) == (0, 1000, 30), terrain)
    expect("guess" in terrain["pixel_why"] and any("scale" in w for w in found["warnings"]), found["warnings"])
    expect(found["columns"]["layers"] == 1 and found["columns"]["cavities"] == 0, found["columns"])
    check_scene(found)
    pathlib.Path("cut.png").write_bytes(pathlib.Path("hill.png").read_bytes()[:200])
    expect("cut.png" in inspect("cut.png", status=2), "cut.png")

    rows = "\n".join(" ".join(str(10 + x + 2 * y) for x in range(30)) for y in range(20))
    pathlib.Path("slope.asc").write_text(
        "ncols 30\nnrows 20\nxllcorner 500\nyllcorner 700\ncellsize 5\nNODATA_value -9999\n" + rows.replace("10", "-9999", 1))
    done, _ = runnel("inspect", "slope.asc", "--json", "--no-render")
    if done.returncode and "GDAL" in done.stderr:
        return print("this build cannot read elevation models: those were left out")
    found = inspect("slope.asc", "--no-render")
    terrain = found["terrain"]
    expect((terrain["width"], terrain["pixel_x_m"], terrain["missing"]) == (30, 5, 1), terrain)
    expect((terrain["west"], terrain["south"]) == (500, 700), terrain)
    check_scene(found)

    # Rain that falls somewhere, on ground with some roughness, seen from where the ground falls to: the north-west.
    scene = found["scene"]
    mm_per_hour = scene["rain"][0]["rate"] * 3600 * 1000
    expect(10 <= mm_per_hour <= 100 and f"{mm_per_hour:.0f} mm/h" in scene["about"], scene)
    expect(0.01 <= scene["manning"] <= 0.1 and 60 <= scene["frames"] * scene["frame_time"] <= 3600, scene)
    expect(-180 < scene["views"][0]["azimuth"] < -90, scene["views"])


def write_nrrd(path, value, cells=24, spacing=2.0, space="space: RAS\n"):
    """Shorts in a cube; value: of x, y, z, in mm from its middle."""
    middle, vectors = spacing * (cells - 1) / 2, " ".join(f"({v[0]},{v[1]},{v[2]})" for v in
                                                          ((spacing, 0, 0), (0, spacing, 0), (0, 0, spacing)))
    places = [spacing * k - middle for k in range(cells)]
    samples = [value(x, y, z) for z in places for y in places for x in places]
    header = f"NRRD0004\ntype: short\ndimension: 3\n{space}sizes: {cells} {cells} {cells}\n"
    header += f"space directions: {vectors}\n" if space else f"spacings: {spacing} {spacing} {spacing}\n"
    data = struct.pack(f"<{len(samples)}h", *samples)
    pathlib.Path(path).write_bytes(f"{header}encoding: raw\nendian: little\n\n".encode() + data)


def check_volumes():
    """A ball of 15 mm, as a scanner, a segmentation and a microscope have it."""
    bone = lambda x, y, z: max(-1000, min(1600, round(300 + 100 * (15 - math.dist((x, y, z), (0, 0, 0))))))
    write_nrrd("ct.nrrd", bone)
    done, _ = runnel("inspect", "ct.nrrd", "--json", "--no-render")
    if done.returncode and "cannot read NRRD" in done.stderr:
        return print("this build cannot read NRRD: volumes were left out")
    ball = 4 / 3 * math.pi * 0.015**3
    found = inspect("ct.nrrd", "--no-render", "--cells", "100")
    volume, mesh = found["volume"], found["mesh"]
    expect((found["kind"], volume["samples"], volume["spacing"]) == ("volume", [24] * 3, [2] * 3), volume)
    expect((volume["least"], volume["most"], volume["iso"]) == (-1000, 1600, 300) and "CT" in volume["iso_why"], volume)
    expect(volume["oriented"] and not volume["labels"] and (mesh["unit"], mesh["as"]) == ("mm", "solid"), volume)
    expect(near(mesh["volume_m3"], ball) and near(found["size_m"]["z"], 0.03), mesh)
    expect(any("--iso" in w for w in found["warnings"]), found["warnings"])
    check_scene(found)
    found = inspect("ct.nrrd", "--no-render", "--cells", "100", "--iso", "800")
    expect(near(found["size_m"]["x"], 0.02) and found["scene"]["solid"]["of"][1]["iso"] == 800, found["scene"])

    write_nrrd("labels.nrrd", lambda x, y, z: 0 if bone(x, y, z) < 300 else 2 if x < 0 else 5)
    found = inspect("labels.nrrd", "--no-render", "--cells", "100")
    expect(found["volume"]["labels"] and found["scene"]["solid"]["of"][1]["labels"] == [1, 2, 3, 4, 5], found["scene"])
    expect(near(found["mesh"]["volume_m3"], ball, 0.05) and found["volume"]["iso"] is None, found["mesh"])
    check_scene(found)

    write_nrrd("grey.nrrd", lambda x, y, z: bone(x, y, z) + 1000, space="")
    found = inspect("grey.nrrd", "--no-render", "--cells", "100")
    expect(found["volume"]["iso"] == 1300 and not found["volume"]["oriented"], found["volume"])
    expect(any("does not state its orientation" in w for w in found["warnings"]), found["warnings"])
    check_scene(found)

    for arguments, words in (
        (["ct.nrrd", "--iso", "5000"], "values go from -1000 to 1600"),
        (["ct.nrrd", "--as", "sheet"], "is a volume"),
        (["block.stl", "--iso", "1"], "for volumes"),
        (["missing.nii.gz"], "missing.nii.gz"),
    ):
        expect(words in inspect(arguments[0], *arguments[1:], status=2), arguments)
    done, _ = runnel("inspect", "ct.nrrd", "--no-render", "--cells", "60")
    for words in ("samples  24 x 24 x 24, 2 x 2 x 2 apart", "values   -1000 to 1600; solid is 300 and more", "z to the head"):
        expect(words in done.stdout, f"{words}: {done.stdout}")


def check_pictures():
    done, _ = runnel("inspect", "block.stl", "--out", "deep/er", "--cells", "60")
    expect(done.returncode == 0, done.stderr)
    picture = pathlib.Path("deep/er/block.png").read_bytes()
    expect(picture[:8] == b"\x89PNG\r\n\x1a\n" and len(picture) > 10000, "deep/er/block.png")
    for words in ("12 triangles", "unit     mm", "closed", "picture  deep/er/block.png", "runnel run deep/er/block.json"):
        expect(words in done.stdout, f"{words}: {done.stdout}")
    printed = json.loads(done.stdout[done.stdout.index("\n{") :])
    expect(printed == json.loads(pathlib.Path("deep/er/block.json").read_text()), "the printed scene is another one")
    expect(sorted(p.name for p in pathlib.Path("deep/er").iterdir()) == ["block.json", "block.png"], "other files are left")


def check_files():
    """The scene names the file by the way from its own folder, and runs after both were moved; a scene that was edited
    is kept under another name."""
    folder = pathlib.Path("moved/from")
    (folder / "scans").mkdir(parents=True)
    write_stl(folder / "scans/part.stl", box((0, 0, 0), (40, 30, 20)))
    scene = folder / "scenes/part.json"
    told = lambda *more: inspect(folder / "scans/part.stl", "--no-render", "--cells", "40", "--out", scene.parent, *more)
    file = lambda found: found["scene"]["solid"]["of"][1]["file"]
    found = told()
    expect(file(found) == "../scans/part.stl", file(found))
    expect(file(told("--out", folder / "scans")) == "part.stl" and file(told("--out", folder)) == "scans/part.stl", "file")
    expect(file(told("--out", folder / "a/b/scans-2")) == "../../../scans/part.stl", "folders below")
    folder.rename("moved/to")
    done, _ = runnel("run", "moved/to/scenes/part.json", "--frames", "1", "--no-render", "--out", "run")
    expect(done.returncode == 0, done.stderr)
    pathlib.Path("moved/to").rename(folder)

    expect(told()["warnings"] == found["warnings"], "the same scene again is nothing to warn of")
    for k in (1, 2):
        scene.write_text(f"edited {k}")
        warnings = told()["warnings"]
        kept = folder / f"scenes/part-{k}.json"
        expect(f"{scene} was a different scene; it is now {kept}" in warnings, warnings)
        expect(kept.read_text() == f"edited {k}" and json.loads(scene.read_text()) == found["scene"], kept)
    expect(sorted(p.name for p in scene.parent.iterdir()) == ["part-1.json", "part-2.json", "part.json"], "other files")


def check_points():
    """Heights as lines of x, y and z are a terrain if they form a grid."""
    rows = [f"{10 * x} {10 * y} {100 + x + (y % 3)}" for y in range(12) for x in range(16)]
    pathlib.Path("points.xyz").write_text("\n".join(rows) + "\n")
    done, _ = runnel("inspect", "points.xyz", "--no-render", "--json")
    if done.returncode and ("GDAL, which reads others" in done.stderr or "built without" in done.stderr):
        return
    expect(done.returncode == 0, done.stderr)
    found = json.loads(done.stdout)
    expect(found["kind"] == "terrain" and near(found["size_m"]["x"], 160) and near(found["size_m"]["y"], 120), found)
    pathlib.Path("words.csv").write_text("time,depth\n0,1\n")
    expect(".asc, .hgt and .png terrains" in inspect("words.csv", status=2), "words.csv")


def check_sizes():
    """A file that is too small says so itself; coordinates of a map are metres with z up."""
    write_stl("speck.stl", box((0, 0, 0), (1e-6, 1e-6, 1e-6)))
    told = inspect("speck.stl", "--no-render", status=2)
    expect(told.startswith("speck.stl: ") and "--unit" in told, told)
    far = [[tuple(1e30 * c for c in corner) for corner in t] for t in box((0, 0, 0), (40, 30, 20))]
    write_stl("far.stl", far)
    expect("coordinates that are not numbers below 1e12" in inspect("far.stl", "--no-render", status=2), "far.stl")
    lines = [f"v {476000 + x} {4425000 + y} {1700 + 0.1 * ((x * y) % 7)}" for y in range(12) for x in range(12)]
    for i in (12 * y + x + 1 for y in range(11) for x in range(11)):
        lines += [f"f {i} {i + 1} {i + 13} {i + 12}"]
    pathlib.Path("site.obj").write_text("\n".join(lines))
    found = inspect("site.obj", "--no-render")
    expect((found["mesh"]["unit"], found["mesh"]["up"], found["mesh"]["as"]) == ("m", "z", "ground"), found["mesh"])


def check_scattered():
    """A hundred triangles that do not join are wrapped once, by one core in less than a second."""
    state = [1]

    def draw(low, high):
        state[0] = (1103515245 * state[0] + 12345) % 2 ** 31
        return low + (high - low) * state[0] / 2 ** 31

    middles = [[draw(0, 1) for _ in range(3)] for _ in range(100)]
    write_stl("scattered.stl", [[[m[k] + draw(-0.5, 0.5) for k in range(3)] for _ in range(3)] for m in middles])
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    found = inspect("scattered.stl", "--no-render", "--as", "solid", "--unit", "m", "--threads", "1")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    expect(any("wrapped" in w for w in found["warnings"]) and found["mesh"]["as"] == "solid", found["warnings"])
    expect(SANITIZED or not TIMED or used < 1, f"{used:.2f} s")


def check_shared():
    """Each is told about within the limits, or refused in one sentence; what is usable runs."""
    used = refused = 0
    for folder in ("meshes", "dirty_meshes", "terrain", "bad_terrain"):
        for path in sorted((DATA / folder).glob("*")):
            done, _ = runnel("inspect", path, "--json", "--no-render")
            expect(done.returncode in (0, 2), f"{path}: status {done.returncode}: {done.stderr}")
            if done.returncode == 2:
                expect(folder not in ("meshes", "terrain"), f"{path}: {done.stderr}")
                inspect(path, "--no-render", status=2)
                refused += 1
            else:
                check_scene(inspect(path, "--no-render"), 2)
                used += 1
    print(f"{used} shared files can be used, {refused} are refused" if used else "no shared files here")


def main():
    write_stl("probe.stl", box((0, 0, 0), (1, 1, 1)))
    done, _ = runnel("inspect", "probe.stl", "--no-render")
    if done.returncode and "cannot read meshes" in done.stderr:
        print("this build cannot read meshes")
        return 77
    check_sizes()
    check_scattered()
    check_terrains()
    check_boxes()
    check_meanings()
    check_faults()
    check_volumes()
    check_files()
    check_points()
    check_pictures()
    check_shared()
    return 0


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    status = main()
    os.chdir("/")
sys.exit(status)
