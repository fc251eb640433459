#!/usr/bin/env python3
"""Arrows point one way: tests/test_arrows.py SOURCE BUILD

Between folders, by #include and by the symbols of object files: a folder may use those of RANKS below it only.
Between the rooms of a folder, which are the folders in it: likewise by ROOMS, and no circles.
Between the files of a folder: no circles. A .c and a .h of one name are one file; a file uses another where it includes
it, or where its object needs a symbol that the other's object defines (nm). Without a build, or without nm, the names in
the sources have to do."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

# From the top down. Folders of one rank do not know each other.
RANKS = [
    ["app"],
    ["src/io"],  # files have the colours that render computes, and scenes step bodies by an adapter's engine
    ["src/render", "src/adapters"],
    ["src/live"],
    ["src/cuda"],  # a library of its own, opened at run time: sources of solver and world once more, for a GPU
    ["src/world"],
    ["src/solver", "src/mac", "src/bodies", "src/surface"],
    ["src/kernels", "src/terrain"],
    ["src/base"],
]
# What others may include of a folder; the rest is its own affair.
DOORS = {"src/solver": {"solver.h", "columns.h", "archive.h", "reshaping.h"}}
LONGEST = 700  # lines of a file, unless its head says why
# Rooms inside a folder, likewise.
ROOMS = {"src/io": [["scene"], ["read", "write"], ["file"]]}


def folder_of(path):
    parts = path.split("/")
    return parts[0] if parts[0] == "app" else "/".join(parts[:2])


def room_of(path):
    """src/io/read of src/io/read/gdal/dem.c; src/world of what has no rooms"""
    folder = folder_of(path)
    rest = path[len(folder) + 1:].split("/")
    return folder if len(rest) == 1 else folder + "/" + rest[0]


def node_of(path):
    return re.sub(r"\.(c|h|cpp)$", "", path)


def files_of(source):
    found = []
    for top in ("src", "app"):
        for folder, _, names in os.walk(os.path.join(source, top)):
            found += [os.path.relpath(os.path.join(folder, name), source) for name in names
                      if name.endswith((".c", ".h", ".cpp"))]
    return sorted(found)


def includes_of(source, files):
    """(from, to) of files to how"""
    known = set(files)
    uses = {}
    for path in files:
        with open(os.path.join(source, path), encoding="utf-8") as f:
            for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', f.read(), re.M):
                for place in ("src/" + name, os.path.join(os.path.dirname(path), name), "app/" + name):
                    if place in known:
                        uses.setdefault((path, place), "includes it")
                        break
    return uses


def objects_of(source, build):
    """source file to its object, of the library and of the command"""
    commands = os.path.join(build, "compile_commands.json")
    if not os.path.exists(commands) or not shutil.which("nm"):
        return {}
    found = {}
    with open(commands, encoding="utf-8") as f:
        for entry in json.load(f):
            path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), source)
            output = entry.get("output") or (re.findall(r" -o (\S+)", entry["command"]) or [""])[-1]
            output = os.path.join(entry["directory"], output)
            ours = re.search(r"CMakeFiles/runnel(?!-gpu-program|-emulated|-cuda)[a-z-]*\.dir/", output)
            if ours and path.startswith(("src/", "app/")):
                if os.path.exists(output):
                    found[path] = output
    return found


def calls_of(source, build):
    objects = objects_of(source, build)
    needs, owners = {}, collections.defaultdict(set)
    if not objects:
        return {}
    listed = subprocess.run(["nm", "-A", "-P"] + sorted(objects.values()), capture_output=True, text=True, check=True)
    file_of = {output: path for path, output in objects.items()}
    for line in listed.stdout.splitlines():
        match = re.match(r"(.*?)(?:\[[^\]]*\])?: (\S+) (\S)", line)
        if not match:
            continue
        path, symbol, kind = file_of[match.group(1)], match.group(2), match.group(3)
        if kind in "Uw":
            needs.setdefault(path, set()).add(symbol)
        elif kind.isupper():
            owners[symbol].add(path)
    uses = {}
    for path, symbols in needs.items():
        for symbol in sorted(symbols):
            for owner in owners.get(symbol, ()):
                if owner != path:
                    uses.setdefault((path, owner), "calls " + symbol)
    return uses


def names_of(source, files):
    """The same from the text alone: who names a function that another file defines. Only those whose names tell."""
    texts, owners, uses, inlines = {}, collections.defaultdict(set), {}, set()
    for path in files:
        with open(os.path.join(source, path), encoding="utf-8") as f:
            texts[path] = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", f.read(), flags=re.S)
        for name in re.findall(r"^(?!static)[a-z][\w \t*]*?\b(rn_\w+)\([^;{}]*\)\s*\{", texts[path], re.M):
            if not path.startswith("src/cuda/"):  # which has its own of what the solver calls
                owners[name].add(path)
        inlines.update(re.findall(r"^(?:static|RN_INLINE|RN_SCALAR)\b[\w \t*]*?\b(rn_\w+)\(", texts[path], re.M))
    for path, text in texts.items():
        for name in sorted(set(re.findall(r"\brn_\w+", text))):
            if name not in inlines and path not in owners.get(name, ()) and path.endswith((".c", ".cpp")):
                uses.update({(path, owner): "names " + name for owner in owners.get(name, ())})
    return uses


def rank_of(folder, ranks):
    for rank, names in enumerate(ranks):
        if folder in names:
            return rank
    return None


def wrong_way(a, b):
    """why file a may not use file b, or None"""
    from_folder, to_folder = folder_of(a), folder_of(b)
    if from_folder != to_folder:
        low, high = rank_of(from_folder, RANKS), rank_of(to_folder, RANKS)
        if low is None or high is None:
            return "%s has no place among RANKS" % (from_folder if low is None else to_folder)
        return None if low < high else "%s may not use %s" % (from_folder, to_folder)
    rooms = ROOMS.get(from_folder)
    if rooms:
        room = [path[len(from_folder) + 1:].split("/")[0] for path in (a, b)]
        low, high = rank_of(room[0], rooms), rank_of(room[1], rooms)
        if low is not None and high is not None and room[0] != room[1] and low >= high:
            return "in %s, %s may not use %s" % (from_folder, room[0], room[1])
    return None


def circle_in(nodes, edges):
    """A shortest circle among these nodes, as a list, or None"""
    best = None
    for start in sorted(nodes):
        came, line = {start: None}, [start]
        for here in line:
            for there in sorted(edges.get(here, ())):
                if there == start:
                    circle = []
                    while here is not None:
                        circle.append(here)
                        here = came[here]
                    if best is None or len(circle) < len(best):
                        best = circle[::-1]
                    line = []
                    break
                if there in nodes and there not in came:
                    came[there] = here
                    line.append(there)
            else:
                continue
            break
    return best


def parts_of(nodes, edges):
    """Strongly connected parts of more than one node: Tarjan, without recursion."""
    index, low, on, stack, parts = {}, {}, set(), [], []
    for root in sorted(nodes):
        if root in index:
            continue
        work = [(root, iter(sorted(edges.get(root, ()))))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for there in rest:
                if there not in nodes:
                    continue
                if there not in index:
                    index[there] = low[there] = len(index)
                    stack.append(there)
                    on.add(there)
                    work.append((there, iter(sorted(edges.get(there, ())))))
                    break
                if there in on:
                    low[node] = min(low[node], index[there])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = set()
                    while node not in part:
                        part.add(stack.pop())
                    on -= part
                    if len(part) > 1:
                        parts.append(part)
    return parts


def read(source, build):
    files = files_of(source)
    uses = includes_of(source, files)
    for pair, how in (calls_of(source, build) or names_of(source, files)).items():
        uses.setdefault(pair, how)
    return uses


def complaints(uses):
    said = []
    folders = collections.defaultdict(set)
    edges, hows = collections.defaultdict(set), {}
    for (a, b), how in sorted(uses.items()):
        why = wrong_way(a, b)
        if why:
            said.append("%s: %s of %s: %s" % (why, a, b, how))
        if folder_of(a) != folder_of(b) and how == "includes it":
            doors = DOORS.get(folder_of(b))
            if doors and os.path.basename(b) not in doors and folder_of(a) != "src/cuda":
                said.append("%s includes %s; of that folder others may include %s" % (a, b, ", ".join(sorted(doors))))
        x, y = node_of(a), node_of(b)
        folders[folder_of(a)].add(x)
        folders[folder_of(b)].add(y)
        if x != y and folder_of(a) == folder_of(b):
            edges[x].add(y)
            hows.setdefault((x, y), how)
    between = collections.defaultdict(set)
    for a, b in uses:
        if room_of(a) != room_of(b):
            between[room_of(a)].add(room_of(b))
    for part in parts_of(set(between), between):
        said.append("a circle of folders: %s" % " -> ".join(circle_in(part, between)))
    for folder, nodes in sorted(folders.items()):
        for part in parts_of(nodes, edges):
            names = {node[len(folder) + 1:] for node in part}
            circle = circle_in(part, edges)
            steps = ["%s %s" % (a[len(folder) + 1:], hows[a, b].replace("it", b[len(folder) + 1:], 1)
                                if hows[a, b] == "includes it" else "%s of %s" % (hows[a, b], b[len(folder) + 1:]))
                     for a, b in zip(circle, circle[1:] + circle[:1])]
            more = "" if len(part) == len(circle) else " (%d files hang together: %s)" % (len(part), " ".join(sorted(names)))
            said.append("a circle in %s: %s%s" % (folder, ", ".join(steps), more))
    return said


def long_files(source):
    said = []
    for top in ("src", "app", "tests", "tools", "include", "fuzz", "examples"):
        for folder, _, names in os.walk(os.path.join(source, top)):
            for name in names:
                if not name.endswith((".c", ".h", ".cpp", ".py")):
                    continue
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    lines = file.read().splitlines()
                if len(lines) > LONGEST and "one long file on purpose" not in " ".join(lines[:20]):
                    said.append("%s has %d lines; a file above %d says in its head why it is one long file on purpose"
                                % (os.path.relpath(os.path.join(folder, name), source), len(lines), LONGEST))
    return said


def main():
    source, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    uses = read(source, build)
    said = complaints(uses) + long_files(source)
    for line in said:
        print("arrows: " + line)
    if not objects_of(source, build):
        print("arrows: no object files, or no nm: only the sources were looked at")
    picture = subprocess.run([sys.executable, os.path.join(source, "tools/plot-arrows"), "--check"], check=False)
    return 1 if said or picture.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
