# SPDX-License-Identifier: GPL-2.0-only
"""The tests of every environment in each of its modes, to inherit.

A test module has a subclass for its environment, parametrized by the arguments of the modes:

    @pytest.mark.parametrize("arguments", MODES)
    class TestEachMode(Conformance):
        spec = my_environment_v0.SPEC

`SingleAgentConformance` is for modes with one agent. Episodes played to their end also have the
arguments in `short`.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, ClassVar

import pytest
from gymnasium.utils.env_checker import check_env as check_gymnasium
from interfaces import compare_with_uninterrupted
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.test.state_test import state_test

from defiance_zoo.environments import EnvironmentSpec, Policy, SimulationAECEnv
from defiance_zoo.environments.testing import check_deterministic, play
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import cheap_policies, open_env
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

Arguments = dict[str, Any]


class Conformance:
    """The checkers of PettingZoo and RLlib, and this project's promises about every episode.

    Attributes:
        spec: The environment.
        cycles: Steps that PettingZoo's checkers take.
        short: Arguments that keep whole episodes short; a mode's own come first.
        eventful: Arguments with which episodes are compared bit for bit, such as a loss.
        further_modes_are_long: Whether `make test` plays the first mode of a class alone.
    """

    spec: ClassVar[EnvironmentSpec]
    cycles: ClassVar[int] = 20
    short: ClassVar[Arguments] = {}
    eventful: ClassVar[Arguments] = {}
    further_modes_are_long: ClassVar[bool] = True

    # Some environments have infinite or equal bounds, and states of one number or of zeros.
    @pytest.mark.filterwarnings("ignore:Environment's m.* state space", "ignore:State ")
    def test_pettingzoos_api_test_passes(self, arguments: Arguments) -> None:
        env = self.spec.env(**{**self.short, **arguments})
        api_test(env, num_cycles=self.cycles)
        parallel = self.spec.parallel_env(**{**self.short, **arguments})
        parallel_api_test(parallel, num_cycles=self.cycles)
        state_test(env, parallel, num_cycles=1)
        env.close()
        parallel.close()

    def test_pettingzoos_seed_test_passes(self, arguments: Arguments) -> None:
        given = {**self.short, **arguments}
        seed_test(functools.partial(self.spec.env, **given), num_cycles=self.cycles)
        make = functools.partial(self.spec.parallel_env, **given)
        parallel_seed_test(make, num_cycles=self.cycles)

    @pytest.mark.parametrize(
        "kind", ["raw_env", pytest.param("parallel_env", marks=pytest.mark.thorough)]
    )
    def test_equal_seeds_give_equal_episodes(self, kind: str, arguments: Arguments) -> None:
        make = getattr(self.spec, kind)
        given = {**self.short, **self.eventful, **arguments}
        check_deterministic(functools.partial(make, **given), seeds=(7, 8), second_process=False)

    def test_forked_episodes_equal_fresh_ones(self, arguments: Arguments) -> None:
        """The warm-up of the fork server has no effect on an episode."""
        given = {"communication_infos": True, **self.short, **self.eventful, **arguments}
        forked = self.spec.raw_env(launch="fork", **given)
        fresh = self.spec.raw_env(launch="spawn", **given)
        assert play(forked, 1, episodes=2) == play(fresh, 1, episodes=2)
        forked.close()
        fresh.close()

    def test_restored_episodes_equal_uninterrupted_ones(self, arguments: Arguments) -> None:
        given = {**self.short, **self.eventful, **arguments}
        compare_with_uninterrupted(self.spec, "aec", link="local", **given)

    def test_each_policy_plays_or_is_refused(self, arguments: Arguments) -> None:
        """Policies that are not costly choose actions of the agents' spaces."""
        with contextlib.closing(open_env(self.spec, {**self.short, **arguments})) as env:
            for named in cheap_policies(self.spec):
                env.reset(seed=1)
                with contextlib.suppress(ParameterError):
                    self._play(env, named.make(self.spec, env, 1))

    def _play(self, env: SimulationAECEnv, policy: Policy) -> None:
        policy.reset()
        for agent in env.agent_iter(self.cycles):
            observation, _, terminated, truncated, info = env.last()
            over = terminated or truncated
            action = None if over else policy.act(agent, observation, info)
            assert over or env.action_space(agent).contains(action), (policy, action)
            env.step(action)

    @pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
    def test_rllibs_checker_passes(self, arguments: Arguments) -> None:
        from ray.rllib.utils.pre_checks.env import check_multiagent_environments

        from defiance_zoo.wrappers.rllib import RLlibEnv  # only this test needs the slow import

        env = RLlibEnv({"name": self.spec.name, **self.short, **arguments})
        check_multiagent_environments(env)
        env.close()


class SingleAgentConformance(Conformance):
    """The tests of every environment with one agent, and the checkers of Gymnasium and SB3."""

    # Rendering needs a mode; tests of pictures cover it.
    @pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes")
    # Some environments have infinite bounds by design.
    @pytest.mark.filterwarnings("ignore:.*A Box observation space m.*imum value is -?infinity")
    def test_gymnasiums_checker_passes(self, arguments: Arguments) -> None:
        env = GymnasiumEnv(self.spec, **{**self.short, **arguments})
        check_gymnasium(env, skip_close_check=True)
        env.close()

    def test_sb3s_checker_passes(self, arguments: Arguments) -> None:
        from stable_baselines3.common.env_checker import check_env as check_sb3

        env = GymnasiumEnv(self.spec, **{**self.short, **arguments})
        check_sb3(env)
        env.close()

    def test_restored_gymnasium_episodes_equal_uninterrupted_ones(
        self, arguments: Arguments
    ) -> None:
        given = {**self.short, **self.eventful, **arguments}
        compare_with_uninterrupted(self.spec, "gymnasium", link="local", **given)
