#!/usr/bin/env python3
"""The schema against the parser, both ways.  usage: test_schema.py RUNNEL TRY_SCENES REPOSITORY [PART/PARTS [COMMAND]]

Every example validates and runs; every key that the parser takes is in the schema; and whatever the schema refuses, the
parser refuses too, with one sentence that names file, line, column and key. PART 2/3 is every third mutation from the
second on. The parser is asked through TRY_SCENES, one process for all, and every COMMAND-th time (20 unless given)
through the command as well, which must say the same; 1 is for make nightly.
"""
import collections
import copy
import gzip
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
import zlib

RUNNEL, TRY_SCENES, REPOSITORY = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
PART, PARTS = map(int, sys.argv[4].split("/")) if len(sys.argv) > 4 else (1, 1)
COMMAND = int(sys.argv[5]) if len(sys.argv) > 5 else 20
STRANGE = "qqqqqqqqqqqqqqqq"  # like no key, so that the parser lists all keys there are
LISTS = ("solids", "bodies", "joints", "roughness", "wetting", "fills", "sources", "drains", "rain", "losses", "views", "probes")
TRIP = "tripwire"  # a last mistake behind all others: named only if everything before it is right
failures = []


def fail(text):
    failures.append(text)
    print("FAILED:", text)


# ---- A validator for as much of JSON Schema as the schema uses; anything else is an error ----

ANNOTATIONS = {"$schema", "title", "description", "default", "examples", "$defs"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: TYPES["number"](v) and float(v).is_integer(),
}


def same(a, b):
    return type(a) is type(b) and a == b


def kinds(schema):
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else kind


def named(schema, key):
    """What an object with names of the user's own says about one of them."""
    return next((inner for names, inner in schema.get("patternProperties", {}).items() if re.search(names, key)), None)


verdicts = {}  # of the parts of the scene that is being mutated, most of which every mutation shares


def remember(value):
    """From now on about this value and its parts, which must stay as they are, nothing is decided twice."""
    verdicts.clear()
    def note(part):
        if isinstance(part, (dict, list)):
            verdicts[id(part)] = {}
            for inner in part.values() if isinstance(part, dict) else part:
                note(inner)
    note(value)


def valid(value, schema):
    known = verdicts.get(id(value))
    if known is None:
        return decide(value, schema)
    if id(schema) not in known:
        known[id(schema)] = decide(value, schema)
    return known[id(schema)]


def decide(value, schema):
    number, array, thing = TYPES["number"](value), isinstance(value, list), isinstance(value, dict)
    properties = schema.get("properties", {})
    for keyword, rule in schema.items():
        if keyword in ANNOTATIONS or keyword == "then":
            continue
        elif keyword == "$ref":
            fine = valid(value, follow(rule))
        elif keyword == "type":
            fine = any(TYPES[one](value) for one in kinds(schema))
        elif keyword == "pattern":
            fine = not isinstance(value, str) or re.search(rule, value)
        elif keyword == "maxProperties":
            fine = not thing or len(value) <= rule
        elif keyword == "patternProperties":
            fine = not thing or all(valid(value[key], named(schema, key)) for key in value if named(schema, key))
        elif keyword == "minimum":
            fine = not number or value >= rule
        elif keyword == "exclusiveMinimum":
            fine = not number or value > rule
        elif keyword == "maximum":
            fine = not number or value <= rule
        elif keyword == "enum":
            fine = any(same(value, one) for one in rule)
        elif keyword == "const":
            fine = same(value, rule)
        elif keyword == "minItems":
            fine = not array or len(value) >= rule
        elif keyword == "maxItems":
            fine = not array or len(value) <= rule
        elif keyword == "items":
            fine = not array or all(valid(one, rule) for one in value)
        elif keyword == "prefixItems":
            fine = not array or all(valid(one, inner) for one, inner in zip(value, rule))
        elif keyword == "dependentRequired":
            fine = not thing or all(needed in value for key in rule if key in value for needed in rule[key])
        elif keyword == "properties":
            fine = not thing or all(valid(value[key], rule[key]) for key in value if key in rule)
        elif keyword == "additionalProperties" and rule is False:
            fine = not thing or all(key in properties or named(schema, key) for key in value)
        elif keyword == "required":
            fine = not thing or all(key in value for key in rule)
        elif keyword == "anyOf":
            fine = any(valid(value, one) for one in rule)
        elif keyword == "allOf":
            fine = all(valid(value, one) for one in rule)
        elif keyword == "oneOf":
            fine = sum(valid(value, one) for one in rule) == 1
        elif keyword == "if":
            fine = not valid(value, rule) or valid(value, schema["then"])
        else:
            raise KeyError(f"the validator does not know {keyword}: {rule}")
        if not fine:
            return False
    return True


def follow(reference):
    at = SCHEMA
    for name in reference.removeprefix("#/").split("/"):
        at = at[name]
    return at


def resolve(schema, value):
    """The part of a schema that speaks about a valid value: past references, alternatives and types of shapes."""
    while True:
        if "$ref" in schema:
            schema = follow(schema["$ref"])
        elif "anyOf" in schema:
            schema = next(one for one in schema["anyOf"] if valid(value, one))
        elif "if" in schema.get("allOf", [{}])[0]:
            schema = next(one["then"] for one in schema["allOf"] if valid(value, one["if"]))
        else:
            return schema


def walk(schema, value, path=()):
    """Every (path, schema, value) in a valid value."""
    schema = resolve(schema, value)
    yield path, schema, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from walk(named(schema, key) or schema["properties"][key], inner, path + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from walk(schema["prefixItems"][index] if "prefixItems" in schema else schema["items"], inner,
                            path + (index,))


def ways(schema):
    """The keys of an object of which exactly one must be given, group by group."""
    groups = [schema] + [one for one in schema.get("allOf", []) if "oneOf" in one]
    return [[one["required"][0] for one in group["oneOf"]] for group in groups if "oneOf" in group]


# ---- The parser ----

def write(scene):
    """In lines, though not by `indent`, which is slow."""
    text = json.dumps(scene, ensure_ascii=False).replace(', "', ',\n "')
    pathlib.Path("scene.json").write_text(text)
    return text


def run(scene):
    text = write(scene)
    done = subprocess.run([RUNNEL, "run", "scene.json", "--frames", "1", "--no-render", "--threads", "1", "--out", "out"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr, text


asked = 0


def parse(scene):
    """As run, though of what is not refused nothing is told."""
    global asked
    asked += 1
    text = write(scene)
    parser.stdin.write("scene.json\n")
    parser.stdin.flush()
    status, _, sentence = parser.stdout.readline().partition(" ")
    if asked % COMMAND == 0:
        told = run(scene)
        last = told[1].splitlines(keepends=True)[-1:] # before it, there may be warnings
        if told[0] != int(status) or (told[0] and last != [sentence]):
            fail(f"the command ends in {told[0]} with {told[1]!r}, the parser in {status} with {sentence!r}")
    return int(status), sentence, text


def accepted(scene, what, late):
    """The parser finds no key wrong by itself; what is fine alone may still not go together with the rest.

    The tripwire stands behind the solid, before anything is built, or behind all lists (`late`)."""
    if late:
        scene = {**scene, "probes": scene.get("probes", []) + [{TRIP: 1}]}
    else:
        scene = {**scene, "solid": {"type": "union", "of": [scene["solid"], {"type": "plane", TRIP: 1}]}}
    sentence = parse(scene)[1]
    # two keys, or a parameter and an expression, that do not go together
    if 'must be more than "start"' in sentence or re.search('" is "=[^"]*", which is ', sentence):
        return
    if TRIP not in sentence and re.search('" is .*; it (must|needs)|has no|not a known key|^$', sentence):
        fail(f"{what}: the schema takes it, the parser does not: {sentence}")


def refused(scene, what, named):
    """The parser refuses with one sentence about `named`, a path, or something inside it. Returns the sentence."""
    status, sentence, text = parse(scene)
    match = re.fullmatch(r'scene\.json:(\d+):(\d+): (?:"([^"]*)")?.*\n', sentence)
    if status != 2 or not match:
        fail(f"{what}: exit status {status}, {sentence!r}")
        return ""
    key, names = match[3] if named else "", ".".join(map(str, named))
    if not (key == names or (key or "").startswith(names + ".")):
        fail(f'{what}: names "{key}" instead of "{names}": {sentence}')
        return sentence
    there = text.split("\n")[int(match[1]) - 1][int(match[2]) - 1:]
    words = [word for word in key.split(".") if word and not word.isdigit()]
    if key and not key.split(".")[-1].isdigit() and not any(there.startswith(f'"{word}"') for word in words[-2:]):
        fail(f"{what}: the position points at {there!r}: {sentence}")
    return sentence


# ---- Mutations ----

def put(scene, path, value):
    """A scene with another value there, which shares the rest with the first."""
    if not path:
        return value
    scene = copy.copy(scene)
    scene[path[0]] = put(scene[path[0]], path[1:], value)
    return scene


def rename(thing, old, new):
    return {new if key == old else key: value for key, value in thing.items()}


def wrong_values(schema, value):
    """What the schema should refuse in place of a value, and what it should not but only just."""
    yield from (None, True, 3.25, "NaN", "", [], {}, [[[0]]])
    for low in ("minimum", "exclusiveMinimum"):
        if low in schema:
            yield from (schema[low], math.nextafter(schema[low], -math.inf), -1e300)
    if "maximum" in schema:
        yield from (schema["maximum"], math.nextafter(schema["maximum"], math.inf), 1e300)
    if kinds(schema)[:1] == ["integer"]:
        yield from (schema["minimum"] - 1, schema["maximum"] + 1, schema["minimum"] + 0.5, 2.0**63)
    if "enum" in schema or "const" in schema:
        yield from (str(value).upper(), value + "x")
    if isinstance(value, list) and value:
        yield from (value[:-1], value + value[-1:], value[:-1] + ["x"], value[:-1] + [None])


def mutations(scene):
    """(path to what changes, what is there then, what was done, path that the sentence must name, text that it must hold)"""
    for path, schema, value in walk(SCHEMA, scene):
        name = ".".join(map(str, path))
        if path:
            for wrong in wrong_values(schema, value):
                yield path, wrong, f"{name} = {json.dumps(wrong)}", path, ""
        if not isinstance(value, dict):
            continue

        yield path, {**value, STRANGE: 1}, f"{name}: an extra key", path + (STRANGE,), "the keys here are "
        for key in value:
            rest = {k: v for k, v in value.items() if k != key}
            required = key in schema.get("required", [])
            yield path, rest, f"{name} without {key}", path, f'has no "{key}"' if required else ""
            for wrong in {key + key[-1], key[:-2] + key[:-3:-1] if len(key) > 3 else key + key[-1]} - {key}:
                yield path, rename(value, key, wrong), f"{name}: {wrong}", path + (wrong,), f'did you mean "{key}"?'
        for other in (key for group in ways(schema) for key in group if key not in value):
            twice = {**value, other: something(schema["properties"][other])}
            yield path, twice, f"{name} with {other} too", path, ""


def check_mutations(scene, what, under, share):
    """Every `share`-th mutation of a scene that is fine, of what stands under a path."""
    count = 0
    remember(scene)
    for number, (path, value, done, at, holds) in enumerate(mutations(scene)):
        if number % share or number // share % PARTS != PART - 1 or at[:len(under)] != under:
            continue
        count += 1
        mutated = put(scene, path, value)
        if valid(mutated, SCHEMA):
            accepted(mutated, f"{what}: {done}", at[:1] != () and at[0] in LISTS)
            continue
        sentence = refused(mutated, f"{what}: {done}", at)
        if sentence and holds not in sentence:
            fail(f"{what}: {done}: no {holds!r} in {sentence}")
        if at and at[-1] == STRANGE and "the keys here are " in sentence:
            taken = set(sentence.strip().split("the keys here are ")[1].split(", "))
            known = set(next(s for p, s, _ in walk(SCHEMA, scene) if p == at[:-1])["properties"])
            if taken != known:
                fail(f"{what}: {done}: parser and schema differ in {taken ^ known}")
    return count


# ---- Scenes that have every key ----

def something(schema):
    """A value that the schema takes."""
    if "$ref" in schema:
        return {"type": "sphere", "radius": 0.01, "at": [0.04, 0.03, 0]}
    if "count" in schema.get("properties", {}):
        return complete(schema, {})
    for keyword in ("default", "const"):
        if keyword in schema:
            return schema[keyword]
    if "anyOf" in schema:
        return something(schema["anyOf"][-1])
    if "enum" in schema:
        return schema["enum"][0]
    if "prefixItems" in schema:
        return [0.02] * schema["minItems"]
    if kinds(schema) == ["array"]:
        return [something(schema["items"])] * schema.get("minItems", 1)
    return {"string": "flat.png", "number": 1, "integer": 1, "boolean": True}[kinds(schema)[0]]


def complete(schema, start):
    """All keys of an object, but for alternatives to one that it has."""
    given = [key for group in ways(schema) for key in group] + list(start)
    needed = [key for key in start for key in schema.get("dependentRequired", {}).get(key, [])]
    given += [key for key in schema.get("dependentRequired", {}) if key not in needed]
    return {**start, **{key: something(inner) for key, inner in schema["properties"].items() if key not in given}}


def complete_ways(schema):
    """A complete object for each way of making one: all of the first group, then all of the others."""
    groups = ways(schema) or [[]]
    firsts = [group[0] for group in groups if group]
    for choice in {tuple(firsts[:n] + [key] + firsts[n + 1:]) for n, group in enumerate(groups) for key in group} or {()}:
        yield complete(schema, {key: something(schema["properties"][key]) for key in sorted(choice)})


def tours():
    top = SCHEMA["properties"]
    scene = complete({"properties": {k: v for k, v in top.items() if k not in ("grid", "solid")}}, {})
    scene["grid"] = complete(top["grid"], {"cells": [8, 6], "cell": 0.01})
    scene["solid"] = {"type": "plane"}
    scene["view"] = complete(top["view"], {"width": 16})
    scene["parameters"] = {"size": 1}
    scene["georeference"] = {"crs": "EPSG:32613", "origin": [476000, 4425000, 0], "scale": [1, 1]}
    for key in ("liquid", "edges"):
        scene[key] = complete(top[key]["anyOf"][1], {})
    for key in LISTS:
        scene[key] = list(complete_ways(top[key]["items"]))
        for number, thing in enumerate(scene[key]):
            if "at" in thing:
                thing["at"] = [0.04, 0.03, 0.1]
            if "from" in thing:
                thing["from"], thing["to"] = [0.01, 0.01], [0.05, 0.03]
            if "name" in thing:
                thing["name"] = f"probe {number}"
    gate = scene["bodies"][0]
    log = {key: gate.pop(key) for key in ("velocity", "spin", "mass")}
    gate["motion"] = "scripted"
    scene["bodies"].append({**log, "name": "log", "shape": gate["shape"], "at": [0.04, 0.03, 0.1]})
    scene["joints"][0].update({"type": "hinge", "body": "log", "to": gate["name"], "limits": [-10, 10]})
    colour = scene["liquid"].pop("colour") # in place of two others
    yield "every key", scene
    yield "a colour", {"grid": scene["grid"], "solid": {"type": "plane"}, "liquid": {"colour": colour}}
    small = {"grid": scene["grid"], "solid": None}
    other_ways = {"heightmap": [{"file": "flat.png"}], "volume": [{"file": "ct.nii.gz", "labels": [600]}]}
    for name, schema in SCHEMA["$defs"].items():
        if name in ("shape", "form"):
            continue
        for example in schema["examples"] if name.startswith("body-") else []:
            yield f"every key of {name}", {**small, "solid": {"type": "plane"},
                                           "bodies": [{"shape": complete(schema, example), "at": [0.04, 0.03, 2]}]}
        if name.startswith("body-"):
            continue
        for example in schema["examples"] + [{"type": name, **keys} for keys in other_ways.get(name, [])]:
            group = {"type": "union", "of": [{"type": "plane"}, complete(schema, example)]}
            yield f"every key of {name}", {**small, "solid": group}


def write_png(path):
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(b"\0\x80")), (b"IEND", b"")]
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks))


def write_nifti(path):
    """A block of 600 in a volume of 0, 4 samples each way."""
    head = struct.pack("<i36x8h14x2h2x8f", 348, 3, 4, 4, 4, 1, 1, 1, 1, 4, 16, *[1.0] * 8)
    head += struct.pack("<3f3xB128x2h6f12f16x4s4x", 352, 0, 0, 2, 0, 1, *[0] * 6, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, b"n+1")
    block = [600 * (0 < i % 4 < 3 and 0 < i // 4 % 4 < 3 and 0 < i // 16 < 3) for i in range(64)]
    pathlib.Path(path).write_bytes(gzip.compress(head + struct.pack("<64h", *block)))


def write_stl(path):
    """A brick that runnel finds nothing wrong with."""
    corners = [(x, y, z) for z in (0, 1) for y in (0, 2) for x in (0, 3)]
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    faces = [face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))]
    pathlib.Path(path).write_bytes(bytes(80) + struct.pack("<I", len(faces)) + b"".join(
        bytes(12) + b"".join(struct.pack("<3f", *corners[i]) for i in face) + bytes(2) for face in faces))


def coarse(scene):
    """The same domain with few cells, and a brick for its meshes, which take long to read and then do not bend."""
    scene = json.loads(re.sub(r'"meshes/[^"]*"', '"part.stl"', re.sub(r'"cache": "[^"]*", ', "", json.dumps(scene))))
    grid, parameters = scene["grid"], scene.get("parameters", {})
    x, y, cell = (eval(n[1:], {}, parameters) if isinstance(n, str) else n for n in (*grid["cells"], grid["cell"]))
    factor = max(1, max(x, y) / 12)
    grid["cells"], grid["cell"] = [math.ceil(x / factor), math.ceil(y / factor)], cell * factor
    scene.setdefault("view", {})["width"] = 16
    return scene


def brief(value):
    """The scene with at most three parts of each kind, of one type and with the same keys, in a shape: decoration has hundreds."""
    if isinstance(value, list):
        return [brief(one) for one in value]
    if not isinstance(value, dict):
        return value
    value = {key: brief(inner) for key, inner in value.items()}
    alike = collections.Counter()
    def is_new(part):
        look = json.dumps([part.get("type"), sorted(part)]) if isinstance(part, dict) else ""
        alike[look] += 1
        return alike[look] <= 3
    if isinstance(value.get("of"), list):
        value["of"] = [part for part in value["of"] if is_new(part)]
    return value


# ---- The tests ----

def check_generated():
    for arguments, name in ((["schema"], "scenes/schema.json"), (["schema", "--docs"], "docs/scene-reference.md")):
        done = subprocess.run([RUNNEL, *arguments], capture_output=True, check=True)
        if done.stdout != (REPOSITORY / name).read_bytes():
            fail(f"{name} is out of date: build/runnel {' '.join(arguments)} >{name}")


def parts(schema):
    """Every schema within the schema."""
    yield schema
    for keyword in ("properties", "$defs"):
        for inner in schema.get(keyword, {}).values():
            yield from parts(inner)
    for keyword in ("anyOf", "allOf", "oneOf"):
        for inner in schema.get(keyword, []):
            yield from parts(inner)
    for keyword in ("items", "then"):
        if keyword in schema:
            yield from parts(schema[keyword])


def check_schema():
    keys = {}
    for part in parts(SCHEMA):
        for example in part.get("examples", []) + ([part["default"]] if "default" in part else []):
            if not valid(example, part):
                fail(f"an example or default does not validate: {example}")
        if "additionalProperties" in part:
            keys.update({id(inner): (key, inner) for key, inner in part.get("properties", {}).items()})
    for key, schema in keys.values():
        if not schema.get("description"):
            fail(f"{key} has no description")
    return keys


def shipped():
    for path in sorted((REPOSITORY / "scenes").glob("*.json")):
        if path.name != "schema.json":
            yield path.name, json.loads(path.read_text())
    for page in ("docs/scenes.md", "docs/sources.md", "docs/bodies.md"):
        for number, block in enumerate(re.findall(r"```json\n(.*?)```", (REPOSITORY / page).read_text(), re.S)):
            yield f"{page}, example {number + 1}", json.loads(block)


def main():
    check_generated()
    missed = check_schema()
    scenes, count = list(shipped()), 0
    if len(scenes) < 8:
        fail("scenes or examples were not found")
    for what, scene in [*scenes, *tours()]:
        if not valid(scene, SCHEMA):
            fail(f"{what} does not validate")
            continue
        for _, schema, value in walk(SCHEMA, scene):
            for key in value if isinstance(value, dict) else ():
                missed.pop(id(schema.get("properties", {}).get(key)), None)
        status, sentence, _ = run(coarse(scene))
        if "this build cannot read" in sentence:
            continue
        if status:
            fail(f"{what}: {sentence}")
            continue
        whole, shape = what == "every key", what.startswith("every key of")
        under = ("bodies", 0, "shape") if "body-" in what else ("solid", "of", 1)
        count += check_mutations(brief(coarse(scene)), what, under if shape else (), 1 if whole or shape else 5)
    for key, _ in missed.values():
        fail(f"no scene here has {key}")
    for text in ("NaN", "Infinity", "1e999", "-", "01"):
        pathlib.Path("scene.json").write_text('{\n "friction": ' + text + "}")
        done = subprocess.run([RUNNEL, "run", "scene.json", "--no-render"], capture_output=True, text=True)
        if done.returncode != 2 or not re.match(r"scene\.json:2:\d+: this is not valid JSON", done.stderr):
            fail(f"{text}: {done.returncode} {done.stderr}")
    print(f"{len(failures)} failed" if failures else f"all fine, {count} mutations")
    return 1 if failures else 0


SCHEMA = json.loads((REPOSITORY / "scenes/schema.json").read_text())
with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    for picture in (REPOSITORY / "scenes").glob("*.png"):  # that scenes name
        shutil.copy(picture, scratch)
    write_png("flat.png")
    write_stl("part.stl")
    write_nifti("ct.nii.gz")
    parser = subprocess.Popen([TRY_SCENES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    status = main()
    parser.stdin.close()
    if parser.wait():
        status = 1
        print(f"{TRY_SCENES} ends in {parser.returncode}")
    os.chdir("/")
sys.exit(status)
