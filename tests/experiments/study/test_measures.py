# SPDX-License-Identifier: GPL-2.0-only
"""Measures of an episode, computed by hand."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import (
    DividedPolicy,
    NamedPolicy,
    PlayedEpisode,
    agent_spaces,
    find_divisions,
    open_env,
    play,
)
from defiance_zoo.experiments.study.cells import CellJob
from defiance_zoo.experiments.study.measures import COLUMNS, InfoMeasure, measure, measure_infos

SPEC = lookup("cart_pole_v0")


def flow(name: str, *, tx: int, rx: int, size: int, mean: float, longest: float) -> dict[str, Any]:
    """Return the counters of a flow."""
    counters = {
        "tx_messages": tx,
        "tx_bytes": tx * size,
        "rx_messages": rx,
        "mean_latency": mean,
        "max_latency": longest,
    }
    return {f"communication/{name}/{counter}": value for counter, value in counters.items()}


def test_flows_are_summed_each_over_its_own_time() -> None:
    talk = {"tx": 1, "rx": 1, "size": 7, "mean": 0.5, "longest": 0.5}
    infos = {
        "agent_0": {
            "sim_time_ns": 2_000_000_000,
            **flow("observation_0/agent_0/observation", tx=10, rx=6, size=50, mean=0.2, longest=1),
            **flow("agent_0/action_0/action", tx=4, rx=4, size=10, mean=0.1, longest=0.3),
            **flow("reward_0/agent_0/reward", tx=9, rx=9, size=30, mean=0, longest=0),
            **flow("agent_0/agent_1/message", **{**talk, "tx": 2}),
        },
        "agent_1": {
            "sim_time_ns": 1_000_000_000,
            **flow("observation_1/agent_1/observation", tx=10, rx=2, size=50, mean=0.6, longest=2),
            **flow("agent_0/agent_1/message", **talk),
        },
    }
    episode = PlayedEpisode(7, {"agent_0": 30.0, "agent_1": 6.0}, 14, 2.0, 0.1, infos)
    found = measure(episode, {"agent_0": 2})
    assert (found["seed"], found["return"], found["return_per_unit"]) == (7, 18.0, 12.0)
    assert (found["decisions"], found["length_s"]) == (14, 2.0)
    # agent_0 knows more than the message contains; rewards are not counted.
    assert found["messages"] == 10 + 4 + 10 + 2
    assert found["bytes"] == 500 + 40 + 500 + 14
    assert found["bytes_per_s"] == pytest.approx(500 / 2 + 40 / 2 + 500 / 1 + 14 / 2)
    assert found["observation_bytes_per_s"] == pytest.approx(750)
    assert found["observation_mean_latency_s"] == pytest.approx((6 * 0.2 + 2 * 0.6) / 8)
    assert found["observation_max_latency_s"] == 2
    assert found["observation_undelivered"] == pytest.approx(12 / 20)
    assert found["action_undelivered"] == 0
    assert found["message_messages"] == 2
    assert found["reward_messages"] == 9


def test_without_communication_traffic_measures_are_missing() -> None:
    found = measure(PlayedEpisode(1, {"a": 1.0}, 1, 0.1, 0.1, {"a": {"sim_time_ns": 1}}), {})
    assert list(found) == list(COLUMNS)
    assert found["messages"] is None
    assert found["action_mean_latency_s"] is None


@pytest.mark.parametrize(
    ("agents", "expected"), [("mean", 2.5), ("sum", 5.0), ("jain", 25 / (2 * (1 + 16)))]
)
def test_infos_are_combined_over_agents(agents: Any, expected: float) -> None:
    infos = {"a": {"sim_time_ns": 1, "sent": 1}, "b": {"sim_time_ns": 1, "sent": 4}}
    episode = PlayedEpisode(1, {"a": 1.0, "b": 1.0}, 2, 0.1, 0.1, infos)
    found = measure(episode, {}, {"each": InfoMeasure(info="sent", agents=agents)})
    assert found["each"] == pytest.approx(expected)


def test_fairness_is_undefined_if_all_agents_get_nothing() -> None:
    infos = {"a": {"sim_time_ns": 1, "sent": 0}, "b": {"sim_time_ns": 1, "sent": 0}}
    episode = PlayedEpisode(1, {"a": 1.0, "b": 1.0}, 2, 0.1, 0.1, infos)
    found = measure(episode, {}, {"each": InfoMeasure(info="sent", agents="jain")})
    assert found["each"] is None


def test_the_measures_of_an_episode_without_a_network_are_known() -> None:
    arguments = {"transport": "simple", "delay": "30ms", "duration": "1s"}
    job = CellJob("cart_pole_v0", arguments, 1, 5, NamedPolicy("state_feedback"))
    (found,) = job.run(lambda _event: None)["episodes"]
    # Samples are sent at 0, 20, ..., 1000 ms; those of 980 ms and later get no decision.
    assert found["observation_messages"] == 51
    assert found["observation_mean_latency_s"] == pytest.approx(0.03)
    assert found["action_max_latency_s"] == pytest.approx(0.03)
    assert found["observation_undelivered"] == pytest.approx(2 / 51)
    assert found["length_s"] == 1.0


class EachItsOwn:
    """A policy that pushes the first cart left and the last one right, and balances others."""

    def reset(self) -> None:
        pass

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        always = {"agent_0": 0, "agent_2": 1}
        return always.get(agent, int(observation[2] + observation[3] / 4 > 0))


def test_a_policy_of_one_cart_plays_a_central_agent_like_single_agents() -> None:
    def returns(placement: str) -> list[list[float]]:
        """Return the return of each agent."""
        arguments = {"placement": placement, "carts": 3, "duration": "1s"}
        trained = agent_spaces(SPEC, {}).values()
        divisions = find_divisions(SPEC, agent_spaces(SPEC, arguments), trained)
        with contextlib.closing(open_env(SPEC, arguments)) as env:
            policy = DividedPolicy(EachItsOwn(), divisions)
            return [list(each.returns.values()) for each in play(env, policy, episodes=2, seed=3)]

    alone, central = returns("remote"), returns("central")
    for first, middle, last in alone:
        assert max(first, last) < 15 < middle == 50
    assert central == [[sum(each)] for each in alone]


def test_infos_of_agents_are_measured_by_name() -> None:
    infos = {"a": {"sim_time_ns": 1, "rate": 4.0}, "b": {"sim_time_ns": 1, "rate": 2.0}}
    infos["c"] = {"sim_time_ns": 1}
    told = {"a": {"rate": [2.0, 3.0, 4.0]}, "b": {"rate": [0.0, 0.0, 1.0, 3.0]}}
    episode = PlayedEpisode(1, {"a": 1.0}, 3, 0.1, 0.1, infos, info_series=told)
    further = {
        "last": InfoMeasure(info="rate"),
        "total": InfoMeasure(info="rate", agents="sum"),
        "mean_total": InfoMeasure(info="rate", time="mean", agents="sum"),
        "warm": InfoMeasure(info="rate", time="mean", warm_up=0.5, agents="sum"),
        "missing": InfoMeasure(info="delay"),
    }
    found = measure(episode, {}, further)
    assert [found[name] for name in further] == [3.0, 6.0, 4.0, 5.5, None]
    with pytest.raises(ValidationError, match="warm_up needs time: mean"):
        InfoMeasure(info="rate", warm_up=0.5)


@pytest.mark.parametrize("value", [np.zeros(2), "text", [1.0]])
def test_a_measure_of_an_info_that_is_no_number_names_the_info(value: Any) -> None:
    episode = PlayedEpisode(1, {"agent_0": 1.0}, 1, 1.0, 0.1, {"agent_0": {"speed": value}})
    with pytest.raises(ParameterError, match=r"the info 'speed' is .*, not a number"):
        measure_infos(episode, InfoMeasure(info="speed"))


def test_means_of_infos_are_over_all_reported_values() -> None:
    """The number of the cart's edge node rises by one at each handover."""
    arguments = {"handover_interval": "100ms", "duration": "400ms"}
    further = {"edge": InfoMeasure(info="edge/cart", time="mean")}
    last = {"last": InfoMeasure(info="edge/cart")}
    named = NamedPolicy("state_feedback")
    job = CellJob("edge_cart_pole_v0", arguments, 1, 5, named, {**further, **last})
    done = job.run(lambda _event: None)
    (episode,) = done["episodes"]
    assert 1 < episode["edge"] < episode["last"] <= 4
    assert len(done["wall_time_s"]) == 1


UNITS: dict[str, tuple[str, dict[str, Any]]] = {
    "cart_pole_v0": ("pole", {"carts": 2, "duration": "1s"}),
    "cell_power_v0": ("constant", {"duration": "0.3s"}),
    "cell_sleep_v0": ("constant", {"day": "1s", "duration": "1s"}),
    "channel_access_v0": ("fixed", {"radios": 2, "duration": "1s"}),
    "handover_v0": ("stay", {"duration": "1s"}),
    "multi_access_v0": ("constant", {"users": 2, "links": "point-to-point", "duration": "1s"}),
    "video_streaming_v0": ("rate_based", {"clients": 2, "chunks": 3}),
    "wifi_rate_control_v0": ("constant", {"stations": 2, "duration": "1s"}),
}


@pytest.mark.parametrize("env", sorted(UNITS))
def test_the_return_of_a_unit_does_not_depend_on_the_number_of_agents(env: str) -> None:
    """A central agent earns the sum over its units, or in some environments what each would."""
    policy, arguments = UNITS[env]
    found = []
    for placement in ("central", "local"):
        job = CellJob(env, {**arguments, "placement": placement}, 1, 7, NamedPolicy(policy))
        (episode,) = job.run(lambda _event: None)["episodes"]
        found.append(episode["return_per_unit"])
    assert found[0] == pytest.approx(found[1])
