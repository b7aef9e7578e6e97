# SPDX-License-Identifier: GPL-2.0-only
"""A recorded episode written by hand: two agents of different spaces on two nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.simulation import AgentEnd, AgentStep, RngState
from defiance_zoo.recording import Header
from defiance_zoo.recording.files.header import HEADER, AgentColumns
from defiance_zoo.recording.files.steps import PARTS, STEPS, to_parquet, to_table
from defiance_zoo.recording.recording import PlayedRound, project_version

SPACES = {
    "observation": spaces.Box(-10, 10, (2,), np.float32),
    "observation_1": spaces.Dict({"queue": spaces.Discrete(9), "rate": spaces.Box(0, 1, (1, 2))}),
    "action": spaces.Discrete(3),
    "action_1": spaces.Box(-1, 1, (1,), np.float64),
}
AGENTS = {
    "car": AgentColumns("observation", "action"),
    "<b>tower</b>": AgentColumns("observation_1", "action_1"),
}
ROUNDS = 40
TOPOLOGY = {
    "format": 1,
    "nodes": [
        {"id": 0, "name": "<b>tower</b>", "position": [0, 0, 0]},
        {"id": 1, "name": "car", "position": [10, 5, 0]},
        {"id": 2, "name": "router", "position": None},
    ],
    "links": [
        {"id": 0, "kind": "point-to-point", "name": "access", "nodes": [0, 2],
         "rate_bps": 1_000_000, "delay_ns": 2_000_000},
        {"id": 1, "kind": "wifi", "name": "air", "nodes": [1, 2], "rate_bps": None,
         "delay_ns": None},
    ],
    "applications": [
        {"name": "observation_0", "role": "observation", "node": 1},
        {"name": "agent_0", "role": "agent", "node": 0},
        {"name": "action_0", "role": "action", "node": 1},
    ],
    "channels": [
        {"id": 0, "from": "observation_0", "to": "agent_0", "kind": "udp"},
        {"id": 1, "from": "agent_0", "to": "action_0", "kind": "tcp"},
    ],
}  # fmt: skip


def header(**facts: Any) -> Header:
    """Return the description of how the episode was made."""
    known: dict[str, Any] = {
        "environment": "by_hand_v0",
        "versions": {"defiance-zoo": project_version(), "ns-3": "3.44"},
        "parameters": {"delay": "2ms", "<script>": "alert(1)"},
        "rng": RngState(7, 1),
        "seed": 7,
        "interface": "simultaneous",
        "agents": AGENTS,
        "columns": SPACES,
        "rounds": ROUNDS + 1,
        "end_ns": ROUNDS * 10_000_000,
    }
    return Header(**{**known, **facts})


def rounds() -> list[PlayedRound]:
    """Return the rounds: the car decides in each, the tower in every second one."""
    made = []
    for number in range(ROUNDS):
        angle = number / 5
        seen: Any = np.array([np.sin(angle), number / 10], np.float32)
        told = [
            AgentStep("car", seen, 1.0, {"speed": number, "action_mask": [1, 1, 1], "name": "x"})
        ]
        actions: dict[str, Any] = {"car": number % 3}
        if number % 2:
            seen = {"queue": number % 9, "rate": np.full((1, 2), number / ROUNDS, np.float32)}
            told.append(AgentStep("<b>tower</b>", seen, -0.5, {}))
            actions["<b>tower</b>"] = np.array([np.cos(angle)])
        infos = [each.info for each in told]
        made.append(PlayedRound(number * 10_000_000, (), told, infos, actions))
    end_ns = ROUNDS * 10_000_000
    ends = [
        AgentEnd("car", np.zeros(2, np.float32), 5.0, True, {}, end_ns),
        AgentEnd("<b>tower</b>", None, 0.0, False, {"why": "<i>end</i>"}, end_ns),
    ]
    return [*made, PlayedRound(end_ns, ends, (), (), {})]


def write_episode(folder: Path, *, parts: int = 0, **facts: Any) -> Path:
    """Write all files of an episode, or the parts that exist while it is played."""
    folder.mkdir(parents=True)
    played, known = rounds(), header(**facts)
    if parts:
        known = header(outcome="playing", rounds=None, end_ns=None, **facts)
        (folder / PARTS).mkdir()
        for number in range(parts):
            some = played[number * 5 : number * 5 + 5]
            table = to_table(known, some, number * 5)
            (folder / PARTS / f"{number + 1:06}.parquet").write_bytes(to_parquet(table))
    else:
        (folder / STEPS).write_bytes(to_parquet(to_table(known, played, 0)))
    (folder / HEADER).write_text(known.to_json())
    write_simulation(folder, killed=known.outcome != "ended")
    return folder


def write_simulation(folder: Path, *, killed: bool) -> None:
    """Write the files of the simulation; a killed one ends within a line of messages."""
    (folder / "topology.json").write_text(json.dumps(TOPOLOGY))
    lines = ["sent_ns,received_ns,channel,bytes,outcome"]
    for number in range(ROUNDS):
        sent = number * 10_000_000
        fate = ["received", "lost", "in flight"][2 if number > 37 else number % 7 == 3]
        received = sent + 2_500_000 if fate == "received" else ""
        lines.append(f"{sent},{received},{number % 2},{20 + number},{fate}")
    (folder / "messages.csv").write_text("\n".join(lines) + ("\n39000" if killed else "\n"))
    (folder / "links.csv").write_text(
        "time_ns,link,node,queue_packets,queue_bytes,sent_bytes\n"
        + "".join(f"{n * 10_000_000},0,0,{n % 5},{n % 5 * 100},{n * 60}\n" for n in range(ROUNDS))
    )
    (folder / "positions.csv").write_text(
        "time_ns,node,x,y,z\n"
        + "".join(f"{n * 10_000_000},1,{10 + n},5,0\n" for n in range(ROUNDS))
    )
    (folder / "moves.csv").write_text("time_ns,application,node\n200000000,agent_0,2\n")
    (folder / "events.csv").write_text(
        "time_ns,kind,agent,text\n"
        "0,join,car,\n"
        '100000000,handover,car,"from <b>tower</b>, to\nrouter"\n'
        "400000000,end,car,terminated\n"
    )
    report = {"sim_time_ns": 400_000_000, "flows": [], "paths": [], "links": []}
    (folder / "communication.json").write_text(json.dumps(report))
