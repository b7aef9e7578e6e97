# SPDX-License-Identifier: GPL-2.0-only
"""Weights of policies of any library as arrays by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.errors import ParameterError

Weights = dict[str, NDArray[Any]]
"""Arrays by name."""


def as_weights(state: Mapping[str, Any]) -> Weights:
    """Return copies of arrays and PyTorch tensors; slashes join nested names.

    Raises:
        ParameterError: A value is not an array of numbers.
    """
    return {name: _array(name, value) for name, value in _leaves(state, "")}


def get_weights(model: Any) -> Weights:
    """Return a copy of the weights of a model.

    Args:
        model: A PyTorch module (such as RLlib's RLModule), a model of Stable-Baselines3, or another
            object with `get_state()`, such as RLlib's MultiRLModule.

    Raises:
        ParameterError: The model is none of these.
    """
    return as_weights(_state(model))


def set_weights(model: Any, weights: Mapping[str, NDArray[Any]]) -> None:
    """Set a model's weights to the result of `get_weights()` for an equal model.

    Raises:
        ParameterError: Names or shapes do not fit the model.
    """
    own = dict(_leaves(_state(model), ""))
    if own.keys() != weights.keys():
        odd = sorted(own.keys() ^ weights.keys())
        raise ParameterError(f"the weights are of another model: {odd} are only in one of the two")
    for name, value in own.items():
        if tuple(value.shape) != weights[name].shape:
            raise ParameterError(
                f"weights {name!r} have shape {weights[name].shape}, not {tuple(value.shape)}"
            )
    if hasattr(_module(model), "state_dict"):
        for name, tensor in own.items():
            tensor.copy_(tensor.new_tensor(weights[name]))  # shares its memory with the module
    else:
        model.set_state(_nest(_state(model), "", weights))


def _module(model: Any) -> Any:
    """Return the module that holds the weights; for Stable-Baselines3, the policy."""
    return getattr(model, "policy", model)


def _state(model: Any) -> Mapping[str, Any]:
    module = _module(model)
    for method in ("state_dict", "get_state"):
        if hasattr(module, method):
            state: Mapping[str, Any] = getattr(module, method)()
            return state
    raise ParameterError(f"{type(model).__name__} has no weights: neither state_dict nor get_state")


def _leaves(state: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in state.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", value


def _nest(like: Mapping[str, Any], prefix: str, weights: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _nest(value, f"{prefix}{name}/", weights)
        if isinstance(value, Mapping)
        else weights[f"{prefix}{name}"]
        for name, value in like.items()
    }


def _array(name: str, value: Any) -> NDArray[Any]:
    if hasattr(value, "detach"):  # a tensor on any device
        value = value.detach().cpu().numpy()
    array = np.array(value)
    if array.dtype.kind not in "fiub":
        raise ParameterError(f"weights {name!r} are not numbers but {array.dtype}")
    return array
