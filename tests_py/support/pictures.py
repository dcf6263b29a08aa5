"""What is in a picture."""

from __future__ import annotations

import struct
import zlib


def colours(png: bytes) -> list[tuple[int, ...]]:
    """The first pixel of each row."""
    width, height = struct.unpack(">II", png[16:24])
    place, packed = 8, b""
    while place < len(png):
        length = int.from_bytes(png[place : place + 4], "big")
        if png[place + 4 : place + 8] == b"IDAT":
            packed += png[place + 8 : place + 8 + length]
        place += 12 + length
    data = zlib.decompress(packed)
    channels = (len(data) // height - 1) // width
    above, found = [0] * channels, []
    for start in range(0, len(data), width * channels + 1):
        row = data[start + 1 : start + 1 + channels]
        # What is to the left of the first pixel counts as nothing, so two of the filters do nothing to it.
        share = {0: 0, 1: 0, 2: 1, 3: 0.5, 4: 1}[data[start]]
        above = [(value + int(share * up)) % 256 for value, up in zip(row, above, strict=True)]
        found.append(tuple(above[:3]))
    return found
