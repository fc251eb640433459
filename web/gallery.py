#!/usr/bin/env python3
"""Writes web/site/gallery.json: the scenes of the playground in the order of its gallery, with the titles of their files.

GROUPS names every scene once; a scene that is missing from it ends the script with a message."""
import json
import pathlib
import sys

GROUPS = {
    "Start here": "spill vertebra incline splash ducks honey valley teapot",
    "On a table": "pour puddle tilting-tray bowl drip overboard",
    "Blood and bone": "vertebra-mesh suction instrument beating fig18",
    "Rivers and floods": "dam logs hill hydrograph culvert rising-gate sculpt drift arch",
    "Rain and waves": "pond whirlpool choppy adaptive drops rivulet",
    "Tunnels and passages": "passages u-tube aquarium three-layers cross bend branches siphon-not",
}


def main():
    web = pathlib.Path(__file__).resolve().parent
    scenes = web.parent / "scenes"
    listed = [name for names in GROUPS.values() for name in names.split()]
    there = {path.stem for path in scenes.glob("*.json")} - {"schema"}
    if sorted(listed) != sorted(there):
        sys.exit(f"web/gallery.py: GROUPS and scenes/ differ in {', '.join(sorted(there.symmetric_difference(listed)))}")
    gallery = []
    for group, names in GROUPS.items():
        rows = []
        for name in names.split():
            scene = json.loads((scenes / f"{name}.json").read_text(encoding="utf-8"))
            rows.append({"name": name, "title": scene["title"]})
        gallery.append({"group": group, "scenes": rows})
    (web / "site/gallery.json").write_text(json.dumps(gallery, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


main()
