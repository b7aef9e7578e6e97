# SPDX-License-Identifier: GPL-2.0-only
"""Methods that all interfaces of an environment share: transfers, reports, states, snapshots."""

from __future__ import annotations

import contextlib
import copy
import functools
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector.utils import batch_space, iterate
from numpy.typing import NDArray

from defiance_zoo.bridge.codec.masks import MASK, observes_mask
from defiance_zoo.bridge.codec.spaces import (
    GeneratorState,
    Space,
    read_generators,
    set_generators,
)
from defiance_zoo.bridge.codec.values import copy_containers
from defiance_zoo.bridge.simulation import (
    Agent,
    CommunicationReport,
    FrozenSimulation,
    Transfer,
)
from defiance_zoo.bridge.simulation.distributions import write_distribution
from defiance_zoo.bridge.system.fork_safety import USER, exclusive
from defiance_zoo.bridge.system.plain_values import plain_value, require_flag
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.episodes.progress import EpisodeProgress, seed_actions
from defiance_zoo.errors import InvalidSnapshot

_Env = TypeVar("_Env", bound="Snapshots")
_EMPTY = spaces.Box(0, 0, (0,), np.int8)
"""The space of observations that hold nothing, or only a mask, which Gymnasium cannot flatten."""


class Simulated:
    """Transfers, reports of traffic, and drawn parameters of the episodes that are played."""

    _episodes: Episodes

    @exclusive
    def transfer(
        self, sender: str, receiver: str, size_bytes: int, kind: str = "model_update"
    ) -> Transfer:
        """Send something over the simulated network.

        The transfer starts when the simulation continues, at the current simulated time, and
        competes with all other traffic. `transfers` reports its state.

        Args:
            sender: An agent, or a training server such as `server_0`.
            receiver: Another agent or training server.
            size_bytes: Its size, from 1 to 2**32 - 1.
            kind: Kind in infos and trace sources.

        Raises:
            InvalidTransfer: The size is not allowed, or both ends are the same.
            ResetNeeded: No episode is running.
        """
        episodes = self._episodes
        episodes.launcher.require()
        orders = episodes.progress.transfers
        return orders.order(sender, receiver, size_bytes, kind, episodes.time_ns)

    @property
    def transfers(self) -> Mapping[int, Transfer]:
        """The transfers of this episode by number, in their current state."""
        return self._episodes.progress.transfers.by_number

    @property
    def episode(self) -> int:
        """Number of the current episode: the number of episodes begun so far."""
        return self._episodes.episode

    @property
    def sim_time_ns(self) -> int:
        """Simulated time in nanoseconds; 0 before the first decision."""
        return self._episodes.time_ns

    @exclusive
    def communication_report(self) -> CommunicationReport:
        """Return the traffic between RL applications since the beginning of the episode.

        It covers the time until the current decision, or until the end of the episode. After a
        failure of the simulation, it is the last returned report.

        Raises:
            NotCounted: The environment was made without `communication_report=True` and
                `communication_infos=True`.
            ResetNeeded: No episode was begun, or it broke off before anything was reported.
            SimulationError: The simulation failed.
        """
        return self._episodes.communication_report()

    @property
    def drawn_parameters(self) -> dict[str, Any]:
        """Parameters that were drawn for the current episode, or the last one, by name.

        Times are in seconds and data rates in bits per second, unless they are one of a `Choice`.
        """
        return self._episodes.launcher.drawn


class JointState:
    """The global state of an environment, for algorithms with centralised training."""

    _episodes: Episodes
    _observations: dict[str, Any]
    """The last observation of each agent in this episode."""
    _joint: tuple[int, spaces.Box] | None = None

    @property
    def state_space(self) -> spaces.Box:
        """Space of `state()`, always the same object; larger after a new agent has joined."""
        agents = self._episodes.agents
        if self._joint is None or self._joint[0] != len(agents):
            joint = joint_space([each.observation_space for each in agents.values()])
            self._joint = len(agents), joint
        return self._joint[1]

    @property
    def _state_generator(self) -> np.random.Generator:
        """The generator of `state_space`, which snapshots hold like other attributes."""
        return self.state_space.np_random

    @_state_generator.setter
    def _state_generator(self, kept: np.random.Generator) -> None:
        self.state_space.np_random.bit_generator.state = kept.bit_generator.state

    def state(self) -> NDArray[Any]:
        """Return the last observations of all agents, in the order of `possible_agents`.

        Each observation is flattened as by `gymnasium.spaces.flatten()`, without its action mask.
        An agent that has ended keeps its last observation; an agent without an observation has the
        value in its space that is closest to zero.

        Returns:
            A new array of one dimension, in `state_space`.
        """
        parts = []
        for name, agent in self._episodes.agents.items():
            value = self._observations.get(name)
            if value is None:
                value = self._episodes.placeholder(name)
            parts.append(flatten_observation(agent.observation_space, value))
        return np.concatenate(parts)


def joint_space(observed: list[Space]) -> spaces.Box:
    """Return the space of agents' flattened observations, one after the other."""
    joint = spaces.flatten_space(spaces.Tuple([_without_mask(space) for space in observed]))
    assert isinstance(joint, spaces.Box)  # all spaces of the protocol can be flattened
    return joint


def join_batch(space: Space, observations: Any, num_envs: int, agents: int) -> NDArray[Any]:
    """Return the joint observations of simulations, shape (num_envs, numbers)."""
    if isinstance(space, spaces.Box):
        return np.array(observations).reshape(num_envs, -1)
    each = iterate(batch_space(space, num_envs * agents), observations)
    return np.reshape([flatten_observation(space, one) for one in each], (num_envs, -1))


def _without_mask(space: Space) -> Space:
    if observes_mask(space):
        space = spaces.Dict({key: each for key, each in space.items() if key != MASK})
    return space if getattr(space, "spaces", True) else _EMPTY


def flatten_observation(space: Space, observation: Any) -> NDArray[Any]:
    """Return an observation as a vector, without its action mask."""
    space = _without_mask(space)
    return np.asarray(spaces.flatten(space, () if space is _EMPTY else observation))


class _SnapshotPoint(NamedTuple):
    """The state of an episode, beside its simulation."""

    episode: int
    progress: EpisodeProgress
    watcher: Any
    generators: Mapping[str, list[GeneratorState]]
    past: Any

    @classmethod
    def of(cls, episodes: Episodes) -> _SnapshotPoint:
        """Copy the state of episodes."""
        e, observer = episodes, episodes.observer
        generators = {name: read_generators(*each.spaces) for name, each in e.agents.items()}
        past = observer.past() if observer is not None else None
        here = cls(e.episode, e.progress, e.watcher, generators, past)
        return here._copied(e.agents)

    def apply(self, episodes: Episodes) -> None:
        """Return episodes to this state; it may be used again."""
        here, e = self._copied(episodes.agents), episodes
        e.episode, e.progress, e.watcher = here[:3]

    def _copied(self, agents: dict[str, Agent]) -> _SnapshotPoint:
        return self._replace(
            progress=self.progress.copy(agents), watcher=self.watcher and self.watcher.copy()
        )


class Snapshot:
    """A decision point of an episode, to which its environment can return any number of times.

    A snapshot holds a waiting process. `release()`, the end of a `with` block, garbage collection
    and the environment's `close()` end that process.

    Attributes:
        time_ns: Simulated time in nanoseconds.
    """

    def __init__(
        self, frozen: FrozenSimulation, episodes: Episodes, attributes: dict[str, Any]
    ) -> None:
        self.time_ns = episodes.time_ns
        self._frozen, self._point = frozen, _SnapshotPoint.of(episodes)
        self._attributes = attributes
        self._finalizer = weakref.finalize(self, episodes.launcher.frozen.release, frozen)

    @property
    def released(self) -> bool:
        """Whether it has been released and cannot be restored."""
        return self._frozen.released

    def release(self) -> None:
        """End the process of the snapshot; may be called again."""
        self._finalizer()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *_error: object) -> None:
        self.release()

    def __repr__(self) -> str:
        released = ", released" if self.released else ""
        return f"<Snapshot at {self.time_ns / 1e9:.9f} s{released}>"


class Snapshots:
    """Snapshots and branches, the same in every interface."""

    _episodes: Episodes
    _STATE: ClassVar[tuple[str, ...]]
    """Names of the attributes that change during an episode."""

    @exclusive
    def snapshot(self) -> Snapshot:
        """Keep this decision point, so that `restore()` can return to it.

        The simulation continues; a copy of its process waits, and shares its memory until
        one of them changes it.

        Raises:
            ResetNeeded: No episode is running.
            TooManySnapshots: There are `max_snapshots` already.
            SnapshotRefused: The simulation cannot be copied.
            SimulationError: The simulation failed.
        """
        episodes = self._episodes
        with self._breaking_off():
            if episodes.observer is not None:
                episodes.observer.require_copyable()
            episodes.launcher.require()
            with episodes.breaking_off():
                frozen = episodes.launcher.snapshot()
        return Snapshot(frozen, episodes, remember(self, self._STATE))

    @exclusive
    def branch(self: _Env, *, record: bool = True) -> _Env:
        """Return an independent environment in the state of this one.

        It has its own processes and spaces, is closed separately, and has the same kind and
        arguments. Its `reset()` starts episodes like a new environment's. Until that `reset()`, its
        simulation's output to files that are open now is lost.

        Args:
            record: Whether the branch is recorded if this environment is: this episode, as a
                separate one with the same beginning, and later ones. Pass False for trials.

        Raises:
            ResetNeeded: No episode is running.
            SnapshotRefused: The simulation cannot be copied.
            SimulationError: The simulation failed.
        """
        require_flag("record", record)
        with self._breaking_off():
            episodes = _branch(self._episodes, record=record)
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        for name in (USER, "_joint"):  # the running call and the space belong to `self`
            vars(other).pop(name, None)
        recall(other, remember(self, self._STATE))
        other._episodes = episodes
        return other

    def _return_to(self, snapshot: Snapshot) -> None:
        """Return the environment to a snapshot, for `restore()`."""
        if not isinstance(snapshot, Snapshot):
            raise InvalidSnapshot(f"restore() needs a snapshot, not {type(snapshot).__name__}")
        with self._breaking_off():
            _restore(self._episodes, snapshot._frozen, snapshot._point)
        recall(self, snapshot._attributes)

    @contextlib.contextmanager
    def _breaking_off(self) -> Iterator[None]:
        """Leave the episode if a failure inside ends it; only `reset()` continues then."""
        try:
            yield
        except BaseException:
            if self._episodes.round is None:
                self._break_off()
            raise

    def _break_off(self) -> None:
        """Leave the episode, whose simulation has ended."""


def _restore(episodes: Episodes, frozen: FrozenSimulation, point: _SnapshotPoint) -> None:
    """End the current simulation, and return to a round; nothing changes if the copy is refused."""
    episodes.launcher.require_restorable(frozen)
    observer = episodes.observer
    if observer is not None:
        observer.returning(point.past)
    try:
        simulation = episodes.launcher.restore(frozen)
    except BaseException:
        episodes.break_off()  # the simulation has ended, even if the copy is lost now
        if observer is not None:
            observer.not_returned()
        raise
    episodes.agents.update(simulation.agents)
    for name, agent in episodes.agents.items():
        if name in point.generators:
            set_generators(point.generators[name], *agent.spaces)
        else:
            seed_actions(agent, simulation.rng)
    point.apply(episodes)
    if observer is not None:
        observer.returned(point.past)


def _branch(episodes: Episodes, *, record: bool) -> Episodes:
    """Return other episodes at the same round, with a copy of the simulation."""
    if episodes.observer is not None:
        episodes.observer.require_copyable()
    episodes.launcher.require()
    point, other = _SnapshotPoint.of(episodes), copy.copy(episodes)
    memo: dict[int, Any] = {}
    with episodes.breaking_off():
        launcher = episodes.launcher.branch(memo)
    other.adopt(launcher, copy.deepcopy(episodes.agents, memo))
    point.apply(other)
    if episodes.observer is not None:
        other.observer = episodes.observer.branch(other.agents) if record else None
    return other


def remember(owner: object, names: Iterable[str]) -> dict[str, Any]:
    """Return copies of the named attributes that exist."""
    return {name: copy_containers(getattr(owner, name)) for name in names if hasattr(owner, name)}


def recall(owner: object, state: Mapping[str, Any]) -> None:
    """Restore attributes from copies, any number of times."""
    for name, value in state.items():
        setattr(owner, name, copy_containers(value))


class CopiedByArguments:
    """Copies and pickles are made anew from the same arguments: they hold nothing that runs."""

    _KEPT: ClassVar[frozenset[str]] = frozenset()
    """Names of attributes that are copied as well, if they are set."""

    def _note_arguments(self, *positional: Any, **named: Any) -> None:
        """Remember the arguments of the constructor."""
        self._positional, self._named = positional, plain_value(named)

    def __reduce__(self) -> tuple[Any, ...]:
        kept = {name: vars(self)[name] for name in self._KEPT & vars(self).keys()}
        return functools.partial(type(self), **self._named), self._positional, kept or None


class JsonSpec(CopiedByArguments):
    """An environment of Gymnasium whose specification JSON can hold."""

    _KEPT = frozenset({"spec"})

    @property
    def spec(self) -> EnvSpec | None:
        """Gymnasium's specification, in which distributions are written as in files."""
        return vars(self).get("spec")

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        kept = copy.copy(spec)
        if kept is not None:
            kept.kwargs = {name: write_distribution(each) for name, each in kept.kwargs.items()}
        vars(self)["spec"] = kept
