# SPDX-License-Identifier: GPL-2.0-only
"""Real servers under faults: the faults happen, and wrong answers to clients are found."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from host_rights import needs_rights

import defiance_zoo
from defiance_zoo import errors

ROOT = Path(__file__).resolve().parents[2]
ETCD = ROOT / "examples" / "real_programs" / "etcd_nemesis.py"
PAGE = ROOT / "docs" / "protocols" / "real-servers.md"
REGISTERS = Path(__file__).with_name("programs") / "registers.py"
LONG = pytest.mark.long
pytestmark = pytest.mark.timeout(120)


class Game:
    """An episode of a nemesis that names its actions.

    Attributes:
        info: The info of the last step.
        reward: The sum of rewards.
    """

    def __init__(self, env: Any) -> None:
        self._env, self.reward = env, 0.0
        self.info: dict[str, Any] = env.reset(seed=1)[1]
        self.actions: list[str] = json.loads(self.info["actions"])

    def act(self, name: str) -> dict[str, Any]:
        """Play a step."""
        number = self.actions.index(name)
        assert self.info["action_mask"][number], f"{name} is not allowed"
        *_, reward, terminated, truncated, self.info = self._env.step(number)
        self.reward += reward
        self.ended = terminated or truncated
        return self.info

    def wait(self, condition: Callable[[dict[str, Any]], bool], steps: int = 40) -> None:
        """Play steps without new faults until the info fulfils a condition."""
        for _ in range(steps):
            if condition(self.info):
                return
            self.act("nothing")
        pytest.fail(f"not after {steps} steps: {self.info}")

    def events(self, steps: int) -> list[dict[str, Any]]:
        """Return the clients' events in some steps without new faults."""
        return [each for _ in range(steps) for each in json.loads(self.act("nothing")["history"])]

    def answered_operations(self, steps: int) -> set[str]:
        """Return the operations that are invoked and answered in some steps."""
        events = self.events(steps)
        kinds = {e["request"]: e["operation"] for e in events if e["event"] == "invoked"}
        answered = {e["request"] for e in events if e["event"] == "responded"}
        return {kinds[number] for number in kinds.keys() & answered}

    def members_that_answer(self, steps: int) -> set[int]:
        """Return the members that answer in some steps without new faults."""
        return {e["replica"] for e in self.events(steps) if e["event"] == "responded"}

    def count(self, name: str, steps: int) -> int:
        """Return by how much an info grows in some steps without new faults."""
        before = self.info[name]
        for _ in range(steps):
            self.act("nothing")
        return int(self.info[name]) - int(before)


@contextmanager
def game(program: Path = REGISTERS, **parameters: Any) -> Iterator[Game]:
    """Play an episode; lags of a busy machine do not matter."""
    given = {"max_lag": "100s", "step": "250ms", "rate": 10.0, "client_timeout": "500ms"}
    env: Any = defiance_zoo.make(str(program), api="gymnasium", **{**given, **parameters})
    try:
        yield Game(env)
    finally:
        env.close()


def is_violated(info: dict[str, Any]) -> bool:
    return bool(info["violations"])


@needs_rights
@pytest.mark.parametrize("program", ["example", "page"])
def test_serializable_reads_of_an_isolated_etcd_server_are_stale(
    program: str, tmp_path: Path
) -> None:
    blocks = re.findall(r"^```python\n# (\S+)\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    for name, text in blocks:
        (tmp_path / name).write_text(text)
    reads = {"reads": "serializable"}
    made = game(ETCD, **reads) if program == "example" else game(tmp_path / "my_etcd.py")
    with made as played:
        played.act("partition 1")
        played.wait(is_violated, 60)
        # Many unanswered requests can exceed the states of the explanation, which then has no name.
        found = r"linearizability: (stale read|not linearizable): key 'k"
        assert re.match(found, played.info["violations"])
        assert "double execution" not in played.info["violations"]
        assert (played.reward, played.ended) == (1.0, True)


@needs_rights
def test_default_reads_of_an_isolated_etcd_server_are_not_stale() -> None:
    with game(ETCD) as played:
        played.act("partition 1")
        assert played.count("answered", 10) > 10
        played.act("heal")
        played.wait(lambda _: 1 in played.members_that_answer(1))
        assert (played.reward, played.info["violations"]) == (0.0, "")


@needs_rights
def test_faults_happen_and_end() -> None:
    with game(clients=3, max_faults=2) as played:
        assert played.count("answered", 4) > 10
        played.act("kill 1")
        assert json.loads(played.info["members"]) == ["killed", "running", "running"]
        assert played.count("failed", 4) > 3  # connections to member 1 are refused
        played.act("pause 2")
        assert not any(
            mask for mask, name in zip(played.info["action_mask"], played.actions, strict=True)
            if name.split()[0] in ("pause", "partition", "delay", "lose", "fill")
        )  # fmt: skip
        played.act("nothing")
        assert played.count("answered", 4) == 0  # one of three is no majority
        assert json.loads(played.info["members"]) == ["killed", "paused", "running"]
        played.act("continue 2")
        played.act("start 1")
        played.wait(lambda info: info["action_mask"][played.actions.index("pause 1")] == 1)
        played.act("nothing")
        assert played.count("answered", 4) > 10
        assert played.info["violations"] == ""


@needs_rights
@pytest.mark.parametrize(
    "fault", ["partition 3", *(pytest.param(f"{each} 3", marks=LONG) for each in ("delay", "lose"))]
)
def test_faults_of_links_isolate_a_member_until_they_are_healed(fault: str) -> None:
    with game(clients=3, slow_delay="2s", loss=1.0) as played:
        played.act(fault)
        played.events(4)  # answers that were on their way, and a timeout
        assert played.members_that_answer(3) == {1, 2}
        played.act("heal")
        played.wait(lambda _: 3 in played.members_that_answer(1))


@needs_rights
def test_a_full_disk_fails_writes_until_it_is_freed() -> None:
    with game(clients=3, max_faults=3, disk_mib=1, rate=40.0) as played:
        for member in (1, 2, 3):
            played.act(f"fill {member}")
        played.wait(lambda info: info["unknown"] > 50)  # the last page of a file has space
        assert "read" in played.answered_operations(2)
        assert "write" not in played.answered_operations(2)
        for member in (1, 2, 3):
            played.act(f"free {member}")
        played.wait(lambda _: "write" in played.answered_operations(1))
        assert played.info["violations"] == ""


@needs_rights
def test_a_planted_bug_is_found() -> None:
    with game(bug="small_quorum") as played:
        played.act("partition 1")
        played.wait(is_violated, 60)
        assert played.info["violations"].startswith("linearizability: ")


@needs_rights
@pytest.mark.parametrize("api", ["aec", "parallel"])
def test_interfaces_play_episodes_of_a_nemesis(api: str) -> None:
    env: Any = defiance_zoo.make(
        str(REGISTERS), api=api, duration="3s", step="250ms", max_lag="20s", max_cycles=4
    )
    env.reset(seed=3)
    steps = 0
    while env.agents:
        steps += 1
        if api == "parallel":
            infos = env.step({"agent_0": 0})[-1]
        else:
            env.step(0 if env.agents and not any(env.truncations.values()) else None)
            infos = env.infos
        assert all(json.loads(info["history"]) is not None for info in infos.values())
    env.close()
    assert steps >= 4


@needs_rights
def test_snapshots_of_real_servers_are_refused() -> None:
    env: Any = defiance_zoo.make(str(REGISTERS), api="gymnasium", max_lag="20s")
    env.reset(seed=1)
    with pytest.raises(errors.SnapshotRefused):
        env.unwrapped.snapshot()
    env.close()


def run(*words: object) -> tuple[int, str]:
    """Run `defiance-zoo`; return its status and its output."""
    command = [sys.executable, "-m", "defiance_zoo", *map(str, words)]
    done = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return done.returncode, done.stdout


@needs_rights
@pytest.mark.long
def test_record_drops_episodes_that_lag_and_counts_them(tmp_path: Path) -> None:
    words = ("--env", REGISTERS, "--episodes", 2, "-p", "duration=3s", "-p", "max_lag=1ms")
    status, printed = run("partition", "record", tmp_path / "found", *words, "--keep", "violations")
    assert (status, printed.strip().splitlines()[-1]) == (
        0, "0 played, 0 written, 2 dropped: behind real time",
    )  # fmt: skip


@needs_rights
@pytest.mark.long
def test_recordings_in_real_time_are_not_played_again(tmp_path: Path) -> None:
    words = ("--env", REGISTERS, "-p", "duration=3s", "-p", "max_lag=20s")
    assert run("partition", "record", tmp_path, *words)[0] == 0
    (folder,) = tmp_path.iterdir()
    status, printed = run("replay", folder, "--env", REGISTERS)
    assert status != 0
    assert "was recorded in real time: registers cannot repeat it" in printed


@needs_rights
@pytest.mark.parametrize(
    ("command", "parameters", "said"),
    [
        ("sh -c 'echo no luck; exit 3'", {}, r"(?s)no client has been.*member_1.*no luck"),
        ("sleep 100", {"setup": "1s"}, r"(?s)no client has been.*member_1.*refused"),
        ("nonesuch {data}", {}, "no such program"),
    ],
)
def test_a_cluster_that_does_not_begin_is_reported(
    command: str, parameters: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGISTERS_COMMAND", command)
    with pytest.raises(errors.ScenarioError, match=said), game(**parameters):
        pass


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"faults": "kill,pauses"}, "'pauses' is not one of.*did you mean 'pause'"),
        ({"client": "nonesuch.py:execute"}, "there is no file .*nonesuch.py"),
        ({"client": str(ETCD.with_name("etcd_client.py")) + ":linear"}, "defines no 'linear'"),
        ({"members": 10}, "members"),
    ],
)
def test_impossible_parameters_are_refused(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.ParameterError, match=said), game(**parameters):
        pass


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("realtime=True", "realtime=False", "real servers need real time"),
        ('"{client}"', '"{clients_file}"', "client has the unknown placeholder {clients_file}"),
        ("SERVER)", "SERVER + '{adr}')", "command has the unknown placeholder {adr}"),
        ("SERVER)", "SERVER + ' {')", "write {{ for a brace"),
        ('"write")', '"append")', "operations=.*'append'"),
    ],
)
def test_impossible_scenarios_are_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    text, file = REGISTERS.read_text(), tmp_path / "changed.py"
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(errors.DefianceZooError, match=said), game(file):
        pass
