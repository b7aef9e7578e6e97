# SPDX-License-Identifier: GPL-2.0-only
"""Impossible processors of cart_pole_v0's agents are refused before anything starts."""

from __future__ import annotations

from typing import Any

import pytest

from defiance_zoo import errors
from defiance_zoo.envs import cart_pole_v0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"buffer_size": 3}, "agent_0 has workers=0 .no limit., so no decision waits"),
        ({"full_buffer": "block"}, "buffer_size and full_buffer do not apply"),
        ({"workers": 1, "full_buffer": "block"}, "full_buffer=block, which needs a buffer_size"),
        ({"workers": 1, "slowdown": 0.5}, "agent_0 has no service_time, so"),
        ({"workers": {"agent_1": 1}}, "workers names agent_1, but the agents are agent_0$"),
        ({"carts": 3, "workers": {"cart_1": 1}}, "but the agents are agent_0 to agent_2"),
    ],
    ids=str,
)
def test_contradictory_parameters_are_refused(arguments: dict[str, Any], words: str) -> None:
    env = cart_pole_v0.raw_env(**arguments)
    with pytest.raises(errors.ParameterError, match=words):
        env.reset()
    env.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"workers": -1}, r"workers=-1 is not within \[0, 1000000\]"),
        ({"workers": {"agent_0": 1.5}}, "workers=1.5 is not of type integer"),
        ({"workers": {"agent_0": -1}}, "workers=-1 is not within"),
        ({"workers": {0: 1}}, "names 0, which is not an agent"),
        ({"workers": {"a,b": 1}}, "names 'a,b', which is not an agent"),
        ({"workers": {}}, "names '', which is not an agent"),
        ({"service_time": {"agent_0": "soon"}}, "service_time='soon' is not of type time"),
        ({"full_buffer": {"agent_0": "drop_newer"}}, "did you mean 'drop_newest'?"),
        ({"delay": {"agent_0": "1ms"}}, "is not of type time"),
    ],
    ids=str,
)
def test_values_are_checked_for_each_agent(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(errors.ParameterError, match=words):
        cart_pole_v0.raw_env(**arguments)
