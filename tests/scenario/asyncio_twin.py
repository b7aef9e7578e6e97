# SPDX-License-Identifier: GPL-2.0-only
"""Programs for asyncio on one machine: on Linux, and as a replica; prints each result.

`python asyncio_twin.py linux|replica PORT`.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import sys
from collections.abc import Awaitable
from typing import Any

HOST = "127.0.0.1"
PORT = int(sys.argv[2])


def shown(error: BaseException) -> str:
    number = getattr(error, "errno", None)
    return type(error).__name__ + (f" {errno.errorcode.get(number, number)}" if number else "")


async def tried(call: Awaitable[Any]) -> str:
    try:
        await call
    except Exception as error:
        return shown(error)
    return "done"


async def serve(handle: Any, host: Any = HOST, port: int = PORT, **more: Any) -> Any:
    return await asyncio.start_server(handle, host, port, **more)


class Datagrams(asyncio.DatagramProtocol):
    def __init__(self) -> None:
        self.got: list[Any] = []

    def datagram_received(self, data: bytes, sender: Any) -> None:
        self.got.append((data, sender[0]))

    def error_received(self, error: Exception) -> None:
        self.got.append(shown(error))


async def datagrams_by_loopback() -> Any:
    open_port = asyncio.get_running_loop().create_datagram_endpoint
    one, theirs = await open_port(Datagrams, local_addr=(HOST, PORT))
    other, ours = await open_port(Datagrams, remote_addr=(HOST, PORT))
    other.sendto(b"ask")
    await asyncio.sleep(0.2)
    one.sendto(b"answer", other.get_extra_info("sockname"))
    one.sendto(bytes(70_000), other.get_extra_info("sockname"))
    await asyncio.sleep(0.2)
    names = [each.get_extra_info("sockname")[0] for each in (one, other)]
    one.close()
    other.close()
    return theirs.got, ours.got, names, other.get_extra_info("peername")


async def addresses_of_others() -> Any:
    open_port = asyncio.get_running_loop().create_datagram_endpoint
    foreign = ("203.0.113.7", PORT)
    return await tried(open_port(Datagrams, local_addr=foreign)), await tried(serve(None, *foreign))


async def ports() -> Any:
    server = await serve(lambda _reader, writer: writer.close())
    found = [await tried(serve(print)), await tried(asyncio.open_connection(HOST, 99_999))]
    found += [await tried(asyncio.open_connection(HOST, PORT)), len(server.sockets)]
    server.close()
    return *found, await tried(asyncio.open_connection(HOST, PORT)), server.sockets


async def a_server_that_serves_later() -> Any:
    server = await serve(lambda _reader, writer: writer.close(), start_serving=False)
    found = [await tried(asyncio.open_connection(HOST, PORT)), server.is_serving()]
    await server.start_serving()
    found.append(await tried(asyncio.open_connection(HOST, PORT)))
    server.close()
    return found


async def names_of_both_ends() -> Any:
    found: list[Any] = []

    async def handle(_reader: Any, writer: Any) -> None:
        found.extend(writer.get_extra_info(each) for each in ("peername", "sockname"))
        found.append(writer.transport.is_reading())
        writer.close()

    server = await serve(handle)
    reader, writer = await asyncio.open_connection(HOST, PORT, local_addr=(HOST, PORT + 1))
    await reader.read()
    named = writer.get_extra_info("socket")
    named.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    found.append(bool(named.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
    server.close()
    return *found, int(named.family), writer.get_extra_info("peername")


async def the_end_of_one_direction() -> Any:
    async def handle(reader: Any, writer: Any) -> None:
        writer.write((await reader.read()).upper())
        writer.close()

    server = await serve(handle)
    reader, writer = await asyncio.open_connection(HOST, PORT)
    writer.write(bytearray(b"ask"))
    writer.write_eof()
    found = await reader.read()
    try:
        writer.write(b"more")
    except RuntimeError as error:
        return found, shown(error), reader.at_eof()
    finally:
        server.close()


async def an_abort() -> Any:
    """The bytes that were written before arrive, and then the end: nothing was unread."""
    found: list[Any] = []

    async def handle(reader: Any, _writer: Any) -> None:
        found.append(await reader.read(3))
        await asyncio.sleep(0.3)
        found.append(await reader.read())

    server = await serve(handle)
    _, writer = await asyncio.open_connection(HOST, PORT)
    writer.write(b"ask")
    await asyncio.sleep(0.2)
    writer.write(b" more")
    writer.transport.abort()
    await asyncio.sleep(0.5)
    server.close()
    return found


async def writes_after_an_abort() -> Any:
    async def handle(_reader: Any, writer: Any) -> None:
        writer.transport.abort()

    server = await serve(handle)
    _, writer = await asyncio.open_connection(HOST, PORT)
    await asyncio.sleep(0.2)
    found = []
    for _ in range(2):
        writer.write(b"x")
        found.append((await tried(writer.drain())).partition(" ")[0])
        await asyncio.sleep(0.3)
    server.close()
    return found


CASES = [datagrams_by_loopback, addresses_of_others, ports, a_server_that_serves_later]
CASES += [names_of_both_ends, the_end_of_one_direction, an_abort, writes_after_an_abort]


async def run() -> None:
    for case in CASES:
        print(case.__name__, await case())


def run_as_replica() -> None:
    import defiance_zoo.scenario.replicas as rp
    from defiance_zoo.scenario.replicas import replica
    from defiance_zoo.scenario.replicas.binding import Binding

    virtual = [0.0]
    replica.now = lambda: virtual[0]  # type: ignore[assignment]

    class Node(rp.AsyncReplica):
        async def main(self) -> None:
            await run()

        def state(self) -> rp.State:
            return rp.State([0])

    class Nodes(rp.Protocol):
        fields, replica = (rp.number("zero"),), Node

    binding = Binding("nodes", Nodes)
    node = binding.make_process(None, 1, 2, "", False, binding.make_disk())
    node.recover(node.disk)
    for tick in range(1, 400):
        virtual[0] = tick / 20
        node.tick(virtual[0])


if __name__ == "__main__":
    logging.disable()
    if sys.argv[1] == "linux":
        asyncio.run(run())
    else:
        run_as_replica()
