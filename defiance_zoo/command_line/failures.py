# SPDX-License-Identifier: GPL-2.0-only
"""Exit statuses and messages for the errors of the package."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import click

from defiance_zoo.bridge.system.deleted_directory import is_deleted
from defiance_zoo.errors import (
    DeadWiringWarning,
    DefianceZooError,
    InvalidRecording,
    MissingUnitWarning,
    NobodyAnswered,
    NobodyDecided,
    NotHomogeneous,
    NotSingleAgent,
    ParameterError,
    UnknownEnvironment,
    UnknownOrigin,
    UnseenException,
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
_OURS = (DeadWiringWarning, MissingUnitWarning, NobodyAnswered, NobodyDecided, UnseenException)
"""Warnings that become messages."""


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
            for category in _OURS:
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
