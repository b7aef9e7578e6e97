# SPDX-License-Identifier: GPL-2.0-only
"""Programs for asyncio on one machine: on Linux, and as a replica; prints each result.

`python asyncio_twin.py linux|replica PORT`.
"""

from __future__ import annotations

import asyncio
import errno
import functools
import logging
import select
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


def opened(kind: int = socket.SOCK_STREAM) -> socket.socket:
    made = socket.socket(socket.AF_INET, kind)
    made.setblocking(False)
    return made


def listening() -> socket.socket:
    made = opened()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((HOST, PORT))
    made.listen()
    return made


def called(call: Any, *given: Any) -> Any:
    try:
        return call(*given)
    except Exception as error:
        return shown(error)


async def sockets_of_the_program() -> Any:
    loop = asyncio.get_running_loop()
    server, client = listening(), opened()
    found = [isinstance(client, socket.socket), called(client.getpeername), called(server.accept)]
    await loop.sock_connect(client, (HOST, PORT))
    accepted, name = await loop.sock_accept(server)
    found += [name == client.getsockname(), client.getpeername(), called(accepted.recv, 9)]
    await loop.sock_sendall(client, b"question")
    found.append(await loop.sock_recv(accepted, 5))
    target = bytearray(9)
    found += [await loop.sock_recv_into(accepted, target), target]
    reader, writer = await asyncio.open_connection(sock=client)
    accepted.send(b"answer")
    found += [await reader.readexactly(6), writer.get_extra_info("peername")]
    writer.close()
    await writer.wait_closed()
    found += [await loop.sock_recv(accepted, 9), client.fileno(), called(client.send, b"x")]
    accepted.close(), server.close()
    return found


async def an_accepted_socket_becomes_a_stream() -> Any:
    loop, server = asyncio.get_running_loop(), listening()
    reader, writer = await asyncio.open_connection(HOST, PORT)
    accepted, _ = await loop.sock_accept(server)
    theirs = asyncio.StreamReader()
    make = functools.partial(asyncio.StreamReaderProtocol, theirs)
    transport, _ = await loop.connect_accepted_socket(make, accepted)
    writer.write(b"line\n")
    found = [await theirs.readline(), transport.is_reading()]
    transport.close()
    server.close()
    return *found, await reader.read()


async def calls_in_the_wrong_state() -> Any:
    made, other = opened(), opened()
    port, late = opened(socket.SOCK_DGRAM), opened(socket.SOCK_DGRAM)
    calls: list[Any] = [(made.send, b"x"), (made.recv, 9), (made.shutdown, socket.SHUT_WR)]
    calls += [(made.accept,), (port.recv, 9), (late.send, b"x"), (port.getpeername,)]
    calls += [(made.connect_ex, (HOST, PORT)), (made.getsockopt, socket.SOL_SOCKET, socket.SO_TYPE)]
    found = [called(*each) for each in calls]
    await asyncio.sleep(0.2)
    found.append(errno.errorcode[made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)])
    found.append(made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
    other.bind((HOST, 0))
    taken = other.getsockname()
    found += [called(other.bind, taken), called(opened().bind, taken)]
    found += [port.getsockname(), port.sendto(b"x", (HOST, PORT)), port.getsockname()[1] > 0]
    return found + [each.close() for each in (made, other, port, late) * 2]


async def calls_after_the_end() -> Any:
    """Of a closed socket, of a direction, of a listener, and of an attempt to connect."""
    server, made, found = listening(), opened(), list[Any]()
    found += [called(made.connect_ex, (HOST, PORT))]
    await asyncio.sleep(0.1)
    found += [called(made.connect_ex, (HOST, PORT)), called(made.connect_ex, (HOST, PORT))]
    accepted, _ = server.accept()
    found += [called(made.listen), called(server.connect, (HOST, PORT))]
    made.shutdown(socket.SHUT_RD)
    found += [called(made.recv, 9), called(made.send, b"x")]
    found += [called(server.shutdown, socket.SHUT_RDWR), called(server.accept)]
    await asyncio.sleep(0.1)
    accepted.close()  # with an unread byte
    await asyncio.sleep(0.1)
    found += [called(made.recv, 9), called(made.shutdown, socket.SHUT_WR)]
    made.close(), server.close()
    calls: list[Any] = [(made.listen,), (made.getsockname,), (made.connect_ex, (HOST, PORT))]
    calls += [(made.getsockopt, 1, 4), (made.setsockopt, 1, 2, 1), (made.bind, (HOST, 0))]
    return found + [called(*each) for each in calls]


async def readers_and_writers() -> Any:
    loop, found = asyncio.get_running_loop(), list[Any]()
    one, other = opened(socket.SOCK_DGRAM), opened(socket.SOCK_DGRAM)
    one.bind((HOST, 0))
    other.connect(one.getsockname())
    loop.add_reader(one, lambda: found.append(one.recvfrom(9)[0]))
    loop.add_writer(other.fileno(), lambda: (other.send(b"x"), loop.remove_writer(other)))
    await asyncio.sleep(0.2)
    found += [loop.remove_reader(one), loop.remove_reader(one)]
    other.send(b"late")
    await asyncio.sleep(0.2)
    poll = select.poll()
    for each in (one.fileno(), other):
        poll.register(each)
    found += [sorted(events for _, events in poll.poll(0)), len(select.select([one], [], [], 3)[0])]
    found.append(one.recv(2))  # the rest of a datagram is lost
    transport, _ = await loop.create_datagram_endpoint(Datagrams, sock=one)
    found.append(called(loop.add_reader, one, print).partition(" ")[0])
    transport.close(), other.close()
    return found


async def resets() -> Any:
    """By unread bytes, and by an option: first the bytes that have arrived, then the error."""
    loop, server, found = asyncio.get_running_loop(), listening(), list[Any]()
    for option in (False, True):
        client = opened()
        await loop.sock_connect(client, (HOST, PORT))
        accepted, _ = await loop.sock_accept(server)
        if option:
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        else:
            client.send(b"unread")
        accepted.send(b"before")
        await asyncio.sleep(0.2)
        accepted.close()
        await asyncio.sleep(0.2)
        found += [called(client.recv, 9), called(client.recv, 9), called(client.recv, 9)]
        found += [called(client.send, b"x"), called(client.getpeername), client.close()]
    server.close()
    return found


async def a_server_that_closes() -> Any:
    async def handle(reader: Any, writer: Any) -> None:
        while data := await reader.read(9):
            writer.write(data)
        writer.close()

    server = await serve(handle)
    reader, writer = await asyncio.open_connection(HOST, PORT)
    writer.write(b"x")
    found = [await reader.read(9)]
    forever = asyncio.create_task(server.serve_forever())
    await asyncio.sleep(0.1)
    server.close()
    found += [await tried(asyncio.wait_for(server.wait_closed(), 0.3)), server.is_serving()]
    writer.write(b"still")
    found += [await reader.read(9), await tried(asyncio.open_connection(HOST, PORT))]
    writer.close()
    await asyncio.sleep(0.2)
    return *found, forever.done(), await tried(asyncio.wait_for(server.wait_closed(), 0.3))


async def a_reader_that_stops() -> Any:
    found, gate = list[Any](), asyncio.Event()

    async def handle(reader: Any, writer: Any) -> None:
        writer.transport.pause_reading()
        await gate.wait()
        writer.transport.resume_reading()
        found.append(len(await reader.readexactly(16_000_000)))
        writer.close()

    server = await serve(handle)
    reader, writer = await asyncio.open_connection(HOST, PORT)
    writer.transport.set_write_buffer_limits(high=1000)
    found.append(writer.transport.get_write_buffer_limits())
    writer.write(bytes(16_000_000))
    found.append(await tried(asyncio.wait_for(writer.drain(), 0.5)))
    found.append(writer.transport.get_write_buffer_size() > 1000)
    gate.set()
    await writer.drain()
    found += [writer.transport.get_write_buffer_size() <= 250, await reader.read()]
    server.close()
    return found


class Buffered(asyncio.BufferedProtocol):
    def __init__(self) -> None:
        self.buffer, self.got = bytearray(4), list[Any]()

    def get_buffer(self, sizehint: int) -> bytearray:
        return self.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.got.append(bytes(self.buffer[:nbytes]))

    def eof_received(self) -> None:
        self.got.append("end")

    def connection_lost(self, error: Any) -> None:
        self.got.append(error)


async def protocols_of_buffers() -> Any:
    loop, made = asyncio.get_running_loop(), list[Any]()
    server = await loop.create_server(lambda: made.append(Buffered()) or made[-1], HOST, PORT)
    _, writer = await asyncio.open_connection(HOST, PORT)
    writer.writelines([b"abcdef", b"g"])
    writer.close()
    await asyncio.sleep(0.3)
    server.close()
    return made[0].got


async def errors_of_protocols() -> Any:
    """An exception of a callback ends the connection, and reaches the handler."""
    loop, found = asyncio.get_running_loop(), list[Any]()
    loop.set_exception_handler(lambda _loop, said: found.append(said["message"]))

    class Wrong(asyncio.Protocol):
        def data_received(self, data: bytes) -> None:
            raise ValueError(data)

        def connection_lost(self, error: Any) -> None:
            found.append(shown(error))

    server = await loop.create_server(Wrong, HOST, PORT)
    reader, writer = await asyncio.open_connection(HOST, PORT)
    writer.write(b"x")
    found.append(await reader.read())
    server.close()
    return found


async def wrong_parameters() -> Any:
    loop, client = asyncio.get_running_loop(), opened()
    calls: list[Any] = [
        loop.create_server(asyncio.Protocol),
        loop.create_server(asyncio.Protocol, HOST, PORT, sock=client),
        loop.create_connection(asyncio.Protocol),
        loop.create_connection(asyncio.Protocol, HOST, PORT, sock=client),
        loop.create_connection(asyncio.Protocol, HOST, PORT, ssl_handshake_timeout=3),
        loop.create_datagram_endpoint(Datagrams),
        loop.create_datagram_endpoint(Datagrams, sock=client),
        loop.create_datagram_endpoint(Datagrams, local_addr=(HOST, PORT, 0)),
    ]
    found = [await tried(each) for each in calls]
    transport, _ = await loop.create_datagram_endpoint(Datagrams, remote_addr=(HOST, PORT))
    found += [called(transport.sendto, b"x", (HOST, PORT + 1)), called(transport.sendto, "text")]
    transport.close(), client.close()
    return *found, transport.is_closing()


async def many_connections_at_once() -> Any:
    async def handle(reader: Any, writer: Any) -> None:
        writer.write(await reader.readexactly(2))
        writer.close()

    async def ask(number: int) -> bytes:
        reader, writer = await asyncio.open_connection(HOST, PORT, happy_eyeballs_delay=0.2)
        writer.write(b"%02d" % number)
        writer.write_eof()
        return await reader.read()

    server = await serve(handle)
    answers = await asyncio.gather(*map(ask, range(50)))
    server.close()
    return [int(each) for each in answers] == list(range(50))


CASES = [datagrams_by_loopback, addresses_of_others, ports, a_server_that_serves_later]
CASES += [names_of_both_ends, the_end_of_one_direction, an_abort, writes_after_an_abort]
CASES += [sockets_of_the_program, an_accepted_socket_becomes_a_stream, calls_in_the_wrong_state]
CASES += [calls_after_the_end, readers_and_writers, resets, a_server_that_closes]
CASES += [
    a_reader_that_stops,
    protocols_of_buffers,
    errors_of_protocols,
    wrong_parameters,
    many_connections_at_once,
]


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
