# SPDX-License-Identifier: GPL-2.0-only
"""Action masks, and the actions that they allow."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from defiance_zoo.bridge.codec.masks import (
    allows,
    check_mask,
    list_allowed,
    read_mask,
    require_maskable,
    sample,
)
from defiance_zoo.errors import InvalidMask

SPACES: dict[str, tuple[spaces.Space[Any], list[int]]] = {
    "discrete": (spaces.Discrete(4), [0, 1, 0, 1]),
    "start": (spaces.Discrete(4, start=-3), [0, 1, 0, 1]),
    "multi": (spaces.MultiDiscrete([2, 3]), [0, 1, 1, 0, 1]),
    "multi_start": (spaces.MultiDiscrete([2, 3], start=[5, -1]), [0, 1, 1, 0, 1]),
    "table": (spaces.MultiDiscrete([[2], [3]], start=[[1], [2]]), [0, 1, 1, 0, 1]),
    "binary": (spaces.MultiBinary(3), [1, 0, 0, 1, 1, 1]),
    "grid": (spaces.MultiBinary((3, 1)), [1, 0, 0, 1, 1, 1]),
}
ALLOWED = {
    "discrete": [[1, 3]],
    "start": [[-2, 0]],
    "multi": [[1], [0, 2]],
    "multi_start": [[6], [-1, 1]],
    "table": [[2], [2, 4]],
    "binary": [[0], [1], [0, 1]],
    "grid": [[0], [1], [0, 1]],
}
FORMS = {
    "list": list,
    "tuple": tuple,
    "bools": lambda bits: [bool(bit) for bit in bits],
    **{
        kind: lambda bits, kind=kind: np.array(bits, kind)
        for kind in ("int8", "uint8", "int64", "bool", "uint16")
    },
}


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("form", FORMS)
def test_equivalent_masks_of_any_format_allow_the_same_actions(kind: str, form: str) -> None:
    space, bits = SPACES[kind]
    mask = read_mask("a", space, None, {"action_mask": FORMS[form](bits)})
    assert mask is not None
    assert mask.tolist() == [bool(bit) for bit in bits]
    values = list_allowed(space, mask)
    assert values == ALLOWED[kind]
    named = {tuple(each) for each in itertools.product(*values)}
    space.seed(1)
    drawn = {tuple(np.ravel(sample(space, mask)).tolist()) for _ in range(100)}
    assert drawn == named
    for _ in range(50):
        action = space.sample()
        assert allows(space, mask, action) == (tuple(np.ravel(action).tolist()) in named)
        assert space.contains(sample(space, mask))


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda bits: bits[:-1], "has shape"),
        (lambda bits: [*bits, 1], "has shape"),
        (lambda bits: [bits], "has shape"),
        (lambda bits: [bits, [1]], "has shape"),
        (lambda _bits: 1, "has shape"),
        (lambda _bits: [], "has shape"),
        (lambda _bits: "10101", "has shape"),
        (lambda bits: [-bit for bit in bits], "other than 0 and 1"),
        (lambda bits: [2 * bit for bit in bits], "other than 0 and 1"),
        (lambda bits: np.array(bits, np.int8) * -1, "other than 0 and 1"),
        (lambda bits: [0] * len(bits), "forbids every"),
        (lambda bits: np.zeros(len(bits), np.int8), "forbids every"),
        (lambda bits: np.array(bits, np.float32), "elements of type float32"),
        (lambda bits: [str(bit) for bit in bits], "elements of type"),
        (lambda bits: [None] * len(bits), "elements of type object"),
    ],
)
def test_a_faulty_mask_is_refused_with_agent_space_and_length(
    kind: str, spoil: Any, fault: str
) -> None:
    space, bits = SPACES[kind]
    with pytest.raises(InvalidMask) as raised:
        check_mask("router_1", space, spoil(bits))
    said = str(raised.value)
    assert fault in said
    assert "of router_1" in said
    assert f"A mask for {space} has {len(bits)} entries" in said


def test_a_mask_that_forbids_every_choice_of_a_number_is_refused() -> None:
    for space, bits in (
        (spaces.MultiDiscrete([2, 2]), [1, 1, 0, 0]),
        (spaces.MultiBinary(2), [1, 0, 0, 0]),
    ):
        with pytest.raises(InvalidMask, match="forbids every choice of a number"):
            check_mask("a", space, bits)


@pytest.mark.parametrize(
    "space",
    [spaces.Box(0, 1, (2,)), spaces.Tuple([spaces.Discrete(2)]), spaces.Dict(a=spaces.Discrete(2))],
)
def test_actions_of_spaces_without_masks_are_named(space: spaces.Space[Any]) -> None:
    with pytest.raises(InvalidMask, match="only Discrete, MultiDiscrete and MultiBinary"):
        read_mask("a", space, None, {"action_mask": [1, 1]})


def test_masks_in_infos_and_observation_must_agree() -> None:
    space, observed = spaces.Discrete(2), {"action_mask": np.array([1, 0], np.int8)}
    mask = read_mask("a", space, observed, {"action_mask": [True, False]})
    assert mask is not None
    assert mask.tolist() == [True, False]
    with pytest.raises(InvalidMask, match="in the infos of a differs"):
        read_mask("a", space, observed, {"action_mask": [1, 1]})
    assert read_mask("a", space, np.zeros(2), {}) is None


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        (spaces.Box(0, 1, (3,), np.int8), "has 3 entries; a mask for Discrete.2. has 2"),
        (spaces.Box(0, 1, (2,), np.float32), "a mask for Discrete.2. is 2 booleans or integers"),
        (spaces.Box(0, 1, (1, 2), np.int8), "is 2 booleans or integers"),
        (spaces.Discrete(2), "is 2 booleans or integers"),
        (spaces.Box(0, 1, (2,), np.int64), None),
        (spaces.MultiBinary(2), None),
        (spaces.MultiDiscrete([2, 2]), None),
    ],
)
def test_the_space_of_an_observed_mask_is_checked(
    part: spaces.Space[Any], fault: str | None
) -> None:
    observed = spaces.Dict(action_mask=part, observation=spaces.Box(0, 1))
    if fault is None:
        require_maskable("a", observed, spaces.Discrete(2))
    else:
        with pytest.raises(InvalidMask, match=fault):
            require_maskable("a", observed, spaces.Discrete(2))
