# SPDX-License-Identifier: GPL-2.0-only
"""The properties that every environment has in each of its modes, as tests to inherit.

A module of tests has a subclass for its environment, parametrized by the arguments of the modes:

    @pytest.mark.parametrize("arguments", MODES)
    class TestEachMode(Conformance):
        spec = my_environment_v0.SPEC

`SingleAgentConformance` is for modes with one agent, besides. Episodes that are played to their end
have the arguments in `short`, too.
"""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import pytest
from gymnasium.utils.env_checker import check_env as check_gymnasium
from interfaces import compare_with_uninterrupted
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.environments.testing import check_deterministic, play
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

Arguments = dict[str, Any]


class Conformance:
    """The checkers of PettingZoo and RLlib, and what this project promises of any episode.

    Attributes:
        spec: Of the environment.
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

    def test_pettingzoo_api(self, arguments: Arguments) -> None:
        env = self.spec.env(**{**self.short, **arguments})
        api_test(env, num_cycles=self.cycles)
        env.close()
        parallel = self.spec.parallel_env(**{**self.short, **arguments})
        parallel_api_test(parallel, num_cycles=self.cycles)
        parallel.close()

    def test_pettingzoo_seeds(self, arguments: Arguments) -> None:
        given = {**self.short, **arguments}
        seed_test(functools.partial(self.spec.env, **given), num_cycles=self.cycles)
        make = functools.partial(self.spec.parallel_env, **given)
        parallel_seed_test(make, num_cycles=self.cycles)

    @pytest.mark.parametrize("kind", ["raw_env", "parallel_env"])
    def test_deterministic(self, kind: str, arguments: Arguments) -> None:
        make = getattr(self.spec, kind)
        given = {**self.short, **self.eventful, **arguments}
        check_deterministic(functools.partial(make, **given), seeds=(7, 8), second_process=False)

    def test_forked_as_fresh(self, arguments: Arguments) -> None:
        """The warm-up of the fork server leaves nothing behind in an episode."""
        given = {"communication_infos": True, **self.short, **self.eventful, **arguments}
        forked = self.spec.raw_env(launch="fork", **given)
        fresh = self.spec.raw_env(launch="spawn", **given)
        assert play(forked, 1, episodes=2) == play(fresh, 1, episodes=2)
        forked.close()
        fresh.close()

    def test_restored_as_uninterrupted(self, arguments: Arguments) -> None:
        given = {**self.short, **self.eventful, **arguments}
        compare_with_uninterrupted(self.spec, "aec", link="local", **given)

    @pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
    def test_rllibs_checker(self, arguments: Arguments) -> None:
        from ray.rllib.utils.pre_checks.env import check_multiagent_environments

        from defiance_zoo.wrappers.rllib import RLlibEnv  # a second to import, for this test alone

        env = RLlibEnv({"name": self.spec.name, **self.short, **arguments})
        check_multiagent_environments(env)
        env.close()


class SingleAgentConformance(Conformance):
    """What holds for every environment, and the checkers of Gymnasium and SB3."""

    # Rendering needs a mode, which tests of pictures try.
    @pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes")
    # Where bounds are infinite, that is how the environment is.
    @pytest.mark.filterwarnings("ignore:.*A Box observation space m.*imum value is -?infinity")
    def test_gymnasiums_checker(self, arguments: Arguments) -> None:
        env = GymnasiumEnv(self.spec, **{**self.short, **arguments})
        check_gymnasium(env, skip_close_check=True)
        env.close()

    def test_sb3s_checker(self, arguments: Arguments) -> None:
        from stable_baselines3.common.env_checker import check_env as check_sb3

        env = GymnasiumEnv(self.spec, **{**self.short, **arguments})
        check_sb3(env)
        env.close()

    def test_restored_as_uninterrupted_with_gymnasium(self, arguments: Arguments) -> None:
        given = {**self.short, **self.eventful, **arguments}
        compare_with_uninterrupted(self.spec, "gymnasium", link="local", **given)
