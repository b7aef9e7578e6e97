# SPDX-License-Identifier: GPL-2.0-only
"""Options of commands that write and play recorded episodes."""

from __future__ import annotations

from pathlib import Path

import click

from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import UnknownEnvironment

record_option = click.option(
    "--record",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Record each episode in a new folder inside FOLDER.",
)
environment_option = click.option(
    "--env",
    "env",
    metavar="ENV",
    help="Your own environment, such as my_module:my_protocol_v0.",
)


def find_spec(env: str | None) -> EnvironmentSpec | None:
    """Return the environment of a name.

    Raises:
        UnknownEnvironment: There is no environment of this name.
    """
    if env is None:
        return None
    try:
        return lookup(env)
    except UnknownEnvironment as error:
        if ":" in env or Path(env).exists() or Path(env).suffix or "/" in env:
            raise
        raise UnknownEnvironment(
            f"{error}; name your own environment with the module that registers it, --env "
            f"module:{env}"
        ) from None
