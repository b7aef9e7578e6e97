# SPDX-License-Identifier: GPL-2.0-only
"""Four asyncio programs with a bug each, for hosts replica1, replica2 and replica3."""

import asyncio
import json
import random

PORT, LEASE = 7000, 2.0


class Node:
    """The memory of one process."""

    def __init__(self, id):
        self.id, self.value, self.granted_until, self.held_until = id, 0, 0.0, 0.0
        self.term, self.votes, self.leads, self.heard = 0, set(), 0, 0.0


def now():
    return asyncio.get_running_loop().time()


async def ask(line):
    reader, writer = await asyncio.open_connection("replica1", PORT)
    writer.write(line)
    answer = await reader.readline()
    writer.close()
    return answer


async def listen(answer, host="replica1"):
    async def serve(reader, writer):
        if line := await reader.readline():
            writer.write(answer(line))
        writer.close()

    server = await asyncio.start_server(serve, host, PORT)
    await server.serve_forever()


async def count(node):
    """Two clients add 1 to a counter: each reads, and writes the sum."""

    def answer(line):
        if line != b"get\n":
            node.value = int(line)
        return b"%d\n" % node.value

    if node.id == 1:
        await listen(answer)
    await asyncio.sleep(random.uniform(0.1, 2.1))
    await ask(b"%d\n" % (int(await ask(b"get\n")) + 1))
    node.value = 1  # done


async def lock(node):
    """A server grants leases, and keeps them in memory."""

    def answer(line):
        is_free = now() >= node.granted_until
        if is_free:
            node.granted_until = now() + LEASE
        return b"granted\n" if is_free else b"taken\n"

    if node.id == 1:
        await listen(answer)
    while True:
        await asyncio.sleep(random.uniform(0.1, 0.5))
        asked = now()
        try:
            if await asyncio.wait_for(ask(b"acquire\n"), 1) == b"granted\n":
                node.held_until = asked + LEASE
        except (OSError, asyncio.TimeoutError):
            pass


class Ballot(asyncio.DatagramProtocol):
    def __init__(self, node):
        self.node = node

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        node, (kind, term, sender) = self.node, json.loads(data)
        if kind == "ask" and term >= node.term and node.leads != term:  # forgets its vote
            node.term = term
            self.transport.sendto(json.dumps(["vote", term, node.id]).encode(), address)
        if kind == "vote" and term == node.term:
            node.votes.add(sender)
            if len(node.votes) == 2:
                node.leads = term


async def elect(node):
    """A node that misses a leader asks for votes of the next term."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: Ballot(node), local_addr=(f"replica{node.id}", PORT)
    )
    for _ in range(3):
        await asyncio.sleep(random.uniform(0.1, 1.0))
        if node.leads == node.term:
            node.term, node.votes = node.term + 1, {node.id}
            for other in {1, 2, 3} - {node.id}:
                message = json.dumps(["ask", node.term, node.id]).encode()
                transport.sendto(message, (f"replica{other}", PORT))


class Beats(asyncio.DatagramProtocol):
    def __init__(self, node):
        self.node = node

    def datagram_received(self, data, address):
        self.node.heard = now()


async def back_up(node):
    """A primary sends heartbeats, and a snapshot of 100 kB; a backup takes over after 0.3 s."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: Beats(node), local_addr=(f"replica{node.id}", PORT)
    )
    if node.id == 2:

        async def receive(reader, writer):
            while await reader.read(65536):
                pass

        await asyncio.start_server(receive, "replica2", PORT + 1)
    node.heard = now() + 1
    for beat in range(60):
        if node.id == 1:
            node.leads = 1
            transport.sendto(b"alive", ("replica2", PORT))
            if beat == 20:
                _, writer = await asyncio.open_connection("replica2", PORT + 1)
                writer.write(bytes(100_000))
        elif node.id == 2 and now() - node.heard > 0.3:
            node.leads = 1
        await asyncio.sleep(0.1)
