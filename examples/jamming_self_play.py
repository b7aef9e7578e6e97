# SPDX-License-Identifier: GPL-2.0-only
"""Train a transmitter and a jammer in self-play, and compare them with their game's value.

Both use fictitious play on the simulated channels, and observe only sensed energy and received
frames. The table compares their mean strategies with the closed form.

    python examples/jamming_self_play.py [--bandwidths 9,6,4] [--slots 8000]
"""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.table import Table

from defiance_zoo.envs import jamming_v0
from defiance_zoo.envs.jamming.mixtures import equalise
from defiance_zoo.envs.radio import self_play


def parse_arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bandwidths", default="9,6,4", help="widths in MHz; default: %(default)s")
    parser.add_argument("--slots", type=int, default=8000, help="of learning; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def find_goodputs(**channels: Any) -> list[float]:
    """Return the throughput of each channel in Mb/s."""
    env = jamming_v0.parallel_env(link="local", **channels)
    _, infos = env.reset()
    env.close()
    goodputs: list[float] = infos["agent_0"]["goodputs"].tolist()
    return goodputs


def main() -> None:
    """Learn, play, print."""
    given = parse_arguments()
    channels = {"bandwidths": given.bandwidths, "channels": given.bandwidths.count(",") + 1}
    spec = jamming_v0.SPEC
    learned = self_play.learn(spec, slots=given.slots, seed=given.seed, **channels)
    rewards = self_play.play(spec, learned, slots=2000, seed=given.seed + 1, **channels)

    goodputs = find_goodputs(**channels)
    known = equalise(goodputs)
    table = Table("channel", "Mb/s", "transmitter", "closed form", "jammer", "closed form")
    rows = zip(goodputs, learned[0], known.transmitter, learned[1], known.jammer, strict=True)
    for channel, (goodput, *shares) in enumerate(rows):
        table.add_row(str(channel), f"{goodput:.2f}", *(f"{share:.3f}" for share in shares))
    console = Console()
    console.print(table)
    value = rewards.mean() * max(goodputs)
    console.print(f"goodput {value:.2f} Mb/s, value of the game {known.value:.2f} Mb/s")


if __name__ == "__main__":
    main()
