# SPDX-License-Identifier: GPL-2.0-only
"""Programs for asyncio as replicas: streams, datagrams, crashes, and bugs that tests find."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from partition_support import branches, draw, follow, hashes, keep

from defiance_zoo.environments import lookup

EXAMPLES = ROOT / "examples" / "protocols"
RESTARTS: dict[str, Any] = {
    "max_inactive": 0,
    "crash_limit": 1000,
    "horizon": 100,
    "num_requests": 1000,
    "tick_interval": "50ms",
    "ticks_between_partition": 12,
    "stop_on_violation": False,
    "infos": "hashes",
}

DRIVER = """
import asyncio
import socket
import time

import defiance_zoo.scenario.replicas as rp
from defiance_zoo.scenario.replicas import replica
from defiance_zoo.scenario.replicas.binding import Binding

virtual, sent, said = [0.0], [], []
replica.now = lambda: virtual[0]


class Port:
    def __init__(self, id):
        self.id = id

    def send(self, to, data):
        sent.append((self.id, to, data))


class Node(rp.AsyncReplica):
    async def main(self):
        await globals()["server" if self.id == 1 else "client"](self)

    def state(self):
        return rp.State([0])


class Nodes(rp.Protocol):
    fields, replica = (rp.number("zero"),), Node


CASE

binding = Binding("nodes", Nodes)


def start(id, disk=None):
    node = binding.make_process(Port(id), id, 2, "", False, disk or binding.make_disk())
    node.recover(node.disk)
    return node


nodes = {id: start(id) for id in (1, 2)}
for tick in range(1, 400):
    virtual[0] = tick / 20
    arriving, sent[:] = sent[:], []
    for sender, to, data in arriving:
        if not drops(tick):
            nodes[to].message(sender, data)
    for id in nodes:
        nodes[id].tick(virtual[0])
    if tick == RESTART:
        binding.end_process(nodes[1])
        nodes[1] = start(1, nodes[1].disk)
print(said)
"""

ECHO = """
async def echo(reader, writer):
    while data := await reader.read(5000):
        writer.write(data)
        await writer.drain()
    writer.close()


async def server(node):
    await asyncio.start_server(echo, "0.0.0.0", 80)
"""

CASES = {
    "bytes arrive in order over a network that loses messages": (
        ECHO
        + """
async def client(node):
    reader, writer = await asyncio.open_connection("replica1", 80)
    data = bytes(range(256)) * 100
    writer.write(data)
    writer.write_eof()
    said.append(await reader.read(-1) == data)
    said.append(writer.get_extra_info("peername"))


def drops(tick):
    return tick % 11 == 0
""",
        "[True, ('10.0.0.1', 80)]",
    ),
    "a server that listens on its own name serves the other replicas": (
        ECHO.replace("0.0.0.0", "replica1")
        + """
async def client(node):
    reader, writer = await asyncio.open_connection("replica1", 80)
    writer.write(b"x")
    said.append(await reader.read(1))


def drops(tick):
    return False
""",
        "[b'x']",
    ),
    "a slow reader stops the writer": (
        """
async def serve(reader, writer):
    await asyncio.sleep(10)
    said.append(len(await reader.readexactly(500000)))


async def server(node):
    await asyncio.start_server(serve, port=80)


async def client(node):
    reader, writer = await asyncio.open_connection("10.0.0.1", 80)
    writer.write(bytes(500000))
    before = time.monotonic()
    await writer.drain()
    said.append(9 < time.monotonic() - before < 15)


def drops(tick):
    return False
""",
        "[True, 500000]",
    ),
    "a closed port refuses, and nobody answers for an unknown address": (
        ECHO
        + """
async def client(node):
    for host, port in (("replica1", 81), ("10.0.0.9", 80), ("nowhere", 80)):
        try:
            await asyncio.wait_for(asyncio.open_connection(host, port), 3)
        except Exception as error:
            said.append(type(error).__name__)


def drops(tick):
    return False
""",
        "['ConnectionRefusedError', 'TimeoutError', 'gaierror']",
    ),
    "a crash leaves a half-open connection, which the next bytes reset": (
        ECHO
        + """
async def client(node):
    reader, writer = await asyncio.open_connection("replica1", 80)
    await asyncio.sleep(8)
    said.append((writer.is_closing(), reader.at_eof()))
    writer.write(b"hello")
    try:
        await reader.read(1)
    except ConnectionResetError as error:
        said.append(str(error))


def drops(tick):
    return False


RESTART = 100
""",
        "[(False, False), '[Errno 104] Connection reset by peer']",
    ),
    "the greeting of a server arrives though the last message of opening is lost": (
        """
async def hello(reader, writer):
    writer.write(b"ready")


async def server(node):
    await asyncio.start_server(hello, port=80)


async def client(node):
    reader, writer = await asyncio.open_connection("replica1", 80)
    said.append(await asyncio.wait_for(reader.read(5), 10))


def drops(tick):
    return tick == 3
""",
        "[b'ready']",
    ),
    "a reset arrives though bytes before it are lost": (
        """
async def serve(reader, writer):
    await reader.read(1)
    await asyncio.sleep(0.1)
    writer.write(b"lost")
    await asyncio.sleep(0.3)
    option = socket.SOL_SOCKET, socket.SO_LINGER, b"\\1" + bytes(7)
    writer.get_extra_info("socket").setsockopt(*option)
    writer.transport.abort()


async def server(node):
    await asyncio.start_server(serve, port=80)


async def client(node):
    reader, writer = await asyncio.open_connection("replica1", 80)
    await asyncio.sleep(0.5)
    writer.write(b"x")
    try:
        await asyncio.wait_for(reader.read(), 10)
    except ConnectionResetError as error:
        said.append(str(error))


def drops(tick):
    return tick in (15, 16)
""",
        "['[Errno 104] Connection reset by peer']",
    ),
    "bytes that arrive twice do not reset a connection that the reader has closed": (
        """
async def serve(reader, writer):
    await reader.read(1)
    writer.write(b"answer")
    writer.close()


async def server(node):
    await asyncio.start_server(serve, port=80)


async def client(node):
    reader, writer = await asyncio.open_connection("replica1", 80)
    await asyncio.sleep(0.5)
    writer.write(b"x")
    said.append(await asyncio.wait_for(reader.read(), 10))


def drops(tick):
    return tick == 14
""",
        "[b'answer']",
    ),
    "a stopped loop ends the process, as in asyncio.run()": (
        """
async def server(node):
    await asyncio.sleep(1)
    asyncio.get_running_loop().stop()
    await asyncio.sleep(1)
    said.append("never")


async def client(node):
    pass


def drops(tick):
    return False
""",
        "RuntimeError: Event loop stopped before Future completed.",
    ),
    "a program without async is refused": (
        """
def begin(node):
    return 5


Node.main = begin
drops = None
""",
        "begin() returns 5: write async def",
    ),
    "a connection without answers is given up": (
        ECHO
        + """
async def client(node):
    before = time.monotonic()
    task = asyncio.create_task(asyncio.open_connection("replica1", 80))
    done, waiting = await asyncio.wait([task], timeout=12)
    said.append((len(done), len(waiting)))
    task.cancel()
    said.append(round(time.monotonic() - before))


def drops(tick):
    return True
""",
        "[(0, 1), 12]",
    ),
    "an exception that asyncio logs is a crash if the replica asks for it": (
        """
Node.crash_on_errors = True


async def server(node):
    pass


async def client(node):
    await asyncio.sleep(1)
    asyncio.get_running_loop().call_soon(int, "text")


def drops(tick):
    return False
""",
        "ValueError: invalid literal for int() with base 10: 'text'",
    ),
    "datagrams and name lookup": (
        """
Node.send = None  # a method of the program


class Server(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, sender):
        said.append((data, sender[0]))
        self.transport.sendto(data.upper(), sender)


class Client(Server):
    def datagram_received(self, data, sender):
        said.append((data, sender))


async def server(node):
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(Server, local_addr=("0.0.0.0", 53))


async def client(node):
    await asyncio.sleep(0.1)
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo("replica1", 53, type=socket.SOCK_DGRAM)
    transport, _ = await loop.create_datagram_endpoint(Client, remote_addr=found[0][4])
    transport.sendto(b"hello")


def drops(tick):
    return False
""",
        "[(b'hello', '10.0.0.2'), (b'HELLO', ('10.0.0.1', 53))]",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_sockets_of_replicas(name: str, tmp_path: Path) -> None:
    case, expected = CASES[name]
    case = case if "RESTART" in case else f"{case}\nRESTART = 0\n"
    program = tmp_path / "nodes.py"
    program.write_text(DRIVER.replace("CASE\n", f"{case}\n"))
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=False, timeout=60
    )
    said = (done.stdout or done.stderr).strip()
    assert said.splitlines()[-1] == expected, said


def test_asyncio_of_a_replica_does_what_linux_does() -> None:
    """Equal results of sockets, options and errors on one machine."""
    with contextlib.ExitStack() as stack:  # two ports in sequence that are free
        for port in range(20_000, 30_000):
            with contextlib.suppress(OSError):
                held = [stack.enter_context(socket.socket()) for _ in range(2)]
                for offset, each in enumerate(held):
                    each.bind(("127.0.0.1", port + offset))
                break
    twin = str(Path(__file__).with_name("asyncio_twin.py"))
    linux, replica = (
        subprocess.run(
            [sys.executable, twin, place, str(port)], capture_output=True, text=True, check=False
        )
        for place in ("linux", "replica")
    )
    assert linux.stdout.count("\n") == 20, linux.stderr
    assert replica.stdout == linux.stdout, replica.stderr


def first_violation(
    file: Path, steps: int, first: int = 1000, **arguments: Any
) -> tuple[int, str] | None:
    """Play random tests, and return the number of steps before the first violation."""
    choose, played = draw(first // 1000), 0
    with closing(lookup(str(file)).raw_env(link="local", **{**RESTARTS, **arguments})) as env:
        for seed in range(first, first + steps):
            for info, action in follow(env, choose, seed):
                if info["violations"]:
                    return played, info["violations"]
                played += action is not None
                if played == steps:
                    return None
    return None


@pytest.mark.parametrize(("bug", "found"), [("memory", True), ("", False)])
def test_a_bug_of_an_asyncio_service_is_found(bug: str, found: bool) -> None:
    violation = first_violation(EXAMPLES / "lock_service.py", 600, 2000, bug=bug, max_inactive=1)
    assert bool(violation) == found
    assert not violation or "mutual_exclusion: [2, 3] hold the lock" in violation[1]


def test_episodes_of_an_asyncio_service_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """In copied and new processes, and after a snapshot."""
    file, told = str(EXAMPLES / "lock_service.py"), []
    for launch in ("fork", "spawn"):
        monkeypatch.setenv("PYTHONHASHSEED", str(len(told)))
        env = lookup(file).raw_env(link="local", launch=launch, **{**RESTARTS, "horizon": 20})
        told.append(hashes(env, draw(3)))
        one, other = branches(env)
        env.close()
        assert one == other
        assert len(set(one)) > 10
    assert told[0] == told[1]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*InvalidStateError:defiance_zoo.errors.UnseenException")
def test_two_leaders_are_found_in_raftos(tmp_path: Path) -> None:
    """An unmodified library for asyncio, with an adapter of thirty lines."""
    install = ["install", "-q", "--no-deps", "--target", tmp_path / "raftos-0.2.6"]
    subprocess.run([sys.executable, "-m", "pip", *install, "raftos==0.2.6"], check=True)
    shutil.copy(EXAMPLES / "raftos_cluster.py", tmp_path)
    parameters = {"ticks_between_partition": 4, "horizon": 300}
    found = first_violation(tmp_path / "raftos_cluster.py", 4000, **parameters)
    assert found is not None
    assert "election_safety" in found[1]


SERVICES = ROOT / "tests" / "scenario" / "programs" / "service_replicas.py"
FAULTLESS: dict[str, Any] = {
    "with_crashes": False, "tick_interval": "10ms", "ticks_between_partition": 20, "horizon": 40,
    "delivery": "network",
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(
    ("bug", "found", "parameters"),
    [
        ("count", "lost_update", {"link_jitter": "50ms"}),
        ("elect", "one_leader", {"link_jitter": "50ms"}),
        ("back_up", "one_leader", {"link_rate": "128kbps"}),
        ("back_up", "", {"link_rate": "100Mbps"}),
    ],
)
def test_the_network_alone_shows_bugs_of_asyncio_programs(
    bug: str, found: str, parameters: dict[str, Any]
) -> None:
    """No partitions and no crashes: only delays, and a slow link behind which heartbeats wait."""
    said = ""
    with closing(
        lookup(str(SERVICES)).raw_env(link="local", bug=bug, **FAULTLESS, **parameters)
    ) as env:
        for seed in range(1, 20 if found else 4):
            for info, _ in follow(env, keep, seed):
                said = said or info["violations"].partition(":")[0]
            if said:
                break
    assert said == found
