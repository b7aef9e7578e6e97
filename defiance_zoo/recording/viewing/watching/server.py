# SPDX-License-Identifier: GPL-2.0-only
"""A read-only server on loopback: only GET and HEAD, and only for its own page."""

from __future__ import annotations

import contextlib
import json
import socket
import socketserver
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from defiance_zoo.errors import ParameterError
from defiance_zoo.recording.viewing.watching.guard import HEADERS, Guard

Answer = Callable[[Mapping[str, str]], Any]
"""Returns a page as a text, other data as a JSON value; None if it does not exist."""

_JSON = "application/json"
_CONNECTIONS = 16
_PATIENCE_S = 10.0


class WatchServer(ThreadingHTTPServer):
    """Answers at `url` until it is closed.

    Attributes:
        url: Address of the page, with the token.
        answered: Called when an answer in JSON has been sent.
    """

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(
        self, port: int, answers: Mapping[str, Answer], answered: Callable[[], None] = lambda: None
    ) -> None:
        """Listen at 127.0.0.1.

        Args:
            port: Port; 0: any free port.
            answers: Functions by name; the page has an empty name. They are called in any thread,
                one at a time.
            answered: Called when an answer in JSON has been sent.

        Raises:
            ParameterError: The port cannot be used.
        """
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise ParameterError(f"port {port} cannot be used: {error.strerror}") from error
        self.guard = Guard(self.server_port)
        self.url = f"http://127.0.0.1:{self.server_port}/{self.guard.token}/"
        self.answered = answered
        self._answers = answers
        self._one_at_a_time = threading.Lock()
        self._printed: set[str] = set()
        self._connections: dict[socket.socket, float] = {}
        self._of_connections = threading.Lock()

    def server_bind(self) -> None:
        """Bind the socket without the look-up of 127.0.0.1's name that `HTTPServer` does."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", int(self.server_address[1])

    @property
    def is_answering(self) -> bool:
        """Whether an answer is being made."""
        return self._one_at_a_time.locked()

    def answer(self, name: str, query: Mapping[str, str]) -> tuple[str, str] | None:
        """Return media type and text of a path; None for an unknown path."""
        found = self._answers.get(name)
        if found is None:
            return None
        with self._one_at_a_time:
            reply = found(query)
            if reply is None:
                return None
            if isinstance(reply, str):
                return "text/html; charset=utf-8", reply
            return _JSON, json.dumps(reply, allow_nan=False, separators=(",", ":"))

    def note_failure(self, error: Exception) -> None:
        """Print an unexpected error, but only once."""
        text = "".join(traceback.format_exception(error))
        if text not in self._printed:
            self._printed.add(text)
            print(text, file=sys.stderr, end="", flush=True)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread; if there are too many, end the connection with the oldest request."""
        with self._of_connections:
            if len(self._connections) >= _CONNECTIONS:
                oldest = min(self._connections, key=self._connections.__getitem__)
                del self._connections[oldest]
                with contextlib.suppress(OSError):  # its thread may have closed it
                    oldest.shutdown(socket.SHUT_RDWR)
            self._connections[request] = time.monotonic()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and remove the connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._of_connections:
                self._connections.pop(request, None)

    def note_request(self, connection: socket.socket) -> None:
        """Note that a whole request has arrived on a connection."""
        with self._of_connections:
            if connection in self._connections:
                self._connections[connection] = time.monotonic()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about broken connections."""


class _Handler(BaseHTTPRequestHandler):
    server: WatchServer
    timeout = _PATIENCE_S
    protocol_version = "HTTP/1.1"
    server_version = "defiance-zoo"
    sys_version = ""

    def do_GET(self) -> None:
        self.server.note_request(self.connection)
        refused = self.server.guard.refuse(self.headers)
        if refused is not None:
            self._refuse(refused)
            return
        try:
            parts = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        name = self.server.guard.resource(parts.path)
        try:
            found = None if name is None else self.server.answer(name, query)
        except Exception as error:
            self.server.note_failure(error)
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR)
            return
        if found is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        self._send(HTTPStatus.OK, *found)
        if found[0] == _JSON:
            self.server.answered()

    def do_HEAD(self) -> None:
        self.do_GET()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse requests that `http.server` refuses, such as POST, with the same headers."""
        self._refuse(HTTPStatus(code))

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True
        self._send(status, "text/plain; charset=utf-8", f"{status.phrase}\n")

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if getattr(self, "command", None) != "HEAD":
            self.wfile.write(body)
