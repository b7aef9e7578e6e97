# SPDX-License-Identifier: GPL-2.0-only
"""The endpoint of simulations: private by default, encrypted if others can reach it."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

import zmq

from defiance_zoo.bridge.codec import MAX_MESSAGE_BYTES
from defiance_zoo.bridge.system.plain_values import require_type
from defiance_zoo.bridge.system.resources import no_directory
from defiance_zoo.errors import ParameterError

_TCP = re.compile(r"tcp://(?P<host>[^:\[\]/]+|\[[0-9A-Fa-f:]+\]):(?P<port>\d+|\*)")


@dataclass(frozen=True)
class CurveKeys:
    """A CURVE key pair in Z85; the simulation needs the public key.

    Attributes:
        public: Public key, 40 characters.
        secret: Secret key, 40 characters; stays in Python.
    """

    public: bytes
    secret: bytes

    @classmethod
    def generate(cls) -> CurveKeys:
        """Return a new pair."""
        return cls(*zmq.curve_keypair())


@dataclass(frozen=True)
class Endpoint:
    """The address to which an environment binds.

    Attributes:
        address: `tcp://host:port`, with `*` for any free port, or None for an `ipc://` socket in a
            private directory.
        curve: Keys for encryption; required for addresses that other machines can reach.
    """

    address: str | None = None
    curve: CurveKeys | None = None

    def __post_init__(self) -> None:
        require_type("curve", self.curve, CurveKeys, optional=True)
        if self.address is None:
            return
        require_type("endpoint", self.address, str)
        match = _TCP.fullmatch(self.address)
        if match is None:
            raise ParameterError(
                f"endpoint {self.address!r} is not of the form 'tcp://127.0.0.1:5555' "
                "or 'tcp://127.0.0.1:*'"
            )
        if self.curve is None and not _is_loopback(match["host"].strip("[]")):
            raise ParameterError(
                f"endpoint {self.address!r} can be reached from other machines, so it needs "
                "curve=CurveKeys.generate(); tcp://127.0.0.1:* can be reached from this machine "
                "only"
            )

    def bind(self, socket: zmq.Socket[bytes], private: str) -> None:
        """Bind a socket; peers that send too long messages are disconnected."""
        socket.maxmsgsize = MAX_MESSAGE_BYTES
        if self.curve is not None:
            socket.curve_server = True
            socket.curve_secretkey = self.curve.secret
            socket.curve_publickey = self.curve.public
        address = self.address or private
        try:
            socket.bind(address)
        except zmq.ZMQError as error:
            if self.address is None:
                raise no_directory(error) from None
            raise ParameterError(f"endpoint {address!r} cannot be used: {error}") from None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name or an interface, which may be of any network
        return False
