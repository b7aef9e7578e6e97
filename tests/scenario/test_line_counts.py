# SPDX-License-Identifier: GPL-2.0-only
"""Networks in Python take fewer lines than in other tools.

Counted are lines of code, without empty lines, comments and docstrings. The counts of the other
tools follow the same rule in their sources, which are not here.
"""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
LIBRARY = ROOT / "defiance_zoo" / "scenario" / "topologies.py"

NS3 = {"first": 42, "second": 67, "third": 123}
"""examples/tutorial/*.cc of ns-3 3.44 (commit 43dce6710b8d)."""

MININET = {"single_switch": 38, "linear": 68, "tree": 27, "two_switches": 11}
"""Mininet 2.3.1b4 (commit 6eb8973c0bfd): examples/simpleperf.py, examples/linearbandwidth.py,
examples/treeping64.py, custom/topo-2sw-2host.py."""

MININET_CLASSES = {"single": 7, "linear": 19, "tree": 17}
"""SingleSwitchTopo and LinearTopo in mininet/topo.py, TreeTopo in mininet/topolib.py."""


def count_lines(source: str) -> int:
    """Return the number of lines with code."""
    lines: set[int] = set()
    ignored = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in ignored and token.string:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            assert node.end_lineno is not None
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def test_lines_of_code_are_counted() -> None:
    function = 'def f():\n    """Doc,\n    longer."""\n    return (\n        x\n    )\n'
    source = f'"""Doc."""\n\nx = 1  # one\n# none\n{function}'
    assert count_lines(source) == 5


@pytest.mark.parametrize("name", NS3)
def test_tutorials_of_ns3_take_at_most_half_the_lines(name: str) -> None:
    ours = count_lines((EXAMPLES / "ns3_tutorials" / f"{name}.py").read_text())
    assert 10 < ours <= NS3[name] / 2


@pytest.mark.parametrize("name", MININET)
def test_examples_of_mininet_take_no_more_lines(name: str) -> None:
    ours = count_lines((EXAMPLES / "mininet_topologies" / f"{name}.py").read_text())
    assert 10 < ours <= MININET[name]


@pytest.mark.parametrize("name", MININET_CLASSES)
def test_topologies_of_mininet_take_no_more_lines(name: str) -> None:
    """The library's topologies also describe bandwidth, delay and loss."""
    source = LIBRARY.read_text()
    (function,) = [node for node in ast.parse(source).body if getattr(node, "name", "") == name]
    written = ast.get_source_segment(source, function)
    assert written is not None
    assert 1 < count_lines(written + "\n") <= MININET_CLASSES[name]
