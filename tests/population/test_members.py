# SPDX-License-Identifier: GPL-2.0-only
"""Policies of populations: their records, and the store that keeps them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any, cast

import pytest

from defiance_zoo.errors import ParameterError, UnknownOrigin
from defiance_zoo.population import PolicyRecord, PolicyStore, Population
from defiance_zoo.population.members import Player


def writing(text: str) -> object:
    """Return the writer of a policy of two files."""

    def write(folder: Path) -> None:
        (folder / "weights").mkdir()
        (folder / "weights" / "a").write_text(text)
        (folder / "policy.json").write_text("{}")

    return write


def test_equal_policies_are_stored_once(tmp_path: Path) -> None:
    store = PolicyStore(tmp_path / "policies")
    assert list(store) == []
    one, same, other = (store.put(writing(text)) for text in ("1", "1", "2"))  # type: ignore[arg-type]
    assert one == same != other
    assert list(store) == sorted([one, other])
    assert one in store
    assert "" not in store
    assert (store.find(one) / "weights" / "a").read_text() == "1"
    store.require_signatures()


def test_a_loaded_policy_equals_the_stored_one(tmp_path: Path) -> None:
    store = PolicyStore(tmp_path)
    digest = store.put(writing("1"))  # type: ignore[arg-type]
    (tmp_path / digest / "weights" / "a").write_text("2")
    with pytest.raises(ParameterError, match="has changed"):
        store.find(digest)
    with pytest.raises(ParameterError, match="has no policy 0123"):
        store.find("0123")
    with pytest.raises(ParameterError, match=r"has no policy 0123.*copy the whole folder"):
        store.require_signatures(["0123"])
    with pytest.raises(UnknownOrigin, match="has changed"):
        store.require_signatures()
    PolicyStore(tmp_path, trust=True).require_signatures()
    for outside in ("..", "/", "."):
        assert outside not in store


class Planted:
    """A pickle that writes a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self._path, "w")


def test_a_planted_policy_is_neither_loaded_nor_sent_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence, store = tmp_path / "evidence", PolicyStore(tmp_path / "policies")

    def plant(folder: Path) -> None:
        (folder / "policy.pt").write_bytes(pickle.dumps(Planted(evidence)))
        facts = {"class": "stable_baselines3.common.policies:ActorCriticPolicy"}
        (folder / "policy.json").write_text(json.dumps(facts))

    record = PolicyRecord("a", "player", digest=store.put(plant), facts={"library": "sb3"})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of-another"))
    player, nowhere = Player.of(record, store), cast("Any", None)
    for use in (player.packed, lambda: player.make(nowhere, nowhere, "agent_0", 0)):
        with pytest.raises(UnknownOrigin):
            use()
    assert not evidence.exists()
    trusted = Player.of(record, PolicyStore(store.folder, trust=True))
    assert set(trusted.packed().source.files) == {"policy.pt", "policy.json"}  # type: ignore[union-attr, arg-type]


def test_the_hash_of_a_policy_depends_on_file_names(tmp_path: Path) -> None:
    store = PolicyStore(tmp_path)
    names = {store.put(lambda folder, name=name: (folder / name).write_text("")) for name in "ab"}  # type: ignore[misc]
    assert len(names) == 2


def test_an_incomplete_policy_has_no_name(tmp_path: Path) -> None:
    store = PolicyStore(tmp_path)

    def fail(folder: Path) -> None:
        (folder / "half").write_text("")
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        store.put(fail)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / ".incomplete-killed").mkdir()
    assert list(store) == []
    store.remove_incomplete()
    assert list(tmp_path.iterdir()) == []


def test_a_population_lists_its_policies() -> None:
    chance = PolicyRecord("random", "player", baseline="random")
    first = PolicyRecord("player-1", "player", 1, "main", "00ff", parent="random")
    population = Population("player", [chance, first])
    population.add(PolicyRecord("player-2", "player", 2, "exploiter", "11ff"))
    assert population.names == ["random", "player-1", "player-2"]
    assert [each.generation for each in population] == [0, 1, 2]
    latest = population.latest()
    assert latest is not None
    assert latest.name == "player-2"
    assert population.latest("main") == first == population["player-1"]
    assert population.latest("other") is None
    assert Population("player", [chance]).latest() is None
    with pytest.raises(ParameterError, match="already"):
        population.add(first)
    with pytest.raises(ParameterError, match="plays 'jammer'"):
        population.add(PolicyRecord("x", "jammer", baseline="random"))


def test_records_are_written_to_files_and_read() -> None:
    record = PolicyRecord("a", "player", 3, digest="00", facts={"steps": 1000})
    assert PolicyRecord(**json.loads(json.dumps(record.to_json()))) == record
    named = PolicyRecord("b", "player", baseline="sensing", options={"x": 1}).built_in
    assert named is not None
    assert (named.name, named.options) == ("sensing", {"x": 1})
    assert record.built_in is None
    for wrong in ({}, {"digest": "00", "baseline": "random"}):
        with pytest.raises(ParameterError, match="one of files"):
            PolicyRecord("c", "player", **wrong)  # type: ignore[arg-type]
