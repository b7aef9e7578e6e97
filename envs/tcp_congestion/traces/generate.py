# SPDX-License-Identifier: GPL-2.0-only
"""Write the shipped traces: `python -m defiance_zoo.envs.tcp_congestion.traces.generate`.

Each line of a trace is a time in ms at which 1500 bytes may be delivered.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

_BITS = 12_000  # bits of an opportunity


def _follow(rate: Callable[[int], float], duration: int) -> list[int]:
    """Return the times of opportunities for a capacity of `rate(ms)` bit/s.

    The last time is `duration`, in ms, so that the trace has this length.
    """
    times, bits = [], 0.0
    for ms in range(1, duration + 1):
        bits += rate(ms) / 1000
        while bits >= _BITS - 1e-6:
            bits -= _BITS
            times.append(ms)
    return times if times[-1] == duration else [*times, duration]


def _steps() -> list[int]:
    """12, 3 and 6 Mb/s for 4 s each."""
    return _follow(lambda ms: (12e6, 3e6, 6e6)[(ms - 1) // 4000], 12_000)


def _outages() -> list[int]:
    """6 Mb/s, and nothing for half a second of every four."""
    return _follow(lambda ms: 0 if 3000 < ms % 4000 <= 3500 else 6e6, 8000)


def _bursts() -> list[int]:
    """12 Mb/s in bursts every 10 ms, as on a shared channel with aggregated frames."""
    return [10 * burst for burst in range(1, 101) for _ in range(10)]


def _cellular() -> list[int]:
    """A capacity that varies between 0.5 and 20 Mb/s, as for a moving phone.

    Its logarithm is an Ornstein-Uhlenbeck process around that of 5 Mb/s: a step every 50 ms,
    relaxation time 2 s, standard deviation 0.7.
    """
    draw = random.Random(1)
    keep = math.exp(-0.05 / 2)
    rates, log = [], 0.0
    for _ in range(200):
        log = keep * log + 0.7 * math.sqrt(1 - keep**2) * draw.gauss(0, 1)
        rates.append(min(20e6, max(0.5e6, 5e6 * math.exp(log))))
    return _follow(lambda ms: rates[(ms - 1) // 50], 10_000)


def generate() -> Iterator[tuple[str, str]]:
    """Yield name and text of each trace."""
    traces = {
        "constant": [1],
        "steps": _steps(),
        "outages": _outages(),
        "bursts": _bursts(),
        "cellular": _cellular(),
    }
    for name, times in traces.items():
        yield name, "".join(f"{time}\n" for time in times)


def main(folder: Path) -> None:
    """Write all traces into a folder."""
    for name, text in generate():
        (folder / f"{name}.trace").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
