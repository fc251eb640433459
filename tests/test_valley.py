#!/usr/bin/env python3
"""scenes/valley.png is what tools/make-valley makes.  usage: test_valley.py SOURCE"""
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

home = pathlib.Path(sys.argv[1])


def content(path):
    """Header and heights of a PNG; what they are packed into depends on the version of zlib."""
    data, at, header, packed = path.read_bytes(), 8, b"", b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        header += body if kind == b"IHDR" else b""
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    return header, zlib.decompress(packed)


with tempfile.TemporaryDirectory() as scratch:
    made = pathlib.Path(scratch) / "valley.png"
    subprocess.run([sys.executable, home / "tools/make-valley", made], check=True, stdout=subprocess.DEVNULL)
    if content(made) != content(home / "scenes/valley.png"):
        sys.exit("scenes/valley.png is not what tools/make-valley makes")
