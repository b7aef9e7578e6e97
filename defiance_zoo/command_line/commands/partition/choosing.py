# SPDX-License-Identifier: GPL-2.0-only
"""Which environment tests a protocol."""

from __future__ import annotations

from typing import Any

import click

from defiance_zoo.environments import EnvironmentSpec, lookup

_PRESETS = ("tendermint",)

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
    return None if env is None else lookup(env)


def find_protocol(env: str | None, protocol: str) -> tuple[EnvironmentSpec, dict[str, Any]]:
    """Return the environment that tests a protocol, and what chooses it there.

    Those that have a preset are in an environment of their own. Unknown ones are refused when the
    environment is made, which knows what there is.

    Raises:
        UnknownEnvironment: There is no environment of this name.
    """
    spec = find_spec(env)
    if spec is not None:
        return spec, {}
    if protocol in _PRESETS:
        return lookup(f"partition_{protocol}_v0"), {}
    return lookup("partition_v0"), {"protocol": protocol}
