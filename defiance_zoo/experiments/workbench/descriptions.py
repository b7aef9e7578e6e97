# SPDX-License-Identifier: GPL-2.0-only
"""Conversion of YAML to checked descriptions, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from defiance_zoo.bridge.process.programs import is_python
from defiance_zoo.bridge.system.reading import naming, read_text, require_64_bits
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.errors import ParameterError

_Model = TypeVar("_Model", bound=BaseModel)
_MOST_PROBLEMS = 10  # in one message
_Kind = TypeVar("_Kind")
_MOST_SHOWN = 5
_MOST_BYTES, _MOST_VALUES, _MOST_DEPTH = 2**19, 60_000, 50
"""Limits of a file; reading a file within these limits takes some seconds."""
_FLOAT = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)[eE][-+]?\d+")


class _Loader(yaml.SafeLoader):
    """YAML in which 1e-3 is a number, and only `<<` may repeat keys of a mapping.

    An alias (`*name`) counts as all values of its anchor, so the limits hold for any use of the
    result.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._count = self._depth = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        begun = self._count
        self._count += 1
        self._depth += 1
        self._refuse(self._depth > _MOST_DEPTH, f"nested more than {_MOST_DEPTH} deep")
        is_alias = self.check_event(yaml.AliasEvent)
        node = super().compose_node(parent, index)
        if is_alias:
            self._refuse(id(node) not in self._sizes, "an alias is inside its anchor")
            self._count += self._sizes[id(node)]
        self._refuse(self._count > _MOST_VALUES, f"more than {_MOST_VALUES:,} values")
        self._sizes[id(node)] = self._count - begun
        self._depth -= 1
        return node

    def _refuse(self, wrong: bool, why: str) -> None:
        if wrong:
            mark: Any = self.get_mark()
            raise yaml.composer.ComposerError(None, None, why, mark)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = set()
        for each, _ in node.value:
            if each.tag != "tag:yaml.org,2002:merge":
                key = self.construct_object(each, deep=True)
                if not isinstance(key, str | int | float | bool | None):
                    raise _wrong_key(node, "a collection cannot be a key")
                if key in keys:
                    raise _wrong_key(node, f"{key!r} stands here twice")
                keys.add(key)
        return super().construct_mapping(node, deep)

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        return require_64_bits(super().construct_yaml_int(node))


def _wrong_key(node: yaml.Node, why: str) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, why, node.start_mark)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))


def read_yaml(path: Path) -> dict[str, Any]:
    """Return the keys and values of a file."""
    return parse_yaml(read_yaml_text(path), path)


def parse_yaml(text: str, path: Path) -> dict[str, Any]:
    """Return the keys and values of the text of a file, which messages name."""
    try:
        read = yaml.load(text, _Loader)  # a SafeLoader
    except Exception as error:  # PyYAML's conversions raise more than YAMLError
        mark, why = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        where = f"{path}, line {mark.line + 1}, column {mark.column + 1}" if mark else str(path)
        why = why or " ".join(str(error).split())
        raise ParameterError(f"{where} is not YAML: {why}") from error
    if not isinstance(read, dict):
        raise ParameterError(f"{path} does not consist of keys and values, as 'env: cart_pole_v0'")
    if (fault := _find_unusual(read)) is not None:
        raise ParameterError(f"{path}: {fault!r} is neither a number nor a text: put it in quotes")
    _find_scenarios(read, path.absolute().parent)
    return read


def _find_scenarios(read: dict[str, Any], folder: Path) -> None:
    """Replace relative paths of scenarios, which start at the file's folder, by absolute ones."""
    for key, value in read.items():
        if isinstance(value, dict):
            _find_scenarios(value, folder)
        elif key == "env" and isinstance(value, str) and is_python(Path(value)):
            read[key] = str(folder / value)


def read_yaml_text(path: Path) -> str:
    """Return the text of a YAML file."""
    with naming(path, "is not YAML"):
        return read_text(path, _MOST_BYTES)


def _find_unusual(value: Any) -> Any:
    """Return a value of another YAML type, such as a date, or None."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return next((x for each in parts if (x := _find_unusual(each)) is not None), None)
    return None if value is None or isinstance(value, bool | int | float | str) else value


def model_to_yaml(described: BaseModel) -> str:
    """Return the description in plain values for a file, defaults included."""
    text: str = yaml.safe_dump(described.model_dump(), sort_keys=False)
    return text


def merge(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of all mappings; nested mappings are merged, and later values win."""
    merged: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            known = merged.get(key)
            both = isinstance(known, Mapping) and isinstance(value, Mapping)
            merged[key] = merge(known, value) if both else value  # type: ignore[arg-type] # both
    return merged


def build_model(model: type[_Model], values: Mapping[str, Any]) -> _Model:
    """Return the object that keys and values describe."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        found = error.errors(include_url=False)
        problems = sorted({_problem(each) for each in found[:_MOST_PROBLEMS]})
        if len(found) > _MOST_PROBLEMS:
            problems.append(f"and {len(found) - _MOST_PROBLEMS:,} more")
        raise ParameterError("; ".join(problems)) from None


_adapters: dict[type[Any], TypeAdapter[Any]] = {}


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def build_dataclass(kind: type[_Kind], values: Any, *, more: bool = False) -> _Kind:
    """Return a dataclass from its value in JSON."""
    try:
        if not isinstance(values, dict):
            raise ParameterError(f"{type(values).__name__} is not an object")
        known = {each.name for each in fields(kind)}  # type: ignore[arg-type]
        unknown = sorted(values.keys() - known)
        if unknown and not more:
            raise ParameterError(f"unknown keys {unknown}")
        kept = {name: value for name, value in values.items() if name in known}
        built: _Kind = _adapter(kind).validate_json(json.dumps(kept), strict=True)
        return built
    except ValidationError as error:
        problems = sorted(
            f"{'.'.join(map(str, each['loc']))}: {each['msg'].lower()}"
            for each in error.errors(include_url=False)[:_MOST_SHOWN]
        )
        raise ParameterError("; ".join(problems)) from None


def _problem(error: ErrorDetails) -> str:
    """Describe the fault of a key on one line."""
    # Pydantic names a union's choices like calls and types: `literal['shared']`.
    where = ".".join(part for part in map(str, error["loc"]) if not re.search(r"[\[(]", part))
    if error["type"] == "extra_forbidden":
        return f"unknown key {where!r}{error['ctx']['hint']}"
    if error["type"] == "missing":
        return f"{where!r} is missing"
    if error["type"] == "value_error":
        return f"{where}={error['input']!r}: {error['ctx']['error']}"
    problem = error["msg"][0].lower() + error["msg"][1:]
    choices = re.findall(r"'(.*?)'", str(error.get("ctx", {}).get("expected", "")))
    return f"{where}={error['input']!r}: {problem}{near_word(str(error['input']), choices)}"
