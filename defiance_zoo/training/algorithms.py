# SPDX-License-Identifier: GPL-2.0-only
"""What libraries call their algorithms and hyperparameters, known without importing them."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Collection
from pathlib import Path

from defiance_zoo.errors import ParameterError
from defiance_zoo.training.configuration import RunConfig
from defiance_zoo.training.run_config_file import near_word

SB3 = {
    **dict.fromkeys(("A2C", "DDPG", "DQN", "PPO", "SAC", "TD3"), "stable_baselines3"),
    **dict.fromkeys(("CrossQ", "MaskablePPO", "QRDQN", "TQC", "TRPO"), "sb3_contrib"),
}
"""Algorithms of SB3, and the packages that have them."""

RLLIB = ("PPO", "APPO", "IMPALA", "DQN", "SAC", "APEX_DQN")
"""Algorithms of RLlib."""

_APE_X = Path(__file__).resolve().parent.parent / "wrappers" / "rllib" / "ape_x.py"

DECIDED_BY_THE_RUN = {"env", "seed", "tensorboard_log", "verbose", "_init_setup_model"}
"""Arguments of SB3's algorithms that are no hyperparameters here."""


def check_names(config: RunConfig) -> None:
    """Refuse names that the library does not have; what it imports takes seconds, this does not.

    Raises:
        ParameterError: An algorithm or a hyperparameter is unknown.
    """
    known: Collection[str] = SB3 if config.library == "sb3" else RLLIB
    require_known(f"algorithm of {config.library}", config.algorithm, known)
    if config.library == "sb3":
        require_hyperparameters(config, _parameters(SB3[config.algorithm], config.algorithm))
    elif (properties := _rllib_properties()) is not None:
        for name in config.hyperparameters:
            require_known("property of RLlib's algorithms", name, properties, tell=False)


def require_hyperparameters(config: RunConfig, parameters: Collection[str] | None) -> None:
    """Compare hyperparameters with the parameters of SB3's class; None: of which nothing is known.

    Raises:
        ParameterError: One is unknown, or what the run decides.
    """
    if parameters is None:
        return
    known = set(parameters) - DECIDED_BY_THE_RUN
    for name in config.hyperparameters:
        if name in DECIDED_BY_THE_RUN:
            raise ParameterError(f"{name!r} is no hyperparameter here: the run decides it")
        require_known(f"hyperparameter of {config.algorithm}", name, known)


def require_known(what: str, name: str, known: Collection[str], *, tell: bool = True) -> None:
    """Refuse a name that is not known, with the nearest one, and all that are if `tell`.

    Raises:
        ParameterError: It is not known.
    """
    if name not in known:
        near = near_word(name, known)
        there = f"{' There' if near else '; there'} are {sorted(known)}" if tell else ""
        raise ParameterError(f"no {what} {name!r}{near}{there}")


def _parameters(package: str, name: str) -> set[str] | None:
    """Return the parameters of a class, as its source says; None if that cannot be found."""
    folder = _folder(package)
    for path in sorted(folder.glob("*/*.py")) if folder else ():
        source = path.read_text(encoding="utf-8")
        if re.search(rf"^class {name}\(", source, re.MULTILINE):
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.ClassDef) and node.name == name:
                    return _parameters_of_constructor(node)
    return None


def _parameters_of_constructor(class_: ast.ClassDef) -> set[str] | None:
    for node in class_.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            arguments = node.args
            if arguments.kwarg is None:
                return {each.arg for each in (*arguments.args[1:], *arguments.kwonlyargs)}
    return None


def _rllib_properties() -> set[str] | None:
    """Return what RLlib's configurations of algorithms set, of all of them together."""
    folder = _folder("ray")
    if folder is None:
        return None
    found = {"model_config"}
    for path in (*(folder / "rllib" / "algorithms").rglob("*.py"), _APE_X):
        found.update(re.findall(r"\bself\._?(\w+)(?:: [^=\n]+)? =", path.read_text("utf-8")))
    return found


def _folder(package: str) -> Path | None:
    """Return where a package is, if it is installed; nothing of it is imported."""
    found = importlib.util.find_spec(package)
    return Path(found.origin).parent if found and found.origin else None
