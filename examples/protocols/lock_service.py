# SPDX-License-Identifier: GPL-2.0-only
"""A lock service with leases, an ordinary program for asyncio.

Replica 1 is the server, and the others are clients. A client holds the lock until its lease ends.
Two seeded bugs break the mutual exclusion:

    late     a client counts its lease from the answer, which TCP may have sent again, and not from
             its question
    memory   the server keeps the lease in its memory, which a crash loses, and not on its disk
"""

import asyncio
import contextlib
import json
import random
import time
from pathlib import Path

import defiance_zoo.scenario.replicas as rp

PORT, LEASE, FILE = 7000, 2.0, Path("/disk/lease.json")


class LockReplica(rp.AsyncReplica):
    held_until = granted_until = 0.0

    async def main(self):
        if self.id == 1:
            server = await asyncio.start_server(self.serve, port=PORT)
            await server.serve_forever()
        while True:
            await asyncio.sleep(random.uniform(0.1, 0.5))
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                await asyncio.wait_for(self.acquire(), timeout=5)

    async def acquire(self):
        asked = time.monotonic()
        reader, writer = await asyncio.open_connection("replica1", PORT)
        writer.write(b"acquire\n")
        answer = await reader.readline()
        writer.close()
        if answer == b"granted\n":
            self.held_until = (time.monotonic() if self.bug == "late" else asked) + LEASE

    async def serve(self, reader, writer):
        if await reader.readline():
            is_free = time.time() >= self.load()
            if is_free:
                self.store(time.time() + LEASE)
            writer.write(b"granted\n" if is_free else b"taken\n")
            await writer.drain()
        writer.close()

    def load(self):
        if self.bug == "memory" or not FILE.exists():
            return self.granted_until
        return json.loads(FILE.read_text())

    def store(self, until):
        self.granted_until = until
        new = FILE.with_suffix(".new")
        new.write_text(json.dumps(until))
        new.replace(FILE)

    def state(self):
        return rp.State([int(time.monotonic() < self.held_until)])


class LockService(rp.Protocol):
    fields = (rp.choice("holds", 1),)
    replica = LockReplica
    bugs = ("late", "memory")

    def takers(self, states):
        return []

    def check(self, group):
        holders = [state.id for state in group.states if state.active and state.holds]
        if len(holders) > 1:
            yield "mutual_exclusion", f"{holders} hold the lock"

    def describe(self, data):
        return data[25:].decode()


sim = rp.Simulation(LockService)

if __name__ == "__main__":
    sim.main()
