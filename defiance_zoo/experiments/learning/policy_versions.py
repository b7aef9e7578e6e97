# SPDX-License-Identifier: GPL-2.0-only
"""PettingZoo wrappers that report the version of each agent's policy."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper

from defiance_zoo.environments import Snapshot
from defiance_zoo.experiments.learning.delivery import PolicyDelivery

Infos = dict[str, dict[str, Any]]


class _Versions:
    """Common base of both wrappers; snapshots include the state of the delivery."""

    env: Any

    def _watch(self, delivery: PolicyDelivery) -> None:
        self.delivery = delivery
        self._states: WeakKeyDictionary[Snapshot, dict[str, Any]] = WeakKeyDictionary()

    def _merge(self, infos: Infos) -> Infos:
        return {agent: {**info, **self._of(agent)} for agent, info in infos.items()}

    def _of(self, agent: str) -> dict[str, Any]:
        known = agent in self.delivery.agents
        return self.delivery.infos_of(agent) if known else {}

    def snapshot(self) -> Snapshot:
        """See `Snapshots.snapshot`."""
        snapshot: Snapshot = self.env.snapshot()
        self._states[snapshot] = self.delivery.state()
        return snapshot

    def _return_to(self, snapshot: Snapshot) -> Any:
        reported = self.env.restore(snapshot)
        if snapshot in self._states:
            self.delivery.recall(self._states[snapshot])
        return reported


class PolicyVersionsParallel(_Versions, BaseParallelWrapper[str, Any, Any]):
    """A parallel environment whose infos include those of `PolicyDelivery.infos_of`."""

    def __init__(self, env: ParallelEnv[str, Any, Any], delivery: PolicyDelivery) -> None:
        """Wrap an environment.

        Args:
            env: A parallel environment of this package, wrapped or not.
            delivery: Delivery of the policy, over this environment.
        """
        super().__init__(env)
        self._watch(delivery)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], Infos]:
        """See `SimulationParallelEnv.reset`."""
        observations, infos = super().reset(seed, options)
        return observations, self._merge(infos)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """See `SimulationParallelEnv.step`."""
        observations, rewards, terminations, truncations, infos = super().step(actions)
        return observations, rewards, terminations, truncations, self._merge(infos)

    def restore(self, snapshot: Snapshot) -> tuple[dict[str, Any], Infos]:
        """See `SimulationParallelEnv.restore`."""
        observations, infos = self._return_to(snapshot)
        return observations, self._merge(infos)


class PolicyVersionsAEC(_Versions, BaseWrapper[str, Any, Any]):
    """An AEC environment whose infos include those of `PolicyDelivery.infos_of`."""

    def __init__(self, env: AECEnv[str, Any, Any], delivery: PolicyDelivery) -> None:
        """Wrap an environment.

        Args:
            env: An AEC environment of this package, wrapped or not.
            delivery: Delivery of the policy, over this environment.
        """
        super().__init__(env)
        self._watch(delivery)

    @property
    def infos(self) -> Infos:  # type: ignore[override] # PettingZoo declares an attribute
        """Infos by agent."""
        return self._merge(self.env.infos)

    def restore(self, snapshot: Snapshot) -> None:
        """See `SimulationAECEnv.restore`."""
        self._return_to(snapshot)
