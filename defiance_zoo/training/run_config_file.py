# SPDX-License-Identifier: GPL-2.0-only
"""From YAML and flags to a description that is checked, before anything starts."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.spelling import near_word
from defiance_zoo.training.configuration import RunConfig

_Model = TypeVar("_Model", bound=BaseModel)
_MOST_PROBLEMS = 10  # of one message
_FLOAT = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)[eE][-+]?\d+")


class _Loader(yaml.SafeLoader):
    """YAML in which 1e-3 is a number, and a key stands once; `<<` may bring it a second time."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for each, _ in node.value:
            if each.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(each, deep=True)
            if isinstance(key, Hashable):  # what is not is refused below
                if key in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key!r} stands here twice", node.start_mark
                    )
                seen.add(key)
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))


def read_yaml(path: Path) -> dict[str, Any]:
    """Return the keys and values of a file.

    Raises:
        ParameterError: It cannot be read, or is no mapping in YAML.
    """
    try:
        read = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # a SafeLoader
    except OSError as error:
        raise ParameterError(f"{path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ParameterError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(read, dict):
        raise ParameterError(f"{path} does not consist of keys and values, as 'env: cart_pole_v0'")
    return read


def to_yaml(config: RunConfig) -> str:
    """Return a run as a file describes it, defaults included.

    Raises:
        ParameterError: It holds objects, which would not be the same when they are read.
    """
    values = {"parameters": config.parameters, "hyperparameters": config.hyperparameters}
    for section, each in values.items():
        for name, value in each.items():
            if not _is_plain(value):
                raise ParameterError(
                    f"{section}.{name}: a {type(value).__name__} cannot stand in a file"
                )
    return model_to_yaml(config)


def model_to_yaml(described: BaseModel) -> str:
    """Return what is described as a file describes it, defaults included; its values are plain."""
    text: str = yaml.safe_dump(described.model_dump(), sort_keys=False)
    return text


def _is_plain(value: Any) -> bool:
    """Whether a value is the same when it was written to a file and read."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, str)


def merge(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of all, where a later value holds; mappings are merged key by key."""
    merged: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            known = merged.get(key)
            both = isinstance(known, Mapping) and isinstance(value, Mapping)
            merged[key] = merge(known, value) if both else value  # type: ignore[arg-type] # both
    return merged


def build_config(values: Mapping[str, Any]) -> RunConfig:
    """Return the run that keys and values describe.

    Raises:
        ParameterError: A key is unknown, missing or ill-typed; the message says so on one line.
    """
    return build_model(RunConfig, values)


def build_model(model: type[_Model], values: Mapping[str, Any]) -> _Model:
    """Return what keys and values describe.

    Args:
        model: What is described.
        values: As read from a file.

    Raises:
        ParameterError: A key is unknown, missing or ill-typed; the message says so on one line.
    """
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        found = error.errors(include_url=False)
        problems = sorted({_problem(model, each) for each in found[:_MOST_PROBLEMS]})
        if len(found) > _MOST_PROBLEMS:
            problems.append(f"and {len(found) - _MOST_PROBLEMS:,} more")
        raise ParameterError("; ".join(problems)) from None


def check_environment(config: RunConfig) -> None:
    """Compare a run's environment with what the scenario says of itself.

    Raises:
        UnknownEnvironment: There is none of this name.
        ScenarioNotFound: Its program is missing.
        ParameterError: A parameter is unknown or not allowed.
    """
    lookup(config.env).raw_env(**config.parameters).close()


def _problem(model: type[BaseModel], error: ErrorDetails) -> str:
    """Say on one line what is wrong with a key."""
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        known = _fields(model, error["loc"][:-1])
        near = near_word(str(error["loc"][-1]), known) or "."
        return f"unknown key {where!r}{near} There are {known}"
    if error["type"] == "missing":
        return f"{where!r} is missing"
    # Pydantic names the choices of a union like calls and types: `literal['shared']`.
    where = ".".join(part for part in map(str, error["loc"]) if not re.search(r"[\[(]", part))
    if error["type"] == "value_error":
        return f"{where}={error['input']!r}: {error['ctx']['error']}"
    said = error["msg"][0].lower() + error["msg"][1:]
    choices = re.findall(r"'(.*?)'", str(error.get("ctx", {}).get("expected", "")))
    return f"{where}={error['input']!r}: {said}{near_word(str(error['input']), choices)}"


def _fields(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """Return the keys that may stand at a place of a description."""
    for part in loc:
        field = model.model_fields.get(str(part))
        if field is not None:  # what is no field is a key or an index of a collection of models
            model = _model_in(field.annotation) or model
    return sorted(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that values of a type are, or hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(each) for each in get_args(annotation))
    return next((each for each in found if each is not None), None)
