"""Meshes that `runnel run --export` writes, read by other means: test_export.py RUNNEL"""
import collections
import math
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

from mesh_files import expect, read_obj, read_ply

RUNNEL = sys.argv[1]


def check_mesh(mesh, path):
    count = len(mesh.vertices)
    seen = set()
    for t in mesh.triangles:
        expect(all(0 <= i < count for i in t) and len(set(t)) == 3, (path, t))
        expect(frozenset(t) not in seen, f"{path} has {t} twice")
        seen.add(frozenset(t))
    expect({i for t in mesh.triangles for i in t} == set(range(count)), f"{path} has vertices that no triangle uses")
    for v in mesh.vertices:
        expect(all(math.isfinite(x) for x in v), (path, v))
        expect(abs(math.dist(v[3:6], (0, 0, 0)) - 1) < 1e-3, f"{path}: the normal of {v} has another length")


def edges_of(mesh):
    edges = collections.Counter()
    for a, b, c in mesh.triangles:
        edges.update(((a, b), (b, c), (c, a)))
    return edges


def volume_of(mesh):
    total = 0
    for t in mesh.triangles:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (mesh.vertices[i][:3] for i in t)
        total += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    return total / 6


def run(folder, *arguments, status=0):
    command = [RUNNEL, "run", "--no-render", "--out", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == status, (command, done.returncode, done.stderr))
    return done


def names_in(folder, ending):
    return sorted(p.name for p in folder.iterdir() if p.name.endswith(ending))


def test_scene(top, scene, frames, terrains):
    folder = top / scene
    run(folder, scene, "--frames", str(frames), "--every", "10", "--export", "ply")
    shown = [f"surface-{i:04d}.ply" for i in range(0, frames + 1, 10)]
    found = names_in(folder, ".ply")
    expect([n for n in found if n.startswith("surface")] == shown, found)
    expect(len([n for n in found if n.startswith("terrain")]) == terrains, found)
    expect("terrain-0000.ply" in found and not names_in(folder, ".part"), found)
    for name in found:
        mesh = read_ply(folder / name)
        check_mesh(mesh, name)
        if name.startswith("terrain"):
            expect(mesh.names == ["x", "y", "z", "nx", "ny", "nz", "red", "green", "blue"] and len(mesh.triangles) > 1000, name)
            edges = edges_of(mesh)
            expect(all(edges[b, a] == n for (a, b), n in edges.items()), f"{scene}/{name} is not closed")
            expect(volume_of(mesh) > 0, name)
        elif name.startswith("bodies"):
            expect(mesh.names == ["x", "y", "z", "nx", "ny", "nz", "id", "red", "green", "blue"] and mesh.triangles, name)
        else:
            expect(mesh.names == ["x", "y", "z", "nx", "ny", "nz", "opacity", "vx", "vy", "vz", "id", "red", "green", "blue"],
                   mesh.names)
            expect(all(0 <= v[6] <= 1 for v in mesh.vertices), f"{name}: opacity")
            expect(len({v[10] for v in mesh.vertices}) == len(mesh.vertices), f"{name}: ids")
            expect(all(n == 1 for n in edges_of(mesh).values()), f"{name}: sides")
    return read_ply(folder / shown[-1])


def test_choppy(top):
    """Choppiness moves vertices sideways, and nothing else: the same triangles, heights, flow and checkpoint."""
    meshes, states = [], []
    for choppiness in ("0", "0.4"):
        folder = top / f"choppy-{choppiness}"
        done = run(folder, "choppy", "--set", "grid={\"cells\": [60, 60], \"cell\": 0.2}", "--set",
                   f"view.choppiness={choppiness}", "--frames", "30", "--export", "ply", "--export-at-end", "--hash")
        meshes.append(read_ply(folder / "surface-0030.ply"))
        states.append([line for line in done.stdout.splitlines() if line.startswith("hash ")])
        check_mesh(meshes[-1], folder)
    plain, moved = meshes
    expect(states[0] == states[1] and states[0], states)
    expect(plain.triangles == moved.triangles, "other triangles")
    pairs = list(zip(plain.vertices, moved.vertices))
    expect(all(a[2] == b[2] and a[6:] == b[6:] for a, b in pairs), "more than x, y and the normal has changed")
    expect(max(math.dist(a[:2], b[:2]) for a, b in pairs) > 0.02, "nothing has moved")


def main():
    with tempfile.TemporaryDirectory() as top:
        top = pathlib.Path(top)
        last = test_scene(top, "spill", 30, 1)
        expect(len(last.triangles) > 1000, "little was spilt")
        test_scene(top, "three-layers", 20, 1)
        test_scene(top, "rising-gate", 30, 3)  # a gate that moves
        test_scene(top, "sculpt", 30, 3)  # and a ground that is dug
        test_choppy(top)

        # Both kinds say the same; a run of the other kind takes the first one's files away.
        plys = {n: read_ply(top / "spill" / n) for n in ("surface-0030.ply", "terrain-0000.ply")}
        run(top / "spill", "spill", "--frames", "30", "--every", "10", "--export", "obj", "--threads", "3")
        expect(not names_in(top / "spill", ".ply"), "old files are left")
        for name, ply in plys.items():
            obj = read_obj(top / "spill" / name.replace(".ply", ".obj"))
            expect(obj.triangles == ply.triangles, name)
            expect(len(obj.vertices) == len(ply.vertices), name)
            for a, b in zip(obj.vertices, ply.vertices):
                upright = (b[0], b[2], -b[1], b[3], b[5], -b[4])  # y is up in an OBJ
                expect(struct.pack("6f", *a) == struct.pack("6f", *upright), (name, a, b))
        run(top / "flat", "spill", "--frames", "1", "--export", "obj", "--export-up", "z")
        flat = read_obj(top / "flat" / "terrain-0000.obj")
        for a, b in zip(flat.vertices, plys["terrain-0000.ply"].vertices):
            expect(struct.pack("3f", *a[:3]) == struct.pack("3f", *b[:3]), ("z may be up too", a, b))

        # A run that goes on keeps what the first part wrote.
        run(top / "on", "spill", "--frames", "10", "--export", "ply", "--every", "5", "--checkpoint", "10")
        before = (top / "on" / "surface-0005.ply").read_bytes()
        done = subprocess.run([RUNNEL, "run", "--no-render", "--resume", str(top / "on" / "checkpoint.rnl"), "--frames",
                               "20", "--export", "ply", "--every", "5"], capture_output=True, text=True)
        expect(done.returncode == 0, done.stderr)
        expect((top / "on" / "surface-0005.ply").read_bytes() == before, "a resumed run")
        expect([n for n in names_in(top / "on", ".ply") if n.startswith("surface")] ==
               [f"surface-{i:04d}.ply" for i in range(0, 21, 5)], names_in(top / "on", ".ply"))

        # Refused, with a sentence.
        refused = run(top / "no", "spill", "--frames", "1", "--export", "stl", status=2)
        expect("the kinds are ply, obj, glb, gltf, usda, vtp, vti, npy, nc and tif" in refused.stderr, refused.stderr)
        expect(not (top / "no").exists(), "a folder was made for nothing")

        # Another reader, where there is one.
        if shutil.which("assimp"):
            for name, ply in plys.items():
                path = top / "spill" / name.replace(".ply", ".obj")
                told = subprocess.run(["assimp", "info", str(path)], capture_output=True, text=True)
                faces = [l.split()[1] for l in told.stdout.splitlines() if l.startswith("Faces:")]
                expect(faces == [str(len(ply.triangles))], told.stdout + told.stderr)
            told = subprocess.run(["assimp", "info", str(top / "three-layers" / "terrain-0000.ply")],
                                  capture_output=True, text=True)
            expect(told.returncode == 0 and "Faces:" in told.stdout, told.stdout + told.stderr)


main()
