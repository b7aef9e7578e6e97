# SPDX-License-Identifier: GPL-2.0-only
"""Policy files in Python; their decisions equal those in simulations without Python."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim, flatten

from defiance_zoo.bridge.codec import space_from_json
from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.bridge.system.reading import read_bytes
from defiance_zoo.environments import EnvironmentSpec, PolicyMaker, SimulationAECEnv, lookup
from defiance_zoo.environments.policies import Policy
from defiance_zoo.errors import DependencyMissing, MalformedMessage, ParameterError
from defiance_zoo.experiments.evaluation.playing import spaces_of
from defiance_zoo.experiments.evaluation.policies import DividedPolicy, Spaces, find_divisions

_SPACE = "defiance.v1.{}_space"
"""Name of the metadata that holds a space; see `policy_file.proto`."""


class FilePolicy:
    """Decides by a policy file from `defiance-zoo export`.

    Attributes:
        path: Path of the file.
        metadata: Metadata of the file, by name.
        spaces: Observation and action space of its agents.
    """

    def __init__(self, path: Path) -> None:
        """Load a file.

        Raises:
            ParameterError: The file is not a policy file, or has no spaces.
            DependencyMissing: ONNX Runtime is not installed.
        """
        self.path = path
        self._session = _load(path)
        with _damaged(path):
            self.metadata: dict[str, str] = self._session.get_modelmeta().custom_metadata_map
            inputs = {each.name: each.shape for each in self._session.get_inputs()}
        if not {"observation"} <= inputs.keys() <= {"observation", "state"}:
            raise ParameterError(
                f"{path} takes {list(inputs)}, but a policy file takes an observation and, "
                "optionally, a state"
            )
        self.spaces = self._read_space("observation"), self._read_space("action")
        self._states: dict[str, Any] = {}
        with _damaged(path):  # for sizes and types that do not fit its spaces
            shape = (1, int(inputs["state"][1])) if "state" in inputs else (0,)
            self._begin = np.zeros(shape, np.float32)
            self._decide(np.zeros(flatdim(self.spaces[0]), np.float32), self._begin)

    def _read_space(self, what: str) -> spaces.Space[Any]:
        try:
            return space_from_json(self.metadata[_SPACE.format(what)])
        except (KeyError, MalformedMessage) as error:
            raise ParameterError(f"{self.path} does not name its {what} space: {error}") from error

    def reset(self) -> None:
        """See `Policy`."""
        self._states = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """See `Policy`."""
        flat = np.asarray(flatten(self.spaces[0], observation), np.float32)
        action, self._states[agent] = self._decide(flat, self._states.get(agent, self._begin))
        return action

    def _decide(self, flat: Any, state: Any) -> tuple[Any, Any]:
        """Return an action, and the state for the next decision."""
        acts = self.spaces[1]
        given = {"observation": flat[np.newaxis]}
        if state.size:
            found, state = self._session.run(["action", "next_state"], {**given, "state": state})
        else:
            (found,) = self._session.run(["action"], given)
        if isinstance(acts, spaces.Discrete):
            return int(found[0]), state
        return np.asarray(found[0], acts.dtype).reshape(acts.shape or ()), state


def pretrained(env: str) -> FilePolicy:
    """Return the trained policy of an environment.

    Args:
        env: Name of the environment.

    Raises:
        UnknownEnvironment: There is no environment of this name.
        ParameterError: The environment has no trained policy.
        DependencyMissing: ONNX Runtime is not installed.
    """
    return FilePolicy(_file_of(lookup(env)))


@dataclass(frozen=True)
class FileOptions:
    """Options of the policy `file`.

    Attributes:
        path: Path of the policy file.
    """

    path: str = ""

    def __post_init__(self) -> None:
        """Refuse a missing file."""
        if not Path(self.path).is_file():
            raise ParameterError(
                f"path={self.path!r}: give the path of a policy file, -o file.path=FILE"
            )


def file_policies(spec: EnvironmentSpec) -> dict[str, PolicyMaker]:
    """Return the makers of policies from files: any file, or the package's trained policy."""

    def from_path(env: SimulationAECEnv, _seed: int, options: FileOptions) -> Policy:
        return _fit(FilePolicy(Path(options.path)), spec, env)

    def trained(env: SimulationAECEnv, _seed: int, _options: Any) -> Policy:
        return _fit(FilePolicy(_file_of(spec)), spec, env)

    makers = {"file": PolicyMaker(from_path, __name__, FileOptions, costly=True, kind="trained")}
    if spec.trained is not None and spec.trained.is_file():
        makers["trained"] = PolicyMaker(trained, __name__, costly=True, kind="trained")
    return makers


def _fit(policy: FilePolicy, spec: EnvironmentSpec, env: SimulationAECEnv) -> Policy:
    """Return a policy for the agents of an environment, divided into units if necessary."""
    trained: list[Spaces] = [policy.spaces]
    try:
        divisions = find_divisions(spec, spaces_of(env), trained)
    except ParameterError as error:
        given = policy.metadata.get("parameters", "")
        raise ParameterError(f"{error}{given and f'; its parameters were {given}'}") from error
    return DividedPolicy(policy, divisions) if divisions else policy


def _file_of(spec: EnvironmentSpec) -> Path:
    if spec.trained is None or not spec.trained.is_file():
        raise ParameterError(f"{spec.name} has no trained policy")
    return spec.trained


def _load(path: Path) -> Any:
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise DependencyMissing(
            f"a policy file needs ONNX Runtime: {install_command('onnx')}"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are exceptions, and need no log lines
    try:
        content = read_bytes(path)
    except OSError as error:
        raise ParameterError(f"{path} cannot be read: {error}") from error
    quiet = contextlib.redirect_stdout(io.StringIO())  # it logs before it raises
    with _damaged(path), quiet:
        exchange_module().check_policy(content)
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


@contextlib.contextmanager
def _damaged(path: Path) -> Iterator[None]:
    """Convert errors of ONNX Runtime, which have no common class."""
    try:
        yield
    except Exception as error:
        raise ParameterError(f"{path} is not a policy file: {error}") from error
