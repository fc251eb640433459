"""Reads what runs are exported as, by the formats alone."""
import collections
import json
import math
import re
import struct
import sys
import xml.etree.ElementTree

Mesh = collections.namedtuple("Mesh", "vertices names triangles")


def expect(condition, what):
    if not condition:
        sys.exit(f"not as expected: {what}")


def read_ply(path):
    """By the PLY format alone: any scalar properties, one list of faces."""
    data = path.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    lines = data[:end].decode().splitlines()
    expect(lines[0] == "ply" and lines[1] == "format binary_little_endian 1.0", lines[:2])
    codes = {"float": "f", "uchar": "B", "uint": "I", "int": "i"}
    names, code, counts, element = [], "<", {}, None
    for words in (line.split() for line in lines[2:]):
        if words[0] == "element":
            element = words[1]
            counts[element] = int(words[2])
        elif words[0] == "property" and element == "vertex":
            names.append(words[2])
            code += codes[words[1]]
        elif words[0] == "property":
            expect(words[1:] == ["list", "uchar", "int", "vertex_indices"], words)
    size = struct.calcsize(code)
    middle = end + counts["vertex"] * size
    vertices = [struct.unpack_from(code, data, end + i * size) for i in range(counts["vertex"])]
    triangles = []
    for i in range(counts["face"]):
        three, *corners = struct.unpack_from("<Biii", data, middle + 13 * i)
        expect(three == 3, (path, i, three))
        triangles.append(tuple(corners))
    expect(len(data) == middle + 13 * counts["face"], f"{path} has other bytes behind")
    return Mesh(vertices, names, triangles)


def read_obj(path):
    positions, normals, triangles = [], [], []
    for line in path.read_text().splitlines():
        word, *rest = line.split() or ["#"]
        if word == "v":
            positions.append(tuple(map(float, rest[:3])))
            expect(len(rest) == 6 and all(0 <= float(c) <= 1 for c in rest[3:]), line)
        elif word == "vn":
            normals.append(tuple(map(float, rest)))
        elif word == "f":
            pairs = [tuple(int(i) for i in corner.split("//")) for corner in rest]
            expect(len(pairs) == 3 and all(a == b for a, b in pairs), line)
            triangles.append(tuple(a - 1 for a, b in pairs))
    expect(len(positions) == len(normals), path)
    return Mesh([p + n for p, n in zip(positions, normals)], ["x", "y", "z", "nx", "ny", "nz"], triangles)


# ---- Binary glTF --------------------------------------------------------------------------------------------------

def read_glb(path):
    """The JSON and the binary part of a GLB, after checking what the specification asks of what is used here."""
    data = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", data)
    expect(magic == b"glTF" and version == 2 and length == len(data), (path, magic, version, length, len(data)))
    chunks, at = [], 12
    while at < length:
        size, kind = struct.unpack_from("<I4s", data, at)
        expect(size % 4 == 0, (path, kind, size))
        chunks.append((kind, data[at + 8:at + 8 + size]))
        at += 8 + size
    expect(at == length and [k for k, _ in chunks] in ([b"JSON"], [b"JSON", b"BIN\0"]), path)
    tree, binary = json.loads(chunks[0][1].decode()), chunks[1][1] if len(chunks) > 1 else b""
    expect(tree["asset"]["version"] == "2.0", path)
    for buffer in tree.get("buffers", []):
        expect(buffer["byteLength"] == len(binary), (path, "buffer"))
    end = 0
    for view in tree.get("bufferViews", []):
        expect(view["byteOffset"] == end and view["byteOffset"] % 4 == 0, (path, view))
        end += view["byteLength"]
    expect(end == len(binary), (path, "views"))
    return tree, binary


def glb_values(tree, binary, accessor):
    """The tuples of an accessor; its limits are those that are told."""
    told = tree["accessors"][accessor]
    view = tree["bufferViews"][told["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[told["type"]]
    code = {5126: "f", 5125: "I"}[told["componentType"]]
    expect(told["count"] > 0 and view["byteLength"] == 4 * width * told["count"], told)
    rows = list(struct.iter_unpack(f"<{width}{code}", binary[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]))
    if "min" in told:
        single = lambda numbers: struct.pack(f"<{width}f", *numbers)
        expect(single(told["min"]) == single(map(min, zip(*rows))), told)
        expect(single(told["max"]) == single(map(max, zip(*rows))), told)
    return rows


# ---- USD as text --------------------------------------------------------------------------------------------------

class Usda:
    """A strict reader of the part of the grammar that is written: anything else is refused."""
    SPACE = re.compile(r"[ \t\n]*")
    TOKEN = re.compile(r'"""(?:[^"\\]*)"""|"[^"\n\\]*"|<[/\w.:]+>|[A-Za-z_][\w:]*(?:\.(?:timeSamples|connect))?|'
                       r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?|[][(){}=:,]")
    TYPES = {"point3f[]", "int[]", "float3[]", "normal3f[]", "vector3f[]", "float[]", "color3f[]", "color3f", "float",
             "token", "bool", "string"}

    def __init__(self, path):
        self.text, self.at = path.read_text(), 0
        line = "#usda 1.0\n"
        expect(self.text.startswith(line), (path, self.text[:20]))
        self.at = len(line)
        self.path = path
        self.metadata = self.pairs()
        self.prims = {}
        self.prim(self.prims)
        self.at = self.SPACE.match(self.text, self.at).end()
        expect(self.at == len(self.text), f"{path}: there is more behind")

    def peek(self):
        self.at = self.SPACE.match(self.text, self.at).end()
        found = self.TOKEN.match(self.text, self.at)
        expect(found, f"{self.path}: {self.text[self.at:self.at + 60]!r} at {self.at}")
        return found.group()

    def take(self, wanted=None):
        token = self.peek()
        expect(wanted in (None, token), f"{self.path}: {token} where {wanted} should be, at {self.at}")
        self.at += len(token)
        return token

    def value(self):
        token = self.peek()
        if token in "[(" and self.text.startswith(token, self.at):
            end = self.text.index("]" if token == "[" else ")", self.at) + 1
            text, self.at = self.text[self.at:end], end
            if token == "[" and "\"" in text:
                return json.loads(text)
            return json.loads(text.replace("(", "[").replace(")", "]"), parse_int=float)  # which knows -0
        if token == "{":
            samples = {}
            self.take("{")
            while self.peek() != "}":
                code = float(self.take())
                expect(not samples or code > max(samples), f"{self.path}: time code {code} is not the next")
                self.take(":")
                samples[code] = self.value()
                self.take(",")
            self.take("}")
            return samples
        token = self.take()
        return token.strip('"<>') if token[0] in '"<' else float(token)

    def pairs(self):
        """( key = value ... )"""
        found = {}
        self.take("(")
        while self.peek() != ")":
            key = self.take()
            if key == "prepend":
                key = self.take()
            self.take("=")
            found[key] = self.value()
        self.take(")")
        return found

    def prim(self, into):
        self.take("def")
        kind, name = self.take(), self.take().strip('"')
        expect(kind in ("Xform", "Mesh", "Scope", "Material", "Shader") and name not in into, (kind, name))
        prim = into[name] = {"type": kind, "attributes": {}, "meta": {}, "prims": {}}
        if self.peek() == "(":
            prim["meta"][""] = self.pairs()
        self.take("{")
        while self.peek() != "}":
            if self.peek() == "def":
                self.prim(prim["prims"])
            else:
                self.attribute(prim)
        self.take("}")

    def attribute(self, prim):
        if self.peek() == "rel":
            self.take()
            name = self.take()
        else:
            if self.peek() == "uniform":
                self.take()
            kind = self.take()
            if self.peek() == "[":
                self.take(), self.take("]")
                kind += "[]"
            expect(kind in self.TYPES, f"{self.path}: {kind}")
            name = self.take()
        if self.peek() == "=":
            self.take()
            expect(name not in prim["attributes"], f"{self.path}: {name} twice")
            prim["attributes"][name] = self.value()
        if self.peek() == "(":
            prim["meta"][name] = self.pairs()


# ---- VTK's XML and NumPy -------------------------------------------------------------------------------------------

def read_vtk(path):
    """Attributes of the piece, and every array by its name as raw bytes."""
    data = path.read_bytes()
    start = data.index(b"<AppendedData encoding=\"raw\">\n_") + len(b"<AppendedData encoding=\"raw\">\n_")
    tail = b"\n</AppendedData>\n</VTKFile>\n"
    expect(data.endswith(tail), path)
    tree = xml.etree.ElementTree.fromstring(data[:start] + tail)
    expect(tree.get("byte_order") == "LittleEndian" and tree.get("header_type") == "UInt64", path)
    sizes = {"Float32": 4, "Float64": 8, "Int32": 4, "UInt32": 4, "Int64": 8}
    arrays, at = {}, 0
    for array in tree.iter("DataArray"):
        expect(int(array.get("offset")) == at, (path, array.attrib))
        size, = struct.unpack_from("<Q", data, start + at)
        told = sizes[array.get("type")] * int(array.get("NumberOfComponents")) * int(array.get("NumberOfTuples"))
        expect(size == told, (path, array.attrib, size))
        arrays[array.get("Name")] = data[start + at + 8:start + at + 8 + size]
        at += 8 + size
    expect(start + at + len(tail) == len(data), path)
    return tree, arrays


def read_pvd(path):
    """(time, part, file) of each entry; files that are not there are an error."""
    tree = xml.etree.ElementTree.fromstring(path.read_text())
    expect(tree.get("type") == "Collection", path)
    found = [(float(e.get("timestep")), int(e.get("part")), e.get("file")) for e in tree.iter("DataSet")]
    for _, _, name in found:
        expect((path.parent / name).exists(), f"{path} lists {name}, which is not there")
    return found


def read_npy(path):
    """Shape and raw bytes, by the format alone."""
    data = path.read_bytes()
    expect(data[:8] == b"\x93NUMPY\x01\x00", path)
    length, = struct.unpack_from("<H", data, 8)
    expect((10 + length) % 64 == 0 and data[9 + length] == ord("\n"), path)
    found = re.fullmatch(r"\{'descr': '<f4', 'fortran_order': False, 'shape': \(([\d, ]+)\), \} *\n",
                         data[10:10 + length].decode())
    expect(found, data[:10 + length])
    shape = tuple(int(n) for n in found.group(1).split(", "))
    expect(len(data) == 10 + length + 4 * math.prod(shape), path)
    return shape, data[10 + length:]
