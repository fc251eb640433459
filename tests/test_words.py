#!/usr/bin/env python3
"""Private words that were replaced by those of the field do not come back.  usage: test_words.py source-folder

A word may stand alone or be a part of an identifier: `loose`, `loose_flux` and `rn_loose` are all found.
"""
import pathlib
import re
import sys

# the old word, what to say instead, and files where it has its plain English meaning
BANNED = {
    "felt": ("acting level, thin depth, open share", ()),
    "lent": ("body offset", ()),
    "herd": ("tiles per task", ()),
    "patchy": ("mixed", ()),
    "glance|glances": ("body raster", ()),
    "dipper|dippers": ("body scratch", ()),
    "greet": ("init heads", ()),
    "patience": ("wall seconds, shrink", ()),
    "wild": ("guess nodata", ()),
    "strange": ("restored", ("tests/test_schema.py",)),
    "loose": ("irregular", ("tests/test_winding.c", "tests/test_mesh", "docs/meshes", "src/terrain", "include/runnel/terrain.h")),
    "quartet|quartets": ("quad", ()),
    "rider|riders": ("ODE body", ()),
    "withheld": ("newly held", ()),
    "gateway|gateways": ("portal", ()),
    "dipped": ("body cell", ()),
    "sunk": ("submerged", ()),
    "special|specials": ("junction", ("tests/test_kernels.c", "tests/wide_checks.c")),
}
FOLDERS = ("src", "include", "app", "examples", "fuzz", "tests", "tools", "docs", "scenes")
ENDINGS = {".c", ".h", ".cpp", ".cu", ".py", ".sh", ".md", ".json", ".glsl", ".txt", ".cmake", ".1"}


def files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in ENDINGS and path.is_file() and path.name != "test_words.py":
                yield path.relative_to(root).as_posix(), path
    yield "README.md", root / "README.md"


def main():
    root = pathlib.Path(sys.argv[1])
    patterns = [(re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", re.I), instead, allowed)
                for words, (instead, allowed) in BANNED.items()]
    found = 0
    for name, path in files(root):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for pattern, instead, allowed in patterns:
                word = pattern.search(line)
                if word and not name.startswith(tuple(allowed)):
                    print(f'{name}:{number}: "{word[0]}" is a private word; say {instead}')
                    found += 1
    sys.exit(1 if found else 0)


main()
