# SPDX-License-Identifier: GPL-2.0-only
"""Features of a space's observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray

from defiance_zoo.bridge.codec.masks import MASK, observes_mask
from defiance_zoo.environments.vector.batches import take_rows
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.features.loading import FeatureSource

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
        flat = _flatten(self.observed, batch, len(states))
        with torch.no_grad():
            observed, following = self(torch.from_numpy(flat), torch.from_numpy(states))
        # Features may return their arguments, or one tensor twice.
        shown, after = observed.numpy().copy(), following.numpy().copy()
        if self._mask is not None:
            shown = shown[:, self._mask.stop - self._mask.start :]
        self._require_contained(shown)
        if not np.isfinite(after).all():
            raise ParameterError(f"features={self._place!r}: a state is not finite: {after}")
        return shown if self._mask is None else {MASK: batch[MASK], OBSERVATIONS: shown}, after

    def observe_one(
        self, observation: Any, state: NDArray[np.float32]
    ) -> tuple[Any, NDArray[np.float32]]:
        """Return the observation of the policy of one agent, and its next state of shape (1, m)."""
        observed, following = self.observe(_batch_of_one(observation), state)
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


def _flatten(space: Space, batch: Any, rows: int) -> NDArray[np.float32]:
    """Flatten observations as `gymnasium.spaces.flatten()` does, one row each."""
    if isinstance(space, spaces.Box):
        return np.array(batch, np.float32).reshape(rows, -1)
    flat = np.empty((rows, _size(space)), np.float32)
    for row in range(rows):
        flat[row] = np.asarray(spaces.flatten(space, take_rows(batch, row)))
    return flat
