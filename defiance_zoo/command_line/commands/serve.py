# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo serve`: a policy that sends over a real path."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import json_option
from defiance_zoo.command_line.parts import import_real_paths
from defiance_zoo.command_line.progress import quiet_option, waiting
from defiance_zoo.experiments.workbench.wording import number

_ROWS = {
    "throughput": "throughput, Mb/s",
    "rtt": "round trip time, mean, ms",
    "rtt_p95": "round trip time, 95th percentile, ms",
    "lost": "lost packets, %",
}


@click.command
@click.argument("policy")
@click.option("--quic", is_flag=True, required=True, help="Send by QUIC (extra [quic]).")
@click.option(
    "--link",
    default="12Mbps,20ms",
    show_default=True,
    metavar="RATE,DELAY[,PACKETS]",
    help="The bottleneck's rate, one-way delay and queue in packets (by default one "
    "bandwidth-delay product). The links of the hosts add 20 ms to the round trip time.",
)
@click.option(
    "--seconds", type=click.FloatRange(0.5, 3600), default=20.0, show_default=True, help="To send."
)
@click.option(
    "--interval",
    type=click.FloatRange(0.001, 10),
    help="Seconds between two decisions; by default as in the training, or 0.1.",
)
@click.option(
    "--max-lag",
    default="1s",
    show_default=True,
    help="Maximum lag of ns-3 behind real time.",
)
@json_option
@quiet_option
def command(
    policy: str,
    quic: bool,
    link: str,
    seconds: float,
    interval: float | None,
    max_lag: str,
    as_json: bool,
) -> None:
    """Send over a real path with the window that POLICY sets, and compare with the simulation.

    POLICY is `trained`, a hand-written policy of tcp_congestion_v1, the path of a policy file, or
    `reno` or `cubic` of the QUIC library. Sender and receiver are programs in network namespaces.
    """
    measurement = import_real_paths()
    from defiance_zoo.experiments.real_paths.measurement import find_decider

    chosen, bottleneck = find_decider(policy), measurement.Link.parse(link)
    timing = {"seconds": seconds, "interval": interval or chosen.interval}
    with waiting(f"sending for {seconds:g} s, and then simulating"):
        measured = measurement.measure_over_ns3(chosen, bottleneck, **timing, max_lag=max_lag)
        predicted = measurement.predict(chosen, bottleneck, **timing)
    gap = measurement.find_gap(predicted, measured.transfer)
    facts = {
        "policy": policy,
        "link": asdict(bottleneck),
        **timing,
        "predicted": asdict(predicted),
        "measured": asdict(measured.transfer),
        "gap": gap,
        "clocks": asdict(measured.clocks),
    }
    output.show(facts, as_json, _print)


def _print(facts: dict[str, Any]) -> None:
    headings = ("", "simulated", "measured", "gap")
    rows = [
        (
            words,
            number(facts["predicted"][name], 2),
            number(facts["measured"][name], 2),
            f"{facts['gap'][name]:+.1f}{' points' if name == 'lost' else ' %'}",
        )
        for name, words in _ROWS.items()
    ]
    output.print_table(headings, rows, right=headings[1:])
    clocks = facts["clocks"]
    click.echo(
        f"\n{clocks['decisions']:g} decisions/s, of which 99 % were at most "
        f"{clocks['late_p99']:.1f} ms late. Smallest round trip time: {clocks['least_rtt']:.1f} ms."
        f" Lag of ns-3 behind real time: 99 % of the time at most {clocks['lag_p99']:.1f} ms, "
        f"never more than {clocks['lag_max']:.1f} ms."
    )
