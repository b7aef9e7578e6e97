# SPDX-License-Identifier: GPL-2.0-only
"""LTE: cells, their users, and a core network; loaded on demand, like Wi-Fi."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.scenario.events import after, now
from defiance_zoo.scenario.modules import set_default
from defiance_zoo.scenario.native import Sealed, core, load_lte
from defiance_zoo.scenario.network import Node, as_list, give_out, has_twice

F = TypeVar("F", bound=Callable[..., Any])

_USERS = ipaddress.IPv4Network("7.0.0.0/8")
"""Addresses of users, which ns-3's core network assigns."""
ASLEEP = -70.0
"""Transmit power of a sleeping cell in dBm: users can measure the cell, but not use it."""
_LEAST_POWER, _LARGEST_POWER = -40.0, 46.0
_FILTERS = (*range(10), 11, 13, 15, 17, 19)


class PowerModel(NamedTuple):
    """The consumption of a cell by the EARTH model (Auer et al. 2011).

    Awake, a cell consumes `transceivers * (idle + slope * output)`. `output` is its transmit power
    in W in subframes in which it sends data, and 0 in others. Asleep, it consumes `transceivers *
    asleep`.

    Attributes:
        transceivers: Number of transceivers.
        largest: Maximum transmit power of a transceiver in W.
        idle: Consumption of a transceiver that sends no data, in W.
        slope: Consumption for each W of transmit power.
        asleep: Consumption of a sleeping transceiver, in W.
    """

    transceivers: int
    largest: float
    idle: float
    slope: float
    asleep: float


EARTH = {
    "macro": PowerModel(6, 20.0, 130.0, 4.7, 75.0),
    "micro": PowerModel(2, 6.3, 56.0, 2.6, 39.0),
    "pico": PowerModel(2, 0.13, 6.8, 4.0, 4.3),
}
"""Power models of Auer et al. by the kind of base station."""


class LteUser(Sealed):
    """A user of an LTE network.

    Attributes:
        node: Its node.
        number: Index of the user.
    """

    def __init__(self, network: LteNetwork, node: Node, number: int) -> None:
        """Make the user of a node; see `lte`."""
        self._network, self.node, self.number = network, node, number

    @property
    def cell(self) -> LteCell | None:
        """The serving cell; None: the user has no cell, and searches for one."""
        serving = self._network.native.serving(self.number)
        return None if serving is None else self._network.cells[serving]

    @property
    def sinr(self) -> float:
        """SINR of the last subframe in dB, from -50 to 100; -50 before the first one.

        The SINR assumes that all cells send on the whole bandwidth, so traffic does not change it.
        """
        return float(self._network.native.sinr(self.number))

    @property
    def rsrp(self) -> float:
        """Power of a resource element from its cell in dBm; -inf before the first subframe."""
        watts = self._network.native.rsrp(self.number)
        return 10 * math.log10(watts) + 30 if watts > 0 else -math.inf

    @property
    def report(self) -> dict[int, tuple[float, float]]:
        """The last measurement report: RSRP in dBm and RSRQ in dB by the numbers of cells."""
        return _read_report(*self._network.native.report(self.number))

    @property
    def handovers(self) -> int:
        """Handovers that have begun."""
        return int(self._network.native.handovers(self.number))

    @property
    def failures(self) -> int:
        """Radio links that were lost, and handovers that failed."""
        return int(self._network.native.failures(self.number))

    def hand_over(self, cell: LteCell) -> None:
        """Hand the user over to another cell; does nothing without a cell, or during a handover."""
        self._network.native.hand_over(self.number, cell.number)


class LteCell(Sealed):
    """A cell of an LTE network.

    Attributes:
        node: Its node.
        number: Index of the cell.
        model: Power model of its base station.
    """

    def __init__(
        self, network: LteNetwork, node: Node, number: int, model: PowerModel, power: float
    ) -> None:
        """Make the cell of a node; see `lte`."""
        self._network, self.node, self.number, self.model = network, node, number, model
        self._power, self._asleep, self._sends = power, False, True
        self._changing: core.Event | None = None
        self._spent, self._since, self._busy = 0.0, now(), 0

    @property
    def power(self) -> float:
        """Transmit power in dBm, which can be set at any time; in sleep, used after waking.

        Raises:
            ValueError: The power is not from -40 to 46 dBm, or above the maximum of the power
                model.
        """
        return self._power

    @power.setter
    def power(self, value: float) -> None:
        _check_power(value, self.model)
        self._settle()
        self._power = float(value)
        if self._sends:
            self._network.native.set_power(self.number, self._power)

    @property
    def output(self) -> float:
        """The present transmit power in dBm: `power`, or -70 dBm asleep and while it is waking."""
        return self._power if self._sends else ASLEEP

    @property
    def users(self) -> list[LteUser]:
        """The users that it serves."""
        return [each for each in self._network.users if each.cell is self]

    @property
    def busy(self) -> int:
        """Subframes, of 1 ms each, in which it has sent data."""
        return int(self._network.native.busy(self.number))

    @property
    def is_asleep(self) -> bool:
        """Whether it sleeps, or is about to."""
        return self._asleep

    @property
    def is_serving(self) -> bool:
        """Whether it is awake, so that users can connect."""
        return self._sends and not self._asleep

    @property
    def energy(self) -> float:
        """Energy that it has consumed, in J."""
        self._settle()
        return self._spent

    def sleep(self, leave: Any = "20ms") -> None:
        """Hand over the users, and reduce the transmit power until no user can connect.

        ns-3 cannot take a cell out of a network. A sleeping cell has a transmit power of -70 dBm,
        at which no user connects to it. Each user is handed over to the serving cell that it
        reported best. A user without such a cell loses its radio link, and searches for a cell.

        Args:
            leave: Time for handovers, during which it still transmits.
        """
        if self._asleep:
            return
        self._settle()
        self._asleep = True
        after(0, self._hand_over_users)  # after all cells of this instant have begun to sleep
        self._change(leave, False)

    def wake(self, delay: Any = "1s") -> None:
        """Let the cell transmit again after a time, during which it consumes its idle power."""
        if not self._asleep:
            return
        self._settle()
        self._asleep = False
        self._change("0s" if self._sends else delay, True)

    def _hand_over_users(self) -> None:
        if not self._asleep:
            return
        there = {each.number: each for each in self._network.cells if each.is_serving}
        for user in self.users:
            reported_rsrp = {
                number: rsrp for number, (rsrp, _) in user.report.items() if number in there
            }
            if reported_rsrp:
                user.hand_over(there[max(reported_rsrp, key=reported_rsrp.__getitem__)])

    def _change(self, delay: Any, sends: bool) -> None:
        if self._changing is not None:
            self._changing.cancel()

        def act() -> None:
            self._settle()
            self._sends = sends
            self._network.native.set_power(self.number, self.output)

        self._changing = after(delay, act)

    def _settle(self) -> None:
        """Add the consumption since the last change."""
        time, busy, model = now(), self.busy, self.model
        idle = model.asleep if self._asleep and not self._sends else model.idle
        sent = 1e-3 * (busy - self._busy) * 10 ** (self._power / 10 - 3) if self._sends else 0.0
        self._spent += model.transceivers * (
            idle * (time - self._since).seconds + model.slope * sent
        )
        self._since, self._busy = time, busy


class LteNetwork(Sealed):
    """Cells on one carrier, their users, and the core network behind them.

    Attributes:
        cells: The cells.
        users: The users.
        native: The object of the extension module.
    """

    def __init__(
        self,
        native: Any,
        cells: Sequence[Node],
        users: Sequence[Node],
        power: float,
        model: PowerModel,
    ) -> None:
        """Hold cells and users; see `lte`."""
        self.native = native
        self.cells = [LteCell(self, node, i, model, power) for i, node in enumerate(cells)]
        self.users = [LteUser(self, node, i) for i, node in enumerate(users)]

    @property
    def gateway(self) -> Node:
        """The node at which packets for users enter the core network."""
        node: Node = self.native.gateway
        return node

    def on_report(self, function: F) -> F:
        """Decorate a function that is called when a user's measurement report arrives.

        Args:
            function: Takes the user, and the report as `LteUser.report` has it.

        Raises:
            TypeError: The argument is not a function.
        """
        if not callable(function):
            raise TypeError(f"{function!r} is not a function")
        self.native.watch_reports(
            lambda user, rsrp, rsrq: function(self.users[user], _read_report(rsrp, rsrq))
        )
        return function

    def add_bearer(self, user: LteUser, port: int, *, qci: int = 1, rate: Any = "0bps") -> None:
        """Add a bearer for a part of a user's traffic, before the episode begins.

        Args:
            user: The user.
            port: Port of the user's application; the bearer carries its packets.
            qci: Class of its quality of service, from 1 to 9.
            rate: Guaranteed bit rate to the user, for schedulers that support guarantees.

        Raises:
            ValueError: There is no such class or port, or the episode has begun.
        """
        if qci not in range(1, 10) or port not in range(1, 65536):
            raise ValueError(f"qci={qci!r} must be from 1 to 9, and port={port!r} to 65535")
        if now() > core.Time(0):
            raise ValueError("bearers are added before the episode begins")
        self.native.add_bearer(user.number, qci, core.DataRate(rate).bps, port)


def lte(
    cells: Node | Iterable[Node],
    users: Node | Iterable[Node],
    *,
    power: float = 43.0,
    resource_blocks: int = 25,
    path_loss_exponent: float = 3.5,
    noise_figure: float = 9.0,
    attach: Sequence[int | None] | None = None,
    algorithm: str = "ns3::A3RsrpHandoverAlgorithm",
    scheduler: str = "ns3::PfFfMacScheduler",
    report_interval: int = 240,
    report_filter: int = 4,
    power_model: str | PowerModel = "macro",
) -> LteNetwork:
    """Build the LTE network of an episode from nodes for cells and users.

    All nodes need positions first. Users have addresses of 7.0.0.0/8, and their default routes
    lead through the network. They need up to half a second to connect.

    Args:
        cells: A node or several, with or without an Internet stack.
        users: A node or several, at most 30.
        power: Transmit power of cells in dBm, at the start.
        resource_blocks: Bandwidth: 6, 15, 25, 50, 75 or 100 blocks of 180 kHz.
        path_loss_exponent: Path loss exponent beyond 1 m; 2: free space (Friis).
        noise_figure: Noise figure of users' receivers in dB.
        attach: Number of the cell that each user connects to; None: the cell with the best signal.
        algorithm: Class of the handover algorithm; "ns3::NoOpHandoverAlgorithm" never hands over.
        scheduler: Class of the scheduler of resource blocks.
        report_interval: Time between two measurement reports in ms: 120, 240, 480, 640 or 1024.
        report_filter: Coefficient of the filter of measurements (TS 36.331, 5.5.3.2), from 0, no
            filter, to 19. With 4, half of a change in dB is reported after each 200 ms.
        power_model: Power model of cells: a name of `EARTH`, or a model.

    Raises:
        ValueError: A value is out of its bounds, a node is there twice or has no position, a cell
            has applications, there is an LTE network already, or the episode has begun.
        AttributeError: No class of ns-3 has the name of the algorithm or scheduler.
        TypeError: The class is not a handover algorithm or scheduler, or an argument is not a node.
    """
    module = load_lte()
    cell_nodes, user_nodes = as_list(cells), as_list(users)
    model = _find_model(power_model)
    if not cell_nodes or not 0 < len(user_nodes) <= module.MOST_USERS:
        raise ValueError(
            f"LTE needs at least one cell and 1 to {module.MOST_USERS} users, not "
            f"{len(cell_nodes)} cells and {len(user_nodes)} users"
        )
    if now() > core.Time(0):
        raise ValueError("an LTE network is built before the episode begins")
    if has_twice([*cell_nodes, *user_nodes]):
        raise ValueError("each node is one cell or one user of an LTE network")
    for node in (*cell_nodes, *user_nodes):
        _ = node.position  # without one, ns-3 would end the process
    first = [None] * len(user_nodes) if attach is None else list(attach)
    if len(first) != len(user_nodes) or not {*first} <= {None, *range(len(cell_nodes))}:
        raise ValueError(
            f"attach={attach!r} must be one of {len(cell_nodes)} cells for each of "
            f"{len(user_nodes)} users"
        )
    _check_power(power, model)
    if not 2 <= path_loss_exponent <= 6 or not 0 <= noise_figure <= 30:
        raise ValueError(
            f"path_loss_exponent={path_loss_exponent!r} must be from 2 to 6, and "
            f"noise_figure={noise_figure!r} from 0 to 30"
        )
    require_choice("report_filter", report_filter, _FILTERS)
    for name, base in (
        (algorithm, "ns3::LteHandoverAlgorithm"),
        (scheduler, "ns3::FfMacScheduler"),
    ):
        if not core.is_a(core.create(name), base):  # refuses unknown classes
            raise TypeError(f"{name} does not derive from {base}")
    values = {
        "power": float(power),
        "resource_blocks": resource_blocks,
        "path_loss_exponent": float(path_loss_exponent),
        "noise_figure": float(noise_figure),
        "algorithm": algorithm,
        "scheduler": scheduler,
    }
    for quantity in ("Rsrp", "Rsrq"):
        set_default(f"ns3::LteEnbRrc::{quantity}FilterCoefficient", report_filter)
    native = module.build(cell_nodes, user_nodes, first, values, report_interval)
    give_out(_USERS, _USERS.num_addresses - 2)
    return LteNetwork(native, cell_nodes, user_nodes, float(power), model)


def _find_model(power_model: str | PowerModel) -> PowerModel:
    if isinstance(power_model, PowerModel):
        return power_model
    require_choice("power_model", power_model, EARTH)
    return EARTH[power_model]


def _check_power(power: float, model: PowerModel) -> None:
    largest = min(_LARGEST_POWER, 10 * math.log10(model.largest) + 30)
    if not _LEAST_POWER <= power <= largest:
        raise ValueError(f"power={power!r} must be from {_LEAST_POWER:g} to {largest:.1f} dBm")


def _read_report(rsrp: Sequence[float], rsrq: Sequence[float]) -> dict[int, tuple[float, float]]:
    """Return the values of cells in a report; 0 stands for an absent one (TS 36.133, 9.1)."""
    return {
        cell: (power - 141.0, quality / 2 - 20)
        for cell, (power, quality) in enumerate(zip(rsrp, rsrq, strict=True))
        if power
    }
