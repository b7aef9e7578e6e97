# SPDX-License-Identifier: GPL-2.0-only
"""The progress of an episode: its agents, their last round, and their decisions."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import Any

from defiance_zoo.bridge.codec.masks import (
    MASK,
    Mask,
    allows,
    list_allowed,
    read_mask,
    require_maskable,
)
from defiance_zoo.bridge.messages.rounds import AgentSteps
from defiance_zoo.bridge.simulation import (
    Agent,
    AgentGroup,
    CommunicationReport,
    RngState,
    Round,
    Simulation,
    Trajectory,
    Transfer,
)
from defiance_zoo.bridge.simulation.distributions import random_stream
from defiance_zoo.environments.arguments import require_free_agent, require_free_infos
from defiance_zoo.environments.episodes.observer import find_judge
from defiance_zoo.errors import IllegalAction, InvalidTransfer

_MOST_KNOWN = 1024  # sets of infos whose names have been checked
_CHECKERS_PAGE = "docs/coming-from/pettingzoo.md#checkers"
_SHOWN = 16  # allowed values of a number, in a message


class EpisodeProgress:
    """Agents of an episode, and their current round.

    Attributes:
        agents: All agents so far by name, also of earlier episodes.
        live: Agents that have not ended, in the order in which they joined.
        undecided: Agents that have never decided in this episode.
    """

    def __init__(
        self, agents: dict[str, Agent], max_cycles: int | None, *, heeds_masks: bool = False
    ) -> None:
        self.agents, self.max_cycles = agents, max_cycles
        self.heeds_masks = heeds_masks
        self.live: list[str] = []
        self._known_infos: set[tuple[str, ...]] = set()
        self.undecided: set[str] = set()
        self._decisions: dict[str, int] = {}
        self.transfers = TransferLedger()
        self.report: CommunicationReport | None = None
        self.judge: Any = None
        self.clear()

    def clear(self) -> None:
        """Forget the round: no episode is running."""
        self.round: Round | None = None
        self.groups: tuple[AgentGroup, ...] = ()
        self.actions: dict[str, Any] = {}
        self.masks: dict[str, Mask | None] = {}

    def forget_traffic(self) -> None:
        """Forget the transfers and the communication of the last episode."""
        self.transfers.begin()
        self.report = None

    def begin(self, agents: Iterable[str], parameters: Mapping[str, str]) -> None:
        """Begin an episode with some agents and parameters."""
        self.live = list(agents)
        self.undecided = set(self.live)
        self._decisions = {}
        self.judge = find_judge(parameters)
        self._stops = parameters.get("stop_on_violation") == "true"

    def copy(self, agents: dict[str, Agent]) -> EpisodeProgress:
        """Return an independent copy."""
        other = copy(self)
        other.agents, other.transfers = agents, self.transfers.copy()
        other.live, other.undecided = list(self.live), set(self.undecided)
        other._decisions, other.actions = dict(self._decisions), dict(self.actions)
        other.judge = self.judge and self.judge.copy()
        return other

    # ------------------------------------------------------------------ decisions

    @property
    def deciding(self) -> tuple[str, ...]:
        """Agents of the current round."""
        return tuple(agent for group in self.groups for agent in group.names)

    @property
    def watches_decisions(self) -> bool:
        """Whether decisions count: at the beginning, with `max_cycles`, and with histories."""
        return bool(self.undecided or self.max_cycles or self.judge)

    @property
    def is_cut(self) -> bool:
        """Whether an agent has decided `max_cycles` times, which ends the episode."""
        return self.max_cycles in self._decisions.values()

    @property
    def is_due_to_be_cut(self) -> bool:
        """Whether an agent that has decided `max_cycles` times would decide in this round."""
        if self.max_cycles is None:
            return False
        return any(self._decisions.get(agent, 0) == self.max_cycles for agent in self.deciding)

    def require_allowed(self, agent: str, action: Any) -> None:
        """Compare an action of an agent's space with the agent's mask, if it has one."""
        mask, space = self.masks.get(agent), self.agents[agent].action_space
        if mask is not None and not allows(space, mask, action):
            parts = [_write(values) for values in list_allowed(space, mask)]
            allowed = parts[0] if len(parts) == 1 else f"[{'], ['.join(parts)}]"
            raise IllegalAction(
                f"the {MASK} of {agent} forbids action {action} now; it allows {allowed} "
                f"(draw with the mask; for checkers that do not, see {_CHECKERS_PAGE})"
            )

    def check_names(self, agent: str, info: Mapping[str, Any]) -> None:
        """Check the names of an agent's infos."""
        names = tuple(info)
        if names not in self._known_infos:
            require_free_infos(agent, names)
            if len(self._known_infos) >= _MOST_KNOWN:
                self._known_infos.clear()
            self._known_infos.add(names)

    def check_masks(self, steps: AgentSteps) -> None:
        """Check and keep the masks of agents that decide in this round."""
        names = steps.group.names
        actions = self.agents[names[0]].action_space  # the others have equal spaces
        observed: Any = steps.observations[MASK] if steps.group.observes_mask else None
        for row in steps.infos if observed is None else range(len(names)):
            seen, info = None if observed is None else {MASK: observed[row]}, steps.infos.get(row)
            self.masks[names[row]] = read_mask(names[row], actions, seen, info or {})

    def count(self, agents: Iterable[str]) -> None:
        """Count a decision of agents."""
        if self.undecided:
            self.undecided.difference_update(agents)
        if self.max_cycles is not None:
            for agent in agents:
                self._decisions[agent] = self._decisions.get(agent, 0) + 1

    @property
    def rounds_before_cut(self) -> int | None:
        """The minimum number of rounds before `max_cycles` may end the episode; None: no limit."""
        if self.max_cycles is None:
            return None
        return max(self.max_cycles - max(self._decisions.values(), default=0), 1)

    def note_played(self, played: Trajectory) -> None:
        """Count the decisions of a fragment; remove its rewards that follow no decision."""
        for row, index in enumerate(played.agents if self.watches_decisions else ()):
            agent = played.names[index]
            if agent in self.undecided:
                played.rewards[row] = 0.0
            self.count([agent])

    # ------------------------------------------------------------------ rounds

    def take_news(self, received: Round, simulation: Simulation) -> Round:
        """Note joined and ended agents, transfers and a first round; return the round.

        If an agent that has decided `max_cycles` times would decide, the episode ends now.
        """
        self._add_joined(received, simulation)
        if self.judge is not None:
            received = self._judge(self.judge, received, simulation)
        if self.undecided:
            # Rewards that follow no decision become infos.
            received.asked = tuple(
                steps.without_initial_rewards(self.undecided) for steps in received.asked
            )
        if self.is_due_to_be_cut and not received.over:
            received = self._cut(received, simulation)
        self.transfers.note(received)
        self.report = received.communication or self.report
        for ended in received.ended:
            self.check_names(ended.agent, ended.info)
            self.live.remove(ended.agent)
        self.round, self.groups = received, received.groups
        return received

    def _cut(self, received: Round, simulation: Simulation) -> Round:
        """End the episode at a round, and return the merged end."""
        end = simulation.truncate()
        self._add_joined(end, simulation)
        return _merge(received, end)

    def _judge(self, judge: Any, received: Round, simulation: Simulation) -> Round:
        """Add violations of clients' histories to a round, as the simulation adds other ones."""
        added = judge.judge(_read_infos(received))
        terminates = self._stops and "violations" in added
        if terminates and not received.over:
            received = self._cut(received, simulation)
        if added:
            _amend(received, added, terminates=terminates)
        return received

    def _add_joined(self, received: Round, simulation: Simulation) -> None:
        """Add the new agents of a round."""
        for name in received.joined:
            agent = simulation.agents[name]
            if name not in self.agents:
                seed_actions(agent, simulation.rng)
            self.agents[name] = agent
            require_usable(agent)
            self.undecided.add(name)
            self.live.append(name)


def require_usable(agent: Agent) -> None:
    """Refuse an agent whose name is reserved, or whose spaces do not fit its masks."""
    require_free_agent(agent.name)
    require_maskable(agent.name, agent.observation_space, agent.action_space)


def seed_actions(agent: Agent, rng: RngState) -> None:
    """Seed the action space of an agent that joins: its user could not do so before."""
    agent.action_space.seed(int(random_stream(rng, agent.name).integers(2**31)))


def _write(values: list[int]) -> str:
    """Return the allowed values of one number of an action as text."""
    return ", ".join(map(str, values[:_SHOWN])) + (", ..." if len(values) > _SHOWN else "")


def _read_infos(received: Round) -> list[dict[str, Any]]:
    """Return the infos of all agents of a round."""
    asked = [info for steps in received.asked for info in steps.infos.values()]
    return [*asked, *(end.info for end in received.ended)]


def _amend(received: Round, added: Mapping[str, str], *, terminates: bool) -> None:
    """Add lines to the infos of a round; a step with its first violation is rewarded by 1."""

    def join(info: dict[str, Any]) -> dict[str, Any]:
        return info | {k: f"{info[k]}\n{text}".strip("\n") for k, text in added.items()}

    is_violated = any(info["violations"] for info in _read_infos(received))
    earned = float("violations" in added and not is_violated)
    received.asked = tuple(
        AgentSteps(
            steps.group,
            steps.buffers,
            (steps.rewards + earned).tobytes(),
            {row: join(info) for row, info in steps.infos.items()},
        )
        for steps in received.asked
    )
    received.ended = tuple(
        end._replace(
            reward=end.reward + earned,
            terminated=end.terminated or terminates,
            info=join(end.info),
        )
        for end in received.ended
    )


def _merge(asked: Round, end: Round) -> Round:
    """Return the end of an episode that is truncated at the round `asked`."""
    reported = {
        step.agent: step.reward for step in asked.steps
    }  # the end holds the rewards and infos after the round
    ended = (e._replace(reward=e.reward + reported.get(e.agent, 0.0)) for e in end.ended)
    joined, transfers = asked.joined + end.joined, asked.transfers + end.transfers
    ends = (*asked.ended, *ended)
    whole = Round(end.time_ns, (), joined, ends, transfers, end.communication, over=True)
    whole.trajectory = asked.trajectory
    return whole


_MAX_BYTES = 2**32 - 1


class TransferLedger:
    """The transfers of an episode by number.

    A `Transfer` is immutable: a report replaces it, so copies may share it.
    """

    def __init__(self) -> None:
        self._transfers: dict[int, Transfer] = {}
        self.orders: list[Transfer] = []
        self._last_number = 0

    @property
    def by_number(self) -> Mapping[int, Transfer]:
        """The transfers of this episode by number, in their current state."""
        return MappingProxyType(self._transfers)

    def copy(self) -> TransferLedger:
        """Return another ledger of the same transfers."""
        other = TransferLedger()
        other._transfers, other.orders = dict(self._transfers), list(self.orders)
        other._last_number = self._last_number
        return other

    def begin(self) -> None:
        """Begin an episode; numbers continue."""
        self._transfers, self.orders = {}, []

    def order(
        self, sender: str, receiver: str, size_bytes: int, kind: str, time_ns: int
    ) -> Transfer:
        """Order a transfer, which begins with the next answer to the simulation."""
        size = _check(sender, receiver, size_bytes, kind)
        self._last_number += 1
        order = Transfer(self._last_number, sender, receiver, kind, size, time_ns)
        self._transfers[order.number] = order
        self.orders.append(order)
        return order

    def take_orders(self) -> Sequence[Transfer]:
        """Return the transfers ordered since the last answer."""
        orders, self.orders = self.orders, []
        return orders

    def note(self, received: Round) -> None:
        """Update transfers from the reports of a round."""
        for report in received.transfers:
            if report.number in self._transfers:
                self._transfers[report.number] = dataclasses.replace(
                    self._transfers[report.number],
                    outcome=report.outcome,
                    finished_ns=report.finished_ns,
                    reason=report.reason,
                )
        if received.over:
            for transfer in self._transfers.values():
                if transfer.under_way:
                    unfinished = dataclasses.replace(transfer, outcome="unfinished")
                    self._transfers[transfer.number] = unfinished


def _check(sender: str, receiver: str, size_bytes: int, kind: str) -> int:
    """Return the checked size of a transfer."""
    try:
        size = operator.index(size_bytes)
    except TypeError:
        raise InvalidTransfer(f"size_bytes={size_bytes!r} is not an integer") from None
    if not 1 <= size <= _MAX_BYTES:
        raise InvalidTransfer(f"size_bytes={size} must be from 1 to {_MAX_BYTES}")
    if sender == receiver:
        raise InvalidTransfer(f"{sender} cannot send to itself")
    if not kind or "/" in kind:
        raise InvalidTransfer(f"kind={kind!r} must be a text without slashes")
    return size
