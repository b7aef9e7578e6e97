# SPDX-License-Identifier: GPL-2.0-only
"""Exit statuses and messages for the errors of the package."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import click

from defiance_zoo.bridge.system.deleted_directory import is_deleted
from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.errors import (
    DeadWiringWarning,
    DefianceZooError,
    DependencyMissing,
    InvalidRecording,
    MissingUnitWarning,
    NobodyDecided,
    NotHomogeneous,
    NotSingleAgent,
    ParameterError,
    UnknownEnvironment,
    UnknownOrigin,
)
from defiance_zoo.experiments.workbench.interruption import unmasked

_BAD_INPUT = (
    ParameterError,
    UnknownEnvironment,
    NotSingleAgent,
    NotHomogeneous,
    InvalidRecording,
    UnknownOrigin,
)
_OURS = (DeadWiringWarning, MissingUnitWarning, NobodyDecided)
"""Warnings that become messages."""

_LATER = ("matplotlib", "scipy", "tensorboardX")
"""Modules that training imports late, and that must be installed before it starts."""


class BadInput(click.ClickException):
    """Invalid input: status 2, as for Click's own refusals."""

    exit_code = 2


@contextlib.contextmanager
def as_messages() -> Iterator[None]:
    """Turn errors into messages: status 2 for bad input, 1 for every other failure.

    This includes errors of the operating system: an unreadable file, a full disk.

    An interruption stays an interruption, even if the cleanup after it fails.

    Warnings of this package become messages on the standard error.
    """
    try:
        with warnings.catch_warnings():
            others = warnings.showwarning
            for category in (MissingUnitWarning, NobodyDecided):
                warnings.simplefilter("default", category)  # not for each episode
            warnings.showwarning = functools.partial(_show, others)
            with unmasked():
                yield
    except _BAD_INPUT as error:
        raise BadInput(str(error)) from error
    except DefianceZooError as error:
        raise click.ClickException(str(error)) from error
    except BrokenPipeError:
        raise  # the reader of the output has gone; click handles it
    except OSError as error:
        raise click.ClickException(_describe(error)) from error


def _describe(error: OSError) -> str:
    """Describe an error of the operating system, with its files."""
    if is_deleted():
        return "the working directory has been deleted: change to another one"
    files = [str(each) for each in (error.filename, error.filename2) if each is not None]
    return f"{', '.join(files)}: {error.strerror}" if files and error.strerror else str(error)


def _show(others: Callable[..., None], message: Warning | str, *where: Any, **more: Any) -> None:
    if isinstance(message, _OURS):
        click.echo(f"Warning: {message}", err=True)
    else:
        others(message, *where, **more)


def import_training() -> Any:
    """Return `defiance_zoo.experiments.training`, which needs an extra.

    Raises:
        DependencyMissing: It is not installed.
    """
    remedy = f"{install_command('sb3')}, or {install_command('rllib')}"
    found = _extra("experiments.training", "training", remedy)
    for name in _LATER:
        if importlib.util.find_spec(name) is None:
            raise DependencyMissing(f"training needs {name!r}, which is not installed: {remedy}")
    return found


def import_study() -> Any:
    """Return `defiance_zoo.experiments.study`, which needs an extra.

    Raises:
        DependencyMissing: It is not installed.
    """
    return _extra("experiments.study", "a study", install_command("study"))


def import_tuning() -> Any:
    """Return `defiance_zoo.experiments.tuning`, which needs an extra.

    Raises:
        DependencyMissing: It is not installed.
    """
    return _extra("experiments.tuning", "a tuning", install_command("tune"))


def import_comparison() -> Any:
    """Return `defiance_zoo.protocols.comparison`, which needs an extra.

    Raises:
        DependencyMissing: It is not installed.
    """
    what = "a comparison of explorers"
    return _extra("protocols.comparison", what, install_command("study"))


def import_population() -> Any:
    """Return `defiance_zoo.population`, which needs an extra.

    Raises:
        DependencyMissing: It is not installed.
    """
    return _extra("population", "a population", install_command("population"))


def import_real_paths() -> Any:
    """Return `defiance_zoo.experiments.real_paths.measurement`, which needs an extra.

    Raises:
        DependencyMissing: The extra is not installed.
    """
    what, remedy = "sending by QUIC", install_command("quic")
    _extra("experiments.real_paths.sender", what, remedy)  # which the measurement starts
    return _extra("experiments.real_paths.measurement", what, remedy)


def import_viewing() -> Any:
    """Return `defiance_zoo.recording.viewing`, which needs an extra.

    Raises:
        DependencyMissing: It is not installed.
    """
    return _extra("recording.viewing", "a report of episodes", install_command("record"))


def _extra(package: str, what: str, remedy: str) -> Any:
    try:
        return importlib.import_module(f"defiance_zoo.{package}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("defiance_zoo"):
            raise
        raise DependencyMissing(
            f"{what} needs {error.name!r}, which is not installed: {remedy}"
        ) from error
