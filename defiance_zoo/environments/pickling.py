# SPDX-License-Identifier: GPL-2.0-only
"""Objects that are copied and pickled as their constructor's arguments."""

from __future__ import annotations

import functools
from typing import Any, ClassVar

from defiance_zoo.bridge.system.plain_values import plain_value


class CopiedByArguments:
    """Copies and pickles are made anew from the same arguments: they hold nothing that runs."""

    _KEPT: ClassVar[frozenset[str]] = frozenset()
    """Names of attributes that are copied as well, if they are set."""

    def _note_arguments(self, *positional: Any, **named: Any) -> None:
        """Remember the arguments of the constructor."""
        self._positional, self._named = positional, plain_value(named)

    def __reduce__(self) -> tuple[Any, ...]:
        kept = {name: vars(self)[name] for name in self._KEPT & vars(self).keys()}
        return functools.partial(type(self), **self._named), self._positional, kept or None
