# SPDX-License-Identifier: GPL-2.0-only
"""Modules of a package need each other in one order: there are no circles of imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def imported(path: Path) -> Iterator[str]:
    """Yield what a module imports at its top: modules, or names in them."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("package", ["libraries", "training", "wrappers"])
def test_there_are_no_circles(package: str) -> None:
    folder = ROOT / "defiance_zoo" / package
    modules = {module_of(path): path for path in folder.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        names = {name if name in modules else name.rpartition(".")[0] for name in imported(path)}
        graph[module] = names & modules.keys() - {module}
    assert sum(map(len, graph.values())) > len(graph) / 2
    order = list(TopologicalSorter(graph).static_order())  # a CycleError names the circle
    assert len(order) == len(modules)
