# SPDX-License-Identifier: GPL-2.0-only
"""A server of values by key, and its client: an ordinary program for asyncio."""

import asyncio
import json
import os
from pathlib import Path

PORT = 7000


class Server:
    def __init__(self, path, *, is_durable=True):
        self.path, self.is_durable, self.values = Path(path), is_durable, {}

    async def run(self):
        if self.path.exists():
            with self.path.open() as file:
                self.values = dict(map(json.loads, file))
        server = await asyncio.start_server(self.serve, port=PORT)
        await server.serve_forever()

    async def serve(self, reader, writer):
        try:
            while line := await reader.readline():
                writer.write(json.dumps(self.execute(*json.loads(line))).encode() + b"\n")
                await writer.drain()
        except OSError:
            writer.close()  # the client has gone

    def execute(self, key, expected, value):
        """Write a value if the expected one is there (None: any), or read (value is None)."""
        held = self.values.get(key, 0)
        if value is None:
            return held
        if expected not in (None, held):
            return 0
        self.values[key] = value
        with self.path.open("a") as file:
            file.write(json.dumps([key, value]) + "\n")
            if self.is_durable:
                file.flush()
                os.fsync(file.fileno())
        return 1


async def ask(host, *request):
    """Send a request on a new connection, and return the answer."""
    reader, writer = await asyncio.open_connection(host, PORT)
    try:
        writer.write(json.dumps(request).encode() + b"\n")
        return json.loads(await reader.readline())
    finally:
        writer.close()
