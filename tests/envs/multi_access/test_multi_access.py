# SPDX-License-Identifier: GPL-2.0-only
"""multi_access_v0 in every mode: checkers, spaces, rewards, policies, bad parameters, pictures."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces
from pettingzoo.test import max_cycles_test

from defiance_zoo.bridge.codec import element_names
from defiance_zoo.command_line import main
from defiance_zoo.envs import multi_access_v0
from defiance_zoo.envs.multi_access.baselines import BASELINES, ConstantOptions, encode
from defiance_zoo.envs.multi_access.paths import ELEMENTS, HIGHEST
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy

Arguments = dict[str, Any]
CABLES: Arguments = {
    "links": "point-to-point",
    "wifi_rate": "8Mbps",
    "lte_rate": "4Mbps",
    "rate": "10Mbps",
    "duration": "2s",
}

pytestmark = [
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:We recommend you to use a symmetric"),
]


class Short:
    """Arguments that keep episodes short."""

    spec = multi_access_v0.SPEC
    cycles: ClassVar[int] = 6
    short: ClassVar[Arguments] = CABLES


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="local"),
        pytest.param({"links": "wireless", "duration": "3s"}, id="wireless"),
        pytest.param(
            {"users": 2, "placement": "central", "action_space": "continuous"}, id="central"
        ),
        pytest.param(
            {"placement": "remote", "transport": "udp", "loss": 0.2, "traffic": "on-off"}, id="udp"
        ),
    ],
)
class TestOneAgent(Short, SingleAgentConformance):
    """An agent for one user, or for all."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"users": 2, "reward": "mean", "traffic": "poisson"}, id="local"),
        pytest.param({"users": 2, "placement": "remote", "transport": "tcp"}, id="tcp"),
    ],
)
class TestSeveralAgents(Short, Conformance):
    """An agent for each user."""


def test_max_cycles_truncates_episodes() -> None:
    max_cycles_test(multi_access_v0)


def test_spaces_and_names_depend_on_the_parameters() -> None:
    env = multi_access_v0.parallel_env(link="local", users=2, **CABLES)
    assert env.possible_agents == ["agent_0", "agent_1"]
    space = env.observation_space("agent_0")
    assert space == spaces.Box(np.zeros(12, np.float32), np.array(HIGHEST, np.float32))
    assert element_names(space) == ELEMENTS
    assert env.action_space("agent_1") == spaces.Discrete(11)
    env.close()
    central = multi_access_v0.parallel_env(placement="central", users=2, levels=5, **CABLES)
    assert central.action_space("agent_0") == spaces.MultiDiscrete([5, 5])
    names = element_names(central.observation_space("agent_0"))
    assert names[11:13] == ("share_0", "wifi_throughput_1")
    central.close()
    box = multi_access_v0.parallel_env(
        placement="central", users=2, action_space="continuous", **CABLES
    )
    assert box.action_space("agent_0") == spaces.Box(0, 1, (2,), np.float32)
    box.close()


Moment = tuple[dict[str, float], dict[str, Any]]


def play(actions: Any, seed: int = 4, **arguments: Any) -> list[Moment]:
    """Play the same actions in all decisions; return rewards and observations."""
    env = multi_access_v0.parallel_env(link="local", **{**CABLES, **arguments})
    env.reset(seed=seed)
    moments = []
    while env.agents:
        observations, rewards, *_ = env.step(
            {each: actions[each] for each in env.agents}
            if isinstance(actions, dict)
            else dict.fromkeys(env.agents, actions)
        )
        moments.append((rewards, observations))
    env.close()
    return moments


def test_rewards_are_log_throughput_minus_a_price_of_delay() -> None:
    for rewards, observations in play(7, delay_price=3.0)[:-1]:
        seen = dict(zip(ELEMENTS, observations["agent_0"].astype(float), strict=True))
        expected = math.log(1 + seen["delivered"]) - 3.0 * seen["delay"]
        assert rewards["agent_0"] == pytest.approx(expected, rel=1e-5)


def test_rewards_are_own_or_the_mean() -> None:
    """Equal traffic earns an equal sum for one agent per user and for a single agent."""
    split = {"agent_0": 9, "agent_1": 3}
    own, mean = (play(split, users=2, reward=each) for each in ("own", "mean"))
    central = play(np.array([9, 3]), users=2, placement="central")
    for (mine, _), (all_, _), (whole, _) in zip(own, mean, central, strict=True):
        assert all_["agent_0"] == all_["agent_1"] == pytest.approx(sum(mine.values()) / 2)
        assert whole["agent_0"] == pytest.approx(sum(mine.values()))
    assert own[-1][0]["agent_0"] != own[-1][0]["agent_1"]


@pytest.mark.parametrize(("level", "share"), [(0, 0.0), (3, 0.3), (10, 1.0)])
def test_packets_are_split_by_the_share_for_wifi(level: int, share: float) -> None:
    """Both kinds of action give the same share, and the throughputs of the paths follow it."""
    discrete = play(level, rate="3Mbps")
    continuous = play(np.array([share], np.float32), rate="3Mbps", action_space="continuous")
    for played in (discrete, continuous):
        rows = np.array([seen["agent_0"] for _, seen in played if seen], float)[5:]
        mean = dict(zip(ELEMENTS, rows.mean(axis=0), strict=True))
        assert mean["share"] == pytest.approx(share)
        assert mean["wifi_throughput"] == pytest.approx(3 * share, abs=0.05)
        assert mean["lte_throughput"] == pytest.approx(3 * (1 - share), abs=0.05)


@pytest.mark.parametrize("users", [1, 2])
def test_a_trace_is_the_capacity_of_the_lte_path(users: int, tmp_path: Path) -> None:
    """Users receive 3 Mb/s in the mean for two seconds, then 1 Mb/s, with headers of 28 bytes."""
    (tmp_path / "trace").write_text("0 9\n2 3\n4 1\n")
    given = {"trace_file": str(tmp_path / "trace"), "links": "wireless", "duration": "4s"}
    played = play(0, users=users, rate="5Mbps", **given)
    seen = np.array([[*each.values()] for _, each in played if each])  # tick, user, element
    rates = seen[:, :, ELEMENTS.index("lte_throughput")].mean(axis=1)
    assert rates[10:18].mean() == pytest.approx(3 * 1000 / 1028, rel=0.05)
    assert rates[25:].mean() == pytest.approx(1 * 1000 / 1028, rel=0.05)


@pytest.mark.parametrize(
    ("traffic", "sent"), [("constant", 4.0), ("poisson", 4.0), ("on-off", 4.0 * 1 / 3)]
)
def test_traffic_has_the_configured_rate(traffic: str, sent: float) -> None:
    played = play(
        10, traffic=traffic, rate="4Mbps", on_time="100ms", off_time="200ms", duration="60s",
        interval="1s",
    )  # fmt: skip
    rates = np.array([seen["agent_0"][ELEMENTS.index("sent")] for _, seen in played if seen])
    assert rates.mean() == pytest.approx(sent, rel=1e-3 if traffic == "constant" else 0.1)
    if traffic != "constant":
        assert rates.std() > 0.05


def returns_of(policy: str, **arguments: Any) -> float:
    """Return the sum of all agents' returns of a policy on constant links."""
    env = multi_access_v0.SPEC.raw_env(link="local", **{**CABLES, "duration": "6s", **arguments})
    chooser = NamedPolicy(policy).make(multi_access_v0.SPEC, env, 1)
    env.reset(seed=3)
    earned = 0.0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        earned += reward
        ended = terminated or truncated
        env.step(None if ended else chooser.act(agent, observation, info))
    env.close()
    return earned


@pytest.mark.parametrize("policy", list(BASELINES))
def test_policies_play_all_kinds_of_spaces_alike(policy: str) -> None:
    """A central agent plays like agents of users; fine levels are nearly continuous."""
    given = {"users": 2, "levels": 1001}
    own = returns_of(policy, **given)
    assert returns_of(policy, **given, placement="central") == pytest.approx(own)
    assert returns_of(policy, users=2, action_space="continuous") == pytest.approx(own, rel=0.05)


def test_policies_that_measure_earn_more_than_random() -> None:
    """Links of 8 and 4 Mb/s carry 11 Mb/s if the split is near two thirds."""
    earned = {each: returns_of(each, rate="11Mbps") for each in ("random", *BASELINES)}
    assert earned["wifi_first"] > earned["constant"]
    for each in ("wifi_first", "proportional", "delay_balanced"):
        assert earned[each] > earned["random"]


def test_actions_are_rounded_to_the_nearest_level() -> None:
    assert encode(spaces.Discrete(11), [0.34]) == 3
    assert list(encode(spaces.MultiDiscrete([5, 5]), [0.3, 1.0])) == [1, 4]
    assert list(encode(spaces.Box(0, 1, (2,)), [0.25, 1.0])) == [0.25, 1.0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"users": 31}, "users.*1.*30"),
        ({"resource_blocks": 7}, "resource_blocks=7 is not one of"),
        ({"reward": "mean"}, "reward=mean needs several users"),
        ({"trace_file": "/no/such"}, "trace_file=/no/such: .*No such file"),
        ({"trace_file": __file__}, "in line 1; each line must be a whole number"),
        ({"traffic": "poison"}, "traffic.*constant.*poisson"),
        ({"packet_size": 16}, "packet_size.*17"),
        ({"packet_size": 99, "traffic": "poisson"}, "packet_size of at least 100"),
        ({"access": "wifi"}, "access"),
        ({"lnks": "wireless"}, "lnks.*did you mean 'links'"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        multi_access_v0.raw_env(**arguments).reset()


def test_bad_shares_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"share=1.5 must be from 0 to 1"):
        ConstantOptions(share=1.5)


def test_pictures_are_drawn() -> None:
    text, picture = (
        multi_access_v0.parallel_env(link="local", render_mode=mode, **CABLES)
        for mode in ("ansi", "rgb_array")
    )
    for env in (text, picture):
        env.reset(seed=1)
        for _ in range(3):
            env.step({"agent_0": 6})
    lines = text.render().splitlines()
    assert lines[1].startswith("agent_0: share of packets over Wi-Fi 0.60")
    assert picture.render().shape[1:] == (600, 3)
    text.close()
    picture.close()


def test_gymnasium_makes_the_environment() -> None:
    env = gymnasium.make("defiance_zoo/MultiAccess-v0", **CABLES)
    env.reset(seed=1)
    truncated = [env.step(5)[3] for _ in range(19)]
    assert truncated == [False] * 18 + [True]
    env.close()


def test_the_commands_of_the_card_record_datasets_of_three_policies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two short episodes of each policy."""
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    given = [f"-p{name}={value}" for name, value in CABLES.items()]
    means = {}
    for policy in ("wifi_first", "constant", "proportional"):
        folder = str(tmp_path / policy)
        made = f"multi_access/{policy}-v0"
        for command in (
            ["eval", "multi_access_v0", *given, "--policy", policy, "--episodes", "2",
             "--record", folder],
            ["dataset", folder, "--id", made],
        ):  # fmt: skip
            done = CliRunner().invoke(main, command)
            assert done.exit_code == 0, done.output
        dataset = minari.load_dataset(made)
        assert (dataset.total_episodes, dataset.total_steps) == (2, 2 * 19)
        means[policy] = np.mean([each.rewards.mean() for each in dataset])
    assert len(set(means.values())) == 3
