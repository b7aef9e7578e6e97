# SPDX-License-Identifier: GPL-2.0-only
"""`check_protocol()`, which tests protocols in pytest."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
from command_calls import call
from conftest import ROOT

from defiance_zoo.errors import DefianceZooError, ProgramChanged
from defiance_zoo.protocols.checking import check_protocol

EXAMPLES = ROOT / "examples" / "protocols"


def test_a_violation_fails_with_its_seed_and_an_episode_that_repeats_it(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="with seed 3, step 10: commit_durability: ") as raised:
        check_protocol("partition_v0", bug="R7", first_seed=3, folder=tmp_path / "my found")
    command = shlex.split(str(raised.value).splitlines()[1])
    assert command[:2] == ["defiance-zoo", "replay"]
    status, printed, _ = call(*command[1:])
    assert (status, "the same in all 10 steps" in printed) == (0, True)


def test_a_correct_protocol_passes_and_leaves_nothing(tmp_path: Path) -> None:
    check_protocol(EXAMPLES / "raft.py", seeds=5, folder=tmp_path, num_replicas=5)
    assert not list(tmp_path.glob("*"))


def test_a_protocol_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    """The verdict would be that of several programs. This one changes itself in each episode."""
    file = tmp_path / "raft.py"
    text = (EXAMPLES / "raft.py").read_text()
    change = "    with open(__file__, 'a') as file:\n            file.write('# played\\n')\n"
    begin = "    def __init__(self):\n"
    before, protocol = text.split("class Raft(rp.Protocol):")
    assert begin in protocol
    file.write_text(
        f"{before}class Raft(rp.Protocol):{protocol.replace(begin, f'{begin}    {change}', 1)}"
    )
    with pytest.raises(ProgramChanged, match=r"raft.py, or a module or file .* has changed"):
        check_protocol(file, seeds=3, folder=tmp_path / "found")


@pytest.mark.parametrize(
    ("env", "arguments", "message"),
    [
        ("cart_pole_v0", {}, "cart_pole_v0 checks no guarantees"),
        ("partition_v0", {"seeds": 0}, "seeds=0 is not a positive integer"),
        ("partition_v0", {"policy": "randm"}, "did you mean 'random'. There are "),
        ("partition_v0", {"seeds": 1.5}, r"seeds=1\.5 is not a positive integer"),
        ("partition_v0", {"first_seed": None}, "first_seed=None is not an integer"),
        ("partition_v0", {"policy": None}, "policy=None is of type NoneType: give str"),
        ("partition_v0", {"options": "x"}, "options='x' is of type str: give a dict"),
        ("partition_v0", {"options": {1: 2}}, "random: no option 1"),
        ("partition_v0", {"bugs": "R7"}, "did you mean 'bug'"),
    ],
)
def test_a_check_that_cannot_fail_is_refused(
    env: str, arguments: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(DefianceZooError, match=message):
        check_protocol(env, folder=tmp_path, **arguments)
    assert not list(tmp_path.glob("*"))
