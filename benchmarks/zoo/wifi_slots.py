# SPDX-License-Identifier: GPL-2.0-only
"""A Wi-Fi cell slot by slot, with the effects in ns-3 that Bianchi's model leaves out.

    python -m benchmarks.zoo.wifi_slots [--quick] [--out FOLDER]

The simulation is independent of ns-3, and has only the three effects in the card of
wifi_contention_v0. Figures are in simulated time; the program takes a minute.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.measuring.command import read_arguments
from benchmarks.measuring.result_files import save
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.envs.wifi_contention.bianchi import COLLISION_US, PAYLOAD, SLOT_US, SUCCESS_US

FRAME_US, MANAGEMENT_US = 139.2, 76.0
"""Duration of data, and of a request for a block acknowledgement agreement or its answer."""
AIFS_US, SIFS_US, MANAGEMENT_ACK_US = 43.0, 16.0, 44.0
TIMEOUT_SLOTS = 5
"""SIFS, a slot and a preamble, 45 us: the wait for an acknowledgement after a collision."""
ANSWER_US, FORGET_US = 1e3, 200e3
"""The wait of a station for an answer, and its time of sending data before it repeats a request."""
WINDOW, LARGEST_WINDOW = 16, 1024
"""The access point's windows in slots, by the standard."""
NEVER = 1 << 30


@dataclass(frozen=True)
class Rules:
    """The simulated effects besides slots.

    Attributes:
        collision_us: Time from the beginning of a collision until other stations resume counting.
        timeout_slots: Slots after that time in which colliding stations do not count.
        agreements: Whether stations request an agreement before they send data.
    """

    collision_us: float = FRAME_US + AIFS_US
    timeout_slots: int = TIMEOUT_SLOTS
    agreements: bool = True


BIANCHI = Rules(collision_us=COLLISION_US, timeout_slots=0, agreements=False)
"""The effects in Bianchi's model."""
CASES = {
    "": Rules(),
    ", without agreements": Rules(agreements=False),
    ", as in Bianchi's model": BIANCHI,
}


class SlottedCell:
    """Saturated stations with one window, and an access point that answers their requests."""

    def __init__(self, stations: int, window: int, rules: Rules, seed: int) -> None:
        """Begin.

        Args:
            stations: Number of stations.
            window: Slots to draw from, CW + 1.
            rules: Effects besides slots.
            seed: Seed of random numbers.
        """
        self._rng, self._rules = np.random.default_rng(seed), rules
        self._stations, self._windows = stations, np.full(stations + 1, window)
        self._windows[stations] = WINDOW  # the last station is the access point
        self._left = self._rng.integers(0, self._windows)
        self._late = np.zeros(stations + 1, int)
        self._agreed = np.full(stations, not rules.agreements)
        self._requested_us = np.full(stations, -np.inf)
        self._questions: list[int] = []
        self.now_us = 0.0
        self.delivered = 0

    def advance(self) -> None:
        """Continue to the end of the next exchange or collision."""
        due = self._left + self._late
        if not self._questions:
            due[self._stations] = NEVER
        first = int(due.min())
        senders = np.flatnonzero(due == first)
        # A slot with a transmission counts for all stations, as in EDCA.
        counted = np.maximum(first - self._late + 1, 0)
        self._left, self._late[:] = np.maximum(self._left - counted, 0), 0
        self.now_us += first * SLOT_US
        if len(senders) == 1:
            self._exchange(int(senders[0]))
        else:
            self._collide(senders)
        self._left[senders] = self._rng.integers(0, self._windows[senders])

    def _sends_request(self, station: int) -> bool:
        """Return whether a station sends a request."""
        waited = self.now_us - self._requested_us[station]
        return not self._agreed[station] and waited > ANSWER_US + FORGET_US

    def _exchange(self, sender: int) -> None:
        data = sender < self._stations and not self._sends_request(sender)
        answered = MANAGEMENT_US + SIFS_US + MANAGEMENT_ACK_US + AIFS_US
        self.now_us += SUCCESS_US if data else answered
        if data:
            self.delivered += 1
        elif sender < self._stations:
            self._requested_us[sender] = self.now_us
            if sender not in self._questions:
                self._questions.append(sender)
        else:
            self._agreed[self._questions.pop(0)] = True
            self._windows[sender] = WINDOW

    def _collide(self, senders: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
        manage = [each == self._stations or self._sends_request(int(each)) for each in senders]
        shorter = FRAME_US - MANAGEMENT_US if all(manage) else 0
        self.now_us += self._rules.collision_us - shorter
        self._late[senders] = self._rules.timeout_slots
        if senders[-1] == self._stations:
            doubled = 2 * self._windows[self._stations]
            self._windows[self._stations] = min(doubled, LARGEST_WINDOW)


def throughput(
    stations: int, window: int, rules: Rules, *, settling_s: float, seconds: float, seed: int = 1
) -> float:
    """Return the throughput of a cell in Mb/s.

    Args:
        stations: Number of stations.
        window: Slots to draw from, CW + 1.
        rules: Effects besides slots.
        settling_s: Simulated time that does not count.
        seconds: Simulated time that counts.
        seed: Seed of random numbers.
    """
    cell = SlottedCell(stations, window, rules, seed)
    while cell.now_us < settling_s * 1e6:
        cell.advance()
    before, began_us = cell.delivered, cell.now_us
    while cell.now_us < began_us + seconds * 1e6:
        cell.advance()
    return (cell.delivered - before) * 8 * PAYLOAD / (cell.now_us - began_us)


def measure(effort: Effort) -> Results:
    """Simulate small windows, with many collisions, and a window that suits many stations."""
    seconds = 0.1 if effort.quick else 6.0
    results: Results = {}
    for stations in (15, 30, 50):
        for name, rules in CASES.items():
            for window in (16, 32, 64, 128):
                figures: Figures = {
                    "mbps": throughput(stations, window, rules, settling_s=0.2, seconds=seconds)
                }
                results[f"{stations} stations{name}, window {window}"] = figures
    return results


def main() -> None:
    """Simulate, print, save."""
    arguments = read_arguments(__doc__)
    results = measure(Effort(quick=arguments.quick))
    for name, figures in results.items():
        print(name, f"{figures['mbps']:.2f}")
    save("wifi_slots", "make gate", results, arguments.out)


if __name__ == "__main__":
    main()
