# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo list`: the registered environments."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
from pathlib import Path
from typing import Any

import click

from defiance_zoo.bridge.system.extension import NATIVE
from defiance_zoo.bridge.system.imports import file_stamp
from defiance_zoo.bridge.system.reading import open_regular, parse_json
from defiance_zoo.bridge.system.whole_files import write_json
from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import json_option
from defiance_zoo.command_line.progress import quiet_option, waiting
from defiance_zoo.environments import EnvironmentSpec, lookup, registered
from defiance_zoo.errors import NotWritten, ParameterError, ScenarioNotFound, SimulationError

_PACKAGE = Path(__file__).parents[2]
_NAMED = 3
"""Up to this number, agents are listed by name."""
_MOST_BYTES = 2**20
_MOST_KNOWN = 256

Known = dict[str, list[str]]
"""Agents by `_digest()` of their environment: environments start only if something has changed."""


@click.command
@json_option
@quiet_option
def command(as_json: bool) -> None:
    """List the registered environments, with their agents by default.

    Name your own environment with the module that registers it: my_scenario:my_scenario_v0.
    """
    known = _read_known()
    before = dict(known)
    with waiting("starting each environment"):
        code = _stamp_code()
        found = [_facts(name, lookup(name), known, code) for name in registered()]
    if known != before:
        _write_known(known)
    if as_json:
        output.print_json(found)
        return
    rows = [(each["name"], _agents(each), each["description"]) for each in found]
    output.print_table(("environment", "agents", "what it is"), rows)


def _facts(name: str, spec: EnvironmentSpec, known: Known, code: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": name, "description": spec.description}
    facts |= {"program": None, "agents": None}
    with contextlib.suppress(ScenarioNotFound):
        facts["program"] = str(spec.scenario.locate())
        digest = _digest(spec, code)
        if digest not in known:
            # An environment that fails, or needs arguments, is still listed by name.
            failures = contextlib.suppress(SimulationError, ParameterError)
            with failures, contextlib.closing(spec.raw_env()) as env:
                known[digest] = env.possible_agents
        facts["agents"] = known.get(digest)
    return facts


def _digest(spec: EnvironmentSpec, code: str) -> str:
    """Return a text that changes with the programs, their arguments and the code that they load."""
    scenario = spec.scenario
    parts = (spec.name, scenario.digests(), scenario.defaults, scenario.variables, code)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _stamp_code() -> str:
    """Return a text that changes with the modules and libraries of this package and of ns-3."""
    ns3 = importlib.util.find_spec("ns3")
    installed = [Path(each) for each in (ns3 and ns3.submodule_search_locations) or ()]
    libraries = [NATIVE / "lib", *(lib for each in installed for lib in each.glob("lib*"))]
    files = [*_PACKAGE.glob("scenario/**/*.py"), *_PACKAGE.glob("envs/*/*.py")]
    files += [*_PACKAGE.glob("bridge/**/*.py")]
    files += [each for library in libraries for each in library.glob("*.so")]
    return repr([(str(each), file_stamp(each)) for each in sorted(files)])


def _file() -> Path:
    """Return the file of agents; a relative `XDG_CACHE_HOME` is to be ignored."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    folder = given if given.is_absolute() else Path("~/.cache").expanduser()
    return folder / "defiance-zoo" / "agents"


def _read_known() -> Known:
    """Return the stored agents; none if the file is damaged or belongs to another account."""
    with contextlib.suppress(OSError, ValueError, RuntimeError):  # `RuntimeError`: no home
        with os.fdopen(open_regular(_file(), follow=False), "rb") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return {}
            found = parse_json(file.read(_MOST_BYTES))
        if isinstance(found, dict) and all(isinstance(each, list) for each in found.values()):
            texts = [text for each in found.values() for text in each]
            return found if all(isinstance(text, str) for text in texts) else {}
    return {}


def _write_known(known: Known) -> None:
    """Store agents, if there is a place; otherwise the environments start again."""
    with contextlib.suppress(OSError, NotWritten, RuntimeError):
        path = _file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_json(path, dict([*known.items()][-_MOST_KNOWN:]))


def _agents(facts: dict[str, Any]) -> str:
    """Return agents as a text for people."""
    if facts["program"] is None:
        return "not built"
    agents: list[str] | None = facts["agents"]
    if agents is None:
        return "?"
    more = f", … ({len(agents)})" if len(agents) > _NAMED else ""
    return ", ".join(agents[:_NAMED]) + more
