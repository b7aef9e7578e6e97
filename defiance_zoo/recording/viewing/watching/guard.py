# SPDX-License-Identifier: GPL-2.0-only
"""Refusal of requests that do not come from the page."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from email.message import Message
from http import HTTPStatus

HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every answer, which keep pages of other origins from reading."""


class Guard:
    """Distinguishes requests of the page from others.

    The path contains a token, which other users of the machine and other pages do not know. `Host`
    shows a name that another page had resolved to 127.0.0.1 (DNS rebinding); browsers send the
    requesting page in `Origin` and `Sec-Fetch-Site`.

    Attributes:
        token: Token of the path.
    """

    def __init__(self, port: int) -> None:
        """Guard a server at a port of 127.0.0.1."""
        self.token = secrets.token_urlsafe(24)
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    def refuse(self, headers: Message) -> HTTPStatus | None:
        """Return the status that refuses a request; None for an allowed request.

        Args:
            headers: Headers of the request.
        """
        if headers.get("Host") not in self._hosts:
            return HTTPStatus.MISDIRECTED_REQUEST
        origin = headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in self._hosts}:
            return HTTPStatus.FORBIDDEN
        if headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return HTTPStatus.FORBIDDEN
        return None

    def resource(self, path: str) -> str | None:
        """Return the part of a path after the token; None for a path without the token."""
        begin, slash, rest = path.removeprefix("/").partition("/")
        fits = hmac.compare_digest(begin.encode(), self.token.encode())
        return rest if fits and slash else None
