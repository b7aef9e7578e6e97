# SPDX-License-Identifier: GPL-2.0-only
"""PettingZoo environments whose world is a real ns-3 network simulation."""

from __future__ import annotations

from defiance_zoo.bridge.system import signals

signals.end_quietly()

# ruff: noqa: E402 (the rest loads slowly)
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import defiance_zoo.bridge.system.deleted_directory  # noqa: F401 (first: PettingZoo needs it)
from defiance_zoo import errors
from defiance_zoo.registration import register, register_folders, registered

if TYPE_CHECKING:
    from defiance_zoo.bridge.simulation import (
        Choice,
        CurveKeys,
        LogUniform,
        Scenario,
        Traces,
        Uniform,
    )
    from defiance_zoo.environments import EnvironmentSpec, make, make_vec
    from defiance_zoo.experiments.evaluation import FilePolicy

__version__ = "0.1.0"

__all__ = [
    "Choice",
    "CurveKeys",
    "EnvironmentSpec",
    "LogUniform",
    "Scenario",
    "Traces",
    "Uniform",
    "__version__",
    "errors",
    "make",
    "make_vec",
    "networked",
    "pretrained",
    "register",
    "registered",
]

_LATE = {
    **dict.fromkeys(
        ("Choice", "CurveKeys", "LogUniform", "Scenario", "Traces", "Uniform"),
        "defiance_zoo.bridge.simulation",
    ),
    **dict.fromkeys(("EnvironmentSpec", "make", "make_vec"), "defiance_zoo.environments"),
}
"""Modules of the names that load ZeroMQ, protobuf and the links, which take most of the time."""


if not TYPE_CHECKING:  # type checkers would believe that every name exists

    def __getattr__(name: str) -> Any:
        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(_LATE[name]), name)
        return value


def __dir__() -> list[str]:
    return [*globals(), *_LATE]


def pretrained(env: str) -> FilePolicy:
    """Return the trained policy of an environment.

    Args:
        env: Name of the environment, such as `tcp_congestion_v1`.

    Raises:
        UnknownEnvironment: There is no environment of this name.
        ParameterError: The environment has no trained policy.
        DependencyMissing: ONNX Runtime is not installed.
    """
    from defiance_zoo.experiments.evaluation import pretrained as find  # only for policy files

    return find(env)


def networked(
    plant: str | Callable[..., Any],
    *,
    api: str | None = None,
    plant_arguments: Mapping[str, Any] | None = None,
    plant_options: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Any:
    """Make an environment whose agents observe and control another environment over a network.

    The other environment, the plant, runs inside the simulation, and steps at an interval of
    simulated time. See docs/networks/networked.md.

    Args:
        plant: An id of Gymnasium; `module:NAME` of a function that makes an environment of
            Gymnasium or PettingZoo; or the function, if the simulation can import it by name.
        api: As in `make()`; None: `gymnasium` for one agent, `parallel` for several.
        plant_arguments: Arguments of the plant, which JSON can express.
        plant_options: Options of the plant's `reset()`, likewise.
        **arguments: As in `make()`; parameters are `tick`, `over`, `network`, `delay`, `loss`,
            `data_rate`, `distance`, `compute`, `hold`, `window` and others.

    Raises:
        ParameterError: The plant cannot be imported or simulated, or an argument is not allowed.
    """
    from defiance_zoo.envs.networked.specification import make_networked  # only for plants

    return make_networked(
        plant,
        api=api,
        plant_arguments=plant_arguments,
        plant_options=plant_options,
        **arguments,
    )


register(
    "partition_v0",
    "defiance_zoo.envs.partition.partition_v0:SPEC",
    gymnasium_id="defiance_zoo/PartitionRaft-v0",
)
register(
    "partition_tendermint_v0",
    "defiance_zoo.envs.partition.partition_v0:TENDERMINT_SPEC",
    gymnasium_id="defiance_zoo/PartitionTendermint-v0",
)
register_folders(Path(__file__).with_name("envs"), "defiance_zoo.envs")
