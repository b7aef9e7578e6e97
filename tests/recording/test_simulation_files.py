# SPDX-License-Identifier: GPL-2.0-only
"""The files that simulations write during their episodes."""

from __future__ import annotations

import csv
import json
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import GYM_STYLE, simulations

from defiance_zoo.bridge.simulation import RecordingFiles, Scenario
from defiance_zoo.environments import EnvironmentSpec, SimulationParallelEnv
from defiance_zoo.envs import (
    cart_pole_v0,
    handover_v0,
    packet_routing_v0,
    tcp_congestion_v0,
    wifi_contention_v0,
)
from defiance_zoo.errors import ParameterError, SimulationCrashed

WIFI_CARTS = {"carts": 2, "transport": "udp", "access": "wifi"}
WIRED_CARTS = {"carts": 2, "transport": "udp", "delay": "5ms", "loss": 0.1}
TABLES = {"messages", "links", "positions", "moves", "events"}
Make = Callable[..., SimulationParallelEnv]


@pytest.fixture
def make() -> Iterator[Make]:
    """Return a function that makes environments, closed later; `folder`: of simulations."""
    made: list[SimulationParallelEnv] = []

    def make(spec: Any, folder: Path | None = None, **arguments: Any) -> SimulationParallelEnv:
        files = {k: arguments.pop(k) for k in ("pcap", "interval_ns") if k in arguments}
        env = spec.parallel_env(link="local", **arguments)
        if folder is not None:
            folder.mkdir(exist_ok=True)
            env._episodes.launcher.files = RecordingFiles(folder, **files)
        made.append(env)
        return env

    yield make
    for env in made:
        env.close()


def play(env: SimulationParallelEnv, steps: int = 25, *, seed: int | None = 3) -> list[Any]:
    """Play with random actions; return all results."""
    told: list[Any] = []
    _, infos = env.reset(seed=seed)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        if not env.agents:
            break
        actions = {}
        for agent in env.agents:
            space = env.action_space(agent)
            space.seed(int(rng.integers(1 << 30)))
            mask = infos[agent].get("action_mask")
            actions[agent] = space.sample(mask) if mask is not None else space.sample()
        observations, rewards, *ends, infos = env.step(actions)
        told.append((observations, rewards, ends, infos))
    return told


def read(folder: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with (folder / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def topology(folder: Path) -> dict[str, Any]:
    """Return the parsed topology of the simulation."""
    found: dict[str, Any] = json.loads((folder / "topology.json").read_text())
    assert found["format"] == 1
    return found


def frames(path: Path) -> list[bytes]:
    """Return the frames of a capture."""
    data, found, position = path.read_bytes(), [], 24
    assert struct.unpack_from("<I", data)[0] == 0xA1B23C4D  # times in nanoseconds
    while position < len(data):
        (length,) = struct.unpack_from("<I", data, position + 8)
        found.append(data[position + 16 : position + 16 + length])
        position += 16 + length
    assert position == len(data)
    return found


@pytest.mark.parametrize(
    ("spec", "parameters"),
    [
        (cart_pole_v0.SPEC, WIRED_CARTS),
        (cart_pole_v0.SPEC, WIFI_CARTS),
        (wifi_contention_v0.SPEC, {}),
        (tcp_congestion_v0.SPEC, {}),
        (packet_routing_v0.SPEC, {}),
        (handover_v0.SPEC, {}),
    ],
)
def test_an_episode_equals_one_without_files(
    make: Make, tmp_path: Path, spec: Any, parameters: dict[str, Any]
) -> None:
    """Observations, rewards, ends and infos with their times are equal, bit for bit."""
    told = play(make(spec, tmp_path / "one", pcap=True, **parameters))
    plain = play(make(spec, **parameters))
    assert len(told) > 3
    np.testing.assert_equal(told, plain)


def test_messages_equal_the_communication_report(make: Make, tmp_path: Path) -> None:
    env = make(cart_pole_v0.SPEC, tmp_path, communication_report=True, **WIRED_CARTS)
    told = play(env, 10_000)
    report = env.communication_report()
    channels = {each["id"]: each for each in topology(tmp_path)["channels"]}
    sent, received, lost, size = Counter[Any](), Counter[Any](), Counter[Any](), Counter[Any]()
    for row in read(tmp_path, "messages"):
        channel = channels[int(row["channel"])]
        flow = channel["from"], channel["to"]
        sent[flow] += 1
        size[flow] += int(row["bytes"])
        received[flow] += row["outcome"] == "received"
        lost[flow] += row["outcome"] == "lost"
        assert (row["outcome"] == "received") == (row["received_ns"] != "")
    flows = {(each.sender, each.receiver): each for each in report.flows}
    assert sent == {flow: each.tx_messages for flow, each in flows.items()}
    assert size == {flow: each.tx_bytes for flow, each in flows.items()}
    assert received == {flow: each.rx_messages for flow, each in flows.items() if each.rx_messages}
    assert sum(lost.values()) == sum(each.dropped_messages for each in report.flows)
    assert sum(sent.values()) > sum(received.values()) > 50
    assert {channel["kind"] for channel in channels.values()} == {"udp", "simple"}
    events = [(row["kind"], row["agent"]) for row in read(tmp_path, "events")]
    assert events[:2] == [("joined", "agent_0"), ("joined", "agent_1")]
    assert sorted(events[2:]) == [("ended", "agent_0"), ("ended", "agent_1")]
    assert told


def test_link_counts_equal_the_captures(make: Make, tmp_path: Path) -> None:
    """A node's sent frames are the frames in its capture with its address as source."""
    env = make(cart_pole_v0.SPEC, tmp_path, pcap=True, **WIRED_CARTS)
    play(env, 10_000)
    links = topology(tmp_path)["links"]
    assert [(each["kind"], each["nodes"]) for each in links] == [
        ("point-to-point", [0, 2]),
        ("point-to-point", [1, 3]),
    ]
    assert {each["delay_ns"] for each in links} == {5_000_000}
    sent: dict[tuple[int, int], int] = {}
    for row in read(tmp_path, "links"):
        key = int(row["link"]), int(row["node"])
        assert int(row["sent_bytes"]) >= sent.get(key, 0)
        assert (row["queue_packets"] == "0") == (row["queue_bytes"] == "0")
        sent[key] = int(row["sent_bytes"])
    times = [int(row["time_ns"]) for row in read(tmp_path, "links")]
    assert times == sorted(times)
    assert all(time % 10_000_000 == 0 for time in times if time != times[-1])
    assert set(sent) == {(0, 0), (0, 2), (1, 1), (1, 3)}
    for (link, node), total in sent.items():
        others = [each for each in links[link]["nodes"] if each != node]
        own = frames(tmp_path / f"node_{node}-1.pcap")
        theirs = {frame[14:18] for frame in frames(tmp_path / f"node_{others[0]}-1.pcap")}
        source = Counter(frame[14:18] for frame in own)
        assert theirs == set(source)  # both ends capture both directions
        sizes = {address: sum(len(f) for f in own if f[14:18] == address) for address in source}
        assert total in sizes.values()


def test_wifi_files_contain_positions_frames_and_queues(make: Make, tmp_path: Path) -> None:
    env = make(wifi_contention_v0.SPEC, tmp_path, pcap=True)
    play(env)
    env.close()
    known = topology(tmp_path)
    (link,) = [each for each in known["links"] if each["kind"] == "wifi"]
    assert all(known["nodes"][node]["position"] is not None for node in link["nodes"])
    assert {each["role"] for each in known["applications"]} >= {"agent"}
    last = {row["node"]: row for row in read(tmp_path, "links") if int(row["link"]) == link["id"]}
    assert {int(node) for node in last} <= set(link["nodes"])
    assert len(last) > 1
    for node, row in last.items():
        captured = list(tmp_path.glob(f"node_{node}-*.pcap"))
        whole = sum(len(frame) for path in captured for frame in frames(path))
        assert 0 < int(row["sent_bytes"]) <= whole
    assert any(int(row["queue_packets"]) > 0 for row in read(tmp_path, "links"))


@pytest.mark.long
def test_lte_files_contain_movements_and_handovers(make: Make, tmp_path: Path) -> None:
    env = make(handover_v0.SPEC, tmp_path)
    play(env, 10_000)
    known = topology(tmp_path)
    assert "lte" in {each["kind"] for each in known["links"]}
    lte = {each["id"] for each in known["links"] if each["kind"] == "lte"}
    assert max(int(r["sent_bytes"]) for r in read(tmp_path, "links") if int(r["link"]) in lte) > 0
    assert {row["node"] for row in read(tmp_path, "positions")}
    said = [row["text"] for row in read(tmp_path, "events") if row["kind"] == "handover"]
    assert said
    assert all(text.startswith("user ") and " to cell " in text for text in said)


@pytest.mark.parametrize("launch", ["fork", "spawn"])
def test_each_episode_has_its_own_folder(make: Make, tmp_path: Path, launch: str) -> None:
    """The files are complete when the end of the episode is known."""
    env = make(cart_pole_v0.SPEC, launch=launch, **WIRED_CARTS)
    launcher = env._episodes.launcher
    for number, files in enumerate((True, False, True)):
        folder = tmp_path / str(number)
        folder.mkdir()
        launcher.files = RecordingFiles(folder) if files else None
        play(env, 10_000, seed=number)
        names = {path.name for path in folder.iterdir()}
        assert names == ({f"{name}.csv" for name in TABLES} | {"topology.json"} if files else set())
        if files:
            assert [row["kind"] for row in read(folder, "events")].count("ended") == 2


def test_files_are_restored_with_the_simulation(make: Make, tmp_path: Path) -> None:
    """A restore removes all rows since the snapshot; a branch writes nothing."""
    plain, detour = tmp_path / "plain", tmp_path / "detour"
    arguments = {"delay": "30ms", "transport": "udp", "initial_state": "0,0,0,0"}
    contents = []
    for folder in (plain, detour):
        env = make(cart_pole_v0.SPEC, folder, **arguments)
        env.reset(seed=1)
        for step in range(6):
            if step == 3 and folder is detour:
                snapshot = env.snapshot()
                other = env.branch()
                other.step({"agent_0": 1})
                other.close()
                for _ in range(3):
                    env.step({"agent_0": 1})
                env.restore(snapshot)
            env.step({"agent_0": step % 2})
        env.close()
        contents.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert contents[0] == contents[1]
    assert contents[0]["messages.csv"].count(b"\n") > 10


def test_a_killed_simulation_leaves_whole_lines(make: Make, tmp_path: Path) -> None:
    long = {"terminate_when_fallen": False, "duration": "1h"}
    env = make(cart_pole_v0.SPEC, tmp_path, transport="udp", **long)
    env.reset(seed=1)
    while not read(tmp_path, "messages"):  # lines are written after a moment of real time
        env.step({"agent_0": 1})
    (simulation,) = simulations()
    simulation.kill()
    with pytest.raises(SimulationCrashed):
        env.step({"agent_0": 1})
    for name in TABLES:
        assert (tmp_path / f"{name}.csv").read_bytes().endswith(b"\n")
    assert read(tmp_path, "messages")[0]["outcome"] == "received"
    assert len(topology(tmp_path)["applications"]) == 4


NOTED = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("noted", duration="100ms")


@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    sc.csma([a, b], rate="1Mbps", delay="2us")
    observer = sc.Observation(a)
    agent = sc.Agent(b, sc.Box(0, 1, (1,)), sc.Discrete(2))
    sc.connect(observer, agent, over="tcp")

    @agent.on_observation
    def decide(sender, message):
        agent.decide(message["level"])

    @sc.every("10ms")
    def tell():
        observer.send(level=[0.5])
        sc.note_event("told", "5, <b>", agent="agent_0")
"""


def test_scenarios_in_python_are_recorded(make: Make, tmp_path: Path) -> None:
    (tmp_path / "noted.py").write_text(NOTED)
    scenario = Scenario.python("noted", tmp_path / "noted.py")
    env = make(EnvironmentSpec("noted_v0", scenario), tmp_path / "one", pcap=True)
    play(env)
    known = topology(tmp_path / "one")
    assert [each["role"] for each in known["applications"]] == ["observation", "agent"]
    assert [(each["kind"], each["nodes"]) for each in known["links"]] == [("csma", [0, 1])]
    assert known["links"][0]["rate_bps"] == 1_000_000
    assert known["links"][0]["delay_ns"] == 2000
    assert {each["kind"] for each in known["channels"]} == {"tcp"}
    told = [row for row in read(tmp_path / "one", "events") if row["kind"] == "told"]
    assert told[0] == {"time_ns": "10000000", "kind": "told", "agent": "agent_0", "text": "5, <b>"}
    assert len(told) == len(read(tmp_path / "one", "messages")) == 10
    assert len(frames(tmp_path / "one" / "node_0-1.pcap")) > 20


def test_programs_without_rl_simulation_are_recorded_from_their_first_decision(
    make: Make, tmp_path: Path
) -> None:
    """A program for ns3-gym: its agent is not an application."""
    env = make(EnvironmentSpec("gym_style_v0", GYM_STYLE), tmp_path)
    play(env, 10_000)
    (agent,) = topology(tmp_path)["applications"]
    assert (agent["name"], agent["role"]) == ("agent_0", "agent")
    assert [row["kind"] for row in read(tmp_path, "events")] == ["joined", "ended"]


def test_folders_that_cannot_be_written_are_refused(make: Make, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no folder"):
        RecordingFiles(tmp_path / "nowhere")
    with pytest.raises(ParameterError, match="interval_ns=0"):
        RecordingFiles(tmp_path, interval_ns=0)
    env = make(cart_pole_v0.SPEC, tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(SimulationCrashed, match="the recording cannot be written to"):
        env.reset()


def test_captures_that_cannot_be_written_raise(make: Make, tmp_path: Path) -> None:
    (tmp_path / "noted.py").write_text(NOTED)
    scenario = Scenario.python("noted", tmp_path / "noted.py")
    env = make(EnvironmentSpec("noted_v0", scenario), tmp_path / "full", pcap=True)
    (tmp_path / "full" / "node_0-1.pcap").symlink_to("/dev/full")
    with pytest.raises(SimulationCrashed, match="captured packets cannot be written"):
        play(env)
