"""Kinds of files that `runnel run --export` writes, read back: test_exports.py RUNNEL SHIM.so SOURCE [READERS...]

Every kind says the same as PLY, which test_export.py knows, or as the ledger: to the bit, where it is binary."""
import array
import json
import math
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from mesh_files import Usda, expect, glb_values, read_glb, read_npy, read_ply, read_pvd, read_vtk

RUNNEL, SHIM, SOURCE = sys.argv[1:4]
READERS = {pathlib.Path(p).name: p for p in sys.argv[4:]}
SMALL = ["--frames", "12", "--set", "grid.cells=[72, 54]", "--set", "grid.cell=0.00666666"]


def run(folder, *arguments, status=0, **how):
    command = [RUNNEL, "run", "--no-render", "--out", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, **how)
    expect(done.returncode == status, (command, done.returncode, done.stderr))
    return done


def packed(rows):
    return b"".join(struct.pack(f"<{len(r)}f", *r) for r in rows)


def column(ply, *names):
    """Properties of every vertex, packed as singles."""
    at = [ply.names.index(n) for n in names]
    return packed([[v[i] for i in at] for v in ply.vertices])


def upright(ply, *names):
    """The same of vectors in a file in which y is up."""
    x, y, z = (ply.names.index(n) for n in names)
    return packed([(v[x], v[z], -v[y]) for v in ply.vertices])


def indices(ply):
    return b"".join(struct.pack("<3i", *t) for t in ply.triangles)


# ---- Meshes -------------------------------------------------------------------------------------------------------

def check_primitive(tree, binary, primitive, ply, path):
    attributes = primitive["attributes"]
    expect(packed(glb_values(tree, binary, attributes["POSITION"])) == upright(ply, "x", "y", "z"), (path, "positions"))
    expect(packed(glb_values(tree, binary, attributes["NORMAL"])) == upright(ply, "nx", "ny", "nz"), (path, "normals"))
    corners = [i for i, in glb_values(tree, binary, primitive["indices"])]
    expect(corners == [i for t in ply.triangles for i in t], (path, "indices"))
    if "opacity" in ply.names:
        colours = glb_values(tree, binary, attributes["COLOR_0"])
        expect(packed([c[3:] for c in colours]) == column(ply, "opacity") and {c[:3] for c in colours} == {(1, 1, 1)},
               (path, "opacity"))
        velocity = packed(glb_values(tree, binary, attributes["_VELOCITY"]))
        expect(velocity == upright(ply, "vx", "vy", "vz"), (path, "velocities"))


def check_glb(folder, name):
    ply, path = read_ply(folder / f"{name}.ply"), folder / f"{name}.glb"
    tree, binary = read_glb(path)
    if not ply.triangles:
        expect("meshes" not in tree and tree["nodes"] == [{"name": "empty"}], path)
        return
    check_primitive(tree, binary, tree["meshes"][0]["primitives"][0], ply, path)
    material = tree["materials"][tree["meshes"][0]["primitives"][0]["material"]]
    liquid = name.startswith("surface")
    expect(material["name"] == ("liquid" if liquid else "ground"), material)
    expect(("alphaMode" in material) == liquid, material)
    expect(all(0 <= c <= 1 for c in material["pbrMetallicRoughness"]["baseColorFactor"]), material)


def shown_at(tree, binary, when):
    """Names of the nodes that an animation shows at a time."""
    seen, animation = set(), tree["animations"][0]
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        expect(sampler["interpolation"] == "STEP" and channel["target"]["path"] == "scale", sampler)
        times = [t for t, in glb_values(tree, binary, sampler["input"])]
        scales = glb_values(tree, binary, sampler["output"])
        expect(times == sorted(set(times)) and len(scales) == len(times) and times[0] >= 0, times)
        expect(all(s in ((0, 0, 0), (1, 1, 1)) for s in scales), scales)
        last = max((i for i, t in enumerate(times) if t <= when), default=0)  # before the first key, the first
        if scales[last] == (1, 1, 1):
            seen.add(tree["nodes"][channel["target"]["node"]]["name"])
    return seen


def check_played(folder, frames, frame_time, first=0):
    path = folder / f"run-{first:04d}.glb"
    tree, binary = read_glb(path)
    nodes = {n["name"]: n for n in tree["nodes"]}
    grounds = sorted(int(p.stem[-4:]) for p in folder.glob("terrain-*.ply"))
    for frame in frames:
        liquid, ground = f"liquid-{frame:04d}", f"ground-{max(g for g in grounds if g <= frame):04d}"
        surface = read_ply(folder / f"surface-{frame:04d}.ply")
        wanted = {liquid, ground} if surface.triangles else {ground}
        seen = shown_at(tree, binary, (frame - first + 0.5) * frame_time)
        expect(seen == wanted, (path, frame, seen))
        for name, ply in ((liquid, surface), (ground, read_ply(folder / f"terrain-{ground[-4:]}.ply"))):
            if ply.triangles:
                check_primitive(tree, binary, tree["meshes"][nodes[name]["mesh"]]["primitives"][0], ply, (path, name))
    if frames[-1] != first:
        at_rest = [n["name"] for n in tree["nodes"] if "scale" not in n]
        expect(f"liquid-{frames[-1]:04d}" in at_rest and len(at_rest) == 2, at_rest)


def check_vtp(folder, name):
    ply, (tree, arrays) = read_ply(folder / f"{name}.ply"), read_vtk(folder / f"{name}.vtp")
    expect(tree.get("type") == "PolyData", name)
    expect(arrays["Points"] == column(ply, "x", "y", "z"), (name, "points"))
    expect(arrays["normals"] == column(ply, "nx", "ny", "nz"), (name, "normals"))
    expect(arrays["connectivity"] == indices(ply), (name, "connectivity"))
    expect(arrays["offsets"] == struct.pack(f"<{len(ply.triangles)}q", *range(3, 3 * len(ply.triangles) + 1, 3)), name)
    if "opacity" in ply.names:
        expect(arrays["opacity"] == column(ply, "opacity"), (name, "opacity"))
        expect(arrays["velocity"] == column(ply, "vx", "vy", "vz"), (name, "velocity"))
        ids = [v[ply.names.index("id")] for v in ply.vertices]
        expect(arrays["id"] == struct.pack(f"<{len(ids)}I", *ids), (name, "id"))


def check_usda(path, folder, frames, ply_of=None):
    """Against PLY files of the same unit and axes; ply_of gives those of a frame."""
    usd = Usda(path)
    expect(usd.metadata["defaultPrim"] == "run", usd.metadata)
    prims = usd.prims["run"]["prims"]
    expect(set(prims) == {"liquid", "ground", "materials"}, prims.keys())
    for name in ("liquid", "ground"):
        a, meta = prims[name]["attributes"], prims[name]["meta"]
        expect(prims[name]["type"] == "Mesh" and a["subdivisionScheme"] == "none", name)
        expect(meta[""]["apiSchemas"] == ["MaterialBindingAPI"], meta)
        expect(a["material:binding"] == f"/run/materials/{name}", a["material:binding"])
        expect(meta["normals"] == {"interpolation": "vertex"}, meta)
        expect(len(a["primvars:displayColor"]) == 1 and len(a["primvars:displayColor"][0]) == 3, name)
        samples = {key: a[f"{key}.timeSamples"] for key in ("points", "normals", "faceVertexCounts", "faceVertexIndices")}
        codes = sorted(samples["points"])
        for a_code, b_code in zip(codes, codes[1:]):  # players blend what is between two samples
            expect(samples["points"][a_code] == samples["points"][b_code] or
                   not [f for f in frames if a_code < f < b_code], (path, name, a_code, b_code))
        for frame in frames:
            code = max(c for c in codes if c <= frame)
            file = ply_of(name, frame) if ply_of else folder / f"surface-{frame:04d}.ply"
            if name == "liquid":
                expect(code == frame, (path, frame))
            elif not ply_of:
                number = max(int(p.stem[-4:]) for p in folder.glob("terrain-*.ply") if int(p.stem[-4:]) <= frame)
                file = folder / f"terrain-{number:04d}.ply"
            ply = read_ply(file)
            expect(packed(samples["points"][code]) == column(ply, "x", "y", "z"), (path, name, frame, "points"))
            expect(packed(samples["normals"][code]) == column(ply, "nx", "ny", "nz"), (path, name, frame, "normals"))
            expect(samples["faceVertexCounts"][code] == [3] * len(ply.triangles), (path, name, frame))
            expect(samples["faceVertexIndices"][code] == [i for t in ply.triangles for i in t], (path, name, frame))
            if name == "liquid":
                expect(packed(a["velocities.timeSamples"][code]) == column(ply, "vx", "vy", "vz"), (frame, "velocities"))
                opacity = a["primvars:displayOpacity.timeSamples"][code]
                expect(packed([[o] for o in opacity]) == column(ply, "opacity"), (frame, "opacity"))
        shader = prims["materials"]["prims"][name]["prims"]["surface"]["attributes"]
        expect(shader["info:id"] == "UsdPreviewSurface" and shader["inputs:ior"] >= 1, shader)
        expect(("inputs:opacity.connect" in shader) == (name == "liquid"), shader)
    return usd


# ---- Columns ------------------------------------------------------------------------------------------------------

def check_columns(folder, frame, cells, volume=None):
    nx, ny, _, cell = cells
    layers = read_npy(folder / f"depth-{frame:04d}.npy")[0][0]
    tree, arrays = read_vtk(folder / f"columns-{frame:04d}.vti")
    expect(tree[0].get("WholeExtent") == f"0 {nx} 0 {ny} 0 0" and tree.get("type") == "ImageData", tree[0].attrib)
    expect(abs(float(tree[0].get("Spacing").split()[0]) - cell) < 1e-9, tree[0].attrib)
    found = {}
    for name in ("depth", "base", "level", "velocity"):
        shape, data = read_npy(folder / f"{name}-{frame:04d}.npy")
        expect(shape == ((2,) if name == "velocity" else ()) + (layers, ny, nx), (name, shape))
        found[name] = array.array("f", data)
    slots, layer = layers * ny * nx, ny * nx
    for l in range(layers):
        for name in ("depth", "level", "base"):
            expect(arrays[f"{name}_{l}"] == found[name][l * layer:(l + 1) * layer].tobytes(), (name, l, frame))
        xs, ys = (found["velocity"][k * slots + l * layer:k * slots + (l + 1) * layer] for k in (0, 1))
        expect(arrays[f"velocity_{l}"] == packed(zip(xs, ys, [0.0] * layer)), ("velocity", l, frame))
    for d, b, h in zip(found["depth"], found["base"], found["level"]):
        expect((math.isnan(d) and math.isnan(b) and math.isnan(h)) or (d >= 0 and abs(b + d - h) < 1e-6), (d, b, h))
    if volume is not None:
        total = math.fsum(d for d in found["depth"] if d > 0) * cell * cell
        expect(abs(total - volume) < 1e-6 * volume, (total, volume))
    return found


def doubles(*arguments):
    done = subprocess.run([READERS["read_grid"], *map(str, arguments)], capture_output=True)
    expect(done.returncode == 0, (arguments, done.stderr))
    return array.array("d", done.stdout)


def same(numbers, singles):
    return len(numbers) == len(singles) and all(a == b or (math.isnan(a) and math.isnan(b))
                                                for a, b in zip(numbers, singles))


def check_netcdf(folder, frames, cells, found):
    """found: arrays of check_columns by frame. Where the number of layers changes, there is another file."""
    nx, ny, _, cell = cells
    paths = sorted(folder.glob("run-*.nc"))
    first = [int(p.stem[-4:]) for p in paths]
    expect(first[0] == frames[0] and len(paths) == len({len(found[f]["depth"]) for f in frames}) > 1, paths)
    for path, begin, end in zip(paths, first, first[1:] + [frames[-1] + 1]):
        ours, one = [f for f in frames if begin <= f < end], len(found[begin]["depth"])
        expect(len(doubles(path, "time")) == len(ours) and len(doubles(path, "layer")) == one // (nx * ny), path)
        values = {name: doubles(path, name) for name in ("depth", "level", "base", "u", "v")}
        for i, frame in enumerate(ours):
            wanted = dict(found[frame], u=found[frame]["velocity"][:one], v=found[frame]["velocity"][one:])
            for name in values:
                expect(same(values[name][i * one:(i + 1) * one], wanted[name]), (path, name, frame))
    x = doubles(path, "x")
    expect(len(x) == nx and abs(x[0] - cell / 2) < 1e-12 and abs(x[-1] - (nx - 0.5) * cell) < 1e-9, x)
    for variable, attribute, wanted in (("", "Conventions", "CF-1.8"), ("depth", "units", "m"), ("u", "units", "m s-1"),
                                        ("time", "standard_name", "time"), ("x", "axis", "X")):
        told = subprocess.run([READERS["read_grid"], path, variable, attribute], capture_output=True, text=True)
        expect(told.stdout == wanted, (variable, attribute, told.stdout, told.stderr))


def check_geotiff(folder, frames, cells, found, times):
    """Of a run in which every frame was exported, so that maxima can be found again."""
    nx, ny, layers, cell = cells
    for l in range(layers):
        deepest, arrival = (doubles(folder / f"{name}-0000.tif", l + 1) for name in ("deepest", "arrival"))
        wanted = [0, cell, 0, ny * cell, 0, -cell]
        expect(all(abs(a - b) < 1e-12 for a, b in zip(deepest[:6], wanted)), deepest[:6])
        for y in range(ny):
            for x in range(nx):
                slot = (l * ny + y) * nx + x
                depths = [found[f]["depth"][slot] if slot < len(found[f]["depth"]) else math.nan for f in frames]
                there = [d for d in depths if not math.isnan(d)]
                most, came = deepest[6 + (ny - 1 - y) * nx + x], arrival[6 + (ny - 1 - y) * nx + x]
                if not there:
                    expect(math.isnan(most) and math.isnan(came), (l, y, x))
                    continue
                expect(most == max(there), (l, y, x, most, max(there)))
                first = next((t for t, d in zip(times, depths) if d > 0), None)
                expect(math.isnan(came) if first is None else abs(came - first) < 1e-6, (l, y, x, came, first))


# ---- Other readers ------------------------------------------------------------------------------------------------

def read_by_assimp(path):
    done = subprocess.run([READERS["read_mesh"], path], capture_output=True)
    expect(done.returncode == 0, (path, done.stderr))
    data, at, meshes = done.stdout, 8, []
    count, channels = struct.unpack_from("<II", data)
    for _ in range(count):
        length, = struct.unpack_from("<I", data, at)
        name = data[at + 4:at + 4 + length].decode()
        vertices, normals, faces = struct.unpack_from("<III", data, at + 4 + length)
        at += 16 + length
        parts = []
        for size in (12 * vertices, 12 * normals, 12 * faces):
            parts.append(data[at:at + size])
            at += size
        meshes.append((name, *parts))
    return channels, meshes


def by_corner(values, corners):
    return [values[12 * i:12 * i + 12] for i, in struct.iter_unpack("<I", corners)]


def test_assimp(folder, frame):
    name = f"surface-{frame:04d}"
    ply = read_ply(folder / f"{name}.ply")
    expect(column(ply, "x")[0] not in b"\r\n", "assimp 5.2 takes a first byte that looks like the end of a line for one")
    _, [(_, points, normals, corners)] = read_by_assimp(folder / f"{name}.ply")
    expect((points, normals, corners) == (column(ply, "x", "y", "z"), column(ply, "nx", "ny", "nz"), indices(ply)), "ply")
    # glTF's y is up; each corner of an OBJ becomes a vertex of its own.
    _, [(material, points, normals, corners)] = read_by_assimp(folder / f"{name}.glb")
    expect((points, normals, corners) == (upright(ply, "x", "y", "z"), upright(ply, "nx", "ny", "nz"), indices(ply)), "glb")
    expect(material == "liquid", material)
    _, [(material, points, normals, corners)] = read_by_assimp(folder / f"{name}.obj")
    expect(material == "liquid" and len(corners) == 12 * len(ply.triangles), (material, len(corners)))
    for a, b in zip(by_corner(points, corners), by_corner(upright(ply, "x", "y", "z"), indices(ply))):
        expect(math.dist(struct.unpack("<3f", a), struct.unpack("<3f", b)) < 1e-6, (a, b))  # its decimals are not exact
    channels, meshes = read_by_assimp(folder / "run-0000.glb")
    expect(channels == len(meshes) == 2, (channels, len(meshes)))


VTK_SCRIPT = """
import sys, vtk
for path in sys.argv[1:]:
    reader = vtk.vtkXMLPolyDataReader() if path.endswith("vtp") else vtk.vtkXMLImageDataReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    fields = data.GetPointData() if path.endswith("vtp") else data.GetCellData()
    out = sys.stdout.buffer
    out.write(b"%d %d %d\\n" % (reader.GetErrorCode(), data.GetNumberOfPoints(), data.GetNumberOfCells()))
    for name in ("opacity", "velocity", "depth_0", "velocity_0"):
        if fields.HasArray(name): out.write(memoryview(fields.GetArray(name)))
    if path.endswith("vtp"): out.write(memoryview(data.GetPoints().GetData()))
"""


def test_vtk(folder, frame):
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import vtk"], capture_output=True).returncode == 0:
            break
    else:
        sys.exit("there is no VTK: tools/setup readers")
    def read(name):
        done = subprocess.run([python, "-c", VTK_SCRIPT, str(folder / name)], capture_output=True)
        expect(done.returncode == 0, done.stderr)
        head, values = done.stdout.split(b"\n", 1)
        return tuple(map(int, head.split())), values
    ply = read_ply(folder / f"surface-{frame:04d}.ply")
    head, values = read(f"surface-{frame:04d}.vtp")
    expect(head == (0, len(ply.vertices), len(ply.triangles)), head)
    expect(values == column(ply, "opacity") + column(ply, "vx", "vy", "vz") + column(ply, "x", "y", "z"), "VTK reads")
    _, arrays = read_vtk(folder / f"columns-{frame:04d}.vti")
    head, values = read(f"columns-{frame:04d}.vti")
    expect(head[0] == 0 and values == arrays["depth_0"] + arrays["velocity_0"], "VTK reads columns")


def test_blender(folder):
    blender = shutil.which("blender")
    expect(blender, "there is no Blender: tools/setup readers")
    done = subprocess.run([blender, "-b", "--factory-startup", "--python-exit-code", "3", "-P",
                           f"{SOURCE}/tools/blender-load", "--", str(folder), "--save", str(folder / "run.blend"),
                           "--report"], capture_output=True, text=True)
    expect(done.returncode == 0, done.stdout + done.stderr)
    report = json.loads(next(l for l in done.stdout.splitlines() if l.startswith("{")))
    expect((folder / "run.blend").exists(), "blender-load --save")
    for frame, (faces, material) in report["frames"].items():
        ply = read_ply(folder / f"surface-{int(frame):04d}.ply")
        expect(faces == len(ply.triangles) and (material == "liquid" or not faces), (frame, faces, material))
    expect(len(report["frames"]) > 2 and report["attributes"] == ["opacity", "velocity"], report)
    expect(report["ground"] > 0, report)


# ---- Runs ---------------------------------------------------------------------------------------------------------

def test_all_kinds(top):
    folder, kinds = top / "all", ["ply,obj,glb", "gltf,usda,vtp,vti,npy"]
    if "read_grid" in READERS:
        kinds.append("nc,tif")
    early = "solids.0.path=[[0.1, 0.6, 0.48, 0.1], [0.2, 0.6, 0.48, 0.42]]"
    coarse = ["--set", "grid.cells=[96, 48]", "--set", "grid.cell=0.02"]
    done = run(folder, "rising-gate", "--frames", "8", "--json", *coarse, "--set", early, *[a for k in kinds for a in ("--export", k)])
    told = json.loads(done.stdout)
    frames, grid = list(range(9)), told["grid"]
    expect(told["exports"]["kinds"] == ",".join(kinds).split(",") and told["exports"]["frames"] == 9, told["exports"])
    expect(not list(folder.glob("*.part")), sorted(folder.iterdir()))
    for name in sorted(p.stem for p in folder.glob("*-*.ply")):
        check_glb(folder, name)
        check_vtp(folder, name)
    expect(len(list(folder.glob("terrain-*.ply"))) > 2, "the gate does not move")
    check_played(folder, frames, told["simulated_s"] / 8)
    usd = check_usda(folder / "run-0000.usda", folder, frames)
    expect(usd.metadata["metersPerUnit"] == 1 and usd.metadata["upAxis"] == "Z", usd.metadata)
    expect(usd.metadata["endTimeCode"] == 8 and usd.metadata["startTimeCode"] == 0, usd.metadata)
    expect(abs(usd.metadata["timeCodesPerSecond"] - 8 / told["simulated_s"]) < 1e-6, usd.metadata)
    listed = read_pvd(folder / "surface-0000.pvd")
    expect([f for _, part, f in listed if part == 0] == [f"surface-{i:04d}.vtp" for i in frames], listed)
    expect(len({f for _, part, f in listed if part == 1}) > 2, listed)
    times = [t for t, _, _ in read_pvd(folder / "columns-0000.pvd")]
    expect(len(times) == 9 and abs(times[-1] - told["simulated_s"]) < 1e-9, times)
    cells = (grid["cells_x"], grid["cells_y"], grid["layers"], grid["cell_m"])
    found = {f: check_columns(folder, f, cells, told["volume"]["present_m3"] if f == 8 else None) for f in frames}
    if "read_grid" in READERS:
        check_netcdf(folder, frames, cells, found)
        check_geotiff(folder, frames, cells, found, times)
    if "RUNNEL_READERS" in os.environ:  # in make nightly: they are large
        test_vtk(folder, 8)
        test_blender(folder)
    # Another run takes all of it away.
    run(folder, "rising-gate", "--frames", "1")
    left = sorted(p.name for p in folder.iterdir())
    expect(left == ["ledger.csv", "run.blend", "summary.json"] or left == ["ledger.csv", "summary.json"], left)


def test_units(top):
    """Millimetres with y up: exact multiples, turned, in PLY, OBJ and USD alike; glTF stays as it is."""
    run(top / "m", "spill", *SMALL, "--export", "ply,obj,glb,gltf", "--export-at-end")
    if "read_mesh" in READERS:
        test_assimp(top / "m", 12)
    run(top / "mm", "spill", *SMALL, "--export", "ply,usda,glb", "--export-at-end", "--export-unit", "mm", "--export-up",
        "y")
    names = sorted(p.name for p in (top / "mm").glob("*.ply"))
    expect(names == ["surface-0012.ply", "terrain-0012.ply"], names)
    expect((top / "m" / "surface-0012.glb").read_bytes() == (top / "mm" / "surface-0012.glb").read_bytes(), "glb")
    metres, turned = (read_ply(top / d / "surface-0012.ply") for d in ("m", "mm"))
    single = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
    for a, b in zip(metres.vertices, turned.vertices):
        expect(b[:3] == (single(1000 * a[0]), single(1000 * a[2]), single(-1000 * a[1])), (a, b))
        expect(b[3:6] == (a[3], a[5], -a[4]) and b[6] == a[6], (a, b))
        expect(b[7:10] == (single(1000 * a[7]), single(1000 * a[9]), single(-1000 * a[8])), (a, b))
    usd = check_usda(top / "mm" / "run-0000.usda", top / "mm", [12])
    expect(usd.metadata["metersPerUnit"] == 0.001 and usd.metadata["upAxis"] == "Y", usd.metadata)


def test_listed_bodies(top):
    """The list for ParaView holds bodies, where there are any, beside the liquid and the ground."""
    box = '{"shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "motion": "scripted", "path": [[0, 0.3, 0.48, 0.3]]}'
    run(top / "bodies", "rising-gate", "--frames", "2", "--set", "grid.cells=[96, 48]", "--set", "grid.cell=0.02", "--set", f"bodies=[{box}]", "--export", "vtp")
    listed = read_pvd(top / "bodies" / "surface-0000.pvd")
    for part, name in enumerate(("surface", "terrain", "bodies")):
        files = [f for _, p, f in listed if p == part]
        expect(len(files) == 3 and all(f.startswith(name) and (top / "bodies" / f).exists() for f in files), listed)


def test_drawn_bodies(top):
    """Exports show what bodies and their copies are drawn as; the liquid meets their shape."""
    body = {"shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "motion": "scripted", "path": [[0, 0.1, 0.3, 0.05], [1, 0.3, 0.3, 0.05]],
            "copies": {"count": [2, 1, 1], "step": [0.5, 0, 0]}}
    hull = {"type": "hull", "points": [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0.1, 0.1, 0.2]]}
    hashes = []
    for name, bodies, triangles in (("plain", body, 12), ("drawn", {**body, "drawn": hull}, 4)):
        done = run(top / name, "rising-gate", "--frames", "4", "--set", "grid.cells=[96, 48]", "--set", "grid.cell=0.02",
                   "--set", f"bodies={json.dumps([bodies])}", "--export", "ply", "--hash")
        expect(len(read_ply(top / name / "bodies-0004.ply").triangles) == 2 * triangles, name)
        hashes.append([line for line in done.stdout.splitlines() if line.startswith("hash ")])
    expect(len(hashes[0]) == 1 and hashes[0] == hashes[1], hashes)


def check_left(folder):
    """What a run has left that did not end as it should: whole files of whole frames."""
    count = 0
    for path in folder.iterdir():
        kind = path.suffix[1:]
        if kind == "part":
            continue
        count += 1
        if kind == "ply":
            read_ply(path)
        elif kind == "glb":
            read_glb(path)
        elif kind in ("vtp", "vti"):
            read_vtk(path)
        elif kind == "npy":
            read_npy(path)
        elif kind == "pvd":
            read_pvd(path)
        elif kind == "usda":
            points = Usda(path).prims["run"]["prims"]["liquid"]["attributes"]["points.timeSamples"]
            expect(len(points) > 0, path)
        elif kind == "nc" and "read_grid" in READERS:
            one = len(doubles(path, "y")) * len(doubles(path, "x")) * len(doubles(path, "layer"))
            frames = len(doubles(path, "time"))
            expect(len(doubles(path, "depth")) == frames * one, path)
    return count


ALL = "ply,glb,gltf,usda,vtp,vti,npy" + (",nc" if "read_grid" in READERS else "")


def test_interrupted(top):
    """Ctrl-C: everything is finished. Going on leaves it alone."""
    folder = top / "stopped"
    command = [RUNNEL, "run", "--no-render", "--out", str(folder), "spill", "--frames", "100000", *SMALL[2:], "--export",
               ALL, "--export-every", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (folder / "surface-0006.ply").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate()
    expect(process.returncode == 130, (process.returncode, errors))
    frames = sorted(int(p.stem[-4:]) for p in folder.glob("surface-*.ply"))
    expect(frames == list(range(0, frames[-1] + 1, 2)) and not list(folder.glob("*.part")), frames)
    check_left(folder)
    check_usda(folder / "run-0000.usda", folder, frames[-2:])
    expect(len([f for _, part, f in read_pvd(folder / "surface-0000.pvd") if part == 0]) == len(frames), "pvd")
    expect(f"--export {ALL} --export-every 2" in out, out)
    last = json.loads((folder / "summary.json").read_text())["frames"]
    before = (folder / "run-0000.glb").read_bytes()
    on = subprocess.run([RUNNEL, "run", "--no-render", "--resume", str(folder / "checkpoint.rnl"), "--frames",
                         str(last + 4), "--export", ALL, "--export-every", "2"], capture_output=True, text=True)
    expect(on.returncode == 0, on.stderr)
    expect((folder / "run-0000.glb").read_bytes() == before, "a run that goes on writes over the first part")
    more = sorted(int(p.stem[-4:]) for p in folder.glob("surface-*.ply") if int(p.stem[-4:]) >= last)
    check_usda(folder / f"run-{last:04d}.usda", folder, more)
    check_left(folder)


def test_killed(top):
    folder = top / "killed"
    command = [RUNNEL, "run", "--no-render", "--out", str(folder), "spill", "--frames", "10", *SMALL[2:], "--export", ALL]
    environment = dict(os.environ, LD_PRELOAD=SHIM, FAULT="kill:0", FAULT_COUNT=str(top / "count"))
    if subprocess.run(command, capture_output=True, env=environment).returncode != 0:
        print("skipped: kill -9, as the shim cannot be used here")
        return
    calls = int((top / "count").read_text())
    expect(calls > 100, calls)
    left = []
    for i in range(1, 9):
        shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run(command, capture_output=True, env=dict(environment, FAULT=f"kill:{calls * i // 9}"))
        expect(done.returncode == -signal.SIGKILL, (i, done.returncode, done.stderr))
        left.append(check_left(folder))
        # At least half of the frames are in files that hold them all.
        frames = len(list(folder.glob("columns-*.vti")))
        if frames > 2:
            points = Usda(folder / "run-0000.usda").prims["run"]["prims"]["liquid"]["attributes"]["points.timeSamples"]
            expect(2 * len(points) >= frames - 1, (frames, len(points)))
    expect(left == sorted(left) and left[-1] > 40, left)
    run(folder, "spill", "--frames", "1")
    expect(not list(folder.glob("*.part")) and not list(folder.glob("*.vti")), sorted(folder.iterdir()))


def test_full(top):
    """A file that may not grow any more, which a full disk looks like."""
    for kind, limit in (("usda", 3), ("gltf", 2), ("vtp", 0.3), ("npy", 0.02), ("nc", 1)):
        if kind not in ALL:
            continue
        folder = top / f"full-{kind}"
        def restrict():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit * 1e6), int(limit * 1e6)))
        done = run(folder, "spill", "--frames", "60", *SMALL[2:], "--export", kind, status=2, preexec_fn=restrict,
                   restore_signals=False)
        expect("cannot be written" in done.stderr and str(folder) in done.stderr and done.stderr.count("written") == 1,
               (kind, done.stderr))
        expect(not list(folder.glob("*.part")), (kind, sorted(folder.iterdir())))
        check_left(folder)
        if kind in ("usda", "gltf"):
            expect(list(folder.glob("run-0000.*")), f"{kind}: nothing was kept")


def test_refused(top):
    for arguments, sentence in (
            (["--export", "ply,stl"], '"stl" is not a kind'), (["--export", "ply,"], '"" is not a kind'),
            (["--export-unit", "mm"], "has no effect without --export"),
            (["--export", "ply", "--export-unit", "foot"], "must be m, cm or mm"),
            (["--export", "ply", "--export-up", "x"], "must be y or z"),
            (["--export", "glb,vti", "--export-unit", "mm"], "it is for ply, obj, usda"),
            (["--export", "ply", "--export-every", "2", "--export-at-end"], "not both")):
        done = run(top / "no", "spill", *arguments, status=2)
        expect(sentence in done.stderr and done.stderr.count("\n") == 1, (arguments, done.stderr))
        expect(not (top / "no").exists(), arguments)


def test_pages():
    """What help says of kinds stands in the page about them."""
    text = subprocess.run([RUNNEL, "run", "--help"], capture_output=True, text=True).stdout
    lines = text[text.index("--export KINDS"):text.index("--export-every")].splitlines()[1:]
    page = (pathlib.Path(SOURCE) / "docs/exports.md").read_text()
    expect(len(lines) == 11 or len(lines) == 10, lines)
    for line in (l for l in lines if l.strip() and not l.strip().startswith("--")):
        expect(f"| `{line.split()[0]}` |" in page, f"docs/exports.md has no row for {line.split()[0]}")


def main():
    with tempfile.TemporaryDirectory() as top:
        top = pathlib.Path(top)
        test_refused(top)
        test_all_kinds(top)
        test_units(top)
        test_listed_bodies(top)
        test_drawn_bodies(top)
        test_full(top)
        test_killed(top)
        test_interrupted(top)
    test_pages()


main()
