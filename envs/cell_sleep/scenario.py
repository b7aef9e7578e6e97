# SPDX-License-Identifier: GPL-2.0-only
"""LTE cells that agents put to sleep and wake, with daily traffic to users."""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import defiance_zoo.scenario as sc
from defiance_zoo.envs.cell_sleep import day

PACKET, PORT = 500, 9
"""Bytes of a packet, and its destination port."""
MEASUREMENT = sc.Time("400ms")
"""Age of the oldest signal in a report: users average 200 ms, and report it for 200 ms."""

sim = sc.Simulation("cell_sleep")
sim.parameter("cells", 3, range=(1, 12), help="Number of cells.")
sim.parameter("users", 6, range=(1, 30), help="Number of users.")
sim.parameter("spacing", 500.0, range=(50.0, 10_000.0), help="Distance of neighbours, in m.")
sim.parameter(
    "resource_blocks", 6, range=(6, 100), help="Bandwidth of a cell: 6, 15, 25, 50, 75 or 100."
)
sim.parameter(
    "path_loss_exponent", 3.5, range=(2.0, 6.0), help="Path loss exponent; 2: free space (Friis)."
)
sim.parameter(
    "base_station",
    "macro",
    choices=list(sc.EARTH),
    help="Kind of base station: power model and largest transmit power of cells.",
)
sim.parameter(
    "demand",
    sc.DataRate("800kbps"),
    range=("50kbps", "50Mbps"),
    help="Largest traffic to each user.",
)
sim.parameter(
    "profile",
    "daily",
    choices=["daily", "night", "peak"],
    help="Whether traffic follows a day, or is always the day's least or largest.",
)
sim.parameter(
    "shift",
    0.0,
    range=(0.0, 24.0),
    help="Hours by which the traffic around each cell is later than around the cell before.",
)
sim.parameter(
    "day",
    sc.Time("24s"),
    range=("1s", "86400s"),
    help="Simulated time of a day, which begins at midnight.",
)
sim.parameter(
    "wake_time", sc.Time("1s"), range=("0s", "60s"), help="Time that a cell takes to wake."
)
sim.parameter(
    "interval", sc.Time("500ms"), range=("100ms", "60s"), help="Time between two decisions."
)
sim.parameter("unserved_price", 1.0, range=(0.0, 100.0), help="Price of unserved traffic.")
sim.parameter("energy_price", 1.0, range=(0.0, 100.0), help="Price of the largest energy.")
sim.parameter(
    "reward",
    "cooperative",
    choices=["cooperative", "own"],
    help="Whether an agent of a cell gets the mean reward of all cells, or its cell's reward.",
)
sim.parameter(
    "observation",
    "loads",
    choices=["loads", "signals", "traffic"],
    help="Whether agents also observe how well users receive a cell, and each user's traffic.",
)


class User:
    """A user, and the traffic to it.

    Attributes:
        sent: Bytes sent to the user in the last interval.
        arrived: Bytes that arrived in the last interval.
        snrs: The last reported ratio of signal to noise of each cell.
    """

    def __init__(self, of: sc.LteUser, gateway: sc.Node) -> None:
        self.of, self._gateway = of, gateway
        sink = of.node.add(
            "ns3::PacketSink", Protocol="ns3::UdpSocketFactory", Local=("0.0.0.0", PORT)
        )
        self._received, self.sent, self.arrived = sink.count("Rx"), 0, 0
        self.snrs: dict[int, float] = {}

    def start(self) -> None:
        """Set up traffic to the user."""
        self._client = self._gateway.add(
            "ns3::UdpClient",
            Remote=(self.of.node.address(), PORT),
            PacketSize=PACKET,
            MaxPackets=0,
        )
        self._begun = self._client.count("Tx")

    def request(self, rate: float) -> None:
        """Set the rate of traffic in bit/s, from the next packet on."""
        self._client["Interval"] = sc.Time(8 * PACKET / rate)

    def measure(self) -> None:
        """Update the measurements since the last call."""
        self.sent = PACKET * self._begun.take().count
        self.arrived = self._received.take().bytes


class Cell:
    """A cell.

    Attributes:
        load: Share of the subframes of the last interval in which it sent data.
        energy: Consumption in the last interval, in J.
    """

    def __init__(self, of: sc.LteCell) -> None:
        self.of, self.load, self.energy = of, 0.0, 0.0
        self._busy, self._spent, self._known_from = 0, 0.0, sc.now()

    @property
    def is_measured(self) -> bool:
        """Whether it has served for so long that a user's next report has its present signal."""
        return self.of.is_serving and sc.now() >= self._known_from

    def wake(self, delay: sc.Time) -> None:
        """Wake, unless it is awake already."""
        if self.of.is_asleep:
            self._known_from = sc.now() + delay + MEASUREMENT
        self.of.wake(delay)

    def measure(self, interval: float) -> None:
        """Update the measurements since the last call, an interval in s before."""
        busy, spent = self.of.busy, self.of.energy
        self.load = min((busy - self._busy) / (1000 * interval), 1.0)
        self.energy = spent - self._spent
        self._busy, self._spent = busy, spent


@sim.deployment
class CellSleep(sc.Deployment):
    """Cells in rows, users among them, and agents that put cells to sleep."""

    device = "cell"
    accesses = ("point-to-point", "csma")

    def count_devices(self) -> int:
        """See the base class."""
        return int(self.p.cells)

    def find_contradiction(self) -> str:
        """See the base class."""
        p = self.p
        blocks = (6, 15, 25, 50, 75, 100)
        if p.resource_blocks not in blocks:
            return f"resource_blocks={p.resource_blocks} is not one of {blocks}"
        if p.reward == "own" and self.is_central:
            return "reward=own needs an agent for each cell, not placement=central"
        return ""

    def build_devices(self) -> Sequence[sc.Node]:
        """See the base class."""
        p, model = self.p, sc.EARTH[self.p.base_station]
        cells, users = (
            sc.nodes(count, names=[f"{name}_{i}" for i in range(count)])
            for name, count in (("cell", p.cells), ("user", p.users))
        )
        sc.place(cells, self._place_cells())
        sc.place(users, self._draw_users())
        sc.load_module("lte")
        # Users do not move, and there is no fading: a better cell stays better.
        sc.set_default("ns3::A3RsrpHandoverAlgorithm::Hysteresis", 0.5)
        sc.set_default("ns3::A3RsrpHandoverAlgorithm::TimeToTrigger", "128ms")
        self.lte = sc.lte(
            cells,
            users,
            power=min(10 * math.log10(model.largest) + 30, 43.0),
            resource_blocks=p.resource_blocks,
            path_loss_exponent=p.path_loss_exponent,
            report_filter=0,
            report_interval=120,
            power_model=model,
        )
        self.cells = [Cell(each) for each in self.lte.cells]
        self.users = [User(each, self.lte.gateway) for each in self.lte.users]
        seconds = p.interval.seconds
        self.most_bits = p.users * p.demand.bps * seconds
        most_watts = model.transceivers * (model.idle + model.slope * model.largest)
        self.most_joules = p.cells * most_watts * seconds
        self.measured = sc.now()
        self.reports: list[Any] = []
        return cells

    def _place_cells(self) -> list[tuple[float, float]]:
        """Return positions in rows, every other row shifted by half of the spacing."""
        columns, spacing = math.ceil(math.sqrt(self.p.cells)), self.p.spacing
        rows = (divmod(cell, columns) for cell in range(self.p.cells))
        return [
            ((column + row % 2 / 2) * spacing, row * spacing * math.sqrt(3) / 2)
            for row, column in rows
        ]

    def _draw_users(self) -> list[tuple[float, float]]:
        """Draw positions uniformly around cells, equally many around each."""
        draw = sc.random_variable(Min=0, Max=1)
        positions = []
        for x, y in itertools.islice(itertools.cycle(self._place_cells()), self.p.users):
            distance = self.p.spacing / math.sqrt(3) * math.sqrt(0.01 + 0.99 * draw())
            angle = 2 * math.pi * draw()
            positions.append((x + distance * math.cos(angle), y + distance * math.sin(angle)))
        return positions

    def start_devices(self) -> None:
        """See the base class."""
        for user in self.users:
            user.start()
        self._request()
        self.lte.on_report(self._read_report)
        sc.every(self.p.interval)(self._tick)

    @property
    def sees_traffic(self) -> bool:
        """Whether agents observe where the traffic is, and prices."""
        return bool(self.p.observation == "traffic")

    @property
    def hour(self) -> float:
        """The hour of the day."""
        return day.HOURS * float(sc.now() / self.p.day % 1)

    def _request(self) -> None:
        for number, user in enumerate(self.users):
            hour = self.hour - self.p.shift * (number % self.p.cells)
            share = {"daily": day.find_share(hour), "night": day.NIGHT, "peak": 1.0}
            user.request(share[self.p.profile] * self.p.demand.bps)

    def _tick(self) -> None:
        for cell in self.cells:
            cell.measure(self.p.interval.seconds)
        for user in self.users:
            user.measure()
        if self.p.observation != "loads":
            self.efficiencies = self._measure_efficiencies()
        self._request()
        for report in self.reports:
            report()

    def make_applications(self, device: int) -> tuple[Any, Any, Any]:
        """See the base class."""
        observer, rewarder, actor = sc.Observation(None), sc.Reward(None), sc.Action(None)

        def report() -> None:
            rewarder.send(self._reward(device))
            observer.send(state=array("f", self._observe(device)))

        self.reports.append(report)
        actor.on_action(lambda sender, awake: self._set_awake(device, bool(awake)))
        return observer, rewarder, actor

    def _set_awake(self, device: int, awake: bool) -> None:
        """Wake a cell, or put it to sleep unless it is the last serving cell."""
        cell = self.cells[device]
        if awake:
            cell.wake(self.p.wake_time)
        elif any(each.of.is_serving for each in self.cells if each is not cell):
            cell.of.sleep()

    def _shares(self, cell: int | None) -> tuple[float, float]:
        """Return arrived and sent traffic of a cell's users, or of all users.

        A user without a cell counts for cell 0.
        """
        users = [
            each
            for each in self.users
            if cell is None or cell == (0 if each.of.cell is None else each.of.cell.number)
        ]
        arrived, sent = sum(each.arrived for each in users), sum(each.sent for each in users)
        return 8 * arrived / self.most_bits, 8 * sent / self.most_bits

    def _reward(self, device: int) -> float:
        """Return the reward of an agent; a central agent gets parts from all cells."""
        prices = day.Prices(self.p.unserved_price, self.p.energy_price)
        if self.p.reward == "own":
            return prices.reward(
                *self._shares(device), self.cells[device].energy / self.most_joules
            )
        spent = sum(each.energy for each in self.cells) / self.most_joules
        return prices.reward(*self._shares(None), spent) / (self.p.cells if self.is_central else 1)

    def _observe(self, device: int) -> list[float]:
        """Return the observation of a cell, by `day.list_elements()`."""
        cell = self.cells[device]
        served, sent = self._shares(None)
        loads = [each.load for each in self.cells if each.of.is_serving]
        angle = 2 * math.pi * self.hour / day.HOURS
        return [
            1.0 if cell.of.is_serving else 0.0 if cell.of.is_asleep else 0.5,
            cell.load,
            len(cell.of.users) / self.p.users,
            min(self._shares(device)[0], 2.0),
            sum(loads) / max(len(loads), 1),
            min(max(sent - served, -2.0), 2.0),
            math.sin(angle),
            math.cos(angle),
            *(self._signals(device) if self.p.observation != "loads" else ()),
            *(self._traffic(device) if self.sees_traffic else ()),
        ]

    def _read_report(self, user: sc.LteUser, report: Mapping[int, tuple[float, float]]) -> None:
        """Store how well a user receives cells; a report still has cells that fell asleep."""
        for number, (rsrp, _) in report.items():
            if self.cells[number].is_measured:
                self.users[user.number].snrs[number] = day.find_snr(rsrp)

    def _measure_efficiencies(self) -> list[float]:
        """Return the mean efficiency of each cell over users, or over observed traffic."""
        weights = [user.sent if self.sees_traffic else 1 for user in self.users]
        return [
            sum(
                weight * float(day.find_efficiency(user.snrs.get(cell, 0.0)))
                for weight, user in zip(weights, self.users, strict=True)
            )
            / max(sum(weights), 1)
            for cell in range(len(self.cells))
        ]

    def _signals(self, device: int) -> tuple[float, float]:
        """Return a cell's efficiency, and its lead over the best other cell."""
        own = self.efficiencies[device]
        others = self.efficiencies[:device] + self.efficiencies[device + 1 :]
        return own, own - max(others, default=0.0)

    def _traffic(self, device: int) -> tuple[float, ...]:
        """Return users' ratios of signal to noise in a cell, and their traffic; prices; demand."""
        most = self.p.demand.bps * self.p.interval.seconds
        return (
            *(
                math.log10(user.snrs[device]) if device in user.snrs else day.LOWEST_SNR
                for user in self.users
            ),
            *(min(8 * user.sent / most, 2.0) for user in self.users),
            *(self.p.energy_price, self.p.unserved_price),
            self.p.demand.bps / day.find_capacity(self.p.resource_blocks),
        )

    def make_agent(self, number: int) -> Any:
        """See the base class."""
        count = self.p.cells if self.is_central else 1
        elements = day.list_elements(self.p.observation, self.p.users)
        names, low, high = zip(*elements, strict=True)
        size = len(elements)
        if count > 1:
            names = tuple(f"{name}_{cell}" for cell in range(count) for name in names)
        agent = sc.Agent(
            None,
            sc.Box(list(low * count), list(high * count), element_names=names),
            sc.MultiDiscrete([2] * count) if self.is_central else sc.Discrete(2),
        )
        states = [0.0] * (size * count)
        decided: list[Any] = []

        @agent.on_observation
        def receive(sender: int, message: Any) -> None:
            cell = sender - number
            states[size * cell : size * (cell + 1)] = message["state"]
            agent.observation = states
            if count == 1:
                agent.decide()
            elif not decided or not decided[-1].pending:
                decided[:] = [sc.after(0, agent.decide)]

        @agent.on_action
        def act(action: Any) -> None:
            if not self.is_central:
                agent.send_action(action)
                return
            for cell in range(count):
                agent.send_action(int(action[cell]), number + cell)

        agent.info(lambda: self._facts() | ({} if self.is_central else {"cell": number}))
        return agent

    def _facts(self) -> dict[str, Any]:
        """Return the info for pictures and policies."""
        seconds = self.p.interval.seconds
        cells, users = self.lte.cells, self.lte.users
        served, sent = self._shares(None)
        return {
            "cells": [each for cell in cells for each in cell.node.position[:2]],
            "users": [each for user in users for each in user.node.position[:2]],
            "serving": [-1 if user.cell is None else user.cell.number for user in users],
            "sinrs": [user.sinr for user in users],
            "throughputs": [8e-6 * each.arrived / seconds for each in self.users],
            "powers": [each.output for each in cells],
            "loads": [each.load for each in self.cells],
            "awake": [int(not each.is_asleep) for each in cells],
            "consumed": [each.energy / seconds for each in self.cells],
            "hour": self.hour,
            "served": served,
            "offered": sent,
        }
