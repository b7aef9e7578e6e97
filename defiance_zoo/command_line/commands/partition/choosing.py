# SPDX-License-Identifier: GPL-2.0-only
"""Which environment tests a protocol."""

from __future__ import annotations

from typing import Any

import click

from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import UnknownEnvironment

_PRESETS = ("tendermint",)
_USUAL = "raft"

environment_option = click.option(
    "--env",
    "env",
    metavar="ENV",
    help="An environment of your own, such as my_module:my_protocol_v0.",
)


def find_spec(env: str | None) -> EnvironmentSpec | None:
    """Return the environment that is named.

    Raises:
        UnknownEnvironment: There is none of this name.
    """
    if env is None:
        return None
    try:
        return lookup(env)
    except UnknownEnvironment as error:
        if ":" in env:
            raise
        raise UnknownEnvironment(
            f"{error}; one of your own is named with the module that registers it, --env "
            f"module:{env}"
        ) from None


def find_protocol(env: str | None, protocol: str | None) -> tuple[EnvironmentSpec, dict[str, Any]]:
    """Return the environment that tests a protocol, and what chooses it there.

    Those that have a preset are in an environment of their own. Unknown ones are refused when the
    environment is made, which knows what there is.

    Args:
        env: An environment that is named; None: that of the protocol.
        protocol: Of those that `partition_v0` tests; None: raft.

    Raises:
        UnknownEnvironment: There is no environment of this name.
        click.UsageError: Both are given.
    """
    if env is not None and protocol is not None:
        raise click.UsageError(
            "--protocol is of the environments here, and --env names another one; parameters of "
            f"that one are given by -p, such as -p protocol={protocol}"
        )
    protocol = protocol or _USUAL
    spec = find_spec(env)
    if spec is not None:
        return spec, {}
    if protocol in _PRESETS:
        return lookup(f"partition_{protocol}_v0"), {}
    return lookup("partition_v0"), {"protocol": protocol}
