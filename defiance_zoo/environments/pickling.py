# SPDX-License-Identifier: GPL-2.0-only
"""Objects that are copied and pickled as their constructor's arguments, and their specification."""

from __future__ import annotations

import copy
import functools
from typing import Any, ClassVar

from gymnasium.envs.registration import EnvSpec

from defiance_zoo.bridge.simulation.distributions import write_distribution
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


class JsonSpec(CopiedByArguments):
    """An environment of Gymnasium whose specification JSON can hold."""

    _KEPT = frozenset({"spec"})

    @property
    def spec(self) -> EnvSpec | None:
        """Gymnasium's specification, in which distributions are written as in files."""
        return vars(self).get("spec")

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        kept = copy.copy(spec)
        if kept is not None:
            kept.kwargs = {name: write_distribution(each) for name, each in kept.kwargs.items()}
        vars(self)["spec"] = kept
