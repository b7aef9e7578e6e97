# SPDX-License-Identifier: GPL-2.0-only
"""Clusters of real servers under faults: `nemesis()`."""

from __future__ import annotations

import ast
import json
import shlex
import string
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.reading import read_bytes
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.scenario.applications import Agent
from defiance_zoo.scenario.events import DataRate, Time, note_event, random_variable
from defiance_zoo.scenario.hosts.host import HostProgram
from defiance_zoo.scenario.nemesis import clients
from defiance_zoo.scenario.nemesis.cluster import FAULTS, Action, Cluster, list_actions
from defiance_zoo.scenario.simulation import Simulation, refuse
from defiance_zoo.scenario.spaces import Box, Discrete

OPERATIONS = ("read", "write", "cas")
_OF_MEMBERS = ("name", "address", "data", "peers", "others", "folder")
"""Placeholders of a member's command, besides the names of parameters."""
_OUTCOMES = {"none": 0, "responded": 1, "failed": 2, "unknown": 3}
"""Outcomes of the last operation of a client, as numbers of the observation."""


def nemesis(
    simulation: Simulation,
    command: str,
    client: str,
    *,
    peer: str = "{address}",
    separator: str = ",",
    operations: Sequence[str] = OPERATIONS,
    faults: Sequence[str] = FAULTS,
    members: int = 3,
) -> None:
    """Let the agent of a scenario inject faults into a cluster of real servers.

    Clients execute reads, writes and compare-and-swaps of registers, and their history is checked
    for linearizability in each step.

    Args:
        simulation: A scenario with `realtime=True` and without a function of the episode.
        command: Command of each member, without a shell. Placeholders: `{name}`, `{address}`,
            `{data}` (an empty folder that only the episode's end removes), `{peers}` and `{others}`
            (all members, and all but this one), `{folder}` (of the scenario's file), and the names
            of parameters.
        client: File and name of a function, as in "client.py:execute", relative to the scenario's
            file; placeholders are the names of parameters. The function
            `execute(address, operation, key, *values)` executes "read" (it returns the value, or
            None), "write" with a value, or "cas" with an expected and a new value (it returns
            whether it has swapped). Values are whole numbers; an unwritten key has the value 0.
            `ConnectionRefusedError` means that the operation has certainly not happened; after any
            other exception, it may have happened.
        peer: Text of a member in `{peers}` and `{others}`, with `{name}` and `{address}`.
        separator: Text between two members.
        operations: Operations that the servers support.
        faults: Default of the parameter `faults`.
        members: Default of the parameter `members`.

    Raises:
        ValueError: The scenario has no real time, a quote is not closed, or a placeholder, an
            operation or a fault is unknown.
    """
    if not simulation.is_realtime:
        raise ValueError("real servers need real time: sc.Simulation(name, realtime=True)")
    _require_known("operations", operations, OPERATIONS)
    _require_known("faults", faults, FAULTS)
    _declare(simulation, faults, members)
    known = (*simulation.parameters, "duration")
    _require_placeholders("command", command, (*_OF_MEMBERS, *known))
    _require_placeholders("client", client, known)
    _require_placeholders("peer", peer, ("name", "address"))
    words = shlex.split(command)

    @simulation.episode
    def build(p: Any) -> None:
        chosen = [each.strip() for each in p.faults.split(",") if each.strip()]
        if unknown := [each for each in chosen if each not in FAULTS]:
            near = near_word(unknown[0], FAULTS)
            refuse(f"faults={p.faults}: {unknown[0]!r} is not one of {', '.join(FAULTS)}{near}")
        if p.consistency != "linearizability" and not p.histories:
            refuse(f"consistency={p.consistency} is for histories; give histories=True")
        file, function = _find_client(simulation.folder, client.format_map(vars(p)))
        cluster = Cluster(p)
        texts = [peer.format(name=e.host.name, address=e.host.address) for e in cluster.members]
        for i, each in enumerate(cluster.members):
            values = {
                **vars(p),
                "name": each.host.name,
                "address": each.host.address,
                "data": each.data,
                "peers": separator.join(texts),
                "others": separator.join(texts[:i] + texts[i + 1 :]),
                "folder": simulation.folder,
            }
            each.start([word.format_map(values) for word in words])
        specification = {
            "file": file,
            "function": function,
            "members": [each.host.address for each in cluster.members],
            "clients": p.clients,
            "rate": p.rate,
            "timeout": p.client_timeout.seconds,
            "seed": random_variable(Max=2**31).integer(),
            "operations": list(operations),
        }
        program = [sys.executable, clients.__file__, json.dumps(specification)]
        Nemesis(cluster, cluster.clients.run(program), list_actions(p.members, chosen), p)


class Nemesis:
    """The agent that injects faults into a cluster, and the history of the cluster's clients."""

    def __init__(
        self, cluster: Cluster, program: HostProgram, actions: list[Action], parameters: Any
    ) -> None:
        self._cluster, self._program, self._actions = cluster, program, actions
        self._parameters, self._began = parameters, time.monotonic_ns()
        self._outcomes = ["none"] * parameters.clients
        self._errors = [""] * parameters.clients
        self._counts = dict.fromkeys(_OUTCOMES, 0)
        self._history: list[dict[str, Any]] = []
        self._ends: set[str] = set()
        self._last = actions[0]
        names = [f"{what} {i}" for i in range(1, parameters.members + 1) for what in _OBSERVED]
        names += [f"client {i}" for i in range(1, parameters.clients + 1)]
        seen = Box(0, 3, (len(names),), element_names=names)
        node = cluster.clients.node
        agent = Agent(node, seen, Discrete(len(actions)), StepInterval=parameters.step)
        agent.observe(self._observe)
        agent.info(self._info)
        agent.on_action(self._act)

    def _act(self, number: int) -> None:
        action = self._actions[number]
        if self._cluster.allows(action):  # a member may have ended meanwhile
            self._cluster.act(action)
            self._last = action
            note_event("fault", str(action))

    def _observe(self) -> list[int] | None:
        """Return the faults and the last outcomes; None until a member has answered a client."""
        self._read_events()
        cluster = self._cluster
        if not self._counts["responded"]:
            self._require_beginning()
            return None
        row = []
        for i, member in enumerate(cluster.members):
            network = (cluster.blocks[i], i in cluster.delayed, i in cluster.lossy)
            row += [member.runs, member.is_paused, member.is_full, *network]
        return [*map(int, row), *(_OUTCOMES[each] for each in self._outcomes)]

    def _info(self) -> dict[str, Any]:
        self._read_events()
        cluster, taken, self._history = self._cluster, self._history, []
        ends = {each.end for each in cluster.members} - {""} - self._ends
        self._ends |= ends
        return {
            "action_mask": [int(cluster.allows(each)) for each in self._actions],
            "actions": json.dumps([str(each) for each in self._actions]),
            "fault": str(self._last),
            "members": json.dumps([each.state for each in cluster.members]),
            "history": json.dumps(taken),
            "answered": self._counts["responded"],
            "failed": self._counts["failed"],
            "unknown": self._counts["unknown"],
            "violations": "",
            "warnings": "\n".join(sorted(ends)),
        }

    def _read_events(self) -> None:
        """Take the events of the clients since the last call."""
        for line in self._program.new_lines():
            if not line.startswith(clients.MARK):
                continue
            event = json.loads(line)
            event["time_ns"] -= self._began
            if event["event"] != "invoked":
                client = event["client"] - 1
                self._outcomes[client] = event["event"]
                self._errors[client] = event.pop("error", "")
                self._counts[event["event"]] += 1
            if event["event"] != "unknown":
                self._history.append(event)

    def _require_beginning(self) -> None:
        """Fail if a member has ended, or no client was answered in time."""
        members = self._cluster.members
        late = time.monotonic_ns() - self._began > self._parameters.setup.seconds * 1e9
        for member in [each for each in members if each.end or late]:
            errors = self._errors[members.index(member) :: len(members)]
            raise RuntimeError(
                f"no client has been answered. Of {member.host.name}, the clients' last errors "
                f"are {errors}, and the output ends with:\n{member.output[-2000:]}"
            )


_OBSERVED = ("runs", "is paused", "has a full disk", "block of", "is slow", "loses")
"""Names of the observed states of a member."""


def _declare(simulation: Simulation, faults: Sequence[str], members: int) -> None:
    """Declare the parameters of a nemesis."""
    declare = simulation.parameter
    longest = Time("3600s")
    declare("members", members, range=(1, 9), help="Number of servers.")
    declare("clients", 5, range=(1, 100), help="Number of clients; client i uses one member.")
    declare("rate", 5.0, range=(0.1, 1000.0), help="Most operations of a client in a second.")
    declare("client_timeout", Time("1s"), range=(Time("1ms"), longest), help="Of clients' sockets.")
    declare("faults", ",".join(faults), help=f"Some of {','.join(FAULTS)}, separated by commas.")
    declare("max_faults", 2, range=(0, 99), help="Maximum number of faults at the same time.")
    declare("step", Time("1s"), range=(Time("10ms"), longest), help="Time of a step.")
    declare("setup", Time("30s"), range=(Time(0), longest), help="Longest time until an answer.")
    declare("link_rate", DataRate("10Mbps"), range=("1kbps", "10Gbps"), help="Of each link.")
    declare("link_delay", Time("2ms"), range=(Time(0), longest), help="One-way delay of links.")
    declare("slow_delay", Time("300ms"), range=(Time(0), longest), help="Of slow members' links.")
    declare("loss", 0.3, range=(0.0, 1.0), help="Loss of lossy members' links.")
    declare("disk_mib", 256, range=(1, 1 << 20), help="Size of the disk of each member, in MiB.")
    declare("histories", True, help="Whether the history of the clients is checked.")
    kinds = ("linearizability", "sequential_consistency", "sessions")
    declare("consistency", kinds[0], choices=kinds, help="Guarantee to check.")
    declare("stop_on_violation", True, help="Whether a violation ends the episode.")


def _require_known(what: str, given: Sequence[str], known: Sequence[str]) -> None:
    for each in given:
        if isinstance(given, str) or each not in known:
            raise ValueError(
                f"{what}={given!r}: each must be one of {known}{near_word(each, known)}"
            )


def _require_placeholders(what: str, text: str, known: Sequence[str]) -> None:
    """Refuse a text with unknown placeholders."""
    try:
        fields = [name for _, name, *_ in string.Formatter().parse(text) if name is not None]
    except ValueError as error:
        raise ValueError(f"{what}={text!r}: {error}; write {{{{ for a brace") from None
    for name in fields:
        if name not in known:
            raise ValueError(
                f"{what} has the unknown placeholder {{{name}}}{near_word(name, known)}; a brace "
                "is written twice"
            )


def _find_client(folder: str, client: str) -> tuple[str, str]:
    """Return the file and the name of the clients' function."""
    name, _, function = client.rpartition(":")
    path = Path(folder, name)
    if not name or not path.is_file():
        refuse(f"client={client!r}: there is no file {path}; write it as 'client.py:execute'")
    tree = ast.parse(read_bytes(path), str(path))
    names = [each.name for each in tree.body if isinstance(each, ast.FunctionDef)]
    if function not in names:
        refuse(f"client={client!r}: {path} defines no {function!r}{near_word(function, names)}")
    return str(path), function
