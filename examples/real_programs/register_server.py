# SPDX-License-Identifier: GPL-2.0-only
"""A server of replicated registers, for register_nemesis.py: it answers clients and its peers.

A read, and a write, asks a majority for the newest version, and then stores a version at a majority
(Lynch and Shvartsman, Robust emulation of shared memory, 1997). A request is a line of JSON over
TCP. With --bug NAME, all servers make a mistake:

    no_write_back: a read does not store the version that it returns
    small_quorum: one server fewer than a majority suffices
    no_disk: a server forgets its versions when it is killed
"""

import argparse
import contextlib
import json
import socket
import socketserver
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

PORT = 7000
WAIT_S = 0.8  # for a majority

parser = argparse.ArgumentParser()
for name in ("--name", "--address", "--peers", "--data"):
    parser.add_argument(name, required=True)
parser.add_argument("--bug", default="none")
given = parser.parse_args()
peers = given.peers.split(",")
quorum = len(peers) // 2 + (given.bug != "small_quorum")
log = Path(given.data, "log")
lock = threading.Lock()
versions = {}  # by key: the newest version, which is (number, writer), and its value
askers = ThreadPoolExecutor(256)


def load(key):
    """Return the newest stored version and its value."""
    with lock:
        return versions.get(key, ((0, ""), 0))


def store(key, version, value):
    """Store a version, on the disk first, unless there is a newer one."""
    with lock:
        if tuple(version) > versions.get(key, ((0, ""), 0))[0]:
            if given.bug != "no_disk":
                with log.open("a") as file:
                    file.write("\n" + json.dumps([key, version, value]))
            versions[key] = (tuple(version), value)


def recover():
    """Read the stored versions; the last line is incomplete after a kill, or on a full disk."""
    for line in log.read_text().splitlines() if log.exists() else ():
        with contextlib.suppress(ValueError):
            key, version, value = json.loads(line)
            versions[key] = (tuple(version), value)


def ask_quorum(**request):
    """Return the answers of a quorum; raise TimeoutError without one."""
    answers = []
    for each in as_completed([askers.submit(ask, peer, request) for peer in peers], WAIT_S):
        if not each.exception():
            answers.append(each.result())
        if len(answers) == quorum:
            return answers
    raise TimeoutError


def ask(peer, request):
    """Return the answer of a server."""
    with socket.create_connection((peer, PORT), timeout=WAIT_S) as connection:
        connection.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(connection.makefile().readline())


def execute(key, value=None):
    """Execute a read, or the write of a value; return the answer to the client."""
    try:
        (number, writer), newest = max(ask_quorum(do="load", key=key))
    except TimeoutError:
        return {"refused": "no quorum"}  # nothing has been stored
    if value is not None:
        number, writer, newest = number + 1, f"{given.name} {time.monotonic_ns()}", value
    if value is not None or given.bug != "no_write_back":
        ask_quorum(do="store", key=key, version=(number, writer), value=newest)
    return {"value": newest}


class Handler(socketserver.StreamRequestHandler):
    """Answers the request of a connection, or closes it without an answer."""

    def handle(self):
        """Answer a peer or a client."""
        request = json.loads(self.rfile.readline())
        do = {"load": load, "store": store, "execute": execute}[request.pop("do")]
        with contextlib.suppress(OSError, TimeoutError):
            self.wfile.write(json.dumps(do(**request)).encode() + b"\n")


class Server(socketserver.ThreadingTCPServer):
    """Has a thread for each connection."""

    allow_reuse_address, request_queue_size = True, 128


if __name__ == "__main__":
    recover()
    Server((given.address, PORT), Handler).serve_forever()
