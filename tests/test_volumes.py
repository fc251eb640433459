#!/usr/bin/env python3
"""Volumes that other programs wrote: nibabel (NIfTI 1 and 2, Analyze) and teem's unu (NRRD, in all its encodings).

usage: test_volumes.py MEASURE_VOLUME    77 if one of them is not installed
"""
import importlib.util
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

measure = pathlib.Path(sys.argv[1]).resolve()
RADIUS, CENTRE = 9.0, (3.0, -17.0, 120.0)  # mm; right, front, head
SPACING, CELLS = (0.8, 0.6, 1.3), (32, 42, 22)
TURN = 0.5  # rad, about the axis to the head
SYSTEM_PYTHON = "/usr/bin/python3"  # whose packages tools/setup installs, whatever python3 is
checked, missing = 0, []


def rows():
    c, s = math.cos(TURN), math.sin(TURN)
    turn = ((c, -s, 0), (s, c, 0), (0, 0, 1))
    matrix = [[turn[i][j] * SPACING[j] for j in range(3)] for i in range(3)]
    return [row + [CENTRE[i] + 0.2 - sum(row[j] * (CELLS[j] - 1) / 2 for j in range(3))] for i, row in enumerate(matrix)]


def samples():
    """300 at the surface of a ball, falling outwards, x fastest."""
    place = rows()
    for z in range(CELLS[2]):
        for y in range(CELLS[1]):
            for x in range(CELLS[0]):
                at = [row[0] * x + row[1] * y + row[2] * z + row[3] for row in place]
                yield 300 + 40 * (RADIUS - math.dist(at, CENTRE))


def check(path, *wanted, **facts):
    global checked
    run = subprocess.run([measure, path, *map(str, wanted or [300])], capture_output=True, text=True)
    if run.returncode == 77:
        return
    assert run.returncode == 0, f"{path}: {run.stderr}"
    found = json.loads(run.stdout)
    volume = 4 / 3 * math.pi * RADIUS**3
    assert abs(found["volume"] - volume) < 0.015 * volume, (path, found, volume)
    if facts.get("oriented", True):
        assert math.dist(found["centre"], CENTRE) < 0.1, (path, found)
    for key, value in facts.items():
        assert found[key] == value, (path, key, found)
    checked += 1


def nifti(folder):
    try:
        import nibabel
        import numpy
    except ImportError:
        missing.append("nibabel")
        return
    affine = numpy.eye(4)
    affine[:3] = rows()
    data = numpy.fromiter(samples(), float).reshape(CELLS, order="F")
    for kind in nibabel.Nifti1Image, nibabel.Nifti2Image, nibabel.Nifti1Pair:
        for number in numpy.int16, numpy.float32, numpy.float64, numpy.int32:
            image = kind(data.astype(number), affine)
            image.header.set_xyzt_units("mm")
            ends = [".img"] if kind is nibabel.Nifti1Pair else [".nii", ".nii.gz"]
            for end in ends:
                path = folder / f"{kind.__name__}-{number.__name__}{end}"
                nibabel.save(image, path)
                check(path, format="NIfTI", oriented=True, unit=0.001)
                if end == ".img":
                    check(path.with_suffix(".hdr"))
    only_q = nibabel.Nifti1Image(data.astype(numpy.float32), affine)
    only_q.set_sform(None, 0)
    only_q.set_qform(affine, 1)
    nibabel.save(only_q, folder / "qform.nii")
    check(folder / "qform.nii", oriented=True)
    mirrored = affine @ numpy.diag([-1.0, 1, 1, 1])  # radiological: x from right to left
    mirrored[:3, 3] += affine[:3, 0] * (CELLS[0] - 1)
    nibabel.save(nibabel.Nifti1Image(data[::-1].astype(numpy.float32), mirrored), folder / "mirrored.nii")
    check(folder / "mirrored.nii")
    analyze = nibabel.Spm99AnalyzeImage(data.astype(numpy.int16), numpy.diag(list(SPACING) + [1]))
    nibabel.save(analyze, folder / "analyze.img")
    check(folder / "analyze.img", oriented=False)
    labels = nibabel.Nifti1Image(numpy.where(data > 300, 12, 5).astype(numpy.uint8), affine)
    nibabel.save(labels, folder / "labels.nii.gz")
    check(folder / "labels.nii.gz", "labels", 12)
    series = nibabel.Nifti1Image(numpy.stack([data, data * 0], axis=3).astype(numpy.float32), affine)
    nibabel.save(series, folder / "series.nii.gz")
    check(folder / "series.nii.gz", volumes=2)


def nrrd(folder):
    unu = shutil.which("teem-unu") or shutil.which("unu")
    if not unu:
        missing.append("unu")
        return
    if "-e" not in subprocess.run([unu, "save"], capture_output=True, text=True).stdout:
        print("volumes: that unu is another")
        return
    (folder / "plain.raw").write_bytes(b"".join(struct.pack("<f", value) for value in samples()))
    for space, signs in ("RAS", (1, 1, 1)), ("LPS", (-1, -1, 1)), ("LAS", (-1, 1, 1)):
        place = [[sign * value for value in row] for sign, row in zip(signs, rows())]
        column = lambda j: "(%.12g,%.12g,%.12g)" % tuple(row[j] for row in place)
        (folder / "plain.nhdr").write_text(
            f"NRRD0005\ntype: float\ndimension: 3\nsizes: {CELLS[0]} {CELLS[1]} {CELLS[2]}\nencoding: raw\nendian: little\n"
            f"space: {space}\nspace directions: {column(0)} {column(1)} {column(2)}\nspace origin: {column(3)}\n"
            "data file: plain.raw\n")
        for encoding in "raw", "ascii", "hex", "gzip", "bzip2":
            for kind in "float", "short", "double", "int":
                if encoding == "hex" and kind in ("double", "int"):
                    continue
                path = folder / f"{space}-{kind}-{encoding}.nrrd"
                subprocess.run(f"{unu} convert -t {kind} -i plain.nhdr | {unu} save -f nrrd -e {encoding} -o {path.name}",
                               shell=True, check=True, cwd=folder)
                check(path, format="NRRD", oriented=True, unit=0.001)
        subprocess.run([unu, "save", "-f", "nrrd", "-e", "gzip", "-i", "plain.nhdr", "-o", "apart.nhdr"], check=True, cwd=folder)
        check(folder / "apart.nhdr")


if not importlib.util.find_spec("nibabel") and sys.executable != SYSTEM_PYTHON and os.path.exists(SYSTEM_PYTHON):
    os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
with tempfile.TemporaryDirectory() as scratch:
    nifti(pathlib.Path(scratch))
    nrrd(pathlib.Path(scratch))
print(f"volumes: {checked} files read" + "".join(f"; there is no {name}: tools/setup" for name in missing))
sys.exit(77 if missing else 0)
