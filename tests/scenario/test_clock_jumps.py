# SPDX-License-Identifier: GPL-2.0-only
"""Clocks that a tester lets jump, in leases that trust them and in leases that do not."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command_calls import call, call_for_json
from conftest import ROOT
from partition_support import branches, draw, follow, hashes

from benchmarks.zoo.partition_rules import expected_mask
from defiance_zoo.environments import lookup
from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.actions import Actions, find_actions
from defiance_zoo.envs.partition.states import read_replicas
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

LEASES = str(ROOT / "tests" / "scenario" / "programs" / "jumping_leases.py")
JUMPS: dict[str, Any] = {"largest_jump": "1s", "horizon": 60, "crash_limit": 1000}

CLOCKS = """
import time

import defiance_zoo.scenario.replicas as rp

rp.patched("colorsys")


class Reader(rp.Replica):
    def __init__(self):
        self.times = [0, 0, 0]

    def recover(self, disk):
        pass

    def tick(self, now):
        seconds = now, time.time() - 1.7e9, time.monotonic() - 1000
        self.times = [max(0, round(1000 * each)) for each in seconds]

    def submit(self, request):
        return False

    def message(self, sender, data):
        pass

    def state(self):
        return rp.State(self.times)


class Clocks(rp.Protocol):
    fields = [rp.number("tick"), rp.number("wall"), rp.number("monotonic")]
    painter = "id"
    replica = Reader

    def takers(self, states):
        return []

    def check(self, group):
        return ()


rp.Simulation(Clocks)
"""


def explore(explorer: str, steps: int, seed: int = 1, **arguments: Any) -> int | None:
    """Return the step of the first violation; None if there is none."""
    with closing(GymnasiumEnv(lookup(LEASES), link="local", **arguments)) as env:
        visits = make_explorer(explorer, seed, {}).explore(env, steps=steps, seed=seed)
        return next((n for n, each in enumerate(visits, 1) if each.info["violations"]), None)


@pytest.mark.parametrize("explorer", ["random", "swarm", "pct", "mutation"])
def test_only_a_jump_finds_a_lease_that_trusts_its_clock(explorer: str) -> None:
    """The steps of random tests stand in docs/protocols/library.md."""
    found = explore(explorer, 3000, bug="wall", **JUMPS)
    assert found is not None
    assert explorer != "random" or found == 382
    assert explore(explorer, 3000, bug="wall", **{**JUMPS, "largest_jump": "0s"}) is None


@pytest.mark.long
@pytest.mark.parametrize(
    "correct", [{"clock_drift": 0.2}, {"guard": "term", "bug": "wall", "clock_drift": 0.5}]
)
def test_leases_with_a_margin_or_with_terms_are_safe(correct: dict[str, Any]) -> None:
    assert explore("random", 20_000, **JUMPS, **correct) is None


def test_jumps_are_recorded_replayed_shrunk_drawn_and_rechecked(tmp_path: Path) -> None:
    given = [f"-p{name}={value}" for name, value in JUMPS.items()]
    recorded = ("partition", "record", tmp_path / "found", "--env", LEASES, *given, "-pbug=wall")
    (found,) = call_for_json(
        *recorded, "--episodes", 60, "--keep", "violations", "--stop-on", "violation"
    )["episodes"]
    assert found["violation"].startswith("mutual_exclusion: ")
    assert not found["diverged"]
    shrunk = call_for_json("partition", "shrink", found["file"], "--env", LEASES)
    assert shrunk["steps"] < found["steps"]
    again = ("partition", "recheck", shrunk["file"], "--env", LEASES)
    assert call(*again)[0] == 1
    assert not call_for_json(*again, "-p", "bug=")["violation"]
    shown = call_for_json("partition", "show", shrunk["file"], "--env", LEASES)
    text = Path(shown["file"]).read_text()
    assert "clock_ahead" in text or "clock_back" in text
    assert re.search(r"clock [+-]0\.\d{3} s", text)


def test_wall_clocks_jump_and_healing_sets_them_right(tmp_path: Path) -> None:
    """A jump follows from seed, replica and direction; monotonic clocks do not jump."""
    file = tmp_path / "clocks.py"
    file.write_text(CLOCKS)
    told: dict[tuple[int, bool], set[int]] = {}
    healed = 0
    with closing(lookup(str(file)).raw_env(link="local", **JUMPS)) as env:
        for info, _ in follow(env, draw(4)):
            for each in read_replicas(info):
                assert abs(each.clock_error_ns) <= 10**9
                if each.clock_error_ns:
                    told.setdefault((each.id, each.clock_error_ns > 0), set()).add(
                        each.clock_error_ns
                    )
                if each.active and info["ticks"]:
                    error = round(each.clock_error_ns / 1e6)
                    assert each.tick == pytest.approx(max(0, each.monotonic + error), abs=2)
                    assert each.wall == pytest.approx(each.tick, abs=2)
            assert info["wrong_clocks"] == sum(s.clock_error_ns != 0 for s in read_replicas(info))
    assert len(told) == 6
    assert {len(each) for each in told.values()} == {1}
    raft = str(ROOT / "examples" / "protocols" / "raft.py")
    with closing(lookup(raft).raw_env(link="local", healing="on_demand", **JUMPS)) as env:
        before = 0
        for info, _ in follow(env, draw(1)):
            healed += bool(info["healing_ticks"] and before)
            assert not (info["healing_ticks"] and info["wrong_clocks"])
            before = info["wrong_clocks"]
    assert healed


def test_the_mask_colours_and_observations_show_wrong_clocks() -> None:
    raft = str(ROOT / "examples" / "protocols" / "raft.py")
    with closing(lookup(raft).raw_env(link="local", action_hashes=True, **JUMPS)) as env:
        seen = set()
        for info, _ in follow(env, draw(1)):
            assert info["action_mask"].tolist() == expected_mask(info)
            actions, allowed = find_actions(info), info["action_mask"].nonzero()[0]
            looks = [actions.hash(int(number), info) for number in allowed]
            assert info["action_hashes"].split("\n") == looks
            replicas = read_replicas(info)
            slots = [replicas[replica - 1] for replica in info["slots"]]
            observed = env.observe("agent_0")["observation"][:-4].reshape(3, -1)[:, -1]
            signs = [(each.clock_error_ns > 0) - (each.clock_error_ns < 0) for each in slots]
            assert observed.tolist() == [(sign + 1) / 2 for sign in signs]
            for color, sign in zip(json.loads(info["colors"]), signs, strict=True):
                color = color.get("inactive", color)
                assert ("ahead" in color, "back" in color) == (sign > 0, sign < 0)
            seen |= set(signs)
    assert seen == {-1, 0, 1}


def test_jumps_repeat_in_forked_and_spawned_simulations_and_branches() -> None:
    told = []
    for launch in ("fork", "spawn"):
        with closing(lookup(LEASES).raw_env(link="local", launch=launch, **JUMPS)) as env:
            told.append(hashes(env, draw(2)))
            one, other = branches(env)
            assert one == other
    assert told[0] == told[1]


def test_the_crasher_sets_clocks() -> None:
    kinds = [Actions(2, role="crasher", with_jumps=True)[number].kind for number in range(11)]
    assert kinds[5:] == [
        kind for kind in ("clock_ahead", "clock_back", "clock_right") for _ in "12"
    ]
    with closing(lookup(LEASES).raw_env(link="local", roles=True, **JUMPS)) as env:
        wrong = set()
        for info, _ in follow(env, draw(1)):
            assert len(find_actions(info)) == len(info["action_mask"])
            wrong.add(info["wrong_clocks"])
    assert len(wrong) > 2


def test_protocols_that_read_no_clock_refuse_jumps() -> None:
    with pytest.raises(ParameterError, match=r"largest_jump=.*protocol=raft count ticks"):
        partition_v0.raw_env(largest_jump="1s").reset(seed=1)
