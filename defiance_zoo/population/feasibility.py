# SPDX-License-Identifier: GPL-2.0-only
"""Checks of a population's description, before simulations start."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.spelling import known_words
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import Spaces, agent_spaces, find_divisions, read_named
from defiance_zoo.experiments.training.checkpoints import find_checkpoint
from defiance_zoo.experiments.training.run_config_file import check_names
from defiance_zoo.experiments.training.trainer import best_response_trainer
from defiance_zoo.experiments.workbench.descriptions import build_model, read_yaml
from defiance_zoo.experiments.workbench.signing_key import require_key
from defiance_zoo.experiments.workbench.wording import locating
from defiance_zoo.population.configuration import KnownPolicy, PopulationConfig
from defiance_zoo.population.games.game import Game
from defiance_zoo.population.members import check_action
from defiance_zoo.population.running.generations import solver_name
from defiance_zoo.population.solvers.registry import find_solver


def read_population_file(path: Path) -> PopulationConfig:
    """Return the population that a YAML file describes, after checking names.

    Relative paths of runs start at the file's folder.

    Raises:
        ParameterError: The file cannot be read, or a key or name is unknown, missing or has a wrong
            type.
        UnknownEnvironment: There is no such environment.
    """
    config = build_model(PopulationConfig, _with_runs(read_yaml(path), path.resolve().parent))
    check_words(config)
    return config


def _with_runs(value: Any, folder: Path) -> Any:
    """Return a description with absolute paths of runs."""
    if isinstance(value, list):
        return [_with_runs(each, folder) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: _with_runs(each, folder) for key, each in value.items()}
    if isinstance(found.get("run"), str):
        found["run"] = str((folder / found["run"]).resolve())
    if isinstance(found.get("pretrained"), dict):
        runs = found["pretrained"].items()
        found["pretrained"] = {
            role: str((folder / run).resolve()) if isinstance(run, str) else run
            for role, run in runs
        }
    return found


def check_words(config: PopulationConfig) -> None:
    """Refuse unknown names; no simulation and no slow import is necessary."""
    lookup(config.env)
    find_solver(solver_name(config), config.solver_options)
    best = config.best_response
    check_names(config.training(config.seed))
    for section, policies in (("initial", config.initial), ("probes", config.probes)):
        _require_roles(section, policies, config)
        for role, several in policies.items():
            _check_policies(f"{section}.{role}", several, config)
    _require_roles("best_response.pretrained", best.pretrained, config)
    if best.initialisation == "pretrained":
        for role in config.roles:
            _check_pretrained(role, config)
    elif best.pretrained:
        raise ParameterError("best_response.pretrained is for initialisation='pretrained'")
    if config.method == "league" and best.initialisation.startswith("inherit"):
        raise ParameterError(
            "method='league' always starts from its latest main agent; its exploiters begin "
            "with initialisation='random' or 'pretrained'"
        )


def check(config: PopulationConfig, *, trust: bool = False) -> None:
    """Refuse an invalid description, by `check_words()` and by importing the library."""
    check_words(config)
    require_key(trust=trust)
    lookup(config.env).raw_env(**config.parameters).close()
    best_response_trainer(config.best_response.library)
    known = [*config.initial.values(), *config.probes.values()]
    runs = [each.run for policies in known for each in policies if each.run is not None]
    for run in (*runs, *config.best_response.pretrained.values()):
        find_checkpoint(Path(run), trust=trust)


def game_of(config: PopulationConfig) -> Game:
    """Return a population's game, after checking its policies."""
    game = Game.of(config.env, config.parameters, config.roles, config.payoff, config.one_shot)
    game = replace(game, measures=config.measures)
    spaces = agent_spaces(game.spec, dict(config.parameters))
    for policies in (config.initial, config.probes):
        for role, several in policies.items():
            for agent in (game.seats.agents[seat] for seat in game.seats.of_role(role)):
                for each in several:
                    _check_spaces(each, game, agent, spaces[agent])
    return game


def _require_roles(section: str, names: Collection[str], config: PopulationConfig) -> None:
    for role in names:
        if role not in config.roles:
            ending = known_words(role, config.roles)
            raise ParameterError(f"{section}: there is no role {role!r}{ending}")


def _check_policies(where: str, policies: list[KnownPolicy], config: PopulationConfig) -> None:
    names = [each.name for each in policies]
    for each in policies:
        with locating(where):
            _check_policy(each, config)
        if names.count(each.name) > 1:
            raise ParameterError(f"{where}: {each.name!r} stands there twice")


def _check_policy(policy: KnownPolicy, config: PopulationConfig) -> None:
    kinds = (policy.baseline is not None, policy.run is not None, bool(policy.parameters))
    if sum(kinds) != 1:
        raise ParameterError("a policy needs exactly one of baseline, run and parameters")
    if policy.parameters:
        _check_parameters(policy, config)
        return
    if policy.named is not None:
        read_named(lookup(config.env), policy.named)
        return
    if policy.options:
        raise ParameterError("options are for baselines")
    run = find_checkpoint(Path(policy.run or "")).config
    if run.env != config.env:
        raise ParameterError(f"{policy.run} is of {run.env}, not {config.env}")


def _check_parameters(policy: KnownPolicy, config: PopulationConfig) -> None:
    if config.one_shot:
        raise ParameterError(
            "parameters apply to a whole simulation, so policies by parameters cannot be drawn for "
            "each decision of one_shot=true"
        )
    for name in policy.parameters:
        if name in config.parameters:
            raise ParameterError(f"{name} is also a parameter of the population")
    lookup(config.env).raw_env(**config.parameters, **policy.parameters).close()


def _check_spaces(policy: KnownPolicy, game: Game, agent: str, spaces: Spaces) -> None:
    """Refuse a policy that an agent cannot play."""
    if policy.named is not None:
        check_action(policy.named, spaces[1])
        return
    if policy.run is None:
        return
    run = find_checkpoint(Path(policy.run or "")).config
    trained = agent_spaces(game.spec, run.parameters).values()
    if find_divisions(game.spec, {agent: spaces}, trained):
        raise ParameterError(f"{policy.run} was trained for other agents than {agent}")


def _check_pretrained(role: str, config: PopulationConfig) -> None:
    best = config.best_response
    if role not in best.pretrained:
        raise ParameterError(
            f"best_response.pretrained has no run for the role {role!r}, "
            "which initialisation='pretrained' needs"
        )
    run = find_checkpoint(Path(best.pretrained[role])).config
    if (run.library, run.algorithm) != (best.library, best.algorithm):
        raise ParameterError(
            f"best_response.pretrained.{role}: {best.pretrained[role]} was trained with "
            f"{run.algorithm} of {run.library}, not {best.algorithm} of {best.library}"
        )
