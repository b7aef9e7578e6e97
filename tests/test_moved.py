# SPDX-License-Identifier: GPL-2.0-only
"""Further names of modules and classes lead to the same ones, in programs and in pickles."""

from __future__ import annotations

import importlib
import pickle

import pytest

from defiance_zoo import learning


@pytest.mark.parametrize(
    ("further", "name"),
    [
        ("wrappers.rllib_config", "wrappers.rllib.config"),
        ("wrappers.rllib_policies", "wrappers.rllib.policies"),
        ("wrappers.sb3_buffers", "wrappers.sb3.buffers"),
        ("wrappers.sb3_supersuit", "wrappers.sb3.supersuit"),
        ("training.export_file", "training.export.policy_file"),
        ("training.rllib_policy", "training.rllib.policy"),
    ],
)
def test_a_module_is_one_by_each_of_its_names(further: str, name: str) -> None:
    module = importlib.import_module(f"defiance_zoo.{name}")
    assert importlib.import_module(f"defiance_zoo.{further}") is module
    assert module.__name__ == f"defiance_zoo.{name}"
    assert module.__spec__ is not None
    assert module.__spec__.name == module.__name__


def test_pickles_by_a_further_name_are_read() -> None:
    from defiance_zoo.wrappers.rllib.policies import PolicyMapping

    written = b"cdefiance_zoo.wrappers.rllib_policies\nPolicyMapping\n."  # as protocol 0 has it
    assert pickle.loads(written) is PolicyMapping


def test_classes_have_their_further_names() -> None:
    from defiance_zoo.wrappers import sb3

    assert sb3.SimulationVecEnv is sb3.SingleAgentVecEnv
    assert learning.PolicyDistribution is learning.PolicyDelivery
    assert learning.Shipments is learning.PendingTransfers


def test_a_name_that_nothing_has_is_still_unknown() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"wrappers\.sb3_nothing"):
        importlib.import_module("defiance_zoo.wrappers.sb3_nothing")
