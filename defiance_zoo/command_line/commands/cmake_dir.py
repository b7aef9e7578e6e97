# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo cmake-dir`: the folder in which CMake finds the library."""

from __future__ import annotations

import click

from defiance_zoo.bridge.system.extension import NATIVE

CMAKE_DIR = NATIVE / "lib" / "cmake" / "defiance"


@click.command
def command() -> None:
    """Print the folder to pass to CMake as defiance_DIR."""
    if not (CMAKE_DIR / "defianceConfig.cmake").is_file():
        raise click.ClickException(
            f"{CMAKE_DIR} has no CMake package: the C++ part is not built; in a checkout, run "
            "'make build'"
        )
    click.echo(CMAKE_DIR)
