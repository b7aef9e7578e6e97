# SPDX-License-Identifier: GPL-2.0-only
"""The programs of pages pass mypy and pyright in strict mode; misspelt names do not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from snippets import ALL

UNCHECKED = {
    "docs/explanation/steps.md": "continues a program of the reader",
    "docs/networks/channels.md": "continues a program of the reader",
    "docs/protocols/asyncio.md": "shows a program as it is usually written, without types",
    "docs/protocols/exploration.md": "calls functions of the reader",
    "docs/protocols/library.md": "imports a library that is not installed",
    "docs/protocols/closed-world.md": "imports what the rows of its table call",
    "docs/protocols/python-protocol.md": "shows a protocol as it is usually written, without types",
    "docs/training/clients.md": "imports libraries that are not installed",
    "docs/training/learning.md": "continues a program of the reader",
    "docs/training/training.md": "shows a part of a library's module",
}
"""Pages whose programs a type checker cannot read, and why."""

SEPARATE = {
    "docs/tutorials/first-environment.md": "",
    "docs/tutorials/python-scenarios.md": (
        "import defiance_zoo.scenario as sc\n"
        "client, server = sc.nodes(2, internet=True)\n"
        "link, rewarder = sc.point_to_point(client, server), sc.Reward(client)\n"
    ),
}
"""Pages whose blocks are separate programs, and what precedes a block without imports."""

OFF = {
    "reportDuplicateImport": "a page imports again in a later block",
    "reportMissingTypeStubs": "PettingZoo and Minari have no marker file for types",
    "reportPossiblyUnboundVariable": "loops of the pages run at least once",
    "reportUnusedExpression": "the pages show values as a notebook does",
    "reportUnusedVariable": "the pages name what a call returns",
}
"""Rules of pyright's strict mode that no program has to meet, and why."""

STRICTEST = re.compile(r"README|docs/(?:index|tutorials/)")
"""Pages with all rules about unknown types, unless a program imports one of these libraries."""
PARTLY_TYPED = re.compile(r"^(?:import|from) (?:gymnasium|ray|stable_baselines3)\b", re.MULTILINE)
UNKNOWN = "# pyright: " + ", ".join(
    f"reportUnknown{kind}Type=false" for kind in ("Argument", "Lambda", "Member", "Variable")
)

ALLOWED = {
    "no-any-return": "an attribute of an ns-3 object may have any type",
    "untyped-decorator": "an attribute of an ns-3 object may have any type",
    "no-untyped-call": "`close()` of `gymnasium.Env` has no annotation",
}
"""Errors of mypy's strict mode that programs of tutorials may have, and why."""

MISSPELT = """\
import defiance_zoo
import defiance_zoo.scenario as sc

env = defiance_zoo.make("cart_pole_v0")
env.comunication_report()  # wrong
env.branch().snapshoot()  # wrong
together = defiance_zoo.make("cart_pole_v0", api="parallel", link="local")
together.drawn_parameter  # wrong
defiance_zoo.make("cart_pole_v0", api="parallelx")  # wrong
defiance_zoo.make("cart_pole_v0", link="locl")  # wrong
defiance_zoo.make("cart_pole_v0", launch="forkk")  # wrong
defiance_zoo.make("cart_pole_v0", render_mode="rgb")  # wrong
defiance_zoo.make_vec("cart_pole_v0", 2, api="aec")  # wrong
defiance_zoo.make_vec("cart_pole_v0", 2).sned  # wrong
a, b = sc.nodes(2)
sc.connect(sc.Observation(a), sc.Agent(b, sc.Discrete(2), sc.Discrete(2)), over="udq")  # wrong
sc.traffic(a, b, pattern="poison")  # wrong
"""
WRONG = {
    ("misspelt.py", number)
    for number, line in enumerate(MISSPELT.splitlines(), start=1)
    if line.endswith("# wrong")
}


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Write the programs of all pages, each a file."""
    written: dict[str, list[str]] = {}
    for each in ALL:
        if each.language != "python" or each.page in UNCHECKED:
            continue
        name = re.sub(r"\W", "_", each.page.removesuffix(".md"))
        texts = written.setdefault(name, [])
        if each.page in SEPARATE:
            texts = written.setdefault(f"{name}_{each.line}", [])
            if not re.search(r"^(?:import|from) ", each.text, re.MULTILINE):
                texts.append(SEPARATE[each.page])
        if not STRICTEST.match(each.page) or PARTLY_TYPED.search(each.text):
            texts.insert(0, UNKNOWN)
        texts.append(each.text)
    for name, texts in written.items():
        (tmp_path / f"{name}.py").write_text("\n".join(texts))
    (tmp_path / "misspelt.py").write_text(MISSPELT)
    return tmp_path


@pytest.mark.long
def test_programs_pass_pyright_and_misspelt_names_fail(programs: Path) -> None:
    settings = {
        "typeCheckingMode": "strict",
        "pythonVersion": "3.10",
        "extraPaths": [str(ROOT)],  # the package is installed from here, which pyright cannot see
        **dict.fromkeys(OFF, False),
    }
    (programs / "pyrightconfig.json").write_text(json.dumps(settings))
    pyright = Path(sys.executable).with_name("basedpyright")
    done = subprocess.run(
        [pyright, "--pythonpath", sys.executable, "--outputjson", "--project", programs],
        check=False,
        capture_output=True,
        text=True,
    )
    faults = {
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1): each["message"]
        for each in json.loads(done.stdout)["generalDiagnostics"]
    }
    assert {place: faults[place] for place in faults.keys() - WRONG} == {}
    assert faults.keys() == WRONG


@pytest.mark.long
@pytest.mark.timeout(600)  # 5 s after `make lint`; alone, mypy first reads all libraries
def test_tutorials_pass_mypy_and_misspelt_names_fail(programs: Path) -> None:
    files = [
        each
        for pattern in ("README*", "docs_index*", "docs_tutorials*", "misspelt*")
        for each in sorted(programs.glob(pattern))
    ]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", *files],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    faults = {
        (Path(each[1]).name, int(each[2])): each[3]
        for each in re.finditer(r"^(.*):(\d+): error: (.*)$", done.stdout, re.MULTILINE)
        if each[3].rpartition("[")[2].rstrip("]") not in ALLOWED
    }
    assert {place: faults[place] for place in faults.keys() - WRONG} == {}
    assert faults.keys() == WRONG
