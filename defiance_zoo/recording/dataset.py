# SPDX-License-Identifier: GPL-2.0-only
"""Recorded episodes as datasets of Minari, for offline learning."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Space
from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.errors import DependencyMissing, InvalidRecording, ParameterError
from defiance_zoo.recording.files.episode import AgentSteps, Episode
from defiance_zoo.recording.reading import find_episodes, read_episode
from defiance_zoo.recording.recording import naming_recording

Agents = Literal["each", "shared"]
"""A dataset for each agent, or one for all agents, as for a shared policy."""

_MOST_ROWS = 131_072
"""The maximum number of observations of an episode; Minari would read more as another episode."""


class Dataset(NamedTuple):
    """A written dataset.

    Attributes:
        episodes: Number of episodes: each agent's part of a recorded episode is one.
    """

    id: str
    agents: tuple[str, ...]
    episodes: int
    steps: int


class _Part(NamedTuple):
    """The observations and actions of an agent in an episode."""

    agent: str
    episode: Episode
    steps: AgentSteps

    @property
    def transitions(self) -> int:
        """Actions with a known result."""
        if not self.steps.observed.any():
            return 0
        return min(int(self.steps.acted.sum()), len(self.steps.rounds) - 1)


def make_dataset(
    places: Iterable[str | PathLike[str]],
    dataset_id: str,
    *,
    agents: Agents = "each",
    **arguments: Any,
) -> list[Dataset]:
    """Write recorded episodes as datasets of Minari, where `minari.load_dataset()` finds them.

    A step consists of an agent's observation and action, and the next reward and flags. An episode
    that was left, or whose simulation failed, is truncated after its last step. If an agent ends
    without an observation, its last one is repeated, as in environments. The dataset contains infos
    that are numbers, or arrays of one shape, and that all observations have; an info that an end
    lacks becomes 0. An episode has its seed, and its parameters as options.

    Args:
        places: Folders of episodes, and folders that contain them.
        dataset_id: Minari's form: `namespace/name-v0`. With several agents, `agents="each"` appends
            the name of each agent: `namespace/name-agent_0-v0`.
        agents: Whether each agent has a dataset, or all share one.
        **arguments: Arguments of `minari.create_dataset_from_buffers()`, such as `author`,
            `algorithm_name`, `description`, `code_permalink`, and `env`, the Gymnasium environment.

    Returns:
        The written datasets, in the order of the agents.

    Raises:
        InvalidRecording: There are no episodes, no episode has a step, or one is damaged.
        ParameterError: The id is invalid, or the dataset exists. Spaces of agents that share a
            dataset, or those of one agent in several episodes, differ. An episode is too long for
            Minari. Arguments of `env` are not JSON.
        DependencyMissing: Minari is not installed.
    """
    minari = _minari()
    require_choice("agents", agents, get_args(Agents))
    parts = _collect(find_episodes(*places))
    groups = list(parts.values())
    if agents == "shared":
        groups = [[part for some in groups for part in some]]
    names = [dataset_id]
    if len(groups) > 1:
        names = [_name_of_agent(dataset_id, agent) for agent in parts]
    for name in names:
        _require_new(name, names)
    spaces = [_spaces(some) for some in groups]
    made = []
    for name, some, pair in zip(names, groups, spaces, strict=True):
        _write(minari, name, pair, some, arguments)
        steps = sum(each.transitions for each in some)
        made.append(Dataset(name, tuple({each.agent: 0 for each in some}), len(some), steps))
    return made


def _minari() -> Any:
    try:
        import minari
        import minari.data_collector
        import minari.dataset._storages.arrow_storage  # Minari needs Pillow
    except ImportError as error:
        raise DependencyMissing(
            f"datasets need {error.name or 'minari'!r}, which is not installed: "
            f"{install_command('dataset')}, with Python 3.11 or later"
        ) from error
    return minari


def _collect(folders: Sequence[Any]) -> dict[str, list[_Part]]:
    """Return the parts of each agent that has acted, in the order in which agents joined."""
    parts: dict[str, list[_Part]] = {}
    for folder in folders:
        episode = read_episode(folder)
        for agent in episode.agents:
            part = _Part(agent, episode, episode.of_agent(agent))
            if part.transitions > 0:
                if part.transitions >= _MOST_ROWS:
                    raise ParameterError(
                        f"{folder} has {part.transitions} steps of {agent}; Minari reads at most "
                        f"{_MOST_ROWS - 1}"
                    )
                parts.setdefault(agent, []).append(part)
    if not parts:
        raise InvalidRecording("no agent has decided in these episodes")
    return parts


def _name_of_agent(dataset_id: str, agent: str) -> str:
    name, dash, version = dataset_id.rpartition("-v")
    if not dash or not version.isdigit():
        name, dash, version = dataset_id, "", ""
    return f"{name}-{re.sub(r'[^-_0-9A-Za-z]', '_', agent)}{dash}{version}"


def _require_new(name: str, names: Sequence[str]) -> None:
    """Refuse an id that Minari does not accept, or that a dataset has."""
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.storage import get_dataset_path

    try:
        parse_dataset_id(name)
    except ValueError as error:
        raise ParameterError(str(error)) from error
    if names.count(name) > 1:
        raise ParameterError(f"several agents share dataset {name!r}: give them other names")
    if get_dataset_path(name).exists():
        raise ParameterError(f"there is a dataset {name!r} already")


def _spaces(some: Sequence[_Part]) -> tuple[Space, Space]:
    """Return the spaces of observations and actions."""
    first, *others = [
        (part.episode.header.observation_space(part.agent),
         part.episode.header.action_space(part.agent))
        for part in some
    ]  # fmt: skip
    for part, other in zip(some[1:], others, strict=True):
        if other != first:
            raise ParameterError(
                f"{part.agent} in {part.episode.path} has spaces {other}, and {some[0].agent} in "
                f"{some[0].episode.path} has {first}; a dataset needs one pair"
            )
    return first


def _write(
    minari: Any,
    name: str,
    spaces: tuple[Space, Space],
    some: Sequence[_Part],
    arguments: Mapping[str, Any],
) -> None:
    """Write a whole dataset, or none."""
    from minari.data_collector import EpisodeBuffer
    from minari.storage import get_dataset_path

    infos = [_read_infos(part) for part in some]
    kept = _common_infos(infos, some)
    buffers = [
        EpisodeBuffer(
            id=number,
            seed=part.episode.header.seed,
            options=dict(part.episode.header.parameters),
            infos=_info_columns(step_infos, kept, part.transitions + 1),
            **_columns(part),
        )
        for number, (part, step_infos) in enumerate(zip(some, infos, strict=True))
    ]
    known = {"data_format": "arrow", "jpeg_encoding": False, "description": _describe(some[0])}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about missing metadata of a dataset
            warnings.filterwarnings("error", "env_spec is not serializable", UserWarning)
            minari.create_dataset_from_buffers(
                name,
                buffers,
                observation_space=spaces[0],
                action_space=spaces[1],
                **{**known, **arguments},
            )
    except BaseException as error:
        shutil.rmtree(get_dataset_path(name), ignore_errors=True)
        if isinstance(error, UserWarning):
            raise ParameterError(
                "env cannot be stored: make it with arguments that are JSON, without record="
            ) from error
        raise


def _read_infos(part: _Part) -> list[dict[str, Any]]:
    from defiance_zoo.recording.files.steps import read_infos

    with naming_recording(part.episode.path):
        return read_infos(part.steps.infos)


def _describe(part: _Part) -> str:
    header = part.episode.header
    versions = ", ".join(f"{name} {version}" for name, version in header.versions.items())
    return f"Episodes of {header.environment}, recorded with {versions}"


def _columns(part: _Part) -> dict[str, Any]:
    """Return the arrays of `EpisodeBuffer`: an entry for each step, and one more observation."""
    steps, count = part.steps, part.transitions
    followed = slice(1, count + 1)
    truncations = steps.truncated[followed].copy()
    truncations[-1] |= not steps.terminated[count]  # after the last step
    return {
        "observations": _cut(steps.observations, count + 1),
        "actions": _cut(steps.actions, count),
        "rewards": steps.rewards[followed],
        "terminations": steps.terminated[followed],
        "truncations": truncations,
    }


def _cut(stack: Any, rows: int) -> Any:
    """Return the first rows of a stack, repeating the last one if there are fewer."""
    if isinstance(stack, dict):
        return {name: _cut(each, rows) for name, each in stack.items()}
    if isinstance(stack, tuple) and not all(isinstance(each, str) for each in stack):
        return tuple(_cut(each, rows) for each in stack)
    if isinstance(stack, tuple):
        return [stack[min(row, len(stack) - 1)] for row in range(rows)]
    return np.take(stack, np.arange(rows), axis=0, mode="clip")


def _common_infos(
    infos: Sequence[Sequence[Mapping[str, Any]]], some: Sequence[_Part]
) -> dict[str, NDArray[Any]]:
    """Return zeros for each info that all observations have with one type and shape."""
    kept: dict[str, NDArray[Any]] | None = None
    for step_infos, part in zip(infos, some, strict=True):
        for info in step_infos[: part.transitions]:
            found = dict(_numbers(info if kept is None else {k: info.get(k) for k in kept}))
            alike = found if kept is None else {
                name: zeros for name, zeros in kept.items()
                if name in found and found[name].shape == zeros.shape
            }  # fmt: skip
            kinds = {n: np.result_type(each, found[n]) for n, each in alike.items()}
            kept = {n: each.astype(kinds[n]) for n, each in alike.items()}
    return kept or {}


def _numbers(info: Mapping[str, Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    for name, value in info.items():
        try:
            array = np.array(value)
        except ValueError:  # lists of different lengths
            continue
        if array.dtype.kind in "bif" and array.size:
            yield name, np.zeros_like(array)


def _info_columns(
    step_infos: Sequence[Mapping[str, Any]], kept: Mapping[str, NDArray[Any]], rows: int
) -> dict[str, Any] | None:
    columns: dict[str, Any] = {}
    for name, zeros in kept.items():
        column = np.array([info.get(name, zeros) for info in step_infos[:rows]], zeros.dtype)
        columns[name] = column if zeros.ndim else column.tolist()  # as Minari expects them
    return columns or None
