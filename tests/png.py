"""Reads pictures, by the PNG format alone."""
import pathlib
import struct
import zlib


def paeth(a, b, c):
    nearest = a + b - c
    da, db, dc = abs(nearest - a), abs(nearest - b), abs(nearest - c)
    return a if da <= db and da <= dc else b if db <= dc else c


def read_png(path):
    """Width, height and rows of an 8-bit RGB picture, by the PNG format alone."""
    data, at, packed = pathlib.Path(path).read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
            if (depth, colours) != (8, 2):
                raise ValueError(f"{path}: {depth} bits, colours {colours}")
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    raw, rows, bytes_per_row = zlib.decompress(packed), [], 3 * width
    before = bytearray(bytes_per_row)
    for y in range(height):
        start = y * (bytes_per_row + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + bytes_per_row])
        for i in range(bytes_per_row):
            left, corner = (row[i - 3], before[i - 3]) if i >= 3 else (0, 0)
            guess = (0, left, before[i], (left + before[i]) // 2, paeth(left, before[i], corner))[kind]
            row[i] = (row[i] + guess) % 256
        rows.append(bytes(row))
        before = row
    return width, height, rows
