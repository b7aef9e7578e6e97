# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes in asynchronous replicas: each is refused with its line, a violation, or a warning."""

from __future__ import annotations

import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command_calls import call, call_for_json
from partition_support import draw, follow, keep

from defiance_zoo.environments import lookup
from defiance_zoo.errors import NobodyAnswered, ScenarioError, UnseenException
from defiance_zoo.protocols import checking
from defiance_zoo.protocols.checking import check_protocol
from defiance_zoo.recording import read_recording

NODES = """import asyncio
import defiance_zoo.scenario.replicas as rp


class Node(rp.AsyncReplica):
    seen = 0

    async def main(self):
        self.server = await asyncio.start_server(self.serve, port=80)

    async def serve(self, reader, writer):
        writer.write(await reader.read(10))

    async def request(self, request):
        self.answer(request, 1)

    def state(self):
        return rp.State([self.seen])


class Nodes(rp.Protocol):
    fields, replica, answers_clients = (rp.number("seen"),), Node, True

    def takers(self, states):
        return [state.id for state in states if state.active]

    def check(self, group):
        if any(state.seen > 1 for state in group.states):
            yield "separate", "replicas share a counter"


sim = rp.Simulation(Nodes)
if __name__ == "__main__":
    sim.main()
"""
COUNTS = """
seen = []


def count():
    seen.append(1)
    return len(seen)
"""
USE = "        self.seen = "
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes the program with a change, beside the modules of `COUNTS`."""

    def write_changed(before: str = "", after: str = "", head: str = "") -> Path:
        assert before in NODES
        path = tmp_path / "nodes.py"
        path.write_text(head + NODES.replace(before, after, 1))
        (tmp_path / "counts.py").write_text(COUNTS)
        (tmp_path / "parts").mkdir(exist_ok=True)
        (tmp_path / "parts" / "__init__.py").write_text("")
        (tmp_path / "parts" / "counts.py").write_text(COUNTS)
        return path

    return write_changed


def play(path: Path, choose: Any = keep, **arguments: Any) -> list[dict[str, Any]]:
    """Play an episode, and return its infos."""
    with closing(lookup(str(path)).raw_env(link="local", **arguments)) as env:
        return [info for info, _ in follow(env, choose)]


@pytest.mark.parametrize(
    ("before", "after", "words", "line"),
    [
        ("async def main", "async def mains",
         r"Node has no main\(\): define async main\(self\); did you mean 'mains'", 5),
        ("def request(self", "def requests(self", "requests is used nowhere: did you mean req", 14),
        ("def request(self", "def request_(self", "request_ is used nowhere: did you mean req", 14),
        ("seen = 0", "crash_on_error = True", "did you mean crash_on_errors", 5),
        ("request(self, request)", "request(self)", r"write async def request\(self, r", 14),
        ("    def state", "    async def submit(self, request):\n        pass\n\n    def state",
         r"submit\(\) is async, and a test would not await it", 17),
        ("rp.State([self.seen])", "None", r"state\(\) returns None, not a State", 17),
        ("rp.State([self.seen])", "[0]", r"state\(\) returns \[0\], not a State", 17),
        ("[self.seen]", "[0, 0]", "there are 2 values for the 1 fields seen", 17),
    ],
)  # fmt: skip
def test_mistakes_are_refused_with_their_line(
    before: str, after: str, words: str, line: int, write: Write
) -> None:
    with pytest.raises(ScenarioError, match=words) as raised:
        play(write(before, after))
    assert f'nodes.py", line {line}' in str(raised.value)


SHARED = {
    "a module of the top": ("import counts\n", f"{USE}counts.count()\n", 10),
    "a module of the top, imported again": (
        "import counts\n", f"        import counts\n{USE}counts.count()\n", 11),
    "a library of the top": (
        'import defiance_zoo.scenario.replicas as rp\ncounts = rp.patched("counts")\n',
        f"{USE}counts.count()\n", 11),
    "a function of a library": (
        'import defiance_zoo.scenario.replicas as rp\nrp.patched("counts")\n'
        "from counts import count\n", f"{USE}count()\n", 12),
    "a module of main": ("", f"        import counts\n{USE}counts.count()\n", 10),
}  # fmt: skip


@pytest.mark.parametrize("case", SHARED)
def test_a_module_with_state_that_replicas_share_is_refused(case: str, write: Write) -> None:
    head, use, line = SHARED[case]
    words = r'its seen: write rp.patched\("counts"\) at the top .*import counts in main'
    with pytest.raises(ScenarioError, match=f"counts, which all replicas share, with {words}") as e:
        play(write("        self.server", f"{use}        self.server", head))
    assert f'nodes.py", line {line}, in main' in str(e.value)


@pytest.mark.parametrize("module", ["counts", "parts.counts"])
def test_each_process_has_separate_modules_of_a_patched_library(module: str, write: Write) -> None:
    """Also of those that only `main()` imports, when it imports them again."""
    head = f"import defiance_zoo.scenario.replicas as rp\nrp.patched('{module[:6].strip('.')}')\n"
    use = f"        from {module} import count, seen\n        self.mine = seen\n{USE}count()\n"
    path = write("        self.server", f"{use}        self.server", head)
    again = f"        from {module} import seen\n{USE}1 + (seen is not self.mine)\n"
    path.write_text(path.read_text().replace("        self.answer", f"{again}        self.answer"))
    infos = play(path, draw(1), crash_limit=9, histories=True, stop_on_violation=False)
    said = "".join(info["violations"] + info["history"] + info["replicas"] for info in infos)
    assert "responded" in said
    assert '"seen":1' in said
    assert "separate" not in said
    assert "crash" not in said


def test_modules_without_state_may_be_shared(write: Write, tmp_path: Path) -> None:
    text = "from typing import NamedTuple\nimport enum, logging\nlog = logging.getLogger('x')\n"
    text += "class Pair(NamedTuple):\n    a: int = 1\nclass Color(enum.Enum):\n    RED = 1\n"
    text += "def make():\n    return Pair().a + Color.RED.value - 1\n"
    (tmp_path / "plain.py").write_text(text)
    path = write("        self.server", f"{USE}plain.make()\n        self.server", "import plain\n")
    assert play(path)[-1]["violations"] == ""


def test_an_exception_of_a_request_is_a_crash(write: Write) -> None:
    found = [i["violations"] for i in play(write("self.answer(request, 1)", "1 / 0"), draw(1))]
    assert "ZeroDivisionError: division by zero (nodes.py:15 in request: 1 / 0)" in "".join(found)
    assert not any(i["violations"] for i in play(
        write("self.answer(request, 1)", "asyncio.current_task().cancel()"), draw(1)))  # fmt: skip


def test_an_exception_that_no_code_sees_causes_a_warning_with_its_line(write: Write) -> None:
    """At once, also if the program holds the task, so that asyncio does not even log it."""
    path = write("        self.server", "        self.task = asyncio.ensure_future(self.fail())\n"
                 "        self.server")  # fmt: skip
    path.write_text(
        path.read_text().replace(
            "    async def serve", "    async def fail(self):\n        1 / 0\n\n    async def serve"
        )
    )
    with pytest.warns(UnseenException, match=r"ZeroDivisionError.*nodes.py:13 in fail: 1 / 0"):
        play(path)


def test_an_awaited_exception_causes_no_warning(write: Write) -> None:
    use = "        await asyncio.gather(asyncio.sleep(0, 1), self.no(), return_exceptions=True)\n"
    path = write("        self.server", f"{use}        self.server")
    path.write_text(
        path.read_text().replace(
            "    async def serve", "    async def no(self):\n        1 / 0\n\n    async def serve"
        )
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnseenException)
        play(path)


def test_a_program_ends_while_replicas_have_open_sockets(write: Write) -> None:
    """Python destroys sockets after the simulation, and some write a last message then."""
    use = "        if self.id == 1:\n            await asyncio.sleep(0.05)\n"
    use += "            self.open = await asyncio.open_connection('replica2', 80)\n"
    path = write("self.serve, port=80)\n", f"self.serve, port=80)\n{use}")
    ended = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout[-10:]) == (0, "truncated\n"), ended.stderr


def test_libraries_in_c_can_be_imported_after_the_functions_are_replaced(write: Write) -> None:
    """As by pytest, which imports the file of a replica if its name ends in `_test.py`."""
    code = (
        "import nodes, datetime, gc, pandas; gc.collect(); print(datetime.datetime.now.__module__)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=write().parent, capture_output=True,
                           text=True)  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "defiance_zoo.scenario.replicas.virtual_functions\n"


LAST_WORDS = """import defiance_zoo.scenario.replicas as rp


class Node(rp.Replica):
    def recover(self, disk): pass
    def tick(self, now): pass
    def submit(self, request): return False
    def message(self, sender, data): pass
    def state(self): return rp.State([0])

    def __del__(self):
        self.send(self.id % self.size + 1, b"x")
        self.note("gone")
        self.answer(1, 1)


class Nodes(rp.Protocol):
    fields, replica = [rp.number("zero")], Node
    def takers(self, states): return []
    def check(self, group): return [("effects", "gone")] * len(group.events)


sim = rp.Simulation(Nodes)
sim.main()
"""


def test_a_process_that_does_not_run_has_no_effects(tmp_path: Path) -> None:
    """Python destroys its object after a crash, when it was only shown, and at the exit."""
    path = tmp_path / "last_words.py"
    path.write_text(LAST_WORDS)
    ended = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout[-10:]) == (0, "truncated\n"), ended.stderr


SILENT = ("self.answer(request, 1)", "pass")


def test_clients_without_an_answer_are_reported(write: Write, tmp_path: Path) -> None:
    record = ("partition", "record", tmp_path / "found", "--env", write(), "-p", "histories=true")
    told = call_for_json(*record)
    assert told["requests"] >= told["answers"] >= told["answered_writes"] > 0
    path = write(*SILENT)
    status, printed, errors = call(*record)
    assert (status, "Warning: nodes has answered no write of a client" in errors) == (0, True)
    assert printed.endswith(f"{told['requests']} requests, 0 answers (0 to writes)\n")
    assert call_for_json(*record[:-2])["requests"] is None
    with pytest.warns(NobodyAnswered, match="nodes has answered no write"):
        check_protocol(path, seeds=2, histories=True, folder=tmp_path)
    described = tmp_path / "silent.yaml"
    described.write_text(
        f"systems: {{Nodes: {{env: {path}, parameters: {{histories: true}}}}}}\n"
        "policies: {Random: {explorer: random}}\nseeds: 1\nsteps: 60\n"
    )
    status, _, errors = call("partition", "compare", described, "--out", tmp_path / "compared",
                             "--workers", 1)  # fmt: skip
    assert (status, "Warning: Nodes has answered no write of a client" in errors) == (0, True)
    assert ",requests,answers,answered_writes," in (tmp_path / "compared/cells.csv").read_text()


def test_replay_shows_the_output_of_replicas(write: Write, tmp_path: Path) -> None:
    path = write("        self.server", "        print('hello of', self.id)\n        self.server")
    told = call_for_json("partition", "record", tmp_path / "found", "--env", path)
    status, _, errors = call("replay", told["episodes"][0]["file"], "--env", path)
    assert (status, "hello of 3\n" in errors) == (0, True)


def test_a_crash_before_the_first_decision_is_no_idle_episode(write: Write, tmp_path: Path) -> None:
    path = write("        self.server", "        raise ValueError('odd')\n        self.server")
    status, printed, errors = call("partition", "record", tmp_path / "found", "--env", path)
    assert (status, "ValueError: odd" in printed, errors) == (0, True, "")


def test_an_interrupted_record_counts_the_written_episodes(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(path: Path) -> Any:
        if path.name.endswith("2"):
            signal.raise_signal(signal.SIGTERM)
        return read_recording(path)

    monkeypatch.setattr(checking, "read_recording", interrupt)
    status, _, errors = call("partition", "record", tmp_path, "--env", write(), "--episodes", 9)
    assert status == 128 + signal.SIGTERM
    assert errors == f"interrupted: 2 episodes written to {tmp_path}\n"


def test_an_explorer_is_refused_as_a_policy(write: Write, tmp_path: Path) -> None:
    record = ("partition", "record", tmp_path, "--env", write(), "--policy", "nemesis")
    assert call(*record)[::2] == (
        2, "Error: nemesis is an explorer of `partition compare`, and no policy\n")  # fmt: skip
