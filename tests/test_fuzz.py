# SPDX-License-Identifier: GPL-2.0-only
"""Initial inputs of `make fuzz`, including those of fixed faults."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from fuzz.mutator import Mutator
from fuzz.run import CORPUS, IN_CXX, IN_PYTHON, Job
from fuzz.targets import TARGETS, join, split


@pytest.mark.parametrize("target", TARGETS)
def test_inputs_of_the_corpus_cause_no_fault(target: str) -> None:
    inputs = sorted((CORPUS / target).iterdir())
    assert inputs
    for each in inputs:
        TARGETS[target](each.read_bytes())


def test_each_target_runs() -> None:
    assert set(IN_PYTHON) == set(TARGETS)
    assert {each.name for each in CORPUS.iterdir()} == {*IN_PYTHON, *IN_CXX}


def test_the_same_seed_makes_the_same_inputs() -> None:
    corpus = [b"", b"one", join(b"two", b"three")]
    first, second, third = (Mutator(seed, corpus) for seed in (1, 1, 2))
    made = [first.next() for _ in range(50)]
    assert made == [second.next() for _ in range(50)]
    assert made != [third.next() for _ in range(50)]
    assert list(split(corpus[2])) == [b"two", b"three"]


def test_the_input_of_a_fault_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.run.FOLDER", tmp_path)
    monkeypatch.setattr("fuzz.run.CRASHES", tmp_path / "crashes")
    monkeypatch.setattr("fuzz.run.CORPUS", tmp_path / "corpus")
    (tmp_path / "corpus" / "pipes").mkdir(parents=True)
    monkeypatch.setattr(Job, "_program", lambda _self: [sys.executable, "-c", CRASH])
    words = Job("pipes", 0, "1", tmp_path).run()
    (kept,) = (tmp_path / "crashes").iterdir()
    assert words is not None
    assert "no luck" in words
    assert str(kept) in words
    assert kept.read_bytes() == b"last"


CRASH = """
import sys, pathlib
pathlib.Path(sys.argv[4]).write_bytes((4).to_bytes(8, sys.byteorder) + b"last and more")
sys.exit("no luck")
"""
