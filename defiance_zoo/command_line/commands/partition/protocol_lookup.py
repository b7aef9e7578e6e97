# SPDX-License-Identifier: GPL-2.0-only
"""The environment that tests a protocol."""

from __future__ import annotations

from typing import Any

import click

from defiance_zoo.command_line.recorded_options import find_spec
from defiance_zoo.environments import EnvironmentSpec, lookup

_PRESETS = ("tendermint",)
_USUAL = "raft"


def find_protocol(env: str | None, protocol: str | None) -> tuple[EnvironmentSpec, dict[str, Any]]:
    """Return the environment that tests a protocol, and the argument that selects the protocol.

    A protocol with a preset has its own environment. The environment refuses unknown protocols.
    """
    if env is not None and protocol is not None:
        raise click.UsageError(
            "--protocol is a parameter of this package's environments; with --env, give "
            f"parameters by -p, such as -p protocol={protocol}"
        )
    protocol = protocol or _USUAL
    spec = find_spec(env)
    if spec is not None:
        return spec, {}
    if protocol in _PRESETS:
        return lookup(f"partition_{protocol}_v0"), {}
    return lookup("partition_v0"), {"protocol": protocol}
