# SPDX-License-Identifier: GPL-2.0-only
"""The deployment shared by environments, with devices that have their own network.

`scenarios/meters.cc`: each meter has a link of 1 Mbit/s and 2 ms to a hub, which receives its
readings every 100 ms; immediately after a reading the meter sends its agent the measured value.
"""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import PROGRAMS, ROOT
from own_project import build_project
from program_environments import PROGRAMMED

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.process.programs import start_words
from defiance_zoo.bridge.simulation import Scenario, describe
from defiance_zoo.environments import EnvironmentSpec, SimulationParallelEnv, lookup
from defiance_zoo.environments.testing import check_deterministic, play
from defiance_zoo.errors import ParameterError, SimulationCrashed

METERS = EnvironmentSpec(
    "meters_v0", Scenario.of_environment("meters_v0", PROGRAMS / "meters", access=["wifi"])
)
Make = Callable[..., SimulationParallelEnv]

MS = 1_000_000
INTERVAL = 100 * MS
HEADERS = 8 + 20 + 2
"""UDP, IPv4 and PPP."""
OWN_NS_PER_BYTE, OWN_DELAY = 8_000, 2 * MS
"""Rate and delay of a meter's link to the hub."""
ACCESS_NS_PER_BYTE, ACCESS_DELAY = 4_000, 3 * MS
ACCESS_LINK = {"data_rate": "2Mbps", "delay": "3ms"}
"""Settings of the link that the deployment adds."""
DATAGRAM = 1400
"""Largest payload of a datagram of a transfer."""


@pytest.fixture
def make(request: pytest.FixtureRequest) -> Make:
    """Return a function that makes environments, closed after the test."""

    def make(**arguments: Any) -> SimulationParallelEnv:
        env = METERS.parallel_env(link="local", **{"duration": "2s", **arguments})
        request.addfinalizer(env.close)
        return env

    return make


def observation_bytes() -> int:
    """Return the size of a message of two numbers."""
    message = pb.DataContainer()
    message.dict.entries.add(key="meter").value.box.CopyFrom(
        pb.Tensor(dtype=pb.DTYPE_FLOAT32, shape=[2], data=bytes(8))
    )
    return len(message.SerializeToString())


def latencies(env: SimulationParallelEnv, reported: int = 5) -> dict[str, set[int]]:
    """Act in the same way all the time; return the delay from measurement to decision by agent."""
    found: dict[str, set[int]] = {agent: set() for agent in env.possible_agents}
    observations, infos = env.reset(seed=1)
    while env.agents:
        for agent in env.agents:
            measured = int(observations[agent][0])
            found[agent].add(infos[agent]["sim_time_ns"] - measured * INTERVAL)
        observations, *_, infos = env.step(dict.fromkeys(env.agents, reported))
    return found


@pytest.mark.parametrize("reading", [1, 1000])
def test_in_band_messages_wait_for_readings(make: Make, reading: int) -> None:
    """They are sent after the reading, and cross the meter's link and the agent's."""
    env = make(transport="udp", access="in-band", reading_bytes=reading, **ACCESS_LINK)
    frame = observation_bytes() + HEADERS
    at_the_hub = (reading + HEADERS + frame) * OWN_NS_PER_BYTE + OWN_DELAY
    expected = at_the_hub + frame * ACCESS_NS_PER_BYTE + ACCESS_DELAY
    assert latencies(env) == {agent: {expected} for agent in env.possible_agents}


@pytest.mark.parametrize("reading", [1, 1000])
def test_messages_over_a_separate_network_do_not_wait(make: Make, reading: int) -> None:
    env = make(transport="udp", access="point-to-point", reading_bytes=reading, **ACCESS_LINK)
    expected = (observation_bytes() + HEADERS) * ACCESS_NS_PER_BYTE + ACCESS_DELAY
    assert latencies(env) == {agent: {expected} for agent in env.possible_agents}


@pytest.mark.parametrize("access", ["in-band", "point-to-point", "csma", "wifi"])
@pytest.mark.parametrize("placement", ["remote", "central"])
@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_both_networks_carry_their_traffic(
    make: Make, access: str, placement: str, transport: str
) -> None:
    """Actions arrive, and so does each reading, by the meter's own default route."""
    env = make(access=access, placement=placement, transport=transport)
    env.reset(seed=1)
    reported, earned = [], 0.0
    while env.agents:
        observations, rewards, *_ = env.step(dict.fromkeys(env.agents, 5))
        reported += [observation[1] for observation in observations.values()]
        earned += sum(rewards.values())
    assert set(reported[-10:]) == {5}
    assert earned >= 2 * 15  # of 20 readings; the first and last are not observed


@pytest.mark.parametrize("transport", ["simple", "udp", "tcp"])
def test_a_local_agent_needs_no_network(make: Make, transport: str) -> None:
    found = latencies(make(placement="local", transport=transport))
    # TCP needs some time to connect and to send.
    assert all(0 <= latency < MS for each in found.values() for latency in each)


def test_a_device_may_lack_some_applications(make: Make) -> None:
    env = make(read_only=True)
    observations, _ = env.reset(seed=1)
    while env.agents:
        observations, *_ = env.step(dict.fromkeys(env.agents, 5))
        assert all(observation[1] == 0 for observation in observations.values())
    assert observations["agent_0"][0] == 19


@pytest.mark.parametrize("size", [1_000, 14_000])
def test_transfers_work_in_band(make: Make, size: int) -> None:
    """The server is behind the devices' own network, whose queues are not changed."""
    env = make(
        placement="local",
        transport="simple",
        training_server="central",
        server_transport="udp",
        **ACCESS_LINK,
    )
    env.reset(seed=1)
    env.step(dict.fromkeys(env.agents, 0))
    order = env.transfer("agent_0", "server_0", size)
    while env.agents:
        env.step(dict.fromkeys(env.agents, 0))
    transfer = env.transfers[order.number]
    assert transfer.delivered
    datagrams = -(-size // DATAGRAM)
    last = size - (datagrams - 1) * DATAGRAM + HEADERS
    reading = 1 + HEADERS
    at_the_hub = (reading + size + datagrams * HEADERS) * OWN_NS_PER_BYTE + OWN_DELAY
    expected = at_the_hub + last * ACCESS_NS_PER_BYTE + ACCESS_DELAY
    assert transfer.finished_ns - transfer.ordered_ns == expected


@pytest.mark.parametrize("access", ["in-band", "wifi"])
def test_episodes_are_deterministic_and_equal_forked_ones(access: str) -> None:
    arguments = {"access": access, "loss": 0.05, "duration": "1s"}
    make = functools.partial(METERS.raw_env, **arguments)
    check_deterministic(make, second_process=False)
    forked, fresh = make(launch="fork"), make(launch="spawn")
    assert play(forked, 1, episodes=2) == play(fresh, 1, episodes=2)
    forked.close()
    fresh.close()


def test_parameters_name_the_devices_and_the_offered_options() -> None:
    parameters = describe(METERS.scenario.locate()).parameters
    assert parameters["access"].choices == ("in-band", "point-to-point", "csma", "wifi")
    assert parameters["access"].default == "in-band"
    assert parameters["placement"].help.startswith("Where agents sit: on the meter's node (local),")
    assert parameters["duration"].help == "Simulated time of an episode."
    edge = describe(lookup("edge_cart_pole_v0").scenario.locate()).parameters
    assert not set(edge) & {"placement", "access", "distance", "workers", "training_server"}


@pytest.mark.parametrize("spec", [METERS, *PROGRAMMED], ids=lambda spec: spec.name)
def test_each_offered_access_network_has_its_program(spec: EnvironmentSpec) -> None:
    parameters = describe(spec.scenario.locate()).parameters
    access, placement = parameters.get("access"), parameters.get("placement")
    elsewhere = ["--placement=remote"] if placement and placement.default == "local" else []
    for kind in access.choices if access else ():
        program = spec.scenario.locate({"access": kind})
        given = [f"--access={kind}", "--transport=udp", "--duration=300ms", *elsewhere]
        subprocess.run([*start_words(program), *given], check=True)


def test_devices_keep_their_positions(make: Make) -> None:
    """Wi-Fi places meters on a circle of 10 m; it does not move those with a position."""
    make(access="wifi").reset(seed=1)
    with pytest.raises(SimulationCrashed, match="2 devices, including number 0, are not attached"):
        make(access="wifi", position=1000).reset(seed=1)


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"access": "wifi", "transport": "simple"},
        "transport=simple sends no packets",
    ),
    ({"placement": "local", "access": "csma"}, "placement=local has no access link"),
    ({"placement": "local", "delay": "1ms"}, "placement=local has no access link"),
    ({"distance": 20}, "access=in-band is the simulated network: distance is for wifi and lte"),
    ({"access": "lte"}, "access='lte' is not one of"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=str)
def test_contradictory_parameters_are_refused(
    make: Make, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        make(**arguments).reset()


PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(meters LANGUAGES CXX)
find_package(defiance REQUIRED)
defiance_add_environment(meters MAIN meters.cc NS3_MODULES mobility)
"""


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_a_users_project_builds_with_the_shared_deployment(tmp_path: Path) -> None:
    """From the installed package, without a warning."""
    source = ROOT / "tests" / "scenarios" / "meters.cc"
    built = build_project(tmp_path, source, PROJECT, "-Wall -Wextra -Wno-unused-parameter -Werror")
    own = Scenario.of_environment("meters", built / "meters")
    ours = METERS.raw_env(duration="1s")
    theirs = EnvironmentSpec("meters_v0", own).raw_env(duration="1s")
    assert play(theirs, 1, episodes=1) == play(ours, 1, episodes=1)
    ours.close()
    theirs.close()
