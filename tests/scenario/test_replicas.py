# SPDX-License-Identifier: GPL-2.0-only
"""Protocols in Python: refusals before anything starts, crashes, disks, and inputs of checks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from partition_support import follow, keep
from test_line_counts import EXAMPLES, count_lines

from defiance_zoo.environments import lookup
from defiance_zoo.envs.partition.actions import Actions
from defiance_zoo.envs.partition.states import read_replicas
from defiance_zoo.errors import ParameterError, ScenarioError

COUNTER = """import defiance_zoo.scenario.replicas as rp


class Counter(rp.Replica):
    def __init__(self):
        self.count = 0

    def recover(self, disk):
        self.count = disk.setdefault("count", 0)

    def tick(self, now):
        self.count += 1
        self.send(self.id % self.size + 1, b"hello")

    def submit(self, request):
        self.disk["count"] = self.count
        return True

    def message(self, sender, data):
        self.note("got", self.count, sender)

    def state(self):
        return rp.State([self.count or self.disk.get("count", 0)], [], {"by": self.count})


class Counting(rp.Protocol):
    fields = [rp.number("count")]
    painter = "count:6"
    replica = Counter

    def takers(self, states):
        return [state.id for state in states if state.active]

    def check(self, group):
        for state in group.states:
            if state.count > 1000:
                yield "bounded", f"{state.id} counts too far"


sim = rp.Simulation(Counting)
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Return a function that writes a changed counter and makes its environment."""

    def write_changed(before: str = "", after: str = "", **arguments: Any) -> Any:
        assert COUNTER.count(before) >= 1
        path = tmp_path / "counting.py"
        path.write_text(COUNTER.replace(before, after, 1) if before else COUNTER)
        return lookup(str(path)).raw_env(link="local", **arguments)

    return write_changed


def play(env: Any, choose: Any = keep) -> list[dict[str, Any]]:
    """Play an episode, and return its infos."""
    infos = [info for info, _ in follow(env, choose)]
    env.close()
    return infos


def test_a_replica_counts_ticks(write: Any) -> None:
    last = play(write(horizon=4, ticks_between_partition=3))[-1]
    assert [state.count for state in read_replicas(last)] == [12, 12, 12]
    assert last["delivered"] == 9  # of 3 ticks, each with the messages of the tick before


@pytest.mark.parametrize(
    ("before", "after", "words", "line"),
    [
        ("    def message(self, sender, data):", "    def mesage(self, sender, data):",
         r"Counter has no message\(\): define message\(self, sender, data\); did you mean 'mesage'",
         4),
        ("    def message(", "    async def message(",
         r"message\(\) is async, and a test would not await it: write def message", 19),
        *(
            ("        self.count += 1\n", f"        self.count += 1\n        self.{name} = {{}}\n",
             f"self.{name} belongs to the replica .* in self.disk, by name", 13)
            for name in ("disk", "id", "others", "p", "random", "send", "state", "_port")
        ),
        *(
            ("        self.count += 1\n",
             f"        self.count += 1\n        self.disk.{name} = self.count\n",
             rf"self.disk.{name} cannot be set.* in self.disk\['{name}'\]", 13)
            for name in ("count", "clock")
        ),
        ("def tick(self, now):", "def tick(self):", r"write def tick\(self, now\)", 11),
        ('"count:6"', '"cuont:6"', "painter has 'cuont', .*did you mean 'count'", 26),
        ('"count:6"', '"count:0"', "count takes a bound from 1 to 1000", 26),
        ('"count:6"', '"log"', "log takes a bound from 1 to 32", 26),
        ("[rp.number(", "[str(", r"fields has 'count': give number\(", 26),
        ('number("count")', 'number("log")', "fields has 'log' twice", 26),
        ("replica = Counter", "replica = 5", "Counting.replica is 5: name the class", 26),
        ("    def takers(", "    def akers(", r"Counting has no takers\(\): define", 26),
        ("    def takers(", "    def heal(self, group):\n        return ()\n\n    def takers(",
         r"Counting.heal is used nowhere: did you mean healed\?", 31),
        ('    painter = "count:6"', '    paintr = "count:6"',
         r"Counting.paintr is used nowhere: did you mean painter\?", 26),
        ("    replica = Counter", "    replica = Counter\n    answer_clients = True",
         r"Counting.answer_clients is used nowhere: did you mean answers_clients\?", 26),
        ("class Counting(rp.Protocol):",
         "class Base(rp.Protocol):\n    bug = ['one']\n\n\nclass Counting(Base):",
         r"Base.bug is used nowhere: did you mean bugs\?", 26),
        ("    def takers(", "    def healing_ticks(self, group): return 0\n\n    def takers(",
         r"healing_ticks\(\) returns 0, not a positive int", 31),
        ("    def takers(", "    def progress(self, group): return 0.5\n\n    def takers(",
         r"progress\(\) returns 0.5, not an int of 64 bits", 31),
        ("    def takers(", "    def done(self, group): return None\n\n    def takers(",
         r"done\(\) returns None, not a bool", 31),
        ("    def takers(", "    def healed(self, group):\n        return ()\n\n    def takers(",
         r'Counting.healed\(\) is called .* Counting.fields lacks number\("commit"\)', 31),
        ("state.count > 1000", "state.coutn > 1000", "no field 'coutn'; did you mean 'count'", 36),
        ("rp.Simulation(Counting)", "rp.Simulation(Counter)", "Counter'> is not a subclass of", 40),
        ("[self.count or", "[0, self.count or", "there are 2 values for the 1 fields count", 22),
        ("[self.count or", "[str(self.count) or", "field count is '0', and no int", 22),
        ("[self.count or", "[-1 or", "field count is -1, not from 0", 22),
        ("], [], {", "], [5], {", r"entry 0 of the log is 5, not an Entry\(term, request\)", 22),
        ('{"by": self.count}', "self", "internals hold <counting.Counter", 22),
        ("return rp.State(", "return 5 or (", "state\\(\\) returns 5, not a State", 22),
        ('b"hello"', '"hello"', "takes bytes, not 'hello'", 13),
        ('b"hello"', 'b""', "takes 1 to 65507 bytes, not 0", 13),
        ("self.id % self.size + 1, ", "self.id, ", r"one of replicas \[2, 3\], not 1", 13),
        ("        return True\n", "", r"submit\(\) returns None: return True if", 15),
        ("return True", "return rp.operation(0)", "of a request, from 1 on, not 0", 17),
        ('self.note("got", self.count', "self.note(5, self.count", "takes a word first, not", 20),
        ('"got", self.count', '"got", 2**63', r"up to two ints of 64 bits, not 922\d+ and", 20),
        ("        return True\n", "        self.answer(request, 2**63)\n        return True\n",
         r"answer\(\) takes the number of a request, from 1 on, and an int of 64", 17),
        ("        return True\n", "        self.answer(0, 1)\n        return True\n",
         r"from 1 on, and an int of 64 bits, not \(0, 1\)", 17),
        ("1, b", "1.0, b", r"one of replicas \[2, 3\], not 2.0", 13),
        ("        self.count += 1\n", "        self.count += 1\n        yield\n",
         r"tick\(\) yields, and a test would run no line of it", 11),
        ('{"by": self.count}', "(lambda each: (each.append(each), each))([])",
         "maximum recursion depth .* internals of a state", 22),
        ("        for state in group", "        raise SystemExit\n        for state in group",
         "SystemExit", 35),
        ("return [state.id for", "return [str(state.id) for", r"takers\(\) returns '1', not", 31),
        ('> 1000:\n                yield "bounded", f"', '>= 0:\n                yield f"',
         r"check\(\) returns '1 counts .* not a pair", 34),
    ],
)  # fmt: skip
def test_mistakes_are_refused_before_anything_starts(
    before: str, after: str, words: str, line: int, write: Any
) -> None:
    with pytest.raises(ScenarioError, match=words) as raised:
        write(before, after)
    assert f'counting.py", line {line}' in str(raised.value)


def test_code_may_print_end_and_use_texts_without_utf8(write: Any) -> None:
    """Also while it is rehearsed: its output is apart from the description of the simulation."""
    env = write(
        "self.count += 1\n",
        "self.count += 1\n        print(self.count)\n        if self.id == 2: raise SystemExit\n",
    )
    assert "replica 2: SystemExit" in play(env)[1]["violations"]
    env = write('{"by": self.count}', r"'\udc80'", horizon=3, painter="count:3")
    assert play(env)[-1]["violations"] == ""
    env = write(
        '> 1000:\n                yield "bounded", f"',
        '> 3:\n                yield "bounded", f"\\udc80',
    )
    assert r"bounded: \udc801 counts too far" in str(play(env)[-1]["violations"])


def test_objects_in_cycles_end_at_equal_moments_in_copied_and_new_processes(tmp_path: Path) -> None:
    ends = "class Ends:\n    ended = 0\n\n    def __del__(self):\n        Ends.ended += 1\n\n\n"
    tick = "cycle = [Ends()]\n        cycle += [cycle, [[] for _ in range(70)]]\n"
    text = COUNTER.replace("class Counter(", f"{ends}class Counter(")
    file = tmp_path / "counting.py"
    file.write_text(text.replace("self.count += 1\n", f"{tick}        self.count = Ends.ended\n"))
    counts = []
    for launch in ("fork", "spawn"):
        env = lookup(str(file)).raw_env(link="local", launch=launch, ticks_between_partition=20)
        counts.append([state.count for info in play(env) for state in read_replicas(info)])
    assert counts[0] == counts[1]
    assert max(counts[0]) > 100


def test_threads_of_native_code_are_refused_before_anything_starts(write: Any) -> None:
    with pytest.raises(ScenarioError, match="starts a thread outside of Python"):
        write("count = 0\n", "count = __import__('faulthandler').dump_traceback_later(9999) or 0\n")


def test_misuse_ends_the_episode_even_if_the_tested_code_catches_it(write: Any) -> None:
    """The misuse is not a crash of a replica; it comes later than the rehearsal."""
    env = write(
        'self.send(self.id % self.size + 1, b"hello")',
        "try:\n"
        '            self.send(2 - self.id // 2, "text" if self.count > 9 else b"bytes")\n'
        "        except Exception:\n"
        "            pass",
    )
    with pytest.raises(ScenarioError, match="takes bytes, not 'text'") as raised:
        play(env)
    assert 'counting.py", line 14, in tick' in str(raised.value)
    env.close()


def test_an_exception_is_a_crash_with_its_traceback(write: Any) -> None:
    env = write("self.count += 1", "self.count = 9 // (5 - int(now * 100) // self.id)")
    infos = play(env)
    crashed = [each for info in infos for each in info["violations"].splitlines()]
    assert crashed == [
        "replica_crash: replica 1: ZeroDivisionError: integer division or modulo by zero "
        "(counting.py:12 in tick: self.count = 9 // (5 - int(now * 100) // self.id))"
    ]
    assert [state.active for state in read_replicas(infos[-1])] == [False, True, True]


@pytest.mark.parametrize("code", ["import sys; sys.exit(3)", "raise KeyboardInterrupt", "1 + ''"])
def test_any_exception_crashes_only_its_replica(code: str, write: Any) -> None:
    env = write("self.count += 1", f"self.count += 1\n        if self.count > 9: {code}")
    assert "replica_crash: replica 1: " in play(env)[-1]["violations"]


def test_an_exception_in_a_check_is_not_a_crash(write: Any) -> None:
    env = write("if state.count > 1000", "if 0 / (state.count - 9)")

    def fail(seed: int | None) -> None:
        env.reset(seed=seed)
        while True:
            env.step(0)

    for seed, said in ((7, "seed 7"), (None, "seed 7, 1 reset later")):
        with pytest.raises(ScenarioError, match="ZeroDivisionError") as raised:
            fail(seed)
        assert str(raised.value).endswith(f"\nThis happened in the episode with {said}.")
    env.close()


def test_only_the_disk_survives_a_crash(write: Any) -> None:
    env = write(painter="id", horizon=7, ticks_between_partition=1, max_inactive=1)
    kinds = iter(["keep", "keep", "request", "keep", "stop", "keep", "start"])

    def choose(info: dict[str, Any]) -> int:
        kind = next(kinds)
        legal = np.flatnonzero(info["action_mask"])
        return next(int(each) for each in legal if Actions(3)[each].kind == kind)

    counts = [sorted(state.count for state in read_replicas(info)) for info in play(env, choose)]
    assert counts == [
        *[[0, 0, 0], [1, 1, 1], [2, 2, 2]],
        *[[3, 3, 3], [4, 4, 4]],  # each stored 2 when it received the request
        *[[2, 5, 5], [2, 6, 6], [3, 7, 7]],
    ]


def test_the_rehearsal_has_no_effect_on_episodes(write: Any) -> None:
    """State shared by all replicas begins an episode as written in the file."""
    env = write(
        "    def tick(self, now):\n        self.count += 1\n",
        """    seen = []

    def tick(self, now):
        self.seen.append(now)
        self.count = len(self.seen)
""",
        horizon=4,
        ticks_between_partition=3,
    )
    counts = [state.count for state in read_replicas(play(env)[-1])]
    assert max(counts) == 36  # three replicas, 12 ticks each


def test_healing_is_refused_without_commits(write: Any) -> None:
    env = write(healing="at_end")
    with pytest.raises(ParameterError, match="have no field `commit`"):
        env.reset(seed=1)
    env.close()


def test_a_message_is_described_by_the_protocol(write: Any) -> None:
    env = write(
        "    def takers(",
        "    def describe(self, data):\n        return data.decode().upper()\n\n    def takers(",
        message_events=True,
        horizon=2,
    )
    assert '"text":"HELLO"' in play(env)[-1]["message_events"]


def test_parameters_reach_replicas(write: Any) -> None:
    env = write(
        "sim = rp.Simulation(Counting)",
        'sim = rp.Simulation(Counting)\nsim.parameter("by", 1, range=(1, 9))',
    )
    with pytest.raises(ParameterError, match="by=10"):
        env.reset(options={"by": 10})
    env.close()
    env = write("self.count += 1", "self.count += getattr(self.p, 'horizon', 7)", horizon=1)
    assert read_replicas(play(env)[-1])[0].count == 21


def test_examples_have_few_lines() -> None:
    folder = EXAMPLES / "protocols"
    assert count_lines((folder / "primary_backup.py").read_text()) <= 60
    assert count_lines((folder / "raft.py").read_text()) <= 200


def test_a_users_method_may_be_named_like_an_optional_one(write: Any) -> None:
    takers = "    def takers(self, states):"
    own = f"    def heal(self):\n        return ()\n\n{takers}\n        self.heal()"
    play(write(takers, own, horizon=2))


def test_healing_needs_the_number_of_committed_entries(write: Any) -> None:
    env = write(healing="at_end")
    with pytest.raises(ParameterError, match=r"no field `commit`.*declare one, in C.* or leave"):
        env.reset(seed=1)
    env.close()


def test_a_protocol_can_be_played_by_hand(tmp_path: Path) -> None:
    """Random play takes actions that the mask allows."""
    file = tmp_path / "counting.py"
    file.write_text(COUNTER + "sim.main()\n")
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    assert "agent_0: 25 decisions" in done.stdout
