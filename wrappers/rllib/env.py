# SPDX-License-Identifier: GPL-2.0-only
"""RLlib (new API stack): only the agents that decide appear in the observation dict."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gymnasium import spaces
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from defiance_zoo.bridge.codec.values import copy_batch
from defiance_zoo.bridge.process.simulation_process import ATTEMPTS, Losses
from defiance_zoo.bridge.simulation import Agent, AgentEnd, AgentStep, Round, adopt_programs
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.bridge.system.plain_values import require_flag, require_type
from defiance_zoo.environments import (
    EnvironmentSpec,
    JointState,
    Simulated,
    lookup,
    prefer_local_link,
    registered,
)
from defiance_zoo.environments.arguments import require_mapping
from defiance_zoo.environments.shared_methods import CopiedByArguments
from defiance_zoo.errors import SimulationError
from defiance_zoo.wrappers.features import FeatureSource, FeatureView
from defiance_zoo.wrappers.rllib.spaces import Encoding

MultiAgentDict = dict[Any, Any]
"""Values by agent and for `__all__`; RLlib's type for agents is any hashable."""

_FLAGS = ("restart_on_failure", "action_masks", "encode")

Step = tuple[MultiAgentDict, MultiAgentDict, MultiAgentDict, MultiAgentDict, MultiAgentDict]


class RLlibEnv(CopiedByArguments, JointState, Simulated, MultiAgentEnv):
    """A scenario as RLlib's `MultiAgentEnv`.

    An agent appears in the observations when it decides and once more when it ends. An agent that
    ends without a decision is left out, because RLlib cannot represent its reward.

    Attributes:
        waited_s: Seconds of waiting for simulations.
        simulated_s: Number of simulated seconds.
        encodings: With `encode`, the encoding of each agent's spaces.
        views: With `features`, the view of each agent.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        """Make the environment; a short-lived simulation reports its agents and spaces.

        Args:
            config: `name` of a registered environment, and arguments as for `defiance_zoo.make`;
                `rounds` is `simultaneous` and `link` is `local` by default. Besides: `spec`, an
                `EnvironmentSpec` for processes in which `name` is not registered.
                `restart_on_failure`, to treat a failed simulation as a truncated episode, with the
                reason in the info `failure`. `encode`, to convert spaces for RLlib's networks:
                `Encoding`. `features`, a `FeatureSource` that replaces observations.
                `action_masks`, for scenarios that send an info `action_mask`; implies `encode`.
                `kept_programs`, for processes that work for another one; see `adopt_programs`.

        Raises:
            ParameterError: An argument is unknown or not allowed.
        """
        super().__init__()  # type: ignore[no-untyped-call] # RLlib's
        self._note_arguments(config)
        arguments = dict(require_mapping("config", config))
        name, spec = arguments.pop("name", None), arguments.pop("spec", None)
        require_type("spec", spec, EnvironmentSpec, optional=True)
        if spec is None or name in registered():
            spec = lookup(name)
        adopt_programs(require_mapping("kept_programs", arguments.pop("kept_programs", None)))
        rounds = arguments.pop("rounds", "simultaneous")
        self._features: FeatureSource | None = arguments.pop("features", None)
        flags = {name: arguments.pop(name, False) for name in _FLAGS}
        for flag in flags.items():
            require_flag(*flag)
        self._restart, self._masks, encodes = flags.values()
        self._encodes = encodes or self._masks
        self._episodes = spec.episodes(rounds, **prefer_local_link(arguments))
        self.encodings: dict[str, Encoding] = {}
        self.views: dict[str, FeatureView] = {}
        self._states: dict[str, Any] = {}
        self._shown: MultiAgentDict = {}
        self._observations = {}
        self._info_sums: dict[str, dict[str, tuple[float, int]]] = {}
        self._ended_at_reset = False
        self.losses = Losses()
        self.waited_s = 0.0
        self.simulated_s = 0.0
        self._time_ns = 0
        self.possible_agents: list[Any] = []
        self.observation_spaces: MultiAgentDict = {}
        self.action_spaces: MultiAgentDict = {}
        for agent in self._episodes.agents.values():
            self._add_agent(agent)
        self.agents = list(self.possible_agents)
        self.observation_space = spaces.Dict(self.observation_spaces)
        self.action_space = spaces.Dict(self.action_spaces)

    @exclusive
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[MultiAgentDict, MultiAgentDict]:
        """Start a new episode, and play to the first round of decisions.

        Raises:
            ParameterError: An option is not allowed.
            SimulationError: The simulation failed; with `restart_on_failure`, repeatedly.
        """
        reported = self._begin(seed, options)
        self._shown = {}
        self._observations = {}
        self._states = {}
        self._info_sums = {}
        self._ended_at_reset = reported.over
        self._learn(reported)
        # RLlib acts in every episode, so an episode that ends at once first shows its last
        # observations.
        return self._show([*(reported.news if reported.over else reported.steps)], reported)

    @exclusive
    def step(  # type: ignore[override] # as RLlib's own class overrides Gymnasium's
        self, action_dict: MultiAgentDict
    ) -> Step:
        """Let the agents of the current round act, and play to the next round.

        Raises:
            InvalidAction: An action is not in its space.
            SimulationError: The simulation failed.
        """
        if self._ended_at_reset and self._episodes.round is not None:
            self._episodes.launcher.require_open()
            reported = self._episodes.round
        else:
            for agent, action in action_dict.items():
                encoding = self.encodings.get(agent)
                self._episodes.decide(agent, encoding.action(action) if encoding else action)
            try:
                reported = self._timed(self._episodes.advance)
            except SimulationError as error:
                if not self._restart:
                    raise
                self.losses.forgives(error)  # if it lasts, `SimulationMetrics` raises it
                return self._break_off(error)
        self._ended_at_reset = False
        self._learn(reported)
        ended = [end for end in reported.ended if end.agent in self._shown]
        observed: list[AgentStep | AgentEnd] = [*ended, *reported.steps]
        terminateds: MultiAgentDict = {end.agent: end.terminated for end in ended}
        truncateds: MultiAgentDict = {end.agent: not end.terminated for end in ended}
        # RLlib ends an episode when one flag is set for all agents, but agents may end differently.
        terminateds["__all__"] = reported.over and any(terminateds.values())
        truncateds["__all__"] = reported.over and not terminateds["__all__"]
        observations, infos = self._show(observed, reported)
        rewards = {each.agent: each.reward for each in observed}
        return observations, rewards, terminateds, truncateds, infos

    def info_means(self) -> dict[str, dict[str, float]]:
        """Return the means of the scenario's numeric infos in this episode, by agent and name."""
        return {
            agent: {name: total / count for name, (total, count) in sums.items()}
            for agent, sums in self._info_sums.items()
        }

    @property
    def failures(self) -> int:
        """Number of failed simulations, treated as truncated episodes."""
        return self.losses.count

    @exclusive
    def close(self) -> None:
        """End the simulation and release everything; may be called again."""
        self._episodes.close()

    # ------------------------------------------------------------------ inside

    def _begin(self, seed: int | None, options: dict[str, Any] | None) -> Round:
        self._time_ns = 0
        for _ in range(ATTEMPTS - 1 if self._restart else 0):
            try:
                return self._timed(self._episodes.begin, seed, options)
            except SimulationError as error:
                if not self.losses.forgives(error):
                    raise
                seed = None  # the next run number may avoid the failure
        return self._timed(self._episodes.begin, seed, options)

    def _timed(self, play: Callable[..., Round], *arguments: Any) -> Round:
        began = time.perf_counter()
        try:
            played = play(*arguments)
        finally:
            self.waited_s += time.perf_counter() - began
        self.simulated_s += (played.time_ns - self._time_ns) / 1e9
        self._time_ns = played.time_ns
        return played

    def _break_off(self, error: SimulationError) -> Step:
        """Return the last step of the live agents after their simulation has failed."""
        live = self._episodes.live
        observations = {agent: self._shown[agent] for agent in live if agent in self._shown}
        return (
            observations,
            dict.fromkeys(observations, 0.0),
            dict.fromkeys([*observations, "__all__"], False),
            dict.fromkeys([*observations, "__all__"], True),
            {agent: {"failure": str(error)} for agent in observations},
        )

    def _learn(self, reported: Round) -> None:
        # RLlib's checker requires agents with their last observation.
        present = [*(end.agent for end in reported.ended), *self._episodes.live]
        self.agents = list(present)
        for name in present:
            if name not in self.observation_spaces:
                self._add_agent(self._episodes.agents[name])

    def _add_agent(self, agent: Agent) -> None:
        both = agent.observation_space, agent.action_space
        if self._features is not None:
            view = self.views[agent.name] = FeatureView(self._features, both[0])
            both = view.space, both[1]
        if self._encodes:
            encoding = Encoding(*both, masks_in_infos=self._masks, agent=agent.name)
            self.encodings[agent.name] = encoding
            both = encoding.observation_space, encoding.action_space
        self.observation_spaces[agent.name], self.action_spaces[agent.name] = both
        self.possible_agents.append(agent.name)

    def _show(
        self, observed: list[AgentStep | AgentEnd], reported: Round
    ) -> tuple[MultiAgentDict, MultiAgentDict]:
        """Return observations and infos, and store them as the last ones."""
        observations: MultiAgentDict = {}
        infos: MultiAgentDict = {}
        for each in observed:
            observation = each.observation
            if observation is None:
                observation = self._episodes.placeholder(each.agent)
            self._observations[each.agent] = observation
            observation = self._observe(each.agent, observation)
            encoding = self.encodings.get(each.agent)
            if encoding is not None:
                decides = isinstance(each, AgentStep)
                observation = encoding.observation(observation, each.info, decides=decides)
            self._shown[each.agent] = observation
            observations[each.agent] = copy_batch(observation)
            infos[each.agent] = {**each.info, "sim_time_ns": reported.time_ns}
            self._add_infos(each.agent, each.info)
        return observations, infos

    def _observe(self, agent: str, observation: Any) -> Any:
        """Return the features of an observation, and keep the agent's state."""
        view = self.views.get(agent)
        if view is None:
            return observation
        observed, self._states[agent] = view.observe_one(observation, self._states.get(agent))
        return observed

    def _add_infos(self, agent: str, info: dict[str, Any]) -> None:
        sums = self._info_sums.setdefault(agent, {})
        for name, value in info.items():
            if isinstance(value, int | float):
                total, count = sums.get(name, (0.0, 0))
                sums[name] = total + value, count + 1


class SimulationMetrics(RLlibCallback):
    """Adds metrics to `result["env_runners"]` and to the result itself.

    - `simulation_failures`: simulations lost since training began;
    - `simulation_share`: share of time in which env runners waited for ns-3;
    - `simulated_s`: simulated seconds since training began, of all simulations;
    - `scenario_infos`, by agent and name: means of the numeric infos over an episode, for the last
    episodes;
    - in the result itself `env_runners_lost`, since training began; simulations lost with an env
    runner are not in `simulation_failures`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._since = time.perf_counter()
        self._reported = (0, 0.0, 0.0)
        self._known = 0

    def on_environment_created(self, **_: Any) -> None:
        """Reset the counts together with the environments."""
        self._reported = (0, 0.0, 0.0)

    def on_episode_end(
        self,
        *,
        env_index: int,
        env_runner: Any = None,
        metrics_logger: Any = None,
        env: Any = None,
        **_: Any,
    ) -> None:
        """Log the scenario's infos."""
        window = env_runner.config.metrics_num_episodes_for_smoothing
        for agent, means in env.envs[env_index].unwrapped.info_means().items():
            for name, mean in means.items():
                metrics_logger.log_value(("scenario_infos", agent, name), mean, window=window)

    def on_sample_end(
        self, *, env_runner: Any = None, metrics_logger: Any = None, **_: Any
    ) -> None:
        """Log failures and shares of time."""
        each = _environments(env_runner)
        failures, waited = sum(env.failures for env in each), sum(env.waited_s for env in each)
        simulated = sum(env.simulated_s for env in each)
        now = time.perf_counter()
        share = (waited - self._reported[1]) / (now - self._since)
        metrics_logger.log_value(
            "simulation_failures", failures - self._reported[0], reduce="lifetime_sum"
        )
        metrics_logger.log_value("simulation_share", share, window=10)
        metrics_logger.log_value(
            "simulated_s", simulated - self._reported[2], reduce="lifetime_sum"
        )
        self._since, self._reported = now, (failures, waited, simulated)

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **_: Any) -> None:
        """Report losses, if there are new ones; see `report_losses()`."""
        failures, before = result.get("env_runners", {}).get("simulation_failures", 0), self._known
        self._known = failures
        if failures != before:
            report_losses(algorithm, result)

    def on_env_runners_recreated(
        self, *, algorithm: Any, env_runner_group: Any, env_runner_indices: list[int], **_: Any
    ) -> None:
        """Count env runners that were lost and replaced; see also `require_episodes()`."""
        algorithm.metrics.log_value(
            "env_runners_lost", len(env_runner_indices), reduce="lifetime_sum"
        )
        require_episodes(env_runner_group, env_runner_indices)


def report_losses(algorithm: Any, result: dict[str, Any]) -> None:
    """Add the messages of lost simulations to a result, as `lost`; raise an error that lasts.

    RLlib replaces env runners that raise errors, again and again.
    """
    runners = algorithm.env_runner_group.foreach_env_runner(_take_losses)
    found = [each for runner in runners for each in runner]
    for _, lasting in found:
        if lasting is not None:
            raise lasting
    result["lost"] = [message for messages, _ in found for message in messages]


def require_episodes(env_runner_group: Any, indices: list[int]) -> None:
    """Raise the lasting error with which new env runners cannot begin an episode, either."""
    found = env_runner_group.foreach_env_runner(
        _try_reset, remote_worker_ids=indices, local_env_runner=False
    )
    for lasting in filter(None, found):
        raise lasting


def _try_reset(runner: Any) -> SimulationError | None:
    try:
        for env in _environments(runner):
            env.reset()
    except SimulationError as error:
        return error if error.lasting else None
    return None


def _take_losses(runner: Any) -> list[tuple[list[str], SimulationError | None]]:
    both = [env.losses for env in _environments(runner)]
    return [(each.take(), each.lasting) for each in both]


def _environments(runner: Any) -> list[Any]:
    return [] if runner.env is None else [env.unwrapped for env in runner.env.unwrapped.envs]
