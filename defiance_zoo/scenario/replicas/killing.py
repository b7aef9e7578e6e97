# SPDX-License-Identifier: GPL-2.0-only
"""The last call of a process, which a stop kills between two effects."""

from __future__ import annotations

import copy
import sys
from types import FrameType
from typing import Any

from defiance_zoo.scenario.replicas.files import Content, Files


class Killed(BaseException):
    """The process is killed here; code under test that catches this has no further effects."""


_Image = tuple[dict[str, Any], dict[str, Content], set[str]]


def _parts(disk: Any) -> _Image:
    files: Files = disk.files
    return dict(disk), files.contents, files.folders


def copy_disk(disk: Any) -> _Image | None:
    """Return an image of a disk; None if an object on it has no copy."""
    try:
        return copy.deepcopy(_parts(disk))
    except Exception:
        return None


def restore_disk(disk: Any, image: _Image | None) -> None:
    """Undo the changes of a disk since its image; without an image, keep them."""
    if image is not None:
        values, disk.files.contents, disk.files.folders = image
        disk.clear()
        disk.update(values)
        disk.files.changed()


class LastCall:
    """A call of a process that is killed before one of its effects.

    Effects are changes of the disk, messages, events and requests to a companion. The disk is
    compared before each line of Python and before each other effect, so the changes of one line
    are one effect.
    """

    running: LastCall | None = None

    def __init__(self, disk: Any, effects: int) -> None:
        self.is_killed = False
        self._disk, self._left = disk, effects
        self._image = copy_disk(disk)

    def trace(self, _frame: FrameType, event: str, _argument: Any) -> Any:
        """Look at the disk before a line; a function for `sys.settrace()`."""
        if event == "line":
            self.look()
        return self.trace

    def look(self) -> None:
        """Count a change of the disk since the last look."""
        if not self.is_killed and self._has_changed():
            self.count()
            self._image = copy_disk(self._disk)

    def count(self) -> None:
        """Count an effect."""
        if self._left == 0:
            self.is_killed = True
            raise Killed
        self._left -= 1

    def _has_changed(self) -> bool:
        try:
            return self._image is not None and bool(self._image != _parts(self._disk))
        except Exception:  # values without a truth value, such as arrays
            return True


def takes_effect() -> bool:
    """Announce an effect of the running process other than a change of its disk.

    Returns whether it happens: code that catches `Killed` has no further effects.
    """
    last = LastCall.running
    if last is None:
        return True
    if not last.is_killed:
        last.look()
        last.count()
    return not last.is_killed


def call_until_killed(process: Any, effects: int, method: str, *arguments: Any) -> Any:
    """Call a method of a process that is killed in or after the call.

    The result is in a tuple; None if the process was killed in the call.
    """
    last = LastCall.running = LastCall(process.disk, effects)
    tracer = sys.gettrace()
    sys.settrace(last.trace)
    result = None
    try:
        result = (getattr(process, method)(*arguments),)
        last.look()
    except BaseException:
        if not last.is_killed:
            raise
    finally:
        sys.settrace(tracer)
        LastCall.running = None
    if last.is_killed:
        restore_disk(process.disk, last._image)
        return None
    return result
