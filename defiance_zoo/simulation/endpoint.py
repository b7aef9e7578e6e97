# SPDX-License-Identifier: GPL-2.0-only
"""Where simulations connect: private by default, encrypted where others could listen."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

import zmq

from defiance_zoo.errors import ParameterError

_TCP = re.compile(r"tcp://(?P<host>[^:\[\]/]+|\[[0-9A-Fa-f:]+\]):(?P<port>\d+|\*)")


@dataclass(frozen=True)
class CurveKeys:
    """A CURVE key pair in Z85; the simulation needs the public one.

    Attributes:
        public: 40 characters.
        secret: 40 characters; stays in Python.
    """

    public: bytes
    secret: bytes

    @classmethod
    def generate(cls) -> CurveKeys:
        """Return a new pair."""
        return cls(*zmq.curve_keypair())


@dataclass(frozen=True)
class Endpoint:
    """The address that an environment is bound to.

    Attributes:
        address: `tcp://host:port`, where the port may be `*` for any free one, or None for an
            `ipc://` socket in a private directory.
        curve: Keys for encryption; needed on every address that is not of this machine alone.
    """

    address: str | None = None
    curve: CurveKeys | None = None

    def __post_init__(self) -> None:
        """Refuse an address that others could reach unencrypted.

        Raises:
            ParameterError: The address cannot be used.
        """
        if self.address is None:
            return
        match = _TCP.fullmatch(self.address)
        if match is None:
            raise ParameterError(
                f"endpoint {self.address!r} is not of the form 'tcp://127.0.0.1:5555' "
                "or 'tcp://127.0.0.1:*'"
            )
        if self.curve is None and not _is_loopback(match["host"].strip("[]")):
            raise ParameterError(
                f"endpoint {self.address!r} can be reached from other machines, so it needs "
                "curve=CurveKeys.generate(); tcp://127.0.0.1:* is reachable from this one only"
            )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name or an interface, which could be anything
        return False
