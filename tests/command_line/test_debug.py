# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo debug`: the user starts the simulation."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_calls import call, start

from defiance_zoo.command_line.commands.debug import TOOLS

ROOT = Path(__file__).resolve().parents[2]


def commands(printed: str) -> dict[str, str]:
    """Return the commands to run, by tool."""
    lines = printed.splitlines()
    headings = range(0, 2 * len(TOOLS), 2)
    return {lines[at].split(":")[0].split(" ")[0]: lines[at + 1].strip() for at in headings}


def run_in_shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command like a user in another terminal."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DEFIANCE")}
    return subprocess.run(
        command, shell=True, env=environment, capture_output=True, text=True, timeout=60
    )


def test_an_episode_is_played_with_a_simulation_started_by_hand() -> None:
    with start("debug", "cart_pole_v0", "--seed", 4, "-p", "transport=udp") as process:
        assert process.stdout is not None
        printed = ""
        while "Waiting" not in printed:
            printed += process.stdout.readline()
        found = commands(printed)
        assert shlex.split(found["gdb"])[-4:-2] == ["gdb", "--args"]
        assert shlex.split(found["gdb"])[-1] == "--transport=udp"
        assert run_in_shell(found["plain"]).returncode == 0
        said = process.stdout.read()
    assert process.returncode == 0
    # The episode equals the one of the same seed in any other process.
    _, row, _ = call("random", "cart_pole_v0", "--seed", 4, "--episodes", 1, "-p", "transport=udp")
    decisions = row.splitlines()[1].split()[2]
    assert f"{decisions} decisions" in said


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_gdb_runs_the_simulation() -> None:
    with start("debug", "cart_pole_v0", "-p", "duration=100ms") as process:
        assert process.stdout is not None
        printed = ""
        while "Waiting" not in printed:
            printed += process.stdout.readline()
        command = commands(printed)["gdb"].replace("gdb --args", "gdb -batch -ex run --args")
        assert "exited normally" in run_in_shell(command).stdout
    assert process.returncode == 0


def test_ctrl_c_while_waiting_ends_the_command() -> None:
    with start("debug", "cart_pole_v0", stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        while "Waiting" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
    assert process.returncode == 130


def test_without_python_the_scenarios_own_policy_decides() -> None:
    status, printed, _ = call("debug", "cart_pole_v0", "--no-attach", "-p", "duration=100ms")
    assert status == 0
    assert run_in_shell(commands(printed)["plain"]).returncode == 0


@pytest.mark.parametrize("flag", ["--attach", "--no-attach"])
def test_parameters_are_checked_before_the_command_waits(flag: str) -> None:
    status, printed, errors = call("debug", "cart_pole_v0", flag, "-p", "transprt=udp")
    assert (status, printed) == (2, "")
    assert "did you mean 'transport'" in errors


def test_breakpoints_of_a_python_scenario_open_the_debugger_in_this_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)  # Ray sets it in its process
    text = (ROOT / "examples" / "queue_rate.py").read_text()
    line = 'now, peak = queue["now"], queue["peak"]'
    assert line in text
    own = tmp_path / "own.py"
    own.write_text(text.replace(line, f"print('here'); breakpoint(); {line}"))
    done = subprocess.run(
        [sys.executable, "-m", "defiance_zoo", "debug", str(own), "-p", "duration=100ms"],
        input="p sc.now()\np 1 / 0\nq\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "here" in done.stdout
    assert "(Pdb) Time('20ms')" in done.stdout
    assert "ZeroDivisionError" in done.stdout
    assert "At 0.02 s of simulated time:\nTraceback" in done.stderr
    status, _, errors = call("random", own, "-p", "duration=100ms")
    assert status == 1
    assert "breakpoint() needs a terminal: run 'defiance-zoo debug FILE.py'" in errors
