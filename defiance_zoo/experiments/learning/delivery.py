# SPDX-License-Identifier: GPL-2.0-only
"""Contents of transfers: versions of a policy for agents, and experience for training servers."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from defiance_zoo.bridge.simulation import Transfer
from defiance_zoo.environments import Simulated
from defiance_zoo.environments.shared_methods import recall, remember
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.learning.encodings import Encoding, Full, Weights, as_weights

_Content = TypeVar("_Content")


class PendingTransfers(Generic[_Content]):
    """Contents of transfers until they arrive; an episode's end discards the remaining ones."""

    _STATE = ("_contents",)

    def __init__(self, env: Simulated) -> None:
        self.env = env
        self._contents: dict[int, _Content] = {}

    def send(
        self, sender: str, receiver: str, size_bytes: int, kind: str, content: _Content
    ) -> Transfer:
        """Send contents with their size in bytes; see `Simulated.transfer`."""
        order = self.env.transfer(sender, receiver, size_bytes, kind)
        self._contents[order.number] = content
        return order

    def take(self) -> list[tuple[Transfer, _Content]]:
        """Return the contents that have arrived since the last call, in the order of arrival."""
        if not self._contents:
            return []
        arrived, transfers = [], self.env.transfers
        for number in list(self._contents):
            transfer = transfers.get(number)
            if transfer is not None and transfer.under_way:
                continue
            content = self._contents.pop(number)
            if transfer is not None and transfer.delivered:
                arrived.append((transfer, content))
        arrived.sort(key=lambda each: (each[0].finished_ns or 0, each[0].number))
        return arrived

    def state(self) -> dict[str, Any]:
        """Return a state for `recall()`, to keep with a snapshot of the environment."""
        return remember(self, self._STATE)

    def recall(self, state: Mapping[str, Any]) -> None:
        """Return to a state, after the environment was restored."""
        recall(self, state)


class Experience(NamedTuple):
    """An arrived batch.

    Attributes:
        agent: Agent that sent it.
        batch: Decoded arrays by name.
        transfer: The report of its transfer.
    """

    agent: str
    batch: Weights
    transfer: Transfer


class ExperienceCollection:
    """Batches of experience that agents send to training servers, or to each other."""

    def __init__(self, env: Simulated) -> None:
        """Begin without batches; `env` carries them."""
        self._pending: PendingTransfers[Weights] = PendingTransfers(env)
        self._received: dict[str, list[Experience]] = {}

    def send(self, agent: str, server: str, batch: Mapping[str, Any]) -> Transfer:
        """Send a batch: arrays by name, such as observations, actions and rewards.

        Raises:
            ParameterError: A value is not an array of numbers.
            ResetNeeded: No episode is running.
        """
        data = Full().encode(as_weights(batch))
        decoded = Full().decode(data)
        return self._pending.send(agent, server, len(data), "experience", decoded)

    def received(self, server: str) -> list[Experience]:
        """Return the experience that reached a server since the last call, in order of arrival."""
        for transfer, batch in self._pending.take():
            arrived = Experience(transfer.sender, batch, transfer)
            self._received.setdefault(transfer.receiver, []).append(arrived)
        return self._received.pop(server, [])


class _Held(NamedTuple):
    """A version, and its decoded weights."""

    version: int
    weights: Weights


class _Update(NamedTuple):
    """A version in transfer to an agent."""

    agent: str
    held: _Held


class PolicyDelivery:
    """One policy, of which each agent has the newest version that has reached its node.

    Versions count from 0, the initial version of every agent. Versions outlast episodes; transfers
    that an episode's end interrupts do not arrive. An agent uses the weights after encoding and
    decoding.

    Attributes:
        version: The newest published version.
    """

    _STATE = ("version", "_held", "_published")

    def __init__(
        self,
        env: Simulated,
        weights: Mapping[str, Any],
        agents: Iterable[str],
        *,
        encoding: Encoding | None = None,
        kind: str = "model_update",
        on_arrival: Callable[[str, Weights], None] | None = None,
    ) -> None:
        """Give every agent version 0.

        Args:
            env: Environment that carries the updates.
            weights: Weights of version 0: arrays or PyTorch tensors by name.
            agents: Agents that use the policy.
            encoding: Encoding of updates; `Full()` if None.
            kind: Kind of the messages in statistics.
            on_arrival: Called with an agent and its weights when it begins to use a version.

        Raises:
            ParameterError: The weights are not arrays of numbers.
        """
        self._encoding = encoding or Full()
        self._kind, self._on_arrival = kind, on_arrival
        self._pending: PendingTransfers[_Update] = PendingTransfers(env)
        self.version = 0
        self._held = dict.fromkeys(agents, _Held(0, as_weights(weights)))
        self._published = [(env.episode, env.sim_time_ns)]

    @property
    def agents(self) -> list[str]:
        """The agents that use the policy."""
        return list(self._held)

    def publish(
        self,
        weights: Mapping[str, Any],
        server: str = "server_0",
        agents: Iterable[str] | None = None,
    ) -> int:
        """Send a new version to agents, and return its number.

        A delta is relative to the current version of each agent.

        Args:
            weights: Arrays or PyTorch tensors by name.
            server: The sender: a server or an agent. A sending agent has the version at once.
            agents: Receivers; None: all agents.

        Raises:
            ParameterError: An agent is unknown, or the weights cannot be encoded.
            ResetNeeded: No episode is running.
        """
        receivers = self.agents if agents is None else list(agents)
        for agent in receivers:
            self._require(agent)
        self._refresh()
        new, version = as_weights(weights), self.version + 1
        encoded: dict[int, tuple[int, Weights]] = {}
        for agent in receivers:
            base = self._held[agent].weights
            if agent != server and id(base) not in encoded:
                data = self._encoding.encode(new, base)
                encoded[id(base)] = len(data), self._encoding.decode(data, base)
        for agent in receivers:
            if agent != server:
                size, decoded = encoded[id(self._held[agent].weights)]
                update = _Update(agent, _Held(version, decoded))
                self._pending.send(server, agent, size, self._kind, update)
        self.version = version
        self._published.append((self._pending.env.episode, self._pending.env.sim_time_ns))
        if server in receivers:
            self._use(server, _Held(version, new))
        return version

    def install(self, agents: Iterable[str] | None = None) -> None:
        """Give agents the newest weights of any agent, without the network.

        Args:
            agents: Receivers; None: all agents.
        """
        newest = max(map(self._current, self._held), key=lambda held: held.version)
        for agent in self.agents if agents is None else agents:
            self._require(agent)
            self._use(agent, newest)

    def version_of(self, agent: str) -> int:
        """Return the version that an agent uses now.

        Raises:
            ParameterError: The agent is unknown.
        """
        return self._current(agent).version

    def weights_of(self, agent: str) -> Weights:
        """Return a copy of the weights that an agent uses now.

        Raises:
            ParameterError: The agent is unknown.
        """
        return as_weights(self._current(agent).weights)

    def infos_of(self, agent: str) -> dict[str, Any]:
        """Return the state of an agent's policy at this instant.

        Returns:
            `policy/version` (int); `policy/age`: seconds since its publication; `policy/staleness`:
            seconds since the publication of a newer version, 0.0 if there is none. Seconds are
            simulated time of this episode.

        Raises:
            ParameterError: The agent is unknown.
        """
        version = self._current(agent).version
        newer = version + 1
        return {
            "policy/version": version,
            "policy/age": self._since(version),
            "policy/staleness": self._since(newer) if newer <= self.version else 0.0,
        }

    def state(self) -> dict[str, Any]:
        """Return a state for `recall()`, to keep with a snapshot of the environment."""
        return {"own": remember(self, self._STATE), "pending": self._pending.state()}

    def recall(self, state: Mapping[str, Any]) -> None:
        """Return to a state, after the environment was restored."""
        before = {agent: held.version for agent, held in self._held.items()}
        recall(self, state["own"])
        self._pending.recall(state["pending"])
        for agent, held in self._held.items():
            if held.version != before.get(agent):
                self._use(agent, held)

    def branch(self, env: Simulated) -> PolicyDelivery:
        """Return an independent copy for a branch of the environment, without `on_arrival`."""
        other = copy.copy(self)
        other._on_arrival = None
        other._pending = PendingTransfers(env)
        other.recall(self.state())
        return other

    # ------------------------------------------------------------------ inside

    def _require(self, agent: str) -> None:
        if agent not in self._held:
            raise ParameterError(f"{agent!r} does not use this policy; {self.agents} do")

    def _current(self, agent: str) -> _Held:
        self._require(agent)
        self._refresh()
        return self._held[agent]

    def _refresh(self) -> None:
        """Use arrived versions that are newer than the current one."""
        for _, update in self._pending.take():
            if update.held.version > self._held[update.agent].version:
                self._use(update.agent, update.held)

    def _use(self, agent: str, held: _Held) -> None:
        self._held[agent] = held
        if self._on_arrival is not None:
            self._on_arrival(agent, as_weights(held.weights))

    def _since(self, version: int) -> float:
        """Return the seconds of this episode since the publication of a version."""
        env = self._pending.env
        episode, time_ns = self._published[version]
        return (env.sim_time_ns - (time_ns if episode == env.episode else 0)) / 1e9
