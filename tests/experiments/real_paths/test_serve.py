# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo serve` sends over ns-3 in real time, and leaves nothing behind."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from command_calls import at_terminal, call
from host_rights import needs_rights

LINK = ("--quic", "--link", "2Mbps,20ms,20", "--max-lag", "30s")


@needs_rights
def test_the_trained_policy_sends_over_a_link_in_real_time() -> None:
    printed, shown = at_terminal("serve", "trained", *LINK, "--seconds", "4", "--json")
    assert "sending for 4 s" in shown
    found = json.loads(printed)
    measured, predicted = found["measured"], found["predicted"]
    # No packet is faster than the link, or arrives before its propagation time.
    assert 1.0 < measured["throughput"] < 2.1
    assert 1.0 < predicted["throughput"] < 2.0
    assert 60 < found["clocks"]["least_rtt"] < measured["rtt"] <= measured["rtt_p95"]
    assert 66 < predicted["rtt"] < 60 + 21 * 6 + 10  # 6 ms for each queued packet
    for name in ("throughput", "rtt"):
        gap = 100 * (measured[name] / predicted[name] - 1)
        assert found["gap"][name] == pytest.approx(gap)
    assert found["clocks"]["decisions"] == 10
    assert 0 < found["clocks"]["lag_p99"] <= found["clocks"]["lag_max"]


@needs_rights
def test_a_missing_permission_is_refused_by_name() -> None:
    done = subprocess.run(
        [
            *("setpriv", "--inh-caps=-net_admin", "--bounding-set=-net_admin"),
            *(sys.executable, "-m", "defiance_zoo", "serve", "trained", *LINK),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "lacks CAP_NET_ADMIN: run the program as root" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["trainde", "--quic"], r"not a policy of a sender; did you mean 'trained'\?"),
        (["trained", "--quic", "--link", "6Mbps"], "'6Mbps' is not a link: write RATE,DELAY"),
        (["trained", "--quic", "--link", "6Mb,20ms"], "bottleneck_rate='6Mb' is not of type data"),
        (["trained", "--quic", "--link", "6Mbps,2min"], "bottleneck_delay='2min' is"),
        (["trained", "--quic", "--max-lag", "never"], "max_lag='never' is not of type time"),
        (["trained"], "Missing option '--quic'"),
    ],
)
def test_invalid_arguments_are_refused(arguments: list[str], message: str) -> None:
    status, printed, errors = call("serve", *arguments)
    assert (status, printed) == (2, "")
    assert re.search(message, errors), errors
