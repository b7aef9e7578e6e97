# SPDX-License-Identifier: GPL-2.0-only
"""A cluster of real servers, and the faults of its members, disks and links."""

from __future__ import annotations

import itertools
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from defiance_zoo.scenario.hosts.host import Host, HostProgram, host
from defiance_zoo.scenario.modules import create
from defiance_zoo.scenario.network import Node, nodes, point_to_point, route_globally

FAULTS = ("partition", "delay", "loss", "kill", "pause", "disk")


class Action(NamedTuple):
    """An action of a nemesis.

    Attributes:
        kind: Kind of the action, such as `kill`.
        members: Members that it affects, from 0 on; of a partition, its smaller side.
    """

    kind: str
    members: tuple[int, ...] = ()

    def __str__(self) -> str:
        """Return the action with its members, from 1 on."""
        return " ".join([self.kind, *(str(each + 1) for each in self.members)])


def list_actions(members: int, faults: Sequence[str]) -> list[Action]:
    """Return the actions of a nemesis of a cluster with these faults."""
    pairs = {
        "delay": ["delay"],
        "loss": ["lose"],
        "kill": ["kill", "start"],
        "pause": ["pause", "continue"],
        "disk": ["fill", "free"],
    }
    actions = [Action("nothing")]
    if {"partition", "delay", "loss"} & {*faults}:
        actions.append(Action("heal"))
    if "partition" in faults:
        for size in range(1, members // 2 + 1):
            sides = itertools.combinations(range(members), size)
            # Of two equal sides, the first member's.
            actions += [Action("partition", s) for s in sides if 2 * size < members or 0 in s]
    for fault in FAULTS:
        kinds = pairs.get(fault, []) if fault in faults else []
        actions += [Action(kind, (member,)) for kind in kinds for member in range(members)]
    return actions


class Member:
    """A server in its host, with its disk."""

    def __init__(self, host: Host, disk_bytes: int) -> None:
        self.host, self.data = host, host.disk(disk_bytes)
        self._size, self._command = disk_bytes, [""]
        self._program: HostProgram | None = None
        self.is_paused = self.is_full = self._was_killed = False

    def start(self, command: Sequence[str] | None = None) -> None:
        """Start the server: by a new command, or by its last one."""
        self._command = [*(command or self._command)]
        self._program = self.host.run(self._command, check=False)
        self._was_killed = False

    @property
    def end(self) -> str:
        """A line about the end of the server by itself; empty if it has not ended so."""
        if self._program is None or self._was_killed or self._program.status is None:
            return ""
        last = self._program.output.strip().rpartition("\n")[2][-300:]
        return f"{self.host.name} ended with status {self._program.status}: {last}"

    @property
    def runs(self) -> bool:
        """Whether the server has not ended; it may be paused."""
        return not self._was_killed and not self.end

    @property
    def state(self) -> str:
        """The state in a word."""
        if self.runs:
            return "paused" if self.is_paused else "running"
        return "killed" if self._was_killed else "ended"

    @property
    def output(self) -> str:
        """The output of the server since its start."""
        return self._program.output if self._program is not None else ""

    def kill(self) -> None:
        """Kill the server; its disk remains."""
        assert self._program is not None
        self._program.kill()
        self.is_paused, self._was_killed = False, True

    def pause(self, paused: bool = True) -> None:
        """Stop the server by a signal, or let it continue."""
        assert self._program is not None
        self._program.kill(signal.SIGSTOP if paused else signal.SIGCONT)
        self.is_paused = paused

    def fill(self, full: bool = True) -> None:
        """Fill the free space of the disk, or free it."""
        file = f"{self.data}/../full"
        words = ["head", "-c", str(self._size), "/dev/zero"]
        command = ["sh", "-c", '"$@" > "$0"', file, *words] if full else ["rm", "-f", file]
        self.host.run(command, check=False)
        self.is_full = full


class Cluster:
    """Members, a host for their clients, and a link between each two of these hosts.

    Faults of the network affect links between members; the clients reach all members.

    Attributes:
        blocks: The block of each member in a partition, 0 or 1.
    """

    def __init__(self, parameters: Any) -> None:
        """Build the network; `nemesis()` declares the parameters."""
        p = self._parameters = parameters
        placed = nodes(p.members + 1, internet=True)
        *places, away = placed
        for each in places:
            point_to_point(each, away, rate=p.link_rate, delay=p.link_delay)
        pairs = itertools.combinations(range(p.members), 2)
        self._links = {pair: self._link(*(places[each] for each in pair)) for pair in pairs}
        hosts = [host(each, f"member_{i}") for i, each in enumerate(places, 1)]
        self.members = [Member(each, p.disk_mib << 20) for each in hosts]
        self.clients = host(away, "clients")
        route_globally()
        self.blocks = [0] * p.members
        self.delayed: set[int] = set()
        self.lossy: set[int] = set()

    def _link(self, one: Node, other: Node) -> tuple[Any, list[Any]]:
        """Link two members; return the channel, and the error models of both ends."""
        p, models = self._parameters, []
        link = point_to_point(one, other, rate=p.link_rate, delay=p.link_delay)
        for device in link:
            models.append(
                create("ns3::RateErrorModel", ErrorRate=0.0, ErrorUnit="ERROR_UNIT_PACKET")
            )
            device["ReceiveErrorModel"] = models[-1]
        return link.channel, models

    @property
    def active(self) -> int:
        """The number of active faults; a member may have several."""
        members = [(not e.runs) + e.is_paused + e.is_full for e in self.members]
        return any(self.blocks) + len(self.delayed) + len(self.lossy) + sum(members)

    def allows(self, action: Action) -> bool:
        """Return whether an action has an effect, and does not exceed the number of faults."""
        kind, members = action
        if kind == "nothing":
            return True
        if kind == "heal":
            return any(self.blocks) or bool(self.delayed | self.lossy)
        more = self.active < self._parameters.max_faults
        if kind == "partition":
            return self.blocks != self._divide(members) and (more or any(self.blocks))
        (number,) = members
        member = self.members[number]
        return {
            "delay": more and number not in self.delayed,
            "lose": more and number not in self.lossy,
            "kill": member.runs and (more or member.is_paused),
            "start": not member.runs,
            "pause": more and member.runs and not member.is_paused,
            "continue": member.is_paused,
            "fill": more and not member.is_full,
            "free": member.is_full,
        }[kind]

    def act(self, action: Action) -> None:
        """Inject a fault, or end one."""
        members = [self.members[each] for each in action.members]
        effects: Mapping[str, Callable[[], Any]] = {
            "nothing": lambda: None,
            "heal": self._heal,
            "partition": lambda: setattr(self, "blocks", self._divide(action.members)),
            "delay": lambda: self.delayed.update(action.members),
            "lose": lambda: self.lossy.update(action.members),
            "kill": lambda: members[0].kill(),
            "start": lambda: members[0].start(),
            "pause": lambda: members[0].pause(),
            "continue": lambda: members[0].pause(False),
            "fill": lambda: members[0].fill(),
            "free": lambda: members[0].fill(False),
        }
        effects[action.kind]()
        self._apply()

    def _divide(self, side: Sequence[int]) -> list[int]:
        return [int(member in side) for member in range(len(self.members))]

    def _heal(self) -> None:
        self.blocks = [0] * len(self.members)
        self.delayed.clear()
        self.lossy.clear()

    def _apply(self) -> None:
        """Set the delay and the loss of all links."""
        p = self._parameters
        for pair, (channel, models) in self._links.items():
            is_cut = self.blocks[pair[0]] != self.blocks[pair[1]]
            loses = not self.lossy.isdisjoint(pair)
            for model in models:
                model["ErrorRate"] = 1.0 if is_cut else p.loss if loses else 0.0
            is_slow = not self.delayed.isdisjoint(pair)
            channel["Delay"] = p.slow_delay if is_slow else p.link_delay
