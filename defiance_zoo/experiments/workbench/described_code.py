# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions in result folders, and the code that they name.

A description names code: an environment, features, a policy class. This user's own descriptions are
signed. Any other description may name installed modules only, unless the caller trusts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.process.programs import is_python
from defiance_zoo.bridge.system.imports import is_installed, is_module_name
from defiance_zoo.errors import UnknownOrigin
from defiance_zoo.experiments.workbench.descriptions import parse_yaml, read_yaml_text
from defiance_zoo.experiments.workbench.files import write_whole
from defiance_zoo.experiments.workbench.origin import is_signed_text, sign_text

_PASSED_ON = "hyperparameters"
"""The key of values that a library interprets: there, dotted names and paths can name code, too."""


def write_description(path: Path, text: str) -> None:
    """Write the description of a result folder, and sign it."""
    sign_text(path, text)
    write_whole(path, text)


def read_description(path: Path, *, trust: bool | None) -> dict[str, Any]:
    """Return the keys and values of the description in a result folder.

    Args:
        path: The file.
        trust: Whether code may be imported, whoever wrote its name. None: the caller imports
            nothing that the description names.

    Raises:
        ParameterError: The file cannot be read, or is not a mapping in YAML.
        UnknownOrigin: The description names code that is not installed, is not trusted, and was
            not written by this user on this machine, or has changed.
    """
    text = read_yaml_text(path)
    values = parse_yaml(text, path)
    if trust is False and not is_signed_text(path, text.encode()):
        for key, named in _named_code(values):
            raise UnknownOrigin(
                f"{path} was not written by you on this machine, or has changed, and names code "
                f"that is not installed, which would be run: {key}={named!r}. Read that code, and "
                "then use --trust, or trust=True in Python"
            )
    return values


def _named_code(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text that names code outside of installed modules, after its key."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _named_code(name, key)
            yield from _named_code(each, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for each in value:
            yield from _named_code(each, key)
    elif isinstance(value, str) and _is_code(value, _PASSED_ON in key.split(".")):
        yield key, value


def _is_code(text: str, passed_on: bool) -> bool:
    before = {text.partition(":")[0], text.rpartition(":")[0]} if ":" in text else set()
    if any(each.endswith(".py") or is_python(Path(each)) for each in (text, *before)):
        return True
    modules = [each for each in before if is_module_name(each)]
    if modules:
        return not all(map(is_installed, modules))
    return passed_on and any(sign in text for sign in "./:")
