# SPDX-License-Identifier: GPL-2.0-only
"""How errors of the package leave the command: one status for each kind of remedy."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

import click

from defiance_zoo.errors import (
    DefianceZooError,
    DependencyMissing,
    NotHomogeneous,
    NotSingleAgent,
    ParameterError,
    UnknownEnvironment,
)

_BAD_INPUT = (ParameterError, UnknownEnvironment, NotSingleAgent, NotHomogeneous)


class BadInput(click.ClickException):
    """What was asked for cannot be: status 2, as Click's own refusals."""

    exit_code = 2


@contextlib.contextmanager
def as_messages() -> Iterator[None]:
    """Make messages of errors: status 2 for bad input, 1 for everything else that fails."""
    try:
        yield
    except _BAD_INPUT as error:
        raise BadInput(str(error)) from error
    except DefianceZooError as error:
        raise click.ClickException(str(error)) from error


def training() -> Any:
    """Return `defiance_zoo.training`, which needs an extra.

    Raises:
        DependencyMissing: It is not installed.
    """
    return _extra(
        "training", "training", "pip install 'defiance-zoo[sb3]' or 'defiance-zoo[rllib]'"
    )


def study() -> Any:
    """Return `defiance_zoo.study`, which needs an extra.

    Raises:
        DependencyMissing: It is not installed.
    """
    return _extra("study", "a study", "pip install 'defiance-zoo[study]'")


def _extra(package: str, what: str, remedy: str) -> Any:
    try:
        return importlib.import_module(f"defiance_zoo.{package}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("defiance_zoo"):
            raise
        raise DependencyMissing(
            f"{what} needs {error.name!r}, which is not installed: {remedy}"
        ) from error
