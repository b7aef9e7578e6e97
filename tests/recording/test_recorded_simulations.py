# SPDX-License-Identifier: GPL-2.0-only
"""The files of simulations in recorded episodes agree with Python's."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS
from programs import Program
from recording_support import play_again

from defiance_zoo.environments import lookup
from defiance_zoo.envs import cart_pole_v0
from defiance_zoo.errors import ParameterError, SimulationCrashed
from defiance_zoo.recording import Episode, Record, Recording, find_episodes, read_episode

UDP: dict[str, Any] = {
    "transport": "udp",
    "delay": "3ms",
    "link": "local",
    "max_cycles": 40,
    "terminate_when_fallen": False,
}
SIMULATED = ("messages", "links", "positions", "moves", "events")


def play(env: Any, steps: int = 1000, action: int = 1) -> None:
    """Play to the end, or for some steps."""
    while env.agents and steps:
        over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
        env.step(None if over else action)
        steps -= 1


def read_all(folder: Path) -> list[Episode]:
    return [read_episode(each) for each in find_episodes(folder)]


@pytest.mark.parametrize("transport", ["udp", "tcp", "simple"])
def test_recorded_messages_equal_the_communication_report(transport: str, tmp_path: Path) -> None:
    arguments = {**UDP, "transport": transport, "communication_report": True}
    env = lookup("cart_pole_v0").raw_env(record=tmp_path, **arguments)
    env.reset(seed=3)
    play(env)
    told = env.communication_report()
    env.close()
    (episode,) = read_all(tmp_path)
    assert episode.communication == told.to_dict()
    assert episode.topology is not None
    channels = {each["id"]: (each["from"], each["to"]) for each in episode.topology["channels"]}
    kinds = {each["id"]: each["kind"] for each in episode.topology["channels"]}
    assert transport in kinds.values()
    sent: Counter[tuple[str, str]] = Counter()
    received: Counter[tuple[str, str]] = Counter()
    for each in episode.messages.to_pylist():
        way = channels[each["channel"]]
        sent[way] += 1
        received[way] += each["outcome"] == "received"
        assert (each["received_ns"] is not None) == (each["outcome"] == "received")
        if each["received_ns"] is not None:
            took_ns = each["received_ns"] - each["sent_ns"]
            # A simple channel has its own delay; the latency of the others is at least the link's
            # delay.
            assert took_ns >= 0 if kinds[each["channel"]] == "simple" else took_ns > 3_000_000
    for counted, ours in (("tx_messages", sent), ("rx_messages", received)):
        theirs: Counter[tuple[str, str]] = Counter()
        for flow in told.flows:
            theirs[flow.sender, flow.receiver] += getattr(flow, counted)
        assert +theirs == +ours
    assert sum(sent.values()) > 80
    play_again(episode.recording())


def test_a_recorded_episode_equals_an_unrecorded_one(tmp_path: Path) -> None:
    told = []
    for more in ({}, {"record": Record(tmp_path, pcap=True)}):
        env = lookup("cart_pole_v0").raw_env(**UDP, loss=0.2, **more)
        env.reset(seed=5)
        seen = []
        while env.agents:
            observation, reward, terminated, truncated, info = env.last()
            seen.append((observation.tolist(), reward, terminated, info["sim_time_ns"]))
            env.step(None if terminated or truncated else 1)
        told.append(seen)
        env.close()
    assert told[0] == told[1]
    (episode,) = read_all(tmp_path)
    assert episode.messages["received_ns"].null_count > 5
    assert episode.header.captures
    assert set(episode.header.captures) == {each.name for each in episode.path.glob("*.pcap")}


def test_files_are_restored_with_the_simulation(tmp_path: Path) -> None:
    """In an episode that continues elsewhere, after a finished one, and after a `reset()`."""
    for where, detours in (("straight", 0), ("detours", 1)):
        env = lookup("cart_pole_v0").raw_env(record=tmp_path / where, **UDP)
        env.reset(seed=1)
        play(env, 10)
        snapshot = env.snapshot()
        if detours:
            play(env, 5, action=0)  # abandoned
            env.restore(snapshot)
        play(env)
        if detours:
            env.restore(snapshot)
            play(env, 7, action=0)
            env.reset(seed=9)
            play(env, 3)
            env.restore(snapshot)
            play(env)
        env.close()
    (straight,) = read_all(tmp_path / "straight")
    found = read_all(tmp_path / "detours")
    lengths = [len(each.recording().decisions) for each in found]
    assert lengths == [40, 17, 40]
    assert [each.header.outcome for each in found] == ["ended", "unfinished", "ended"]
    for episode in (found[0], found[2]):
        assert episode.steps == straight.steps
        for table in SIMULATED:
            assert getattr(episode, table) == getattr(straight, table), table
        assert episode.topology == straight.topology
    assert 20 < len(found[1].messages) < len(straight.messages)
    play_again(found[1].recording())


def test_files_of_another_path_are_marked(tmp_path: Path) -> None:
    """A snapshot from after the restored one is lost, and so are those that follow it."""
    env = lookup("cart_pole_v0").raw_env(record=tmp_path, **UDP)
    env.reset(seed=1)
    play(env, 5)
    early = env.snapshot()
    play(env, 5)
    late = env.snapshot()
    play(env)
    env.restore(late)
    env.restore(early)
    play(env, action=0)
    env.restore(late)
    play(env, 5)
    again = env.snapshot()
    play(env)
    env.restore(again)
    play(env, 2)
    env.close()
    notes = [each.header.notes for each in read_all(tmp_path)]
    said = ("the simulation's files before the snapshot are of another path",)
    assert notes == [(), (), said, said]


def test_a_branch_names_its_missing_files(tmp_path: Path) -> None:
    env = lookup("cart_pole_v0").raw_env(record=tmp_path, **UDP)
    env.reset(seed=1)
    play(env, 10)
    other = env.branch()
    play(other)
    play(env)
    env.close()
    other.close()
    own, branched = read_all(tmp_path)
    assert own.steps == branched.steps
    assert own.header.notes == ()
    assert branched.header.notes == ("branched off: the files of the simulation are missing",)
    assert len(branched.messages) == 0 < len(own.messages)


def test_an_unrecorded_branch_writes_nothing(tmp_path: Path) -> None:
    """Neither for this episode nor for later ones, whatever is restored in it."""
    env = lookup("cart_pole_v0").raw_env(record=tmp_path, **UDP)
    env.reset(seed=1)
    play(env, 10)
    with contextlib.closing(env.branch(record=False)) as other:
        with other.snapshot() as snapshot:
            play(other, 5)
            other.restore(snapshot)
        play(other)
        other.reset(seed=2)
        play(other, 5)
        assert [each.name for each in tmp_path.iterdir()] == ["cart_pole_v0-000001"]
    play(env)
    env.close()
    (episode,) = read_all(tmp_path)
    assert (episode.header.seed, episode.header.notes) == (1, ())
    assert len(episode.recording().decisions) == 40


def test_a_killed_process_leaves_all_but_the_last_second(tmp_path: Path) -> None:
    """The simulation ends with it; all lines of its files except the last one are complete."""
    program = (
        "import time\n"
        "from defiance_zoo.envs import cart_pole_v0\n"
        f"env = cart_pole_v0.raw_env(record={str(tmp_path)!r}, link='local', transport='udp',"
        " duration='1000s', terminate_when_fallen=False)\n"
        "env.reset(seed=1)\n"
        "began, steps = time.monotonic(), 0\n"
        "while True:\n"
        "    env.step(1)\n"
        "    steps += 1\n"
        "    if time.monotonic() - began > 2.5:\n"
        "        print(steps, flush=True)\n"
    )
    environment = {"PYTHONPATH": f"{TESTS}/support:{TESTS}/.."}
    command = [sys.executable, "-c", program]
    with Program(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        played = int(process.stdout.readline())
        live = read_all(tmp_path)[0]
        process.send_signal(signal.SIGKILL)
    (episode,) = read_all(tmp_path)
    assert (live.header.outcome, episode.header.outcome) == ("playing", "playing")
    decided = len(episode.recording().decisions)
    assert 0 < len(live.of_agent("agent_0").rewards) <= decided
    assert decided > played / 4  # more than one of 2.5 s
    assert len(episode.messages) > decided
    assert list((tmp_path / "cart_pole_v0-000001" / "steps").iterdir())


def test_a_failed_simulation_reports_the_time_of_its_failure(tmp_path: Path) -> None:
    env = lookup("cart_pole_v0").raw_env(record=tmp_path, **UDP)
    env.reset(seed=1)
    play(env, 5)
    _, process = env._episodes.launcher.require().conversation
    assert process is not None
    signal.pidfd_send_signal(process.exit_fd, signal.SIGKILL)
    with pytest.raises(SimulationCrashed):
        play(env, 5)
    env.close()
    (episode,) = read_all(tmp_path)
    assert episode.header.outcome == "failed"
    *_, last = episode.events.to_pylist()
    assert (last["kind"], last["text"]) == ("failed", episode.header.failure)
    assert last["time_ns"] == episode.header.end_ns


def test_files_of_simulations_may_be_switched_off(tmp_path: Path) -> None:
    env = lookup("cart_pole_v0").raw_env(record=Record(tmp_path, simulation=False), **UDP)
    env.reset(seed=1)
    play(env)
    env.close()
    assert sorted(each.name for each in (tmp_path / "cart_pole_v0-000001").iterdir()) == [
        "episode.json",
        "steps.parquet",
    ]
    with pytest.raises(ParameterError, match="simulation=False captures no packets"):
        cart_pole_v0.raw_env(record=Record(tmp_path, simulation=False, pcap=True))
    with pytest.raises(ParameterError, match="simulation='no' is not a bool"):
        cart_pole_v0.raw_env(record=Record(tmp_path, simulation="no"))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="interval_ns=0 is not a positive integer"):
        cart_pole_v0.raw_env(record=Record(tmp_path, interval_ns=0))


def test_an_episode_is_kept_if_the_choice_of_episodes_fails(tmp_path: Path) -> None:
    def keep(recording: Recording) -> bool:
        raise KeyError("delay")

    env = lookup("cart_pole_v0").raw_env(record=Record(tmp_path, keep=keep))
    env.reset(seed=1)
    with pytest.raises(KeyError, match="delay"):
        play(env)
    env.close()
    (episode,) = read_all(tmp_path)
    assert episode.recording().outcome == "ended"
    assert len(episode.recording().decisions) > 5


def test_discarded_episodes_leave_no_files(tmp_path: Path) -> None:
    """Neither do their snapshots, nor episodes that could not begin."""
    record = Record(tmp_path / "kept", keep=lambda recording: len(recording.decisions) > 20)
    env = lookup("cart_pole_v0").raw_env(record=record, **UDP)
    env.reset(seed=1)
    play(env, 5)
    with env.snapshot() as snapshot:
        env.reset(seed=2)
        with contextlib.suppress(ParameterError):
            env.reset(seed=3, options={"delay": "much"})
        env.restore(snapshot)
        play(env)
    env.close()
    assert [each.name for each in (tmp_path / "kept").iterdir()] == ["cart_pole_v0-000001"]
    (episode,) = read_all(tmp_path / "kept")
    assert len(episode.recording().decisions) == 40
    assert episode.messages["sent_ns"].to_pylist()[0] < 10**8
