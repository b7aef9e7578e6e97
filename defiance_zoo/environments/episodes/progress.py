# SPDX-License-Identifier: GPL-2.0-only
"""The progress of an episode: its agents, their last round, and their decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.codec.masks import (
    MASK,
    Mask,
    allows,
    check_mask,
    list_allowed,
    observes_mask,
    read_mask,
    require_maskable,
)
from defiance_zoo.bridge.simulation import Agent, AgentGroup, Round, Trajectory
from defiance_zoo.environments.arguments import require_free_agent, require_free_infos
from defiance_zoo.environments.checkers import CHECKERS_PAGE
from defiance_zoo.errors import IllegalAction, InvalidAction

_MOST_KNOWN = 1024  # sets of infos whose names have been checked
_SHOWN = 16  # allowed values of a number, in a message


class EpisodeProgress:
    """Agents of an episode, and their current round.

    Attributes:
        agents: All agents so far by name, also of earlier episodes.
        live: Agents that have not ended, in the order in which they joined.
        round: The last round, None before the first one.
        groups: Groups of agents that decide in it.
        undecided: Agents that have never decided in this episode.
    """

    def __init__(
        self, agents: dict[str, Agent], max_cycles: int | None, *, heeds_masks: bool = False
    ) -> None:
        """Begin before the first round.

        Args:
            agents: Agents by name; agents that join are added.
            max_cycles: Number of decisions of an agent after which the episode is truncated; None:
                no limit.
            heeds_masks: Whether actions that an `action_mask` forbids are refused.
        """
        self.agents, self.max_cycles = agents, max_cycles
        self.heeds_masks = heeds_masks
        self.live: list[str] = []
        self._known_infos: set[tuple[str, ...]] = set()
        self.undecided: set[str] = set()
        self._decisions: dict[str, int] = {}
        self.clear()

    def clear(self) -> None:
        """Forget the round: no episode is running."""
        self.round: Round | None = None
        self.groups: tuple[AgentGroup, ...] = ()
        self._actions: dict[str, Any] = {}

    def begin(self, agents: Iterable[str]) -> None:
        """Begin an episode with some agents."""
        self.live = list(agents)
        self.undecided = set(self.live)
        self._decisions = {}

    def copy(self, agents: dict[str, Agent]) -> EpisodeProgress:
        """Return an independent copy.

        Args:
            agents: Agents of the copy; see `__init__()`.
        """
        other = copy(self)
        other.agents = agents
        other.live, other.undecided = list(self.live), set(self.undecided)
        other._decisions, other._actions = dict(self._decisions), dict(self._actions)
        return other

    # ------------------------------------------------------------------ decisions

    @property
    def deciding(self) -> tuple[str, ...]:
        """Agents of the current round."""
        return tuple(agent for group in self.groups for agent in group.names)

    @property
    def watches_decisions(self) -> bool:
        """Whether decisions have to be counted: at the beginning, and with `max_cycles`."""
        return bool(self.undecided or self.max_cycles)

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

    def decide(self, agent: str, action: Any) -> None:
        """Set the action of an agent of the current round; it may be replaced.

        Raises:
            InvalidAction: The agent does not decide now, or the action is not in its space.
            IllegalAction: Its mask forbids the action.
        """
        for group in self.groups:
            if agent in group.members:
                try:
                    checked = group.actions.check(action)
                except (ValueError, TypeError, OverflowError) as error:
                    space = self.agents[agent].action_space
                    raise InvalidAction(
                        f"the action of {agent} is not in {space}: {error}"
                    ) from error
                if self.heeds_masks:
                    self.require_allowed(agent, action)
                self._actions[agent] = checked
                return
        raise InvalidAction(f"an action of {agent!r}, but {list(self.deciding)} decide")

    def mask_of(self, agent: str) -> Mask | None:
        """Return the mask of an agent that decides in this round; None if it has none."""
        assert self.round is not None
        (step,) = (step for step in self.round.steps if step.agent == agent)
        space = self.agents[agent].action_space
        return read_mask(agent, space, step.observation, step.info)

    def require_allowed(self, agent: str, action: Any) -> None:
        """Compare an action of an agent's space with the agent's mask, if it has one.

        Raises:
            IllegalAction: The mask forbids the action.
        """
        mask, space = self.mask_of(agent), self.agents[agent].action_space
        if mask is not None and not allows(space, mask, action):
            parts = [_write(values) for values in list_allowed(space, mask)]
            allowed = parts[0] if len(parts) == 1 else f"[{'], ['.join(parts)}]"
            raise IllegalAction(
                f"the {MASK} of {agent} forbids action {action} now; it allows {allowed} "
                f"(draw with the mask; for checkers that do not, see {CHECKERS_PAGE})"
            )

    def check_infos(self, received: Round) -> None:
        """Check the names of all infos of a round.

        Raises:
            ReservedName: Environments or their adapters use such a name.
        """
        for end in received.ended:
            self._check_names(end.agent, end.info)
        for steps in received.asked:
            for row, info in steps.infos.items():
                self._check_names(steps.group.names[row], info)

    def _check_names(self, agent: str, info: Mapping[str, Any]) -> None:
        names = tuple(info)
        if names not in self._known_infos:
            require_free_infos(agent, names)
            if len(self._known_infos) >= _MOST_KNOWN:
                self._known_infos.clear()
            self._known_infos.add(names)

    def check_masks(self) -> None:
        """Check the masks of all agents that decide in this round.

        Raises:
            InvalidMask: A mask does not fit its agent's actions.
        """
        for steps in self.round.asked if self.round is not None else ():
            agent = self.agents[steps.group.names[0]]  # the others have equal spaces
            observed: Any = None
            if observes_mask(agent.observation_space):
                observed = steps.observations[MASK]
            for row, name in enumerate(steps.group.names if observed is not None else ()):
                check_mask(name, agent.action_space, observed[row])
            for row, info in steps.infos.items():
                if MASK in info:
                    seen = None if observed is None else {MASK: observed[row]}
                    read_mask(steps.group.names[row], agent.action_space, seen, info)

    def answer(self) -> list[Buffer]:
        """Return the buffers of the actions of a whole round, for `Simulation.play()`.

        Raises:
            InvalidAction: An agent has not decided; its action can still be set.
        """
        actions: list[Buffer] = []
        decided = self._actions
        try:
            for group in self.groups:
                actions += group.actions.flatten([decided[agent] for agent in group.names])
        except KeyError:
            missing = [agent for agent in self.deciding if agent not in decided]
            raise InvalidAction(
                f"no action for {missing}: each of {list(self.deciding)} must act"
            ) from None
        if self.undecided or self.max_cycles:
            self.count(decided)
        return actions

    def count(self, agents: Iterable[str]) -> None:
        """Count a decision of agents."""
        if self.undecided:
            self.undecided.difference_update(agents)
        if self.max_cycles is not None:
            for agent in agents:
                self._decisions[agent] = self._decisions.get(agent, 0) + 1

    def decisions(self) -> dict[str, int]:
        """Return the number of decisions of each agent of the episode; only with `max_cycles`."""
        return {name: self._decisions.get(name, 0) for name in self.agents}

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

    def take(self, received: Round) -> bool:
        """Make a round the current one; return whether it holds more than decisions."""
        self.round, self.groups, self._actions = received, received.groups, {}
        return bool(
            received.joined
            or received.ended
            or received.transfers
            or received.over
            or self.undecided
            or self.max_cycles
        )

    def add_joined(self, received: Round, agents: Mapping[str, Agent]) -> None:
        """Add the new agents of a round.

        Args:
            received: The round.
            agents: All agents of the simulation, by name.
        """
        for name in received.joined:
            self.agents[name] = agents[name]
            require_free_agent(name)
            require_maskable(name, agents[name].observation_space, agents[name].action_space)
            self.undecided.add(name)
            self.live.append(name)

    def set_initial_rewards_aside(self, received: Round) -> None:
        """Turn rewards that follow no decision into infos."""
        if self.undecided:
            received.asked = tuple(
                steps.without_initial_rewards(self.undecided) for steps in received.asked
            )

    def settle(self, received: Round) -> None:
        """Make a round with known agents the current one, and remove the agents that end in it."""
        for ended in received.ended:
            self.live.remove(ended.agent)
        self.round, self.groups = received, received.groups


def _write(values: list[int]) -> str:
    """Return the allowed values of one number of an action as text."""
    return ", ".join(map(str, values[:_SHOWN])) + (", ..." if len(values) > _SHOWN else "")


def merge(asked: Round, end: Round) -> Round:
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
