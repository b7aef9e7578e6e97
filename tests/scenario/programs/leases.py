# SPDX-License-Identifier: GPL-2.0-only
"""A lock with leases that tolerates clocks of other rates, jumps and slow disks; three bugs do not.

Replica 1 is the server. A client that holds the lock writes an intention to its disk, and works.

    margin   clients allow for the lateness of their timers, but not for clocks of other rates
    wall     the server counts leases by time.time(), which jumps
    check    clients look at the lease before they write to their disk, but not afterwards
"""

import asyncio
import contextlib
import os
import random
import time
from pathlib import Path

import defiance_zoo.scenario.replicas as rp

PORT, LEASE, MARGIN, TIMERS = 7000, 2.0, 1.0, 0.2


def store(name, text):
    with Path(f"/disk/{name}").open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


class LeaseReplica(rp.AsyncReplica):
    granted_until = held_until = 0.0
    working = False

    async def main(self):
        if self.id == 1:
            if Path("/disk/started").exists():
                self.granted_until = self.now() + LEASE  # it may have been granted before a crash
            store("started", "")
            server = await asyncio.start_server(self.serve, port=PORT)
            await server.serve_forever()
        while True:
            await asyncio.sleep(random.uniform(0.1, 0.5))
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                await asyncio.wait_for(self.acquire(), timeout=5)
                await self.work()

    def now(self):
        return time.time() if self.bug == "wall" else time.monotonic()

    async def serve(self, reader, writer):
        if await reader.readline():
            is_free = self.now() >= self.granted_until
            if is_free:
                self.granted_until = self.now() + LEASE
            writer.write(b"granted\n" if is_free else b"taken\n")
            await writer.drain()
        writer.close()

    async def acquire(self):
        asked = time.monotonic()
        reader, writer = await asyncio.open_connection("replica1", PORT)
        writer.write(b"acquire\n")
        answer = await reader.readline()
        writer.close()
        if answer == b"granted\n":
            self.held_until = asked + LEASE - (TIMERS if self.bug == "margin" else MARGIN)

    def holds(self):
        return time.monotonic() < self.held_until

    async def work(self):
        if self.holds():
            store("intention", f"{time.monotonic()}")
            self.working = self.holds() or self.bug == "check"
        while self.working:
            await asyncio.sleep(0.05)
            self.working = self.holds()

    def state(self):
        return rp.State([int(self.working)])


class Leases(rp.Protocol):
    fields = (rp.choice("works", 1),)
    replica = LeaseReplica
    bugs = ("margin", "wall", "check")

    def takers(self, states):
        return []

    def check(self, group):
        workers = [state.id for state in group.states if state.active and state.works]
        if len(workers) > 1:
            yield "mutual_exclusion", f"{workers} work with the lock"


rp.Simulation(Leases)
