# SPDX-License-Identifier: GPL-2.0-only
"""RLlib (new API stack): only the agents that decide appear in the observation dict."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from defiance_zoo.environments import Transfers, lookup
from defiance_zoo.simulation import AgentEnd, AgentStep, Round

MultiAgentDict = dict[Any, Any]
"""By agent, and `__all__`; RLlib types agents as anything hashable."""


class RLlibEnv(Transfers, MultiAgentEnv):
    """A scenario as RLlib's `MultiAgentEnv`.

    An agent appears in the observations when it decides and once more when it ends. An agent that
    ends before it ever decided is left out: RLlib has no place for its reward.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        """Make the environment; one short-lived simulation tells its agents and spaces.

        Args:
            config: `name` of a registered environment, and arguments as for `defiance_zoo.make`;
                `rounds` is `simultaneous` unless it says otherwise.

        Raises:
            ParameterError: An argument is unknown or not allowed.
        """
        super().__init__()  # type: ignore[no-untyped-call] # RLlib's
        arguments = dict(config)
        spec = lookup(arguments.pop("name"))
        rounds = arguments.pop("rounds", "simultaneous")
        self._episodes = spec.episodes(rounds, **arguments)
        self._decided: set[str] = set()
        self._ended_at_reset = False
        agents = self._episodes.agents
        self.possible_agents = list(agents)
        self.agents = list(agents)
        self._observation_spaces: MultiAgentDict = {
            name: agents[name].observation_space for name in agents
        }
        self._action_spaces: MultiAgentDict = {name: agents[name].action_space for name in agents}
        self.observation_spaces = self._observation_spaces
        self.action_spaces = self._action_spaces
        self.observation_space = spaces.Dict(self._observation_spaces)
        self.action_space = spaces.Dict(self._action_spaces)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[MultiAgentDict, MultiAgentDict]:
        """Start a new episode and play it to the first round of decisions.

        Raises:
            ParameterError: An option is not allowed.
            SimulationError: The simulation failed.
        """
        told = self._episodes.begin(seed, options)
        self._decided = set()
        self._ended_at_reset = told.over
        self.agents = list(self._episodes.live)
        self._learn(told)
        # RLlib acts in every episode: one that is over at once shows its last observations first.
        shown = told.news if told.over else told.steps
        self._decided.update(each.agent for each in shown)
        return (
            {each.agent: self._observation(each) for each in shown},
            {each.agent: self._info(each.info, told) for each in shown},
        )

    def step(  # type: ignore[override] # as RLlib's own class overrides Gymnasium's
        self, action_dict: MultiAgentDict
    ) -> tuple[MultiAgentDict, MultiAgentDict, MultiAgentDict, MultiAgentDict, MultiAgentDict]:
        """Let the agents of the current round act, and play to the next round.

        Raises:
            InvalidAction: An action is not in its space.
            SimulationError: The simulation failed.
        """
        if self._ended_at_reset and self._episodes.round is not None:
            told = self._episodes.round
        else:
            for agent, action in action_dict.items():
                self._episodes.decide(agent, action)
            told = self._episodes.advance()
        self._ended_at_reset = False
        self._learn(told)
        self.agents = list(self._episodes.live)
        ended = [end for end in told.ended if end.agent in self._decided]
        seen: list[AgentStep | AgentEnd] = [*ended, *told.steps]
        self._decided.update(step.agent for step in told.steps)
        terminateds: MultiAgentDict = {end.agent: end.terminated for end in ended}
        truncateds: MultiAgentDict = {end.agent: not end.terminated for end in ended}
        # RLlib ends an episode when either flag says so for all; agents may end in mixed ways.
        terminateds["__all__"] = told.over and any(terminateds.values())
        truncateds["__all__"] = told.over and not terminateds["__all__"]
        return (
            {each.agent: self._observation(each) for each in seen},
            {each.agent: each.reward for each in seen},
            terminateds,
            truncateds,
            {each.agent: self._info(each.info, told) for each in seen},
        )

    def get_observation_space(self, agent_id: Any) -> spaces.Space[Any]:
        """Return the observation space of an agent."""
        return self._episodes.agents[agent_id].observation_space

    def get_action_space(self, agent_id: Any) -> spaces.Space[Any]:
        """Return the action space of an agent."""
        return self._episodes.agents[agent_id].action_space

    def close(self) -> None:
        """End the simulation and release everything; may be called again."""
        self._episodes.close()

    def _learn(self, told: Round) -> None:
        for name in told.joined:
            if name not in self._observation_spaces:
                self.possible_agents.append(name)
                self._observation_spaces[name] = self.get_observation_space(name)
                self._action_spaces[name] = self.get_action_space(name)

    def _observation(self, each: AgentStep | AgentEnd) -> Any:
        if isinstance(each, AgentEnd) and each.observation is None:
            return self._episodes.blank(each.agent)
        return each.observation

    def _info(self, info: dict[str, Any], told: Round) -> dict[str, Any]:
        return {**info, "sim_time_ns": told.time_ns}
