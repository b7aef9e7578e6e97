# SPDX-License-Identifier: GPL-2.0-only
"""Invalid rows are refused with file, line, column and value; rows of simulations are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_calls import call
from episode_files import TOPOLOGY, header, write_episode

from defiance_zoo.environments import lookup
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording import find_episodes, read_episode

END = 400_000_000
END_WORDS = f"a time up to the end of the episode at {END}"
NUMBER = "a number from 0 on"
TIME = "a time from 0 on"
FINITE = "a finite number"


def append(folder: Path, name: str, *rows: str) -> int:
    """Append rows to a table; return the line number of the first one."""
    path = folder / f"{name}.csv"
    before = path.read_text()
    path.write_text(before + "".join(f"{row}\n" for row in rows))
    return before.count("\n") + 1


@pytest.mark.parametrize(
    ("name", "row", "column", "value", "expected"),
    [
        ("messages", "-5,,0,20,lost", "sent_ns", "-5", TIME),
        ("messages", "5,,0,-20,lost", "bytes", "-20", NUMBER),
        ("messages", "5,9,0,20,lost", "received_ns", "9", "no value, as it was not received,"),
        ("messages", "5,9,0,20,in flight", "received_ns", "9", "no value, as it was not received,"),
        ("messages", "5,,0,20,received", "received_ns", "", "the time at which it was received"),
        ("messages", "9,5,0,20,received", "received_ns", "5",
         "a time from 9 on, when it was sent,"),
        ("messages", "5,,7,20,lost", "channel", "7", "a channel of the topology (0, 1)"),
        ("messages", "5,,-1,20,lost", "channel", "-1", "a channel of the topology (0, 1)"),
        ("messages", "5,,0,20,stolen", "outcome", "stolen",
         "an outcome (lost, received, in flight)"),
        ("messages", ",,0,20,lost", "sent_ns", "", "a value"),
        ("messages", "5,,0,,lost", "bytes", "", "a value"),
        ("messages", "500000000,,0,20,lost", "sent_ns", "500000000", END_WORDS),
        ("messages", "5,400002000,0,20,received", "received_ns", "400002000", END_WORDS),
        ("links", "-1,0,0,0,0,9000", "time_ns", "-1", TIME),
        ("links", "500000000,0,0,0,0,9000", "time_ns", "500000000", END_WORDS),
        ("links", "380000000,0,0,0,0,9000", "time_ns", "380000000", "a time from 390000000 on"),
        ("links", "390000000,0,0,-1,0,9000", "queue_packets", "-1", NUMBER),
        ("links", "390000000,0,0,0,-1,9000", "queue_bytes", "-1", NUMBER),
        ("links", "390000000,0,0,0,0,9", "sent_bytes", "9", "the last value or more, from 2340 on"),
        ("links", "390000000,0,0,0,0,-9", "sent_bytes", "-9", NUMBER),
        ("links", "390000000,2,0,0,0,9000", "link", "2", "a link of the topology (0, 1)"),
        ("links", "390000000,0,9,0,0,9000", "node", "9", "a node of the topology (0, 1, 2)"),
        ("links", "390000000,0,1,0,0,9000", "node", "1", "a node of link 0 (0, 2)"),
        ("positions", "390000000,9,1,1,1", "node", "9", "a node of the topology (0, 1, 2)"),
        ("positions", "390000000,1,nan,1,1", "x", "nan", FINITE),
        ("positions", "390000000,1,1,inf,1", "y", "inf", FINITE),
        ("positions", "390000000,1,1,1,-inf", "z", "-inf", FINITE),
        ("positions", "10,1,1,1,1", "time_ns", "10", "a time from 390000000 on"),
        ("moves", "300000000,agent_9,0", "application", "agent_9",
         "an application of the topology (agent_0, action_0, observation_0)"),
        ("moves", "300000000,agent_0,-1", "node", "-1", NUMBER),
        ("moves", "100000000,agent_0,1", "time_ns", "100000000", "a time from 200000000 on"),
        ("events", "-1,joined,car,", "time_ns", "-1", TIME),
        ("events", "500000000,joined,car,", "time_ns", "500000000", END_WORDS),
        ("events", ",joined,car,", "time_ns", "", "a value"),
    ],
)  # fmt: skip
def test_impossible_rows_are_refused(
    name: str, row: str, column: str, value: str, expected: str, tmp_path: Path
) -> None:
    folder = write_episode(tmp_path / "one")
    line = append(folder, name, row)
    with pytest.raises(InvalidRecording) as refused:
        read_episode(folder)
    said = f"line {line}: {column} is {value!r}, where {expected} was expected"
    assert str(refused.value) == f"{folder / name}.csv is damaged: {said}"


@pytest.mark.parametrize("command", ["report", "replay", "dataset"])
def test_commands_refuse_bad_rows(command: str, tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "one")
    append(folder, "messages", "9,5,0,20,received")
    options = ["--id", "mine/random-v0"] if command == "dataset" else []
    status, _, said = call(command, folder, *options)
    assert status == 2
    assert "messages.csv is damaged: line 42: received_ns is '5'" in said


@pytest.mark.parametrize("number", [1, 3])
def test_lines_are_counted_in_the_file(number: int, tmp_path: Path) -> None:
    """Texts may span lines, and an empty line is not a row; the error names the first bad row."""
    folder = write_episode(tmp_path / "one")
    line = append(folder, "events", *['1,note,,"one\n\ntwo"', ""] * number, "-3,note,,", "-4,a,,")
    with pytest.raises(InvalidRecording, match=rf"line {line + 4 * number}: time_ns is '-3'"):
        read_episode(folder)


@pytest.mark.parametrize(
    ("column", "change", "said"),
    [
        ("time_ns", lambda times: -times, "round 1 have time_ns=-10000000, but a time from 0 on"),
        ("time_ns", lambda times: times * 2, "but a time from 390000000 on|up to the end at 4"),
        ("time_ns", lambda times: times[::-1], "round 1 have time_ns=.*, but a time from "),
        ("round", lambda rounds: rounds[::-1], "round 40 comes after nothing"),
    ],
)
def test_rounds_must_be_in_order(column: str, change: Any, said: str, tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "one")
    table = pq.read_table(folder / "steps.parquet")
    values = np.ascontiguousarray(change(table[column].to_numpy()))
    place = table.column_names.index(column)
    pq.write_table(table.set_column(place, column, pa.array(values)), folder / "steps.parquet")
    with pytest.raises(InvalidRecording, match=said):
        read_episode(folder)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("messages", ["5,5,0,0,received", "5,,1,20,lost", "4,400000001,0,20,received"]),
        ("links", ["390000000,0,0,0,0,2340", "390000000,1,1,0,0,0", "400000001,1,2,0,0,7"]),
        ("positions", ["390000000,1,-1e300,0,1e-300", "390000000,2,0,0,0"]),
        ("moves", ["200000000,agent_0,0", "200000000,agent_0,17"]),  # to a node that appeared later
        ("events", ["200000000,transfer,,1 lost", "100000000,,nobody,"]),  # reported later
    ],
)
def test_unusual_valid_rows_are_read(name: str, rows: list[str], tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "one")
    before = len(getattr(read_episode(folder), name))
    append(folder, name, *rows)
    assert len(getattr(read_episode(folder), name)) == before + len(rows)


@pytest.mark.parametrize("outcome", ["playing", "unfinished", "failed"])
def test_rows_of_a_killed_simulation_may_exceed_its_topology(outcome: str, tmp_path: Path) -> None:
    """Lines of messages may reach their file before the topology lists their channel."""
    folder = write_episode(tmp_path / "one", outcome=outcome, failure="", end_ns=END)
    path = folder / "messages.csv"
    path.write_text(path.read_text().rpartition("\n")[0] + "\n500000000,,7,20,lost\n39000")
    (folder / "moves.csv").write_text("time_ns,application,node\n500000000,agent_9,1\n")
    episode = read_episode(folder)
    assert episode.messages["channel"][-1].as_py() == 7
    assert episode.moves["application"].to_pylist() == ["agent_9"]
    path.write_text(path.read_text().rpartition("\n")[0] + "\n9,5,0,20,received\n39000")
    with pytest.raises(InvalidRecording, match="received_ns is '5'"):
        read_episode(folder)


def test_after_some_snapshots_rows_belong_to_two_paths(tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "one")
    append(folder, "links", "380000000,0,0,0,0,9", "500000000,0,0,0,0,5")
    known = header(notes=("the simulation's files before the snapshot are of another path",))
    (folder / "episode.json").write_text(known.to_json())
    assert read_episode(folder).links["sent_bytes"].to_pylist()[-2:] == [9, 5]


def test_ids_in_a_topology_may_be_any_numbers(tmp_path: Path) -> None:
    """The code that draws them checks that they are numbers."""
    folder = write_episode(tmp_path / "one")
    strange = {**TOPOLOGY, "links": [*TOPOLOGY["links"], {"id": [1], "nodes": 3}, {"id": 5}]}
    (folder / "topology.json").write_text(json.dumps(strange))
    append(folder, "links", "390000000,5,0,0,0,9000")
    assert read_episode(folder).links["link"][-1].as_py() == 5


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("cart_pole_v0", {"transport": "udp", "carts": 2, "delay": "5ms", "loss": 0.1}),
        ("cart_pole_v0", {"transport": "tcp", "carts": 2, "loss": 0.1}),
        ("cart_pole_v0", {"transport": "udp", "carts": 2, "access": "wifi"}),
        ("edge_cart_pole_v0", {"terminate_when_fallen": False}),
        ("wifi_contention_v0", {"duration": "200ms"}),
        ("wifi_rate_control_v0", {}),
        ("tcp_congestion_v0", {"duration": "2s"}),
        ("handover_v0", {"duration": "1s"}),
        ("cell_power_v0", {}),
        ("cell_sleep_v0", {"cells": 2, "users": 2, "duration": "3s"}),
        ("multi_access_v0", {"links": "point-to-point", "users": 2, "duration": "2s"}),
        ("packet_routing_v0", {}),
        ("partition_v0", {}),
        ("partition_tendermint_v0", {}),
        ("channel_access_v0", {}),
        ("video_streaming_v0", {"clients": 2, "bottleneck": "shared", "chunks": 4}),
    ],
)
@pytest.mark.parametrize("cut", [True, False])
def test_rows_written_by_simulations_are_read(
    name: str, parameters: dict[str, Any], cut: bool, tmp_path: Path
) -> None:
    """For complete episodes, and for an abandoned one."""
    limit = {"max_cycles": 12} if cut else {}
    env = lookup(name).parallel_env(record=tmp_path, link="local", **limit, **parameters)
    rng = np.random.default_rng(0)
    for seed in (1, 2):
        _, infos = env.reset(seed=seed)
        steps = 0
        while env.agents and steps < (500 if cut else 25):
            actions = {}
            for agent in env.agents:
                space, mask = env.action_space(agent), infos[agent].get("action_mask")
                space.seed(int(rng.integers(1 << 30)))
                actions[agent] = space.sample(mask) if mask is not None else space.sample()
            *_, infos = env.step(actions)
            steps += 1
    env.close()
    episodes = [read_episode(each) for each in find_episodes(tmp_path)]
    assert len(episodes) == 2
    assert all(each.topology is not None for each in episodes)
    if cut:
        assert {each.header.outcome for each in episodes} == {"ended"}
