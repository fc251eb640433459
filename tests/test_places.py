"""Where runs lie on a map: test_places.py RUNNEL [READ_GRID]

An elevation model goes in, and the files of the run say that the water is where the model is."""
import array
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from mesh_files import expect, read_vtk

RUNNEL, READ_GRID = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
UTM = ('PROJCS["WGS_1984_UTM_Zone_13N",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],'
       'PRIMEM["Greenwich",0],UNIT["Degree",0.017453292519943295]],PROJECTION["Transverse_Mercator"],'
       'PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",-105],PARAMETER["scale_factor",0.9996],'
       'PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["Meter",1]]')
WEB = ('PROJCS["WGS 84 / Pseudo-Mercator",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],'
       'PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Mercator_1SP"],PARAMETER["central_meridian",0],'
       'PARAMETER["scale_factor",1],PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1]]')
GLOBE = ('GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],'
         'PRIMEM["Greenwich",0],UNIT["Degree",0.017453292519943295]]')


def runnel(*arguments, status=0):
    done = subprocess.run([RUNNEL, *map(str, arguments)], capture_output=True, text=True)
    expect(done.returncode == status, (arguments, done.returncode, done.stderr))
    return done


def write_dem(name, west, south, cell, system, columns=24, rows=16, word="corner"):
    heights = "\n".join(" ".join(str(1700 + x + 2 * y) for x in range(columns)) for y in range(rows))
    pathlib.Path(f"{name}.asc").write_text(f"ncols {columns}\nnrows {rows}\nxll{word} {west!r}\nyll{word} {south!r}\n"
                                           f"cellsize {cell!r}\nNODATA_value -9999\n{heights}\n")
    if system:
        pathlib.Path(f"{name}.prj").write_text(system)


def kinds():
    """Those that this build can write."""
    text = runnel("run", "--help").stdout
    return [k for k in ("ply", "obj", "vtp", "vti", "nc", "tif") if re.search(rf"\n +{k} .*not in this build", text) is None]


def export(scene, *options):
    """Runs a scene for two frames, and gives its summary."""
    shutil.rmtree("run", ignore_errors=True)
    return json.loads(runnel("run", scene, "--frames", 2, "--no-render", "--json", "--export", ",".join(kinds()),
                             "--out", "run", *options).stdout)


def inspect(file, *options):
    return json.loads(runnel("inspect", file, "--no-render", "--json", *options).stdout)


def read_grid(*arguments):
    return subprocess.run([READ_GRID, *map(str, arguments)], capture_output=True, check=True).stdout


def transform_of(path):
    return list(array.array("d", read_grid(path, 1))[:6])


def close(found, wanted, most=1e-6):
    return len(found) == len(wanted) and all(abs(a - b) <= most for a, b in zip(found, wanted))


def check_rasters(transform, words, most=1e-6):
    """transform: of the whole raster, as GDAL has it."""
    if not READ_GRID:
        return
    expect(close(transform_of("run/deepest-0000.tif"), transform, most), (transform_of("run/deepest-0000.tif"), transform))
    x, y = (array.array("d", read_grid("run/run-0000.nc", axis)) for axis in "xy")
    expect(abs(x[0] - (transform[0] + transform[1] / 2)) < most, (x[0], transform))
    expect(abs(x[1] - x[0] - transform[1]) < most, (x[:2], transform))
    expect(abs(y[-1] - (transform[3] + transform[5] / 2)) < most, (y[-1], transform))
    for text in (read_grid("run/deepest-0000.tif", "crs").decode(), words and read_grid("run/run-0000.nc", "crs", "crs_wkt").decode()):
        expect(all(word in text for word in words), (words, text))
    if shutil.which("gdalinfo"):
        for path in ("run/deepest-0000.tif", "NETCDF:run/run-0000.nc:depth"):
            done = subprocess.run(["gdalinfo", "-json", path], capture_output=True, text=True)
            if done.returncode:
                continue  # GDAL without NetCDF
            told = json.loads(done.stdout)
            expect(close(told["geoTransform"], transform, most), (path, told["geoTransform"], transform))
            expect(all(word in told.get("coordinateSystem", {}).get("wkt", "") for word in words), (path, words))


def vtk_points():
    tree, arrays = read_vtk(pathlib.Path("run/terrain-0000.vtp"))
    points = arrays["Points"]
    count = int(tree[0].find("Piece").get("NumberOfPoints"))
    numbers = array.array("d" if len(points) == 24 * count else "f", points)
    return [(min(numbers[k::3]), max(numbers[k::3])) for k in range(3)]


def check_survey():
    """The same grid goes out that came in, whether the file gives the corner of its first pixel or its middle."""
    transform = [476000.5, 10, 0, 4425000 + 160, 0, -10]
    for word, half in (("corner", 0), ("center", 5)):
        write_dem("dem", 476000.5 + half, 4425000.0 + half, 10.0, UTM, word=word)
        found = inspect("dem.asc")
        expect((found["grid"]["cells_x"], found["grid"]["cells_y"], found["grid"]["cell_m"]) == (24, 16, 10), found["grid"])
        run = export(found["files"]["scene"])
        check_rasters(transform, ["UTM", "-105"])
        if READ_GRID:
            name = read_grid("run/run-0000.nc", "crs", "grid_mapping_name").decode()
            expect(name == "transverse_mercator", name)
        place = run["georeference"]
        expect("UTM_Zone_13N" in place["crs"] and close(place["origin"], [476000.5, 4425000, 0]), place)
        expect(close(place["scale"], [1, 1]), place)
    grid = read_vtk(pathlib.Path("run/columns-0000.vti"))[0][0]
    expect(close([float(v) for v in grid.get("Origin").split()], [476000.5, 4425000, 0]), grid.attrib)
    (west, east), (south, north), (low, high) = vtk_points()
    expect(abs(west - 476000.5) < 6 and abs(east - 476240.5) < 6 and abs(south - 4425000) < 6, (west, east, south))
    expect(1670 < low < 1701 and abs(high - 1753) < 3, (low, high))  # the mesh has an underside
    expect(b"x and y of the map in m, heights in metres" in pathlib.Path("run/terrain-0000.vtp").read_bytes()[:200], "vtp")
    ply = pathlib.Path("run/surface-0001.ply").read_bytes()[:400].decode("latin1")
    expect("comment on the map: east = 476000.5 + 1 * x, north = 4425000 + 1 * y, height = 0 + 1 * z m\n" in ply, ply)
    obj = pathlib.Path("run/surface-0001.obj").read_text()[:400]
    expect("# on the map: east = 476000.5 + 1 * x, north = 4425000 - 1 * z, height = 0 + 1 * y m\n" in obj, obj)


def check_coarse():
    """Cells of other sizes begin at the same corner."""
    write_dem("dem", 476000.0, 4425000.0, 10.0, UTM)
    export(inspect("dem.asc", "--cell", 20)["files"]["scene"])
    check_rasters([476000, 20, 0, 4425160, 0, -20], ["UTM"])


def check_advice():
    """The --cell that is said to be one pixel is one, to the last column."""
    write_dem("wide", 0.0, 0.0, 7.1234567891, None, columns=1203, rows=8)
    said = [re.search(r"--cell (\S+) would be one", w) for w in inspect("wide.asc")["warnings"]]
    cell = next(found[1] for found in said if found)
    grid = inspect("wide.asc", "--cell", cell)["grid"]
    expect((grid["cells_x"], grid["cells_y"]) == (1203, 8), (cell, grid))


def check_feet():
    """Coordinates in feet are named so, whatever the unit of heights."""
    write_dem("feet", 1000.0, 2000.0, 10.0, UTM.replace('UNIT["Meter",1]', 'UNIT["Foot_US",0.3048006096012192]'))
    export(inspect("feet.asc")["files"]["scene"])
    check_rasters([1000, 10, 0, 2160, 0, -10], [])
    if READ_GRID:
        unit = read_grid("run/run-0000.nc", "x", "units").decode()
        expect(unit == "US_survey_foot", unit)


def check_lowest():
    """Heights above the lowest ground are heights on the map again, with an offset."""
    write_dem("dem", 476000.0, 4425000.0, 10.0, UTM)
    scene = {"grid": {"cells": [24, 16], "cell": 10, "origin": [1000, 0]}, "rain": [{"rate": 1e-4}], "frame_time": 1,
             "solid": {"type": "union", "at": [1000, 0, 0], "of": [
                 {"type": "heightmap", "file": "dem.asc", "origin": [5, 5], "datum": "lowest"},
                 {"type": "box", "size": [10, 10, 10], "at": [50, 50, 0]}]}}
    pathlib.Path("lowest.json").write_text(json.dumps(scene))
    place = export("lowest.json")["georeference"]
    expect(close(place["origin"], [475000, 4425000, 1700]), place)
    for stretched in ({"scale": 2}, {"fit": True, "at": [0, 0, 5], "exaggerate": 3}, {"exaggerate": 2}):
        shape = {"type": "heightmap", "file": "dem.asc", "origin": [5, 5], "datum": "lowest", **stretched}
        pathlib.Path("high.json").write_text(json.dumps({**scene, "solid": {"type": "union", "at": [0, 0, 7], "of": [shape]}}))
        place = export("high.json")["georeference"]
        expect(place["origin"][2] == 0, (stretched, place))
    told = runnel("run", "high.json", "--frames", 1, "--no-render", "--out", "run").stderr
    expect("not of the map" in told and "by 2" in told, told)
    export("lowest.json")
    check_rasters([476000, 10, 0, 4425160, 0, -10], ["UTM"])
    scene["solid"]["turn"] = [0, 0, 90]
    pathlib.Path("turned.json").write_text(json.dumps(scene))
    expect("georeference" not in export("turned.json"), "a rotated map has no place")


def check_mercator():
    """Metres of web maps are too long away from the equator. At 60 degrees two of them are one."""
    north = 6378137 * math.log(math.tan(math.radians(75)))
    write_dem("web", 1000000.0, north - 160, 20.0, WEB)
    found = inspect("web.asc")
    expect(abs(found["terrain"]["pixel_x_m"] - 10) < 0.001, found["terrain"])
    expect(any("stretches lengths" in w for w in found["warnings"]), found["warnings"])
    export(found["files"]["scene"])
    check_rasters([1000000, 20, 0, north + 160, 0, -20], ["Mercator"], 1e-5)


def check_refused():
    """Positions that are none on Earth, and pixels that no cell fits, are refused with the name of the file."""
    write_dem("far", 0.0, 1e10, 20.0, WEB)
    told = runnel("inspect", "far.asc", "--no-render", status=2).stderr
    expect("far.asc" in told and "equator" in told, told)
    for height in (1e4, 1e12):
        heights = "\n".join("1 2 3" for _ in range(4))
        pathlib.Path("oblong.asc").write_text(f"ncols 3\nnrows 4\nxllcorner 0\nyllcorner 0\ndx 0.001\ndy {height}\n{heights}\n")
        told = runnel("inspect", "oblong.asc", "--no-render", status=2).stderr
        expect("oblong.asc" in told and "cells" in told, told)


def check_degrees():
    """A globe: the domain of square cells covers the same ground."""
    write_dem("globe", 10.0, 60.0, 0.001, GLOBE)
    found = inspect("globe.asc")
    run = export(found["files"]["scene"])
    expect(close(run["georeference"]["origin"], [10, 60, 0], 1e-9), run["georeference"])
    if READ_GRID:
        found = transform_of("run/deepest-0000.tif")
        expect(close(found[:3], [10, 0.001, 0], 1e-9) and abs(found[3] - 60.016) < 1e-6, found)
        expect("longitude" == read_grid("run/run-0000.nc", "x", "standard_name").decode(), "x is a longitude")
    grid = read_vtk(pathlib.Path("run/columns-0000.vti"))[0][0]
    expect(close([float(v) for v in grid.get("Origin").split()], [0, 0, 0]), grid.attrib)


def check_key():
    """What a scene says itself wins."""
    write_dem("bare", 1000.0, 2000.0, 10.0, None)
    scene = inspect("bare.asc", "--out", ".")["scene"]  # it names its file as seen from here
    scene["georeference"] = {"crs": "EPSG:32613"}
    pathlib.Path("key.json").write_text(json.dumps(scene))
    expect(export("key.json")["georeference"] == {"crs": "EPSG:32613", "origin": [1000, 2000, 0], "scale": [1, 1]}, "crs")
    check_rasters([1000, 10, 0, 2160, 0, -10], ["UTM zone 13N"])
    export("key.json", "--set", "georeference.origin=[5000, 7000, 3]")
    check_rasters([5000, 10, 0, 7160, 0, -10], ["UTM zone 13N"])
    told = runnel("run", "key.json", "--set", "georeference.crs=utm", status=2).stderr
    expect("EPSG:32613" in told and "georeference" in told, told)
    told = runnel("run", "key.json", "--set", "georeference.crs=EPSG:4326", status=2).stderr
    expect("georeference.scale" in told and "degrees" in told, told)
    scene["solid"] = {"type": "plane"}
    pathlib.Path("nowhere.json").write_text(json.dumps(scene))
    told = runnel("run", "nowhere.json", status=2).stderr
    expect("georeference.origin" in told, told)


def check_mesh():
    """A mesh in the coordinates of a survey."""
    corners = [(i % 9, i // 9) for i in range(81)]
    lines = [f"v {476000 + 0.25 * x} {4425000 + 0.25 * y} {1700 + 0.125 * (x % 2)}" for x, y in corners]
    for i, (x, y) in enumerate(corners, 1):
        if x < 8 and y < 8:
            lines += [f"f {i} {i + 1} {i + 10}", f"f {i} {i + 10} {i + 9}"]
    pathlib.Path("survey.obj").write_text("\n".join(lines))
    found = inspect("survey.obj", "--unit", "m", "--up", "z")
    place = export(found["files"]["scene"])["georeference"]
    middle = [place["origin"][k] + 0.5 * found["grid"]["cell_m"] * found["grid"]["cells_" + "xy"[k]] for k in (0, 1)]
    expect(close(middle, [476001, 4425001], 0.01) and abs(place["origin"][2] - 1700) < 1e-6, (place, middle))


def check_geometry():
    """Another terrain takes the place of a scene's own only if it has about the same size."""
    pathlib.Path("small.json").write_text(json.dumps(
        {"grid": {"cells": [24, 16], "cell": 10}, "rain": [{"rate": 1e-4}],
         "solid": {"type": "heightmap", "file": "dem.asc", "fit": True}}))
    write_dem("dem", 0.0, 0.0, 10.0, None)
    write_dem("large", 0.0, 0.0, 700.0, None)
    run = ["run", "small.json", "--frames", 1, "--no-render", "--out", "run", "--geometry"]
    runnel(*run, "dem.asc")
    told = runnel(*run, "large.asc", status=2).stderr
    for words in ("1.68e+04 by 1.12e+04 m", "240 by 160 m", "runnel inspect", "spacing"):
        expect(words in told, (words, told))
    runnel(*run, "large.asc", "--set", "solid.spacing=10")
    write_dem("long", 0.0, 0.0, 700.0, None, columns=40, rows=8)
    runnel(*run, "long.asc", "--set", "solid.spacing=6")
    told = runnel(*run, "long.asc", "--set", "solid.fit=false", status=2).stderr
    expect("runnel inspect" in told and '"fit": true' in told, told)
    shutil.copy("large.asc", "same.asc")  # the domain is a window of a larger map, which may be replaced by its like
    pathlib.Path("window.json").write_text(json.dumps(
        {"grid": {"cells": [24, 16], "cell": 100}, "rain": [{"rate": 1e-4}], "solid": {"type": "heightmap", "file": "large.asc"}}))
    run[1] = "window.json"
    runnel(*run, "large.asc")
    runnel(*run, "same.asc")
    told = runnel(*run, "long.asc", status=2).stderr
    expect("the terrain of this scene is 1.68e+04 by 1.12e+04 m" in told, told)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for check in (check_survey, check_coarse, check_advice, check_feet, check_lowest, check_mercator, check_refused, check_degrees, check_key, check_mesh,
                      check_geometry):
            check()
    print("the water is where it belongs")
