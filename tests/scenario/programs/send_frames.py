# SPDX-License-Identifier: GPL-2.0-only
"""Send random and malformed frames from a host: `python send_frames.py COUNT SEED`."""

import random
import re
import socket
import struct
import subprocess
import sys

count, seed = map(int, sys.argv[1:])
draw = random.Random(seed)
gateway = re.search(r"via (\S+)", subprocess.check_output(["ip", "route"], text=True))[1]
subprocess.run(["ping", "-c", "1", gateway], check=True, stdout=subprocess.DEVNULL)
neighbour = subprocess.check_output(["ip", "neigh", "show", gateway], text=True)
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("eth0", 0))
own_mac = link.getsockname()[4]
their_mac = bytes.fromhex(re.search(r"lladdr (\S+)", neighbour)[1].replace(":", ""))
own = socket.inet_aton(re.sub(r"\d+$", "2", gateway))
targets = [
    socket.inet_aton(each)
    for each in (gateway, "10.0.0.1", "10.0.0.2", "10.0.1.1", "10.0.1.2", "10.0.2.1", "10.0.2.2")
]
targets += [b"\xff" * 4, b"\xe0\0\0\x01", bytes(4), b"\x7f\0\0\x01"]


def checksum(content: bytes) -> bytes:
    """Return the Internet checksum."""
    content += b"\0" * (len(content) % 2)
    total = sum(struct.unpack(f"!{len(content) // 2}H", content))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!H", ~total & 0xFFFF)


def payload(kind: int, source: bytes, target: bytes) -> bytes:
    """Return a payload for IPv4 with its checksum, whose fields and length are often wrong."""
    data = draw.randbytes(draw.choice((0, 1, 7, 8, 19, 20, 27, 28, 40, 60, 1400)))
    if kind == 1:
        data = bytes([draw.choice((0, 3, 4, 5, 8, 11, 12, 13)), draw.randrange(4), 0, 0]) + data
        return data[:2] + checksum(data) + data[4:]
    ports = struct.pack("!HH", draw.choice((7, 9, 520, 5000)), draw.choice((7, 9, 520, 5001)))
    if kind == 17:
        length = draw.choice((*[len(data) + 8] * 4, draw.randrange(2**16), 7))
        data = ports + struct.pack("!HH", length, 0) + data
        place = 6
    elif kind == 6:
        data = ports + draw.randbytes(8) + bytes(
            [draw.choice((0x50, 0x50, 0x50, 0x60, 0xF0, draw.randrange(256))), draw.randrange(64)]
        ) + draw.randbytes(2) + bytes(4) + data  # fmt: skip
        place = 16
    else:
        return data
    pseudo = source + target + struct.pack("!BBH", 0, kind, len(data))
    return data[:place] + checksum(pseudo + data) + data[place + 2 :]


def packet() -> bytes:
    """Return a packet of IPv4 with a right checksum."""
    target = draw.choice(targets)
    source = draw.choice((*[own] * 7, draw.choice(targets)))
    kind = draw.choice((1, 6, 17, 1, 6, 17, 2, 89, draw.randrange(256)))
    data = payload(kind, source, target)
    begin = draw.choice((*[0x45] * 16, 0x46, 0x4F, 0x44, 0x65))
    length = draw.choice((*[20 + len(data)] * 9, draw.randrange(2**16), 19))
    fragment = draw.choice((*[0] * 8, 0x4000, 0x2000, draw.randrange(2**16)))
    life = draw.choice((0, 1, 2, 64, 64, 64))
    head = struct.pack("!BBHHHBBH", begin, 0, length, draw.randrange(4), fragment, life, kind, 0)
    head += source + target
    return head[:10] + checksum(head) + head[12:] + data


def arp() -> bytes:
    """Return a packet of ARP, whose lengths are often wrong."""
    sizes = draw.choice((*[(6, 4)] * 9, (0, 0), (8, 4), (255, 255), (6, 16)))
    head = struct.pack("!HHBBH", draw.choice((1, 1, 1, 6)), 0x0800, *sizes, draw.choice((1, 2, 9)))
    addresses = own_mac + draw.choice(targets) + their_mac + draw.choice(targets)
    return (head + addresses)[: draw.choice((*[28] * 9, 8, 27, 14))]


for _ in range(count):
    kind = draw.randrange(10)
    if kind < 7:
        content = b"\x08\x00" + packet()
    elif kind < 9:
        content = b"\x08\x06" + arp()
    else:
        content = draw.choice((b"\x08\x00", b"\x08\x06", b"\x86\xdd", b"\x00\x10", b"\x81\x00"))
        content += draw.randbytes(draw.randrange(100))
    frame = draw.choice((their_mac, their_mac, b"\xff" * 6)) + own_mac + content
    link.send(frame[:1514])
print("sent")
