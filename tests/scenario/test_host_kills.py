# SPDX-License-Identifier: GPL-2.0-only
"""Episodes with real programs that are killed at random times leave nothing behind.

`HOST_KILLS=200 python -m pytest tests/scenario/test_host_kills.py` kills more often.
"""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from host_rights import needs_rights
from programs import Program

PROGRAMS = Path(__file__).with_name("programs")
KILLS = int(os.environ.get("HOST_KILLS", "10"))
MARK = "HOST_TEST_MARK"
WITHIN_S = 20
LATEST_S = {"hosts.py": 1.5, "registers.py": 4.0}
"""Time of the latest kill after the environment was made: a cluster takes longer to begin."""
PLAYER = """
import sys
import defiance_zoo
program, parameters = sys.argv[1:]
env = defiance_zoo.make(
    program, api="parallel", duration="60s", max_lag="60s", **eval(parameters)
)
print("made", flush=True)
_, infos = env.reset(seed=1)
space = env.action_space("agent_0")
space.seed(1)
while True:
    infos = env.step({"agent_0": space.sample(infos["agent_0"].get("action_mask"))})[-1]
"""
PARAMETERS = {
    "hosts.py": {
        "service": "iperf3 --server",
        "command": "sh -c 'setsid ping -f {server} & exec ping {server}'",
    },
    "registers.py": {"step": "50ms", "max_faults": 9, "disk_mib": 1},
}

pytestmark = [needs_rights, pytest.mark.long, pytest.mark.timeout(60 + 5 * KILLS)]


def marked(mark: str) -> list[psutil.Process]:
    """Return the processes that inherited a marker variable, in the order of their start."""
    found = []
    for each in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if each.environ().get(MARK) == mark:
                found.append(each)
    return sorted(found, key=psutil.Process.create_time)


def machine() -> tuple[str, ...]:
    """Return the devices, addresses, routes, named namespaces and mounts of this machine."""
    listed = [
        subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout
        for words in (["-br", "address"], ["route"], ["-6", "route"], ["netns"])
    ]
    return (*listed, Path("/proc/self/mounts").read_text())


@pytest.mark.parametrize("program", PARAMETERS)
def test_kills_at_random_times_leave_nothing_behind(program: str) -> None:
    command = [sys.executable, "-c", PLAYER, str(PROGRAMS / program), repr(PARAMETERS[program])]
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    choose = random.Random(seed)
    before, victims = machine(), set()
    for number in range(KILLS):
        mark = secrets.token_hex(8)
        with Program(
            command, env={**os.environ, MARK: mark},
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as player:  # fmt: skip
            assert player.stdout is not None
            player.stdout.readline()
            time.sleep(choose.uniform(0, LATEST_S[program]))
            running = marked(mark)
            victim = running[0] if number % 2 else choose.choice(running)
            with contextlib.suppress(psutil.Error):
                victims.add(Path(victim.cmdline()[0]).name)
                victim.kill()
            if victim.pid != player.pid:
                # The player raises an error, except at the end of a program that may end.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    player.wait(1)
                player.kill()
        deadline = time.monotonic() + WITHIN_S
        while (left := marked(mark)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not left, (seed, number, [each.cmdline() for each in left])
    assert machine() == before
    print(f"killed {victims}")
