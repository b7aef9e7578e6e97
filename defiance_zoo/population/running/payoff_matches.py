# SPDX-License-Identifier: GPL-2.0-only
"""Matches: episodes with a policy for each seat, which fill the cells of a payoff table."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from defiance_zoo.bridge.codec.spaces import placeholder_observation
from defiance_zoo.bridge.process.simulation_process import ATTEMPTS
from defiance_zoo.environments import Policy, SimulationAECEnv
from defiance_zoo.errors import SimulationError
from defiance_zoo.experiments.evaluation import PlayedEpisode, play
from defiance_zoo.experiments.study.measures import measure_infos, watched
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.runner import Progress, cores, local_workers
from defiance_zoo.experiments.workbench.workers import Job, Workers
from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.games.game import Game, Profile, score
from defiance_zoo.population.members import Player, PolicyStore, forget_loaded, options_of
from defiance_zoo.population.payoff_table import Cell, Outcome
from defiance_zoo.population.running.state import PopulationState


class SeatedPolicies:
    """See `Policy`: each agent has its own policy; decisions and discrete actions are counted."""

    def __init__(
        self,
        policies: Mapping[str, Policy],
        spaces: Mapping[str, Any],
        blanks: Mapping[str, Any] | None = None,
    ) -> None:
        self._policies, self._spaces, self._blanks = policies, spaces, blanks
        self.decisions: Counter[str] = Counter()
        self.actions: dict[str, list[int]] = {}

    def reset(self) -> None:
        self.decisions.clear()
        self.actions = {
            agent: [0] * int(space.n)
            for agent, space in self._spaces.items()
            if isinstance(space, Discrete)
        }
        for policy in self._policies.values():
            policy.reset()

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        if self._blanks is not None:
            observation = self._blanks[agent]
        action = self._policies[agent].act(agent, observation, info)
        self.decisions[agent] += 1
        if agent in self.actions:
            self.actions[agent][int(action) - int(self._spaces[agent].start)] += 1
        return action


@dataclass(frozen=True)
class MatchJob(Job):
    """Plays several cells' episodes.

    Episode i of a cell has `seed + i`; after each episode, policies move to the next seat of their
    role.
    """

    game: Game
    profiles: tuple[Profile, ...]
    players: Mapping[str, Player]
    episodes: int
    seed: int

    def run(self, report: EventCallback) -> dict[str, Any]:
        """Play; return the cells in the order of the profiles."""
        with contextlib.closing(self.game.open()) as env:
            cells = [self._play(env, profile) for profile in self.profiles]
        return {"cells": [cell.to_json() for cell in cells]}

    def portable(self) -> MatchJob:
        return replace(self, players={name: each.packed() for name, each in self.players.items()})

    def _play(self, env: SimulationAECEnv, profile: Profile) -> Cell:
        outcomes = []
        for number in range(self.episodes):
            seated = self.game.seats.rotate(profile, number)
            policies = self._seat(env, seated, number)
            (played,) = play(
                env,
                policies,
                episodes=1,
                seed=self.seed + number,
                attempts=ATTEMPTS,
                watch=watched(self.game.measures),
                options=self._options(seated),
            )
            outcomes.append(self._count(played, policies, seated))
        return Cell.of(outcomes)

    def _options(self, seated: Profile) -> dict[str, Any]:
        agents = self.game.seats.agents
        return options_of({a: self.players[name] for a, name in zip(agents, seated, strict=True)})

    def _seat(self, env: SimulationAECEnv, seated: Profile, number: int) -> SeatedPolicies:
        agents = self.game.seats.agents
        policies = {
            agent: self.players[name].make(
                self.game.spec, env, agent, seed_of(self.seed + number, seat)
            )
            for seat, (agent, name) in enumerate(zip(agents, seated, strict=True))
        }
        blanks = None
        if self.game.one_shot:
            blanks = {each: placeholder_observation(env.observation_space(each)) for each in agents}
        return SeatedPolicies(policies, {each: env.action_space(each) for each in agents}, blanks)

    def _count(self, played: PlayedEpisode, policies: SeatedPolicies, seated: Profile) -> Outcome:
        agents = self.game.seats.agents
        paid = {
            agent: self.game.pay(played.returns.get(agent, 0.0), policies.decisions[agent])
            for agent in agents
        }
        scores = {agent: score(paid, agent) for agent in agents}
        by_name: dict[str, list[str]] = {}
        for agent, name in zip(agents, seated, strict=True):
            by_name.setdefault(name, []).append(agent)
        return Outcome(
            {name: _mean([paid[each] for each in at]) for name, at in by_name.items()},
            {name: _mean([scores[each] for each in at]) for name, at in by_name.items()},
            {
                name: np.sum([policies.actions[each] for each in at], axis=0).tolist()
                for name, at in by_name.items()
                if all(each in policies.actions for each in at)
            },
            {name: measure_infos(played, each) for name, each in self.game.measures.items()},
        )


def seed_of(seed: int, *path: int) -> int:
    """Return one of many independent seeds."""
    return int(np.random.SeedSequence([seed, *path]).generate_state(1)[0])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


_TOGETHER = 8
"""Maximum number of cells that one job plays before they are written."""

_TURNS = 4
"""Number of jobs for each worker, if there are enough cells."""


def play_missing(
    state: PopulationState,
    store: PolicyStore,
    config: PopulationConfig,
    workers: Workers,
    *,
    count: int,
    keep: Callable[[Profile, Cell], None],
    report: EventCallback,
) -> None:
    """Play the unknown cells of the game among the policies, and add them to the table."""
    wanted = state.profiles()
    missing = state.table.missing(wanted)
    known = len(wanted) - len(missing)
    report({"event": "cells", "missing": len(missing), "known": known})
    if not missing:
        return
    progress, records = Progress(len(missing)), state.records
    jobs = [
        (
            part,
            MatchJob(
                state.game,
                part,
                {name: Player.of(records[name], store) for profile in part for name in profile},
                config.episodes,
                config.seed,
            ),
        )
        for part in _parts(missing, count)
    ]
    for ended in workers.run(jobs, report):
        if ended.result is None:
            raise SimulationError(f"playing {ended.name[0]}: {ended.error}: {ended.message}")
        for profile, values in zip(ended.name, ended.result["cells"], strict=True):
            cell = Cell.from_json(values)
            keep(profile, cell)
            state.table.put(profile, cell)
        report({"event": "cell", **progress.advance(len(ended.name))})


def play_table(
    state: PopulationState,
    store: PolicyStore,
    config: PopulationConfig,
    workers: int | None,
    report: EventCallback,
) -> None:
    """Play the unknown cells, and add them to the table; no file is written."""
    count = cores() if workers is None else workers
    with contextlib.closing(local_workers(count)) as players:
        try:
            play_missing(
                state,
                store,
                config,
                players,
                count=count,
                keep=lambda _profile, _cell: None,
                report=report,
            )
        finally:
            forget_loaded()


def _parts(missing: Sequence[Profile], workers: int) -> list[tuple[Profile, ...]]:
    """Return cells in parts, so that all workers have work."""
    size = max(1, min(_TOGETHER, len(missing) // (_TURNS * max(1, workers))))
    return [tuple(missing[first : first + size]) for first in range(0, len(missing), size)]
