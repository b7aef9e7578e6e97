# SPDX-License-Identifier: GPL-2.0-only
"""A path of two network namespaces with Linux's queue `tbf` as bottleneck.

`unshare --net --pid --fork --kill-child -- python -m defiance_zoo.experiments.real_paths.namespaces
ORDER` runs a sender and a receiver, and writes the sender's report. `tbf` has no delay: a relay in
the receiver's namespace adds it. The program is the first process of a PID namespace, so the kernel
ends all others with it. It ends when its standard input is closed, for instance by the death of its
parent.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from typing import Any, cast

from defiance_zoo.experiments.real_paths.receiver import PORT, receive
from defiance_zoo.experiments.real_paths.sender import READY

_FRAME = 1514
"""Size of a full packet in bytes, as tbf counts it: with its Ethernet header."""
_SENDER, _RECEIVER, _LOOPBACK = "10.0.0.1", "10.0.0.2", "127.0.0.1"


class Relay(asyncio.DatagramProtocol):
    """Passes datagrams between a receiver and the sender, each after a delay."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._receiver: Any = None
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, source: Any) -> None:
        """Forward a datagram after the delay."""
        target = (_SENDER, PORT)
        if source[0] == _SENDER:
            target = self._receiver
        else:
            self._receiver = source
        assert self._transport is not None
        loop = asyncio.get_running_loop()
        loop.call_later(self._delay, self._transport.sendto, data, target)


async def _receive(delay: float) -> None:
    """Receive data over a relay."""
    await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: Relay(delay), local_addr=("0.0.0.0", PORT)
    )
    await receive(_LOOPBACK)


def run_receiver(delay: float) -> None:
    """Receive over the device `right`, once it exists: the role of the other namespace."""
    print(READY, flush=True)
    sys.stdin.readline()
    _configure("right", _RECEIVER)
    asyncio.run(_receive(delay))


def run_path(order: dict[str, Any]) -> None:
    """Build the path, run both programs, and write the sender's report.

    Args:
        order: `rate` in bit/s, `delay` one-way in seconds, `buffer` in packets; the `decider`,
            `seconds` and `interval` of the sender.
    """
    threading.Thread(target=_end_with_parent, daemon=True).start()
    python, package = [sys.executable, "-m"], "defiance_zoo.experiments.real_paths"
    receiver = _start(
        ["unshare", "--net", "--", *python, f"{package}.namespaces", str(order["delay"])]
    )
    _run(f"ip link add left type veth peer name right netns {receiver.pid}")
    _configure("left", _SENDER)
    _run(
        f"tc qdisc add dev left root tbf rate {round(order['rate'])}bit burst {2 * _FRAME} "
        f"limit {order['buffer'] * _FRAME}"
    )
    words = [str(order[name]) for name in ("decider", "seconds", "interval")]
    sender = _start([*python, f"{package}.sender", *words])
    assert receiver.stdin is not None
    print("go", file=receiver.stdin, flush=True)
    report, _ = sender.communicate()
    if sender.returncode:
        sys.exit("the sender has failed")
    print(report, end="", flush=True)
    os._exit(0)  # ends the receiver: the packet that closes the connection may be lost


def _start(command: list[str]) -> subprocess.Popen[str]:
    """Start a program, and wait for the line that reports that it is ready."""
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    while line := program.stdout.readline():
        if line.strip() == READY:
            return program
    sys.exit("a program has ended before it was ready")


def _configure(device: str, address: str) -> None:
    for command in (
        "link set dev lo up",
        f"address add {address}/30 dev {device}",
        f"link set dev {device} up",
    ):
        _run(f"ip {command}")


def _run(command: str) -> None:
    subprocess.run(command.split(), check=True)


def _end_with_parent() -> None:
    """Wait for the end of the standard input, and end all processes of the PID namespace."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    if sys.argv[1].startswith("{"):
        run_path(json.loads(sys.argv[1]))
    else:
        run_receiver(float(sys.argv[1]))
