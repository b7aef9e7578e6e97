# SPDX-License-Identifier: GPL-2.0-only
"""The connection to a running Ray cluster."""

from __future__ import annotations

import contextlib
import os
import socket
from typing import Any

import ray

from defiance_zoo.bridge.system.resources import occupy_standard_descriptors
from defiance_zoo.errors import ParameterError

QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
"""Arguments of `ray.init()` that leave the output to this package."""

_PATIENCE_S = 10.0
_MODE = "RAY_AUTH_MODE"


def connect(address: str) -> bool:
    """Connect to a cluster, unless this process is already connected.

    Returns:
        Whether this call connected; then the caller has to end the connection.

    Raises:
        ParameterError: There is no cluster at the address, the cluster refuses this process, or
            this process is connected to another cluster.
    """
    if ray.is_initialized():
        _require_connection_to(address)
        return False
    occupy_standard_descriptors()
    try:
        _require_server(address)
        ray.init(address=address, **QUIET)
    except (ConnectionError, ValueError, AssertionError, ImportError) as error:
        raise ParameterError(f"ray_address={address!r}: {error}{_hint(error)}") from error
    except ray.exceptions.AuthenticationError as error:
        raise ParameterError(f"ray_address={address!r}: {error}") from error
    return True


def _require_connection_to(address: str) -> None:
    """Check that an address belongs to the cluster to which this process is connected.

    Raises:
        ParameterError: The address is of another cluster.
    """
    runtime: Any = ray.get_runtime_context()
    connected = runtime.gcs_address
    if address == "auto" or _endpoint(address) == _endpoint(connected):
        return
    raise ParameterError(
        f"ray_address={address!r}: this process is connected to the Ray cluster at {connected}; "
        "leave ray_address out to use that one, or call ray.shutdown() before"
    )


def _endpoint(address: str) -> tuple[str, str]:
    """Return IP address and port; of this machine's addresses, Ray uses only one."""
    util: Any = ray.util  # its functions have no types
    host, _, port = address.removeprefix("ray://").rpartition(":")
    with contextlib.suppress(OSError):
        host = socket.gethostbyname(host)
    return (util.get_node_ip_address() if host.startswith("127.") else host), port


def _require_server(address: str) -> None:
    """Check that a server listens at the address; Ray would need two minutes for this check.

    Raises:
        ConnectionError: No server listens.
    """
    host, _, port = address.rpartition(":")
    if "/" in host or not port.isdecimal():
        return  # another kind of address, such as "auto"
    try:
        socket.create_connection((host, int(port)), _PATIENCE_S).close()
    except (OSError, OverflowError) as error:
        raise ConnectionError(str(error)) from error


def _hint(error: Exception) -> str:
    """Return a hint for a connection that failed."""
    if not isinstance(error, ConnectionError):
        return ""
    if os.environ.get(_MODE, "") == "token":
        return (
            "; no Ray runs there, or its token differs from the one in RAY_AUTH_TOKEN, "
            f"RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token, or it accepts no token ({_MODE}=disabled)"
        )
    return (
        "; no Ray runs there, or it requires a token: `ray start` does so if there is a "
        f"~/.ray/auth_token, which any `ray.init()` may have written. Then set {_MODE}=token, and "
        "copy that file to each machine"
    )
