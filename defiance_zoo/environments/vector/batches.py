# SPDX-License-Identifier: GPL-2.0-only
"""Batches in Gymnasium's form: arrays of rows in tuples and dicts, and tuples of texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector.utils import batch_space, iterate
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.simulation import Agent
from defiance_zoo.errors import InvalidAction

_Wrong = (ValueError, TypeError, OverflowError)
_NUMBERS: dict[str, type] = {"b": bool, "i": int, "f": float}
"""Types of infos that an array of a kind holds."""


def write(batch: Any, index: Any, value: Any) -> Any:
    """Write values into a batch, in place if possible; return the batch.

    Args:
        batch: The batch.
        index: Index into each array; for texts, a number or a slice.
        value: One value, or a batch of as many values as the index selects.
    """
    if isinstance(batch, np.ndarray):
        batch[index] = value
    elif isinstance(batch, dict):
        for key, part in batch.items():
            batch[key] = write(part, index, value[key])
    elif batch and isinstance(batch[0], str):
        texts = list(batch)
        texts[index] = value
        batch = tuple(texts)
    else:
        batch = tuple(write(part, index, each) for part, each in zip(batch, value, strict=True))
    return batch


def take_rows(batch: Any, rows: Any) -> Any:
    """Return some rows of a batch, or one of them."""
    if isinstance(batch, np.ndarray):
        return batch[rows]
    if isinstance(batch, dict):
        return {key: take_rows(part, rows) for key, part in batch.items()}
    if batch and isinstance(batch[0], str):
        return batch[rows] if np.ndim(rows) == 0 else tuple(batch[row] for row in rows)
    return tuple(take_rows(part, rows) for part in batch)


def equal(one: Any, other: Any) -> bool:
    """Return whether two values of one space are equal, bit for bit."""
    if isinstance(one, np.ndarray):
        return bool(one.shape == other.shape and one.tobytes() == other.tobytes())
    if isinstance(one, dict):
        return all(equal(part, other[key]) for key, part in one.items())
    if isinstance(one, tuple):
        return all(map(equal, one, other))
    return bool(np.asarray(one).tobytes() == np.asarray(other).tobytes())


def check_stack(agent: Agent, actions: Any, rows: int) -> list[Buffer]:
    """Check a batch of actions of fixed size, and return the buffers of their stack."""
    try:
        return agent.actions.check_stack(actions, rows)
    except _Wrong as error:
        raise _refusal(agent, rows, error) from error


def check_rows(agent: Agent, actions: Any, rows: int) -> list[list[Buffer]]:
    """Check a batch of actions, and return the buffers of each row."""
    codec = agent.actions
    if codec.sizes is None:
        try:
            batch = iterate(batch_space(agent.action_space, rows), actions)
            return [codec.flatten([codec.check(value)]) for value in batch]
        except _Wrong as error:
            raise _refusal(agent, rows, error) from error
    parts = zip(check_stack(agent, actions, rows), codec.sizes, strict=True)
    columns = [[data[row * size : (row + 1) * size] for row in range(rows)] for data, size in parts]
    return [list(row) for row in zip(*columns, strict=True)]


def _refusal(agent: Agent, rows: int, error: Exception) -> InvalidAction:
    return InvalidAction(f"the actions are not {rows} of {agent.action_space}: {error}")


def make_room(batch: NDArray[Any], mask: NDArray[np.bool_], value: Any) -> NDArray[Any]:
    """Return a batch of infos that can hold one more info without a change of its value.

    NumPy would cut a real number to the integers of other rows, and spread a number over an array.

    Args:
        batch: Infos: numbers, arrays of one shape, or objects; shape (*rows, ...).
        mask: Mask of existing rows, shape (*rows).
        value: A number, a text or an array.

    Returns:
        The batch; or its numbers in a common type; or objects and None for missing rows, shape
        (*rows).
    """
    dtype, is_number = batch.dtype, batch.ndim == mask.ndim
    if dtype.kind == "O" or (is_number and type(value) is _NUMBERS.get(dtype.kind)):
        return batch
    row, new = batch.shape[mask.ndim :], np.asarray(value)
    if new.shape == row and new.dtype.kind in "biuf":
        return batch.astype(np.result_type(dtype, new.dtype), copy=False)
    objects = np.full(mask.shape, None, object)
    for place in zip(*mask.nonzero(), strict=True):
        objects[place] = batch[place] if row else batch[place].item()
    return objects


def to_rows(batch: Any) -> Any:
    """Reshape a batch (simulations, agents, ...) to a row for each agent."""
    if isinstance(batch, dict):
        return {key: to_rows(part) for key, part in batch.items()}
    if isinstance(batch, tuple):
        return tuple(map(to_rows, batch))
    return batch.reshape(-1, *batch.shape[2:])
