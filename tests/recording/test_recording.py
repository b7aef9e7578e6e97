# SPDX-License-Identifier: GPL-2.0-only
"""Recorded episodes in every interface, and their replays."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from conftest import PROGRAMS, TESTS
from partition_support import draw, follow, keep
from programs import Program
from recording_support import play_again, read_all, record_violation

from defiance_zoo import EnvironmentSpec, Scenario, Uniform
from defiance_zoo.environments import lookup
from defiance_zoo.envs import partition_v0
from defiance_zoo.errors import InvalidRecording, ParameterError, ResetNeeded
from defiance_zoo.recording import Record, find_episodes, read_episode, read_recording, replay
from defiance_zoo.recording.replaying import open_recorded
from defiance_zoo.registration import ENTRIES

AGENT = "agent_0"
RAFT, TENDERMINT = partition_v0.SPEC, partition_v0.TENDERMINT_SPEC


def test_folders_have_names_that_other_systems_take(tmp_path: Path) -> None:
    """Windows refuses a colon, and `scp` takes the part before it for a machine."""
    record = Record(tmp_path).open("networked:ALE/Pong-v5")
    assert record.make_folder("episode.json", "{}") == tmp_path / "networked-ALE-Pong-v5-000001"


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"link": "local"}, id="pipes"),
        pytest.param({"topology": "csma"}, id="zeromq-csma"),
        pytest.param({"topology": "wifi", "endpoint": "tcp://127.0.0.1:*"}, id="tcp-wifi"),
        pytest.param({"launch": "spawn", "delivery": "network", "link_loss": 0.1}, id="spawned"),
        pytest.param({"transport": "tcp", "delay": "1ms"}, id="controller-behind-tcp"),
    ],
)
def test_a_replay_equals_its_recording(arguments: dict[str, Any], tmp_path: Path) -> None:
    """Also for episodes without their own seed, after others, and over another link."""
    env = RAFT.raw_env(record=tmp_path, **arguments)
    told = [
        [(info["state_hash"], info["virtual_time"], action) for info, action in follow(env, c, s)]
        for c, s in ((draw(1), 5), (draw(2), None))
    ]
    env.close()
    recordings = read_all(tmp_path)
    for recording, seen in zip(recordings, told, strict=True):
        infos = [info for _, _, info in recording.infos()]
        assert [(i["state_hash"], i["virtual_time"]) for i in infos] == [each[:2] for each in seen]
        assert [a[AGENT] for a in recording.decisions] == [each[2] for each in seen[:-1]]
        play_again(recording)
    assert [(each.seed, each.rng.run) for each in recordings] == [(5, 1), (None, 2)]
    if "link" in arguments:
        with contextlib.closing(open_recorded(recordings[0])) as episodes:
            for _ in range(20):  # forked one after the other
                replay(recordings[0], episodes)


def test_every_interface_records_the_same_episode(tmp_path: Path) -> None:
    """The same actions make the same file, except for the order of agents."""
    rng = np.random.default_rng(3)
    first = tmp_path / "aec"
    env = RAFT.env(record=first)
    env.reset(seed=4)
    for _ in env.agent_iter():
        _, _, terminated, truncated, info = env.last()
        allowed = np.flatnonzero(info.get("action_mask", []))
        env.step(None if terminated or truncated else int(rng.choice(allowed)))
    env.close()
    (recorded,) = read_all(first)
    actions = [each[AGENT] for each in recorded.decisions]
    parallel = RAFT.parallel_env(record=tmp_path / "parallel")
    parallel.reset(seed=4)
    for action in actions:
        parallel.step({AGENT: action})
    parallel.close()
    single = gymnasium.make("defiance_zoo/PartitionRaft-v0", record=tmp_path / "gymnasium")
    single.reset(seed=4)
    for action in actions:
        single.step(action)
    single.close()
    for name in ("parallel", "gymnasium"):
        (other,) = read_all(tmp_path / name)
        assert other.rounds == recorded.rounds
        assert other.parameters == recorded.parameters
        play_again(other)
    assert read_all(tmp_path / "parallel")[0].interface == "simultaneous"


@pytest.mark.parametrize("api", ["aec", "parallel"])
def test_any_environment_can_be_recorded(api: str, tmp_path: Path) -> None:
    """Several agents, random parameters, and an end by `max_cycles`."""
    arguments = {"carts": 3, "transport": "udp", "delay": Uniform("5ms", "30ms")}
    make = lookup("cart_pole_v0").raw_env if api == "aec" else lookup("cart_pole_v0").parallel_env
    env = make(**arguments, max_cycles=12, record=tmp_path)
    drawn = []
    for seed in (1, None):
        env.reset(seed=seed)
        drawn.append(env.drawn_parameters["delay"])
        while env.agents:
            if api == "parallel":
                env.step(dict.fromkeys(env.agents, 1))
            else:
                agent = env.agent_selection
                over = env.terminations[agent] or env.truncations[agent]
                env.step(None if over else 1)
    env.close()
    recordings = read_all(tmp_path)
    assert [each.parameters["delay"] for each in recordings] == drawn
    assert drawn[0] != drawn[1]
    for recording in recordings:
        assert recording.max_cycles == 12
        play_again(recording)


def test_a_replay_counts_messages_if_the_recording_did(tmp_path: Path) -> None:
    """As in studies; only the infos show that they were counted."""
    env = lookup("cart_pole_v0").parallel_env(
        transport="udp", loss=0.1, max_cycles=8, communication_infos=True, record=tmp_path
    )
    env.reset(seed=1)
    while env.agents:
        env.step({"agent_0": 0})
    env.close()
    (recording,) = read_all(tmp_path)
    assert any("communication/" in key for _, _, info in recording.infos() for key in info)
    play_again(recording)


def test_a_replay_reports_observations_out_of_bounds_again(tmp_path: Path) -> None:
    spec = EnvironmentSpec("observations_v0", Scenario("observations", PROGRAMS / "observations"))
    env = spec.raw_env(check_bounds="never", max_cycles=9, record=tmp_path)
    env.reset(seed=1)
    while env.agents:
        env.step(None if env.truncations[AGENT] else 0)
    env.close()
    (recording,) = read_all(tmp_path)
    assert len(recording.decisions) == 9
    with contextlib.closing(open_recorded(recording, spec)) as episodes:
        replay(recording, episodes)


def test_a_scenario_that_is_registered_under_another_name_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = EnvironmentSpec("my_cart_v0", Scenario("my_cart_program", "cart_pole"))
    monkeypatch.setitem(ENTRIES, spec.name, spec)
    env = spec.raw_env(max_cycles=3, record=tmp_path)
    env.reset(seed=1)
    while env.agents:
        env.step(None if env.truncations[env.agent_selection] else 0)
    env.close()
    (recording,) = read_all(tmp_path)
    assert recording.environment == "my_cart_program"
    with contextlib.closing(open_recorded(recording)) as episodes:
        replay(recording, episodes)
    monkeypatch.setitem(ENTRIES, "again_v0", spec)
    with pytest.raises(InvalidRecording, match="registered as again_v0 and as my_cart_v0"):
        open_recorded(recording)


def test_a_file_describes_how_the_episode_was_made(tmp_path: Path) -> None:
    recording = read_recording(record_violation(tmp_path))
    assert recording.environment == "partition_tendermint_v0"
    assert recording.versions["ns-3"].startswith("3.")
    assert recording.seed == 1
    assert recording.parameters["protocol"] == "tendermint"
    assert recording.parameters["timeout_propose"] == "200ms"
    assert recording.parameters["painter"] == "id"
    assert recording.parameters["link_delay"] == "100us"
    assert recording.outcome == "ended"
    (end,) = recording.rounds[-1].ended.values()
    assert (end.terminated, end.reward) == (True, 1)
    assert end.info["violations"].startswith("agreement: replica 4")
    events = [json.loads(info["message_events"]) for _, _, info in recording.infos()]
    assert sum(e["event"] == "delivered" for told in events for e in told) == sum(
        info["delivered"] for _, _, info in recording.infos()
    )
    play_again(recording)


def test_roles_are_recorded(tmp_path: Path) -> None:
    for make in (RAFT.raw_env, RAFT.parallel_env):
        env = make(record=tmp_path, roles=True, horizon=5)
        env.reset(seed=1)
        while env.agents:
            if make == RAFT.raw_env:
                over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
                env.step(None if over else 0)
            else:
                env.step(dict.fromkeys(env.agents, 0))
        env.close()
    for recording in read_all(tmp_path):
        assert len(recording.decisions) == 15
        play_again(recording)


def test_abandoned_episodes_are_written_as_far_as_played(tmp_path: Path) -> None:
    """Abandoned by a reset, and by closing; without an action there is no episode."""
    env = RAFT.raw_env(record=tmp_path)
    for steps in (3, 0, 2, 0):
        env.reset(seed=steps)
        for _ in range(steps):
            env.step(0)
    env.close()
    env.close()
    recordings = read_all(tmp_path)
    assert [len(each.decisions) for each in recordings] == [3, 2]
    for recording in recordings:
        assert recording.outcome == "unfinished"
        play_again(recording)


@pytest.mark.parametrize("recorded", [True, False])
def test_after_a_refused_reset_no_episode_runs(recorded: bool, tmp_path: Path) -> None:
    episodes = RAFT.episodes("sequential", record=tmp_path if recorded else None)
    episodes.begin(1, {})
    episodes.decide(AGENT, 0)
    with pytest.raises(ParameterError, match="seed=-1 is negative"):
        episodes.begin(-1, {})
    with pytest.raises(ResetNeeded):
        episodes.decide(AGENT, 0)
    assert episodes.begin(1, {}).time_ns == episodes.time_ns
    episodes.close()
    assert [each.outcome for each in read_all(tmp_path)] == ["unfinished"] * recorded


def test_a_folder_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    env = RAFT.raw_env(record=tmp_path / "there")
    (tmp_path / "there").write_text("a file now")
    with pytest.raises(ParameterError, match=r"recorded in .*there: File exists"):
        env.reset(seed=1)
    (tmp_path / "there").unlink()
    env.reset(seed=1)
    env.step(0)
    env.close()
    assert len(read_all(tmp_path / "there")) == 1


def test_a_return_to_a_snapshot_discards_the_later_steps(tmp_path: Path) -> None:
    env = RAFT.raw_env(record=Record(tmp_path, name="path"), horizon=6)
    env.reset(seed=2)
    env.step(0)
    env.step(5)
    with env.snapshot() as snapshot:
        other = env.branch()
        for each, action in ((env, 0), (other, 5)):
            while each.agents:
                each.step(action if not each.truncations[AGENT] else None)
        env.restore(snapshot)
        env.step(1)
        env.restore(snapshot)
        env.step(2)
    env.close()
    other.close()
    names = [each.name for each in sorted(tmp_path.iterdir())]
    assert names == ["path-000001", "path-000002", "path-000003"]
    recordings = read_all(tmp_path)
    acted = [[each[AGENT] for each in recording.decisions] for recording in recordings]
    assert acted == [[0, 5, 0, 0, 0, 0], [0, 5, 5, 5, 5, 5], [0, 5, 2]]
    for recording in recordings:
        play_again(recording)


def test_a_fork_of_python_records_its_own_episodes(tmp_path: Path) -> None:
    env = RAFT.raw_env(record=tmp_path, launch="spawn")
    env.reset(seed=1)
    for _ in range(3):
        env.step(0)
    child = os.fork()
    if child == 0:
        try:
            env.reset(seed=2)
            env.step(0)
            env.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    env.step(0)
    env.close()
    recordings = read_all(tmp_path)
    assert [(each.seed, len(each.decisions)) for each in recordings] == [(1, 4), (2, 1)]


def test_environments_of_several_names_can_share_a_folder(tmp_path: Path) -> None:
    record = Record(tmp_path)
    for spec in (RAFT, TENDERMINT, RAFT):
        env = spec.raw_env(record=record, horizon=2)
        for _ in follow(env, keep):
            pass
        env.close()
    assert [path.name for path in record.written] == [
        "partition_v0-000001",
        "partition_tendermint_v0-000001",
        "partition_v0-000002",
    ]


def test_keep_selects_the_written_episodes(tmp_path: Path) -> None:
    """Two environments share a folder, and one of them keeps only long episodes."""
    record = Record(tmp_path, keep=lambda recording: len(recording.decisions) > 3)
    one, other = RAFT.raw_env(record=record, horizon=3), RAFT.raw_env(record=tmp_path, horizon=4)
    for env in (one, other, one, other):
        for _ in follow(env, keep):
            pass
    one.reset(options={"horizon": 5})
    while one.agents:
        one.step(0 if not one.truncations[AGENT] else None)
    for env in (one, other):
        env.close()
    recordings = read_all(tmp_path)
    assert [len(each.decisions) for each in recordings] == [4, 4, 5]
    assert recordings[2].parameters["horizon"] == 5
    assert [path.name for path in record.written] == ["partition_v0-000003"]
    play_again(recordings[2])


def test_the_programs_in_the_page_run(tmp_path: Path) -> None:
    """The programs run in the order in which a reader meets them."""
    page = (Path(TESTS).parent / "docs" / "recording" / "recording.md").read_text()
    program = "".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
    assert [len(each.decisions) for each in read_all(tmp_path / "episodes")] == [10] * 3


def test_a_killed_process_leaves_complete_episodes_and_a_partial_last_one(tmp_path: Path) -> None:
    program = (
        "from defiance_zoo.envs import partition_v0\n"
        "from partition_support import draw, follow\n"
        f"env = partition_v0.raw_env(record={str(tmp_path)!r}, link='local')\n"
        "for seed in range(10_000):\n"
        "    for _ in follow(env, draw(seed), seed):\n"
        "        pass\n"
        "    print(seed, flush=True)\n"
    )
    environment = {"PYTHONPATH": f"{TESTS}/support:{TESTS}/.."}
    command = [sys.executable, "-c", program]
    with Program(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line == "5\n":
                process.send_signal(signal.SIGKILL)
    *whole, last = [read_episode(path) for path in find_episodes(tmp_path)]
    assert len(whole) >= 5
    assert {each.header.outcome for each in whole} == {"ended"}
    assert last.header.outcome in ("playing", "ended")
    play_again(whole[0].recording())
