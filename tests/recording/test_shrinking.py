# SPDX-License-Identifier: GPL-2.0-only
"""Shrunk recordings have no unnecessary action, and show the same violation."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from partition_support import LIARS, draw, follow, lie

from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.actions import Actions
from defiance_zoo.errors import IllegalAction, InvalidRecording
from defiance_zoo.protocols.violations import ByMeaning
from defiance_zoo.recording import (
    ByValue,
    Effort,
    Reading,
    RecordedRound,
    Recording,
    read_recording,
    replay,
    shrink,
    shrinking,
)
from defiance_zoo.recording.replaying import open_recorded
from defiance_zoo.recording.shrinking import Turn, minimize

AGENT = "agent_0"


@pytest.mark.parametrize("seed", range(20))
def test_necessary_items_are_kept(seed: int) -> None:
    """Either of two sets of items is enough; each selection is tried at most once."""
    rng = random.Random(seed)
    size = rng.randrange(1, 60)
    enough = [set(rng.sample(range(size), rng.randrange(size + 1))) for _ in range(2)]
    seen: list[tuple[int, ...]] = []

    def holds(items: Sequence[int]) -> bool:
        seen.append(tuple(items))
        return any(each <= set(items) for each in enough)

    kept = minimize(range(size), holds)
    assert set(kept) in enough
    assert list(kept) == sorted(kept)
    assert len(seen) == len(set(seen))
    assert tuple(range(size)) not in seen


def test_a_selection_that_is_not_allowed_counts_as_not_holding() -> None:
    """Item 2 requires 1, and 3 or 5 requires 2; so no single item can be left out."""

    def holds(items: Sequence[int]) -> bool:
        return 2 in items and 1 in items and (3 in items or 5 in items)

    assert minimize(range(8), holds) in ((1, 2, 3), (1, 2, 5))
    assert minimize((), holds) == ()
    assert minimize((4,), lambda _items: True) == ()
    assert len(minimize(range(300), lambda items: len(items) >= 100)) == 100


def test_the_estimate_bounds_the_remaining_selections() -> None:
    events: list[dict[str, Any]] = []
    effort = Effort(report=events.append)
    kept = minimize(range(40), lambda items: {3, 17, 30} <= set(items), effort)
    assert kept == (3, 17, 30)
    assert (effort.plays, effort.kept, effort.left) == (len(events), 3, 0)
    last = max(number for number, each in enumerate(events) if each["kept"] > 3)
    assert len(events) - last - 1 <= events[last + 1]["left"]
    assert [each["plays"] for each in events] == [*range(len(events))]
    assert all(each["left"] >= 1 for each in events)


def test_a_spent_budget_keeps_the_best_selection_so_far() -> None:
    effort = Effort(budget_s=0)
    assert minimize(range(40), lambda _items: True, effort) == tuple(range(40))
    assert (effort.plays, effort.kept) == (0, 40)
    assert effort.left > 0


def disagree(each: RecordedRound) -> bool:
    """Return whether agreement is violated."""
    return any("agreement: " in str(told.info["violations"]) for _, told in each.messages)


def record(folder: Path, **arguments: Any) -> Recording:
    """Return an episode with detours that violates agreement."""
    env = partition_v0.TENDERMINT_SPEC.raw_env(
        record=folder, **{**LIARS, "horizon": 60, **arguments}
    )
    for _ in follow(env, lie(detours=True)):
        pass
    env.close()
    (path,) = folder.iterdir()
    return read_recording(path)


def shrunk(recording: Recording, *readings: Reading) -> Recording:
    with contextlib.closing(open_recorded(recording)) as episodes:
        shorter = shrink(recording, episodes, disagree, readings or (ByValue(),))
        replay(shorter, episodes)
    return shorter


def violates(recording: Recording, actions: Sequence[int]) -> bool:
    """Return whether actions lead to a violation; an illegal action does not."""
    env = partition_v0.TENDERMINT_SPEC.raw_env(**recording.parameters, link="local")
    with contextlib.closing(env), contextlib.suppress(IllegalAction):
        env.reset(seed=recording.seed)
        for action in actions:
            env.step(action)
        return bool(env.infos[AGENT]["violations"])
    return False


def test_necessary_turns_are_not_tried_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Sequence[Turn]] = []

    def note(turns: Sequence[Turn], holds: Any, effort: Effort) -> tuple[Turn, ...]:
        tried.append(turns)
        return minimize(turns, holds, effort)

    monkeypatch.setattr(shrinking, "minimize", note)
    shorter = shrunk(record(tmp_path), ByValue())
    assert [len(turns) for turns in tried] == [27]
    assert len(shorter.decisions) < 27


@pytest.mark.long
def test_no_action_of_a_shrunk_recording_can_be_left_out(tmp_path: Path) -> None:
    """Neither one action nor two, identified by number or by meaning."""
    recording = record(tmp_path)
    readings = (ByMeaning(recording), ByValue())
    shorter = shrunk(recording, *readings)
    assert len(recording.decisions) == 27
    assert len(shorter.decisions) == 5
    assert disagree(shorter.rounds[-1])
    assert not any(map(disagree, shorter.rounds[:-1]))
    assert (shorter.parameters, shorter.rng) == (recording.parameters, recording.rng)
    actions = [each[AGENT] for each in shorter.decisions]
    assert violates(shorter, actions)
    for size in (3, 4):
        for some in itertools.combinations(actions, size):
            assert not violates(shorter, some)
    again = shrunk(shorter, *readings)
    assert again.rounds == shorter.rounds
    kinds = [Actions(4, with_byzantine=True)[action].kind for action in actions]
    assert kinds.count("byzantine") == 2
    assert "stop" not in kinds
    only_numbers = shrunk(recording)
    assert 5 <= len(only_numbers.decisions) < 27


def test_steps_after_a_violation_are_left_out(tmp_path: Path) -> None:
    recording = record(tmp_path, stop_on_violation=False)
    assert len(recording.decisions) == 60
    shorter = shrunk(recording, ByMeaning(recording), ByValue())
    assert len(shorter.decisions) == 5
    assert shorter.outcome == "unfinished"


def test_roles_are_dropped_turn_by_turn(tmp_path: Path) -> None:
    """A client, a crasher and a partitioner act in each."""
    env = partition_v0.TENDERMINT_SPEC.raw_env(
        record=tmp_path, roles=True, stop_on_violation=False, **LIARS
    )
    env.reset(seed=1)
    liars = iter((1, 2))
    violations = ""
    while env.agents:
        _, _, terminated, truncated, info = env.last()
        action: int | None = 0
        violations += info["violations"]
        if terminated or truncated:
            action = None
        elif info["role"] == "client":
            action = int(info["action_mask"][1])
        elif info["role"] == "crasher":
            liar = next(liars, 0)
            action = 9 + list(info["slots"]).index(liar) if liar else 0
        env.step(action)
    assert "agreement" in violations
    env.close()
    (path,) = tmp_path.iterdir()
    recording = read_recording(path)
    shorter = shrunk(recording, ByMeaning(recording), ByValue())
    assert len(shorter.decisions) < len(recording.decisions) / 3
    assert len(shorter.decisions) % 3 == 0


def test_a_violation_that_is_not_in_the_recording_is_refused(tmp_path: Path) -> None:
    recording = record(tmp_path)
    with (
        contextlib.closing(open_recorded(recording)) as episodes,
        pytest.raises(InvalidRecording, match="the sought property is not found"),
    ):
        shrink(recording, episodes, lambda _each: False)


@pytest.mark.parametrize("painter", ["id", "default"])
@pytest.mark.parametrize("max_blocks", [0, 2])
def test_actions_are_identified_by_their_meaning(
    painter: str, max_blocks: int, tmp_path: Path
) -> None:
    """In the state of each action, its meaning is an action of equal colours."""
    env = partition_v0.SPEC.raw_env(
        record=tmp_path, painter=painter, num_replicas=5, max_inactive=2, crash_limit=99,
        horizon=150, max_blocks=max_blocks,
    )  # fmt: skip
    for _ in follow(env, draw(7)):
        pass
    env.close()
    (path,) = tmp_path.iterdir()
    recording = read_recording(path)
    reading, actions = ByMeaning(recording), Actions(5, max_blocks)
    kinds = set()
    for each, intents in zip(recording.rounds, reading.intents(recording), strict=False):
        told = each.asked[AGENT]
        index = each.actions[AGENT]
        found = reading.choose(AGENT, intents[AGENT], told)
        assert found is not None
        assert actions.look(found, told.info) == actions.look(index, told.info)
        assert painter == "default" or found == index
        kinds.add(actions[index].kind)
    assert {"create", "stop", "start"} <= kinds
