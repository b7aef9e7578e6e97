# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts in the instant in which the package has closed a descriptor."""

from __future__ import annotations

import subprocess
import sys

import pytest

# `os.close()` is interrupted once, after its nth call by the package.
PROGRAM = """
import contextlib, itertools, os, sys
import defiance_zoo

class Interrupt(KeyboardInterrupt):
    pass

def close(descriptor, real=os.close):
    global left
    real(descriptor)
    if sys._getframe(1).f_globals["__name__"].startswith(("defiance_zoo", "contextlib")):
        left -= 1
        if left == 0:
            raise Interrupt

os.close = close
for nth in itertools.count(1):
    left = nth
    with contextlib.suppress(Interrupt):
        env = defiance_zoo.make("cart_pole_v0", link=sys.argv[1])
        try:
            env.reset(seed=1)
            env.step(env.action_space(env.agent_selection).sample())
        finally:
            with contextlib.suppress(Interrupt):
                env.close()
            env.close()
    if left > 0:
        break
print("interrupts:", nth - 1)
"""


@pytest.mark.parametrize("link", ["zmq", "local"])
def test_no_descriptor_is_closed_twice_after_an_interrupt(link: str) -> None:
    """An episode ends with the interrupt itself, whichever close it follows."""
    command = [sys.executable, "-c", PROGRAM, link]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) > 5
