# SPDX-License-Identifier: GPL-2.0-only
"""Features of a space's observations: their class by its name in a run, and their use."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray

from defiance_zoo.bridge.codec.masks import MASK, observes_mask
from defiance_zoo.bridge.system.imports import describe_failure, import_module_or_file
from defiance_zoo.bridge.system.plain_values import require_type
from defiance_zoo.bridge.system.reading import read_bytes
from defiance_zoo.bridge.system.spelling import known_words
from defiance_zoo.environments.shared_methods import join_batch
from defiance_zoo.environments.vector.batches import take_rows
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.features import features
from defiance_zoo.wrappers.features.features import Features

_MOST_BYTES = 2**24
_ROWS = 3  # rows of a test call
_PASSED = (__file__, str(torch.nn.modules.module.__file__))
"""Files that call users' code."""


@dataclass(frozen=True)
class FeatureSource:
    """The class of features, and the arguments of its objects.

    Attributes:
        place: `FrameStack`, `Symlog`, `Summary`, `module:Class`, or `file.py:Class`.
        options: Arguments of the constructor, without the width.
        seed: Seed of random numbers in the constructor.
    """

    place: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def find(self) -> type[Features]:
        """Return the class.

        Raises:
            ParameterError: The module, file, class or option does not exist, or importing fails.
        """
        module = self._module()
        name = self.place.rpartition(":")[2]
        known = [key for key, each in vars(module).items() if _is_usable(each)]
        if name not in known:
            found = getattr(module, name, None)
            why = "is not a subclass of defiance_zoo.wrappers.features.Features with a forward()"
            if found is None:
                why = f"is missing{known_words(name, known)}"
            raise self._fault(f"{name!r} {why}")
        chosen: type[Features] = getattr(module, name)
        self._require_options(chosen)
        return chosen

    def digest(self) -> str:
        """Return the SHA-256 of the class's source file; empty for this package's classes.

        Raises:
            ParameterError: As for `find()`, or the file cannot be read.
        """
        chosen = self.find()
        if chosen.__module__.startswith("defiance_zoo."):
            return ""
        try:
            source = read_bytes(Path(inspect.getfile(chosen)), _MOST_BYTES)
        except (OSError, TypeError) as error:
            raise self._fault(f"its source cannot be read: {error}") from error
        return hashlib.sha256(source).hexdigest()

    def require_digest(self, digest: str) -> None:
        """Refuse a source with another digest.

        Raises:
            ParameterError: As for `digest()`, or the source has changed.
        """
        found = self.digest()
        if found != digest:
            raise self._fault(
                f"the source of the class has changed since the policy was saved: its SHA-256 is "
                f"{found or 'none'}, and was {digest or 'none'}; restore that source"
            )

    def make(self, width: int) -> Features:
        """Return features of flat observations.

        Args:
            width: Width of an observation.

        Raises:
            ParameterError: As for `find()`, or the class contradicts the interface `Features`.
        """
        chosen: Any = self.find()
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(self.seed)
            try:
                made = chosen(width, **self.options)
                assert isinstance(made, Features)
                fault = _find_fault(made.eval(), width)
            except ParameterError as error:
                raise self._fault(str(error)) from error
            except Exception as error:  # users' classes may raise any exception
                raise self._fault(describe_failure(error, *_PASSED)) from error
        if fault:
            raise self._fault(f"for observations of {width} numbers, {fault}")
        return made

    def _module(self) -> ModuleType:
        place, _, _ = self.place.rpartition(":")
        if not place:
            return features
        try:
            return import_module_or_file(place)
        except ImportError as error:
            raise self._fault(str(error)) from error.__cause__

    def _require_options(self, chosen: type[Features]) -> None:
        known = [*inspect.signature(chosen).parameters.values()][1:]
        if any(each.kind is each.VAR_KEYWORD for each in known):
            return
        names = [each.name for each in known]
        for name in self.options:
            if name not in names:
                raise self._fault(f"no option {name!r}{known_words(name, names)}")
        for each in known:
            if each.default is each.empty and each.name not in self.options:
                raise self._fault(f"feature_options has no {each.name!r}, which the class needs")

    def _fault(self, why: str) -> ParameterError:
        return ParameterError(f"features={self.place!r}: {why}")


def _is_usable(found: Any) -> bool:
    if not isinstance(found, type) or not issubclass(found, Features):
        return False
    return not inspect.isabstract(found)


def _find_fault(made: Features, width: int) -> str:
    """Return how features contradict the interface `Features`; empty if they do not."""
    space = getattr(made, "space", None)
    if not isinstance(space, spaces.Box) or space.dtype != np.float32 or len(space.shape) != 1:
        return f"its space is {space}, not a Box of float32 with one axis"
    size = made.state_size
    if type(size) is not int or size < 0:
        return f"its state_size is {size!r}, not a whole number of at least 0"
    observed = torch.linspace(-1, 1, _ROWS * width).reshape(_ROWS, width)
    states = torch.zeros(_ROWS, size)
    with torch.no_grad():
        found = made(observed, states)
        if not isinstance(found, tuple) or len(found) != 2:
            return "forward() does not return two tensors"
        sizes = (space.shape[0], size)
        for each, count, name in zip(found, sizes, ("features", "states"), strict=True):
            fault = _find_fault_in(each, count)
            if fault:
                return f"forward() returns {name} that are {fault}"
        again, first = made(observed, states), made(observed[:1], states[:1])
    if not all(map(_equal, found, again)):
        return "forward() returns different values for equal arguments"
    if not all(_close(each[:1], alone) for each, alone in zip(found, first, strict=True)):
        return "the features of an observation depend on the other rows"
    return ""


def _find_fault_in(result: Any, count: int) -> str:
    """Return the fault in a result of the test call; empty if there is none."""
    if not isinstance(result, torch.Tensor):
        return f"a {type(result).__name__}"
    if result.dtype == torch.float32 and tuple(result.shape) == (_ROWS, count):
        return ""
    return (
        f"{result.dtype} of shape {tuple(result.shape)}, not torch.float32 of shape "
        f"{(_ROWS, count)}"
    )


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def _close(one: torch.Tensor, other: torch.Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-3, atol=1e-5, equal_nan=True)


OBSERVATIONS = "observations"
"""The key of the features in a Dict with an action mask."""

Space = spaces.Space[Any]


class FeatureView(torch.nn.Module):
    """The observation of a policy: features, and the observation's action mask, if any.

    Attributes:
        observed: The space of the observations.
        space: Space of the policy's observations: the features' space, or a `Dict` of features
            under `OBSERVATIONS` and the unchanged mask.
        state_size: Size of an agent's state.
    """

    def __init__(self, source: FeatureSource, observed: Space) -> None:
        super().__init__()
        require_type("features", source, FeatureSource)
        self.observed = observed
        width = _size(observed)
        mask = _place_of_mask(observed)
        self._mask, self._place = mask, source.place
        self._features = source.make(width - (mask.stop - mask.start if mask else 0))
        self.state_size = self._features.state_size
        self.space: Space = self._features.space
        if observes_mask(observed):
            both = {MASK: observed.spaces[MASK], OBSERVATIONS: self._features.space}
            self.space = spaces.Dict(both)

    def forward(
        self, observation: torch.Tensor, state: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the flat observation of the policy, and the next states.

        Args:
            observation: Flat observations, float32 of shape (batch, flatdim(observed)).
            state: See `Features.forward`.

        Returns:
            float32 of shape (batch, flatdim(space)), and states as in `Features.forward`.
        """
        mask = self._mask
        if mask is None:
            observed: tuple[torch.Tensor, torch.Tensor] = self._features(observation, state)
            return observed
        rest = torch.cat([observation[:, : mask.start], observation[:, mask.stop :]], dim=1)
        features, following = self._features(rest, state)
        return torch.cat([observation[:, mask], features], dim=1), following

    def states(self, rows: int) -> NDArray[np.float32]:
        """Return the states of agents at the beginning of an episode: zeros."""
        return np.zeros((rows, self.state_size), np.float32)

    def observe(self, batch: Any, states: NDArray[np.float32]) -> tuple[Any, NDArray[np.float32]]:
        """Return the observation of a policy, and the next states.

        Args:
            batch: Observations of several agents, stacked as in Gymnasium's vectors.
            states: States of these agents, float32 of shape (batch, m).

        Returns:
            A batch of `space`, and states, in new arrays.

        Raises:
            ParameterError: The features are not in their space, or not finite.
        """
        flat = join_batch(self.observed, batch, len(states), 1).astype(np.float32)
        with torch.no_grad():
            observed, following = self._features(torch.from_numpy(flat), torch.from_numpy(states))
        # Features may return their arguments, or one tensor twice.
        shown, after = observed.numpy().copy(), following.numpy().copy()
        self._require_contained(shown)
        if not np.isfinite(after).all():
            raise ParameterError(f"features={self._place!r}: a state is not finite: {after}")
        return shown if self._mask is None else {MASK: batch[MASK], OBSERVATIONS: shown}, after

    def observe_one(
        self, observation: Any, state: NDArray[np.float32] | None
    ) -> tuple[Any, NDArray[np.float32]]:
        """Return the observation of the policy of one agent, and its next state of shape (1, m).

        At the beginning of an episode, `state` is None.
        """
        begun = self.states(1) if state is None else state
        observed, following = self.observe(_batch_of_one(observation), begun)
        return take_rows(observed, 0), following

    def _require_contained(self, shown: NDArray[np.float32]) -> None:
        space = self._features.space
        within = np.isfinite(shown) & (shown >= space.low) & (shown <= space.high)
        if not within.all():
            row, place = np.argwhere(~within)[0]
            raise ParameterError(
                f"features={self._place!r}: feature {place} is {shown[row, place]}, which is not "
                f"in {space}"
            )


def _place_of_mask(space: Space) -> slice | None:
    """Return the slice of the mask in a flat observation, or None."""
    if not observes_mask(space):
        return None
    before = 0
    for key, part in space.spaces.items():
        if key == MASK:
            break
        before += _size(part)
    return slice(before, before + _size(space.spaces[MASK]))


def _size(space: Space) -> int:
    """Return the number of elements of an observation."""
    try:
        return int(spaces.flatdim(space))
    except (NotImplementedError, ValueError) as error:
        raise ParameterError(
            f"features need observations of a fixed size, not of {space}"
        ) from error


def _batch_of_one(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _batch_of_one(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_batch_of_one, value))
    return np.asarray(value)[None]
