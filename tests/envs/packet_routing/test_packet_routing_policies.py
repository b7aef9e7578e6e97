# SPDX-License-Identifier: GPL-2.0-only
"""Policies of packet_routing, one that all routers share, and pictures."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from pettingzoo.test import render_test
from routing_support import draw, play

from defiance_zoo.envs.packet_routing import packet_routing_v0
from defiance_zoo.envs.packet_routing.policies import (
    EarliestArrivalOptions,
    QRoutingOptions,
    QRoutingPolicy,
)
from defiance_zoo.envs.packet_routing.policies.scored_choices import ScoredChoicesPolicy
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training import RunConfig, create_trainer, load_policy

# Two paths of two links from a to d: over b at 100 kb/s, over c at 1 Mb/s.
SLOW = (
    "node a 0 1; node b 1 2; node c 1 0; node d 2 1;"
    "link a b rate 100kbps; link b d rate 100kbps; link a c; link c d"
)
GIVEN: dict[str, Any] = {
    "topology": SLOW,
    "matrix": "a>d:1",
    "packet_sizes": "constant",
    "packet_rate": 10,
    "duration": "5s",
    "infos": "brief",
}


# ---------------------------------------------------------------- Q-routing


def test_q_routing_finds_the_faster_of_two_paths() -> None:
    """Shortest paths count links, and take the first of two equal paths."""
    shortest = play("shortest_paths", **GIVEN)
    learned = play("q_routing", **GIVEN)
    assert np.median(shortest.delays) > 0.16
    assert np.median(learned.delays) == pytest.approx(0.018, abs=1e-6)


def test_an_estimate_is_updated_by_the_rule() -> None:
    """By hand: x has neighbours y and z; a packet to y takes 0.1 s, and y estimates 0.4 s."""
    policy = QRoutingPolicy(1, QRoutingOptions(learning_rate=0.5, initial=0.4))
    links = "[[0,1,1,1],[0,2,1,1],[1,3,1,1],[2,3,1,1]]"
    mask = np.array([1, 1], np.int8)
    first = {"action_mask": mask, "link_state": f'{{"router":0,"links":{links}}}', "hop_cost": -1.0}
    seen = np.array([3, 0, 0, 0, 1, 1], np.float32)
    sent = policy.act("agent_0", seen, first)
    policy.act("agent_0", seen, {"action_mask": mask, "hop_cost": 0.1})
    # 0.4 + 0.5 (0.1 + 0.4 - 0.4) = 0.45 for the first port; then the policy tries the other one.
    assert policy._estimates[0][3][sent] == pytest.approx(0.45)
    assert policy._sent["agent_0"] == (3, 1 - sent)
    # To a neighbour, no estimate is added: 0.4 + 0.5 (0.1 - 0.4).
    policy = QRoutingPolicy(1, QRoutingOptions(learning_rate=0.5, initial=0.4))
    to_neighbour = np.array([1, 0, 0, 0, 1, 1], np.float32)
    only_first = np.array([1, 0], np.int8)
    policy.act("agent_0", to_neighbour, {**first, "action_mask": only_first})
    policy.act("agent_0", to_neighbour, {"action_mask": only_first, "hop_cost": 0.1})
    assert policy._estimates[0][1][0] == pytest.approx(0.25)


def test_learned_estimates_are_kept_on_request() -> None:
    for keep, better in ((True, True), (False, False)):
        policy = QRoutingPolicy(1, QRoutingOptions(keep=keep))
        first, second = (play(policy, **{**GIVEN, "duration": "2s"}) for _ in range(2))
        assert (second.delays.max() < first.delays.max()) == better


def test_learned_estimates_are_kept_only_in_the_same_network() -> None:
    """Two routers, a larger grid and a grid with other links, one after the other."""
    ring = "node a 0 1; node b 1 2; node c 1 0; node d 2 1; link a b; link b d; link d c; link c a"
    for grid in ({"topology": "grid:1x2"}, {"topology": "grid:3x3"}, {"topology": ring}):
        given = {**grid, "duration": "1s", "packet_rate": 50, "infos": "brief"}
        kept = QRoutingPolicy(1, QRoutingOptions(keep=True))
        play(kept, **GIVEN)
        after = play(kept, **given)
        assert np.array_equal(after.delays, play("q_routing", **given).delays)


def test_learned_estimates_are_kept_if_links_fail() -> None:
    policy = QRoutingPolicy(1, QRoutingOptions(initial=0.4))
    links = [[0, 1, 1, 1], [0, 2, 1, 1], [1, 3, 1, 1], [2, 3, 1, 1]]
    mask = np.array([1, 0], np.int8)
    seen = np.array([1, 0, 0, 0, 1, 0], np.float32)
    for works, cost in ((1, -1.0), (0, 0.1)):
        links[3][3] = works
        told = json.dumps({"router": 0, "links": links})
        policy.act("agent_0", seen, {"action_mask": mask, "link_state": told, "hop_cost": cost})
    assert policy._estimates[0][1][0] == pytest.approx(0.25)


def test_least_delay_takes_the_queue_into_account() -> None:
    given = {**GIVEN, "topology": SLOW.replace("100kbps", "900kbps"), "packet_rate": 180}
    own = play("least_delay", observation="link-state", **given)
    shortest = play("shortest_paths", metric="delay", **given)
    assert own.info["mean_delay"] < 0.5 * shortest.info["mean_delay"]


def test_earliest_arrival_avoids_a_queue_that_the_router_does_not_observe() -> None:
    """Of two equal paths, the first one has a queue behind its first link."""
    equal = "node a; node b; node c; node d; link a b; link b d; link a c; link c d"
    given = {**GIVEN, "topology": equal, "metric": "delay", "matrix": "a>d:1,b>d:10"}
    given |= {"packet_rate": 130, "observation": "link-state"}
    played = {name: play(name, **given) for name in ("least_delay", "earliest_arrival")}
    of_a = {name: each.delays[each.packets[:, 1] == 0] for name, each in played.items()}
    assert of_a["earliest_arrival"].max() < 0.5 * of_a["least_delay"].max()
    assert played["earliest_arrival"].delays.mean() < 0.7 * played["least_delay"].delays.mean()
    few = play("earliest_arrival", **{**given, "matrix": "a>d:1", "packet_rate": 1})
    assert few.delays == pytest.approx(0.018, abs=1e-6)  # two links of 8 ms and 1 ms


def test_invalid_options_and_modes_are_refused() -> None:
    with pytest.raises(ParameterError, match="learning_rate=0 must be from 1e-06 to 1"):
        QRoutingOptions(learning_rate=0)
    with pytest.raises(ParameterError, match="initial=-1 must be at least 0 s"):
        QRoutingOptions(initial=-1)
    with pytest.raises(ParameterError, match='least_delay needs decisions="packet"'):
        play("least_delay", topology="grid:1x2")
    with pytest.raises(ParameterError, match='and observation="link-state"'):
        play("least_delay", topology="grid:1x2", message_interval="10ms")
    with pytest.raises(ParameterError, match="transmission=-1 must be from 0 to 3600 s"):
        EarliestArrivalOptions(transmission=-1)
    with pytest.raises(
        ParameterError, match='earliest_arrival needs decisions="packet" and metric'
    ):
        play("earliest_arrival", topology="grid:1x2")
    with pytest.raises(ParameterError, match='q_routing needs decisions="packet"'):
        play("q_routing", topology="grid:1x2", decisions="epoch", interval="10ms")


# ---------------------------------------------------------------- one policy for all routers


def network() -> ScoredChoicesPolicy:
    torch.manual_seed(1)
    return ScoredChoicesPolicy(
        spaces.Box(-np.inf, np.inf, (2 + 3 * 4,), np.float32),
        spaces.Discrete(4),
        lambda _: 1e-3,
    )


def test_scores_do_not_depend_on_the_numbers_of_choices() -> None:
    policy = network()
    seen = torch.rand(5, 3, 4)
    seen[:, 1] = torch.tensor([1.0, 1.0, 0.0, 1.0])
    turned = seen[:, :, [3, 2, 0, 1]]
    logits = []
    for blocks in (seen, turned):
        observation = torch.cat([torch.rand(5, 2), blocks.reshape(5, -1)], dim=1)
        distribution: Any = policy.get_distribution(observation).distribution
        logits.append(distribution.probs)
    assert torch.allclose(logits[0][:, [3, 2, 0, 1]], logits[1], atol=1e-6)
    assert torch.all(logits[0][:, 2] == 0)  # the masked choice
    assert torch.allclose(logits[0].sum(dim=1), torch.ones(5))


def test_an_observation_of_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="13 numbers is not 2, and then 4 for each feature"):
        ScoredChoicesPolicy(
            spaces.Box(-1, 1, (13,), np.float32), spaces.Discrete(4), lambda _: 1e-3
        )


def config(**hyperparameters: Any) -> RunConfig:
    return RunConfig(
        env="packet_routing_v0",
        parameters={**GIVEN, "observation": "link-state", "reward": "excess", "duration": "2s"},
        algorithm="PPO",
        hyperparameters={
            "policy": f"{ScoredChoicesPolicy.__module__}:{ScoredChoicesPolicy.__name__}",
            "n_steps": 16,
            "batch_size": 16,
            "gamma": 0.0,
            **hyperparameters,
        },
        steps=64,
    )


def test_the_shared_policy_is_trained_saved_and_loaded(tmp_path: Path) -> None:
    trainer = create_trainer(config())
    try:
        trainer.iterate()
        trainer.save(tmp_path)
        kept = trainer.policy()
    finally:
        trainer.close()
    loaded = load_policy(config(), tmp_path, trust=True)
    space = spaces.Box(0, 0.1, (2 + 3 * 2,), np.float32, seed=1)
    for _ in range(20):
        seen = space.sample()
        seen[4:6] = 1, space.sample()[0] * 10 > 0.5
        assert loaded.act("agent_0", seen, {}) == kept.act("agent_0", seen, {})
    seen[4:6] = 0, 1
    assert loaded.act("agent_3", seen, {}) == 1
    played = play(loaded, **{**GIVEN, "observation": "link-state"})
    assert played.info["delivered_packets"] > 0


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("nowhere:Class", "there is no module 'nowhere'"),
        ("defiance_zoo.wrappers.sb3:NoPolicy", "defiance_zoo.wrappers.sb3 has no 'NoPolicy'"),
    ],
)
def test_a_policy_that_cannot_be_imported_is_refused(policy: str, words: str) -> None:
    with pytest.raises(ParameterError, match=f"policy='{policy}': {words}"):
        create_trainer(config(policy=policy))


# ---------------------------------------------------------------- pictures


def test_pettingzoos_test_suite_passes() -> None:
    render_test(functools.partial(packet_routing_v0.env, topology="grid:2x2", duration="0.2s"))


def render(mode: str, **arguments: Any) -> Any:
    """Return the picture after some steps."""
    env = packet_routing_v0.raw_env(link="local", render_mode=mode, **arguments)
    env.reset(seed=1)
    act = draw(1)
    for _ in range(150):
        observation, *_, info = env.last()
        env.step(act(env.agent_selection, observation, info))
    picture = env.render()
    env.close()
    return picture


@pytest.mark.parametrize("arguments", [{}, {"decisions": "epoch", "interval": "10ms"}])
def test_text_lists_waiting_packets_by_router(arguments: dict[str, Any]) -> None:
    env = packet_routing_v0.raw_env(
        link="local", render_mode="ansi", topology=SLOW, packet_rate=100, **arguments
    )
    env.reset(seed=1)
    for _ in range(60):
        env.step(env.action_space(env.agent_selection).sample() * 0)
    lines = env.render().splitlines()
    env.close()
    assert lines[0].startswith("t = 0.")
    assert {line.split(":")[0] for line in lines[-4:]} == {"a", "b", "c", "d"}
    assert any(" ms, to " in line for line in lines[-4:])
    assert [lines[row].strip(" .:*#") for row in (1, 24)] == ["b", "c"]  # the map: north, south
    assert re.findall(r"\w", lines[13]) == ["a", "d"]
    assert set("".join(lines[2:13])) <= set(" .:*#")


def test_a_picture_of_a_map_has_long_queues_in_orange() -> None:
    calm = render("rgb_array", topology="abilene", packet_rate=50)
    assert (calm.shape, calm.dtype) == ((420, 600, 3), np.uint8)
    busy = render("rgb_array", topology="abilene", packet_rate=5000, link_rate="100kbps")

    def count(picture: Any) -> int:
        picture = picture[30:]  # below the legend
        return int((picture[:, :, 0].astype(int) > picture[:, :, 1].astype(int) + 60).sum())

    assert count(calm) < 50 < count(busy)


def test_a_picture_without_places_is_empty() -> None:
    empty = render("rgb_array", topology="abilene", infos="brief")
    assert (empty[40:] == 255).all()
