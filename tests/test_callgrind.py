# SPDX-License-Identifier: GPL-2.0-only
"""Profiles of callgrind are read, and costs are assigned to the right account."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.speed.callgrind import Function, attribute, read_profile
from benchmarks.speed.instructions import ROWS, shares

# The environment's Observe() calls the library's Encode() and libc's memory functions, which ns-3
# calls, too. Ref() is an inline function of ns-3, compiled into the program; ns-3 calls it there.
COUNTED = """\
# callgrind format
positions: line
events: Ir

ob=(1) /native/bin/program
fl=(1) /sources/envs/observe.cc
fn=(1) Observe()
16 100
fi=(2) /usr/include/c++/12/vector
+3 20
fe=(1)
cob=(2) /native/lib/libdefiance.so
cfi=(3) /sources/cpp/encode.cc
cfn=(2) Encode()
calls=1 30
* 60
cob=(3) /lib/libc.so.6
cfi=(4) ???
cfn=(3) malloc
calls=2 0
-1 30

fl=(5) /site-packages/ns3/include/ns3/ptr.h
fn=(4) Ref()
9 40

ob=(2)
fl=(3)
fn=(2)
30 60

ob=(3)
fl=(4)
fn=(3)
0 90

ob=(4) /lib/libns3.44-core.so
fl=(4)
fn=(5) Run()
0 690
cob=(1)
cfi=(1)
cfn=(1)
calls=1 16
0 210
cob=(3)
cfi=(4)
cfn=(3)
calls=4 0
0 60
cob=(1)
cfi=(5)
cfn=(4)
calls=4 9
0 40
"""
OBSERVE, REF = (Function("/native/bin/program", name) for name in ("Observe()", "Ref()"))
ENCODE = Function("/native/lib/libdefiance.so", "Encode()")
MALLOC = Function("/lib/libc.so.6", "malloc")
RUN = Function("/lib/libns3.44-core.so", "Run()")


def test_a_profile_is_read() -> None:
    profile = read_profile(COUNTED.splitlines())
    assert profile.itself == {OBSERVE: 120, REF: 40, ENCODE: 60, MALLOC: 90, RUN: 690}
    assert profile.calls == {
        (OBSERVE, ENCODE): 60,
        (OBSERVE, MALLOC): 30,
        (RUN, OBSERVE): 210,
        (RUN, MALLOC): 60,
        (RUN, REF): 40,
    }
    assert profile.files[OBSERVE] == "/sources/envs/observe.cc"
    assert profile.files[REF].endswith("ns3/ptr.h")
    assert profile.functions() == {OBSERVE, REF, ENCODE, MALLOC, RUN}


def test_costs_of_shared_functions_are_assigned_to_their_callers() -> None:
    profile = read_profile(COUNTED.splitlines())
    mine = attribute(profile, {OBSERVE: 1, ENCODE: 0, RUN: 0})
    assert mine[MALLOC] == pytest.approx(1 / 3)
    assert mine[REF] == 0
    assert mine[OBSERVE] == 1


def test_shares_of_a_simulation_sum_up_its_accounts() -> None:
    found = shares(read_profile(COUNTED.splitlines()), Path("/native/bin/program"))
    expected = dict.fromkeys(ROWS, 0.0)
    expected |= {"the environment": 15, "this library": 6}  # ns-3 has 6 of 9 parts of malloc
    expected |= {"ns-3: events and objects": 69, "memory": 6, "C and C++ libraries": 4}
    assert found == pytest.approx(expected)
