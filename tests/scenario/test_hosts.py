# SPDX-License-Identifier: GPL-2.0-only
"""Real programs experience the delay and rate of simulated links, and end with their episode."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import psutil
import pytest
from host_rights import needs_rights

import defiance_zoo
from defiance_zoo import errors

PAGE = Path(__file__).resolve().parents[2] / "docs" / "networks" / "real-programs.md"
PROGRAM = Path(__file__).with_name("programs") / "hosts.py"
SHARE = 1448 / 1502
"""Payload share of a frame: a full TCP segment with timestamps and the header of PPP."""
pytestmark = needs_rights


def play(api: str = "parallel", **parameters: Any) -> list[dict[str, Any]]:
    """Play an episode, and return the infos of its steps."""
    env = defiance_zoo.make(str(PROGRAM), api=api, **parameters)
    try:
        _, infos = env.reset(seed=1)
        all_infos = [infos["agent_0"]]
        while env.agents:
            _, _, _, _, infos = env.step(dict.fromkeys(env.agents, 1))
            all_infos.append(infos["agent_0"])
        return all_infos
    finally:
        env.close()


def play_on(env: Any) -> None:
    """Play the rest of an episode."""
    while env.agents:
        env.step({"agent_0": 1})


@pytest.mark.parametrize("delay", [0.01, 0.025])
def test_ping_takes_twice_the_delay_of_the_link(delay: float) -> None:
    infos = play(delay=f"{delay}s", command="ping -i 0.02 {server}", max_lag="1s")
    times = [float(each) / 1000 for each in re.findall(r"time=([\d.]+)", infos[-1]["output"])]
    assert len(times) > 50
    lag = infos[-1]["realtime/max_lag"]  # on a machine that also does other work
    assert 2 * delay <= median(times) <= 2 * delay + 0.001 + lag


@pytest.mark.long
def test_iperf3_gets_the_payload_share_of_the_rate() -> None:
    infos = play(
        service="iperf3 --server --one-off", duration="8s", max_lag="1s",
        command="sh -c 'sleep 0.5; iperf3 --json --time 5 --omit 1 --client {server}'",
    )  # fmt: skip
    received = json.loads(infos[-1]["output"])["end"]["sum_received"]["bits_per_second"]
    assert received == pytest.approx(10e6 * SHARE, rel=0.02)


@pytest.mark.parametrize("api", ["aec", "parallel", "gymnasium"])
def test_interfaces_report_the_lag(api: str) -> None:
    env: Any = defiance_zoo.make(
        str(PROGRAM), api=api, duration="500ms", command="sleep 100", max_lag="10s"
    )
    env.reset(seed=1)
    for _ in range(3):
        if api == "parallel":
            infos = env.step({"agent_0": 1})[-1]["agent_0"]
        elif api == "aec":
            env.step(1)
            infos = env.last()[-1]
        else:
            infos = env.step(1)[-1]
        assert 0 < infos["realtime/lag"] <= infos["realtime/max_lag"] < 10
    env.close()


def test_a_second_of_the_simulation_takes_a_second() -> None:
    env = defiance_zoo.make(str(PROGRAM), api="parallel", command="sleep 100", max_lag="10s")
    env.reset(seed=1)
    begin, infos = time.monotonic(), {}
    while env.agents:
        _, _, _, _, infos = env.step({"agent_0": 1})
    taken, lag = time.monotonic() - begin, infos["agent_0"]["realtime/max_lag"]
    env.close()
    assert 1.9 - lag <= taken <= 1.9 + lag + 0.2  # the first round is at 0.1 s


def test_slow_decisions_lose_real_time() -> None:
    env = defiance_zoo.make(str(PROGRAM), api="parallel", command="sleep 100", max_lag="200ms")
    env.reset(seed=1)
    time.sleep(0.5)  # the decision takes this long
    with pytest.raises(errors.RealTimeLost, match=r"behind real time.*max_lag, \+200ms"):
        env.step({"agent_0": 1})
    env.close()


def test_a_program_that_fails_ends_the_episode() -> None:
    command = "sh -c 'echo no luck; exit 3'"
    with pytest.raises(errors.ScenarioError, match=r"(?s)in host 'client' ended with status 3.*no"):
        play(command=command)
    last = play(command=command, check=False)[-1]
    assert (last["output"], last["status"]) == ("no luck\n", "3")


def test_a_program_killed_by_the_scenario_may_fail() -> None:
    assert play(command="sleep 100", kill_at=0.5)[-1]["status"] == "-9"


def test_a_disk_is_empty_has_its_size_and_ends_with_the_episode(tmp_path: Path) -> None:
    old = "server=server.address"
    program = changed(tmp_path, old, f"{old}, disk=server.disk(1 << 20)")
    folder = "ls -A {disk}; echo {disk}; head -c 2000000 /dev/zero > {disk}/file"
    command = f"sh -c '{folder}; stat -c %s {{disk}}/file; echo done'"
    printed = play_until(program, "done", command=command)["output"].splitlines()
    assert "No space left on device" in printed[1]
    assert printed[2:] == [str(1 << 20), "done"]
    assert not Path(printed[0]).exists()


def play_until(program: Path, words: str, **parameters: Any) -> dict[str, Any]:
    """Play until an output has the words; return the last infos."""
    env = defiance_zoo.make(
        str(program), api="parallel", duration="100s", max_lag="100s", **parameters
    )
    try:
        env.reset(seed=1)
        while env.agents:
            info: dict[str, Any] = env.step({"agent_0": 1})[-1]["agent_0"]
            if words in info["output"]:
                return info
        raise AssertionError(f"no output has {words!r}")
    finally:
        env.close()


def changed(folder: Path, old: str, new: str) -> Path:
    """Return a copy of the scenario in which a text is replaced."""
    text, file = PROGRAM.read_text(), folder / "changed.py"
    assert old in text
    file.write_text(text.replace(old, new))
    return file


@pytest.mark.parametrize(
    ("count", "seed"), [(3000, 1), pytest.param(100_000, 2, marks=pytest.mark.thorough)]
)
def test_malformed_frames_are_dropped_and_counted(count: int, seed: int, tmp_path: Path) -> None:
    """The simulation survives frames at which ns-3 would end the process."""
    file = changed(tmp_path, '{"output":', '{"dropped": client.dropped_frames, "output":')
    route = "    sc.route_globally()\n"
    sinks = "".join(
        f'    {node}.add("ns3::PacketSink", Local=("0.0.0.0", 9)).run(0)\n' for node in "ab"
    )
    file.write_text(file.read_text().replace(route, route + sinks))
    command = f"{sys.executable} {PROGRAM.with_name('send_frames.py')} {count} {seed}"
    dropped = play_until(file, "sent", command=command)["dropped"]
    assert 0.2 * count < dropped < 0.9 * count


def test_only_the_end_of_a_long_output_is_kept(tmp_path: Path) -> None:
    code = "import sys; [sys.stdout.write('x' * 2**20) for _ in range(64)]; print('the end')"
    (tmp_path / "write.py").write_text(code)
    output = play_until(PROGRAM, "the end", command=f"{sys.executable} {tmp_path / 'write.py'}")[
        "output"
    ]
    assert len(output) < 2**20 + 100
    assert output.startswith(f"[{63 * 2**20 + len('the end') + 1} bytes were dropped]\nxxx")


def test_a_signal_of_a_program_does_not_end_the_keeper() -> None:
    info = play_until(PROGRAM, "alive", command="sh -c 'kill -INT 1; sleep 0.5; echo alive'")
    assert info["output"] == "alive\n"


@pytest.mark.parametrize(
    ("limit", "code", "words"),
    [
        ("memory=2**29", "bytearray(2**30)", "MemoryError"),
        pytest.param("cpu_time=1", "while True: pass", "killed", marks=pytest.mark.long),
    ],
)
def test_limits_of_programs_hold(limit: str, code: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(code)
    file = changed(tmp_path, "check=p.check)", f"check=p.check, {limit})")
    command = f"sh -c '{sys.executable} {tmp_path / 'run.py'} || echo killed'"
    assert words in play_until(file, "killed", command=command)["output"]


def test_limits_that_do_not_hold_are_refused(tmp_path: Path) -> None:
    for limit, words in (("memory=0", "memory=0: a limit"), ("processes=9", "processes of root")):
        file = changed(tmp_path, "check=p.check)", f"check=p.check, {limit})")
        with pytest.raises(errors.ScenarioError, match=words):
            defiance_zoo.make(str(file), api="parallel", command="true").reset()


def test_an_unknown_program_is_refused_with_its_line() -> None:
    with pytest.raises(errors.ScenarioError, match=r"(?s)hosts.py.*cannot run 'nonesuch'"):
        play(command="nonesuch")


def test_simulations_in_real_time_cannot_be_copied() -> None:
    env = defiance_zoo.make(str(PROGRAM), api="parallel", command="sleep 100", max_lag="10s")
    env.reset(seed=1)
    with pytest.raises(errors.SnapshotRefused, match="RealtimeSimulatorImpl"):
        env.snapshot()
    with pytest.raises(errors.SnapshotRefused, match="RealtimeSimulatorImpl"):
        env.branch()
    env.step({"agent_0": 1})
    env.close()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (", realtime=True", "", r"sc.Simulation\(name, realtime=True\)"),
        ('"server")', '"client")', "two hosts 'client'"),
        ("internet=True", "internet=False", "has no Internet stack"),
        ("program.kill)", "program.kill)\n    program.kill()", "kill it in an event"),
    ],
    ids=["virtual time", "a name twice", "no Internet stack", "killed before the start"],
)
def test_mistakes_are_refused_with_their_line(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    text = PROGRAM.read_text()
    assert old in text
    scenario = tmp_path / "mistaken.py"
    scenario.write_text(text.replace(old, new))
    env = defiance_zoo.make(str(scenario), api="parallel", command="sleep 100", kill_at=1.0)
    with pytest.raises(errors.ScenarioError, match=rf"(?s)mistaken.py.*{message}"):
        env.reset()
    env.close()


def test_the_loss_of_the_keeper_process_ends_the_episode() -> None:
    env = defiance_zoo.make(str(PROGRAM), api="parallel", command="sleep 100", max_lag="10s")
    env.reset(seed=1)
    children = psutil.Process().children(recursive=True)
    (keeper,) = [each for each in children if "unshare" in each.cmdline()[0]]
    keeper.kill()
    with pytest.raises(errors.ScenarioError, match="the process that keeps the hosts has ended"):
        play_on(env)
    env.close()


def run_player(*before: str, code: str) -> subprocess.CompletedProcess[str]:
    """Run a program that plays the scenario in a further process."""
    text = f"import defiance_zoo\nfrom defiance_zoo import errors\nFILE = {str(PROGRAM)!r}\n{code}"
    return subprocess.run(
        [*before, sys.executable, "-c", text],
        check=False, capture_output=True, text=True, timeout=100,
    )  # fmt: skip


def without(*rights: str) -> tuple[str, ...]:
    """Return the beginning of a command without some capabilities."""
    listed = ",".join(f"-{each}" for each in rights)
    return ("setpriv", f"--inh-caps={listed}", f"--bounding-set={listed}")


@pytest.mark.parametrize("right", ["net_admin", "sys_admin"])
def test_a_missing_permission_is_refused_by_name(right: str) -> None:
    done = run_player(
        *without(right),
        code='env = defiance_zoo.make(FILE, api="parallel", command="sleep 100")\n'
        "try:\n    env.reset()\nexcept errors.HostsUnavailable as error:\n    print(error)",
    )
    assert f"lacks CAP_{right.upper()}: run the program as root, or in a user" in done.stdout


def test_hosts_work_in_a_user_namespace() -> None:
    done = run_player(
        *without("net_admin", "sys_admin"), "unshare", "--map-root-user", "--net",
        code='env = defiance_zoo.make(FILE, api="parallel", command="ping {server}", max_lag=9)\n'
        'env.reset()\nfor _ in range(9):\n    infos = env.step({"agent_0": 1})[-1]\n'
        'print(infos["agent_0"]["output"])\nenv.close()',
    )  # fmt: skip
    assert "bytes from" in done.stdout, done.stderr


def test_the_programs_of_the_page_run(tmp_path: Path) -> None:
    scenario, player = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    (tmp_path / "ping_delay.py").write_text(scenario)
    assert 'max_lag="50ms"' in player
    assert "range(10)" in player
    # On a busy machine, ping starts late, in up to four seconds.
    player = player.replace("50ms", "5s").replace("range(10)", "range(40)")
    done = subprocess.run(
        [sys.executable, "-c", player], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PAGE.parents[2])},
        check=False, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    printed = re.match(r"\[(0\.\d+)\] (0\.\d+)\n", done.stdout)
    assert printed, done.stdout + done.stderr
    latest, lag = map(float, printed.groups())
    assert 0.02 <= latest < 0.03 + 2 * lag  # both ways may be late


def test_many_programs_start_at_once(tmp_path: Path) -> None:
    """More orders than a socket queues, while the keeper reports the ends of earlier programs."""
    one = "    program = client.run("
    text = PROGRAM.read_text()
    assert one in text
    many = '    programs = [client.run("true") for _ in range(300)]\n'
    file = tmp_path / "many.py"
    file.write_text(
        text.replace(one, many + one).replace(
            '"status": "running" if status is None else str(status)',
            '"status": str({each.status for each in programs})',
        )
    )
    env = defiance_zoo.make(
        str(file), api="parallel", duration="60s", command="true", max_lag="60s"
    )
    env.reset(seed=1)
    statuses: set[str] = set()
    while env.agents and "{0}" not in statuses:  # until all have ended: a busy machine takes longer
        statuses.add(env.step({"agent_0": 1})[-1]["agent_0"]["status"])
    env.close()
    assert "{0}" in statuses, statuses
    assert statuses <= {"{None}", "{0}", "{0, None}", "{None, 0}"}


def count_processes(word: str) -> int:
    """Return the number of processes whose command contains a word; ended ones have no command."""
    return sum(word in (each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"]))


def test_the_end_of_an_episode_ends_its_programs() -> None:
    """A program in a separate session ends, too."""
    mark = f"{os.getpid()}.25"
    env = defiance_zoo.make(
        str(PROGRAM), api="parallel", command=f"sh -c 'setsid sleep {mark} & sleep {mark}'"
    )
    env.reset(seed=1)
    env.step({"agent_0": 1})
    assert count_processes(mark) == 2
    play_on(env)
    env.close()
    assert count_processes(mark) == 0
