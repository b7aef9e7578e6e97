# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios: ns-3 programs, and their paths."""

from __future__ import annotations

import hashlib
import itertools
import os
import sys
from collections.abc import Container, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.process.programs import is_python, require_free_stem
from defiance_zoo.bridge.simulation.distributions import (
    Distribution,
    example,
    examples,
    possible_values,
    random_stream,
    read_distributions,
)
from defiance_zoo.bridge.simulation.kept_programs import named_files, program_digest
from defiance_zoo.bridge.simulation.parameters import (
    Declaration,
    Parameter,
    describe,
    plain_arguments,
)
from defiance_zoo.bridge.simulation.seeding import RngState
from defiance_zoo.bridge.system.caller_warnings import warn_caller
from defiance_zoo.bridge.system.directories import is_utf8
from defiance_zoo.bridge.system.extension import NATIVE
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.errors import MissingUnitWarning, ParameterError, ScenarioNotFound

_PARAMETER, _REFUSE = "illegal_actions", "refuse"
"""The parameter, and its value, that make a program refuse actions."""


@dataclass(frozen=True)
class Command:
    """The command that starts a simulation."""

    program: Path
    arguments: tuple[str, ...]
    forks: bool


@dataclass(frozen=True)
class Scenario:
    """An ns-3 program that uses `OpenGymMultiAgentInterface`.

    Attributes:
        name: Name in messages.
        program: The program; a bare name is looked up among the package's programs.
        defaults: Parameters that differ from the program's defaults.
        describes_itself: Whether the program declares its parameters through `RlSimulation`. If
            not, it gets each parameter as `--name=value`, unchecked, for its `CommandLine`.
        variants: Programs that replace `program`, by name and value of a parameter: their libraries
            would slow down all other programs.
        refuses_masked: When actions that an agent's `action_mask` forbids are refused before they
            are sent: always, never, or if parameters of the program have these values; None: if the
            program declares `illegal_actions`, and its value is `refuse`.
        when_recorded: Defaults of recorded episodes, such as infos that only recordings need.
        elsewhere: Refused values of parameters: messages by parameter name and beginning of the
            value.
        variables: Environment variables of the program's processes.
        seed_parameter: The parameter that gets the seed of `reset()`, if it has one; empty: none.
        modules: Files of users' modules that the program imports by names in `variables`, each with
            the folder in which imports find it.
    """

    name: str
    program: str | os.PathLike[str]
    defaults: dict[str, Any] = field(default_factory=dict)
    describes_itself: bool = True
    variants: dict[str, dict[Any, str | os.PathLike[str]]] = field(default_factory=dict)
    refuses_masked: bool | Mapping[str, Any] | None = None
    when_recorded: dict[str, Any] = field(default_factory=dict)
    elsewhere: dict[str, dict[str, str]] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    seed_parameter: str = ""
    modules: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take copies, which do not change with the given dicts."""
        for each in fields(self):
            object.__setattr__(self, each.name, plain_value(getattr(self, each.name)))

    def refuses(self, parameters: Mapping[str, Any], declared: Container[str]) -> bool:
        """Return whether actions that a mask forbids are refused; see `refuses_masked`.

        Args:
            parameters: Parameters in effect, as values or as text; the others have the values in
                `refuses_masked`.
            declared: Names of the parameters that the program declares.
        """
        named = self.refuses_masked
        if isinstance(named, bool):
            return named
        if named is None:
            return _PARAMETER in declared and parameters.get(_PARAMETER, _REFUSE) == _REFUSE
        return all(
            (name in declared or not self.describes_itself)
            and str(parameters.get(name, value)) == str(value)
            for name, value in named.items()
        )

    def heeds_masks(self, parameters: Mapping[str, Any]) -> bool:
        """Return whether episodes with these parameters refuse actions that a mask forbids."""
        given = {**self.defaults, **parameters}
        return self.refuses(given, self._declared(examples(given)))

    @classmethod
    def of_environment(
        cls, name: str, program: str | os.PathLike[str], *, access: Iterable[str] = ()
    ) -> Scenario:
        """Return the scenario whose programs CMake's `defiance_add_environment()` has built.

        Args:
            name: Name in messages.
            program: The program; a bare name is looked up among the package's programs.
            access: Access networks with separate programs.
        """
        programs: dict[Any, str | os.PathLike[str]] = {
            kind: f"{os.fspath(program)}_{kind}" for kind in access
        }
        return cls(name, program, variants={"access": programs} if programs else {})

    @classmethod
    def python(cls, name: str, file: str | os.PathLike[str], **fields: Any) -> Scenario:
        """Return a scenario in Python, written with `defiance_zoo.scenario`.

        Args:
            name: Name in messages.
            file: The Python file, which declares one `Simulation`. A relative path starts at the
                folder of the calling file or, if there is no such file, at the current folder.
            **fields: Other fields of this class, such as `defaults`.

        Raises:
            ParameterError: The name of the file does not end in `.py`, or is the name of a module
                of Python's standard library.
        """
        caller = sys._getframe(1).f_globals.get("__file__")
        beside = Path(caller).parent / file if caller else Path(file)
        path = (beside if beside.is_file() else Path(file)).absolute()
        if not is_python(path):
            raise ParameterError(f"scenario {name!r}: {path} is not a Python file (NAME.py)")
        require_free_stem(path)
        return cls(name, path, **fields)

    def command(self, parameters: Mapping[str, Any]) -> Command:
        """Return the command that starts a simulation with these parameters.

        Raises:
            ScenarioNotFound: The program is missing, or is not executable.
            ParameterError: A parameter is unknown or not allowed.
            SimulationError: The program could not describe itself.
        """
        given = {**self.defaults, **parameters}
        program = self.locate(given)
        self._refuse_elsewhere(given)
        if not self.describes_itself:
            return Command(program, tuple(plain_arguments(given)), forks=False)
        declaration = describe(program)
        return Command(program, tuple(declaration.to_arguments(given)), declaration.forks)

    def _refuse_elsewhere(self, given: Mapping[str, Any]) -> None:
        """Refuse values in `elsewhere`."""
        for name, messages in self.elsewhere.items():
            value = given.get(name)
            for each in value.values() if isinstance(value, Mapping) else (value,):
                for beginning, message in messages.items():
                    if isinstance(each, str) and each.startswith(beginning):
                        raise ParameterError(f"{name}={each!r}: {message}")

    def declaration(self, parameters: Mapping[str, Any]) -> Declaration | None:
        """Return the program's description for these parameters; None if it has no description.

        Raises:
            ScenarioNotFound: The program is missing, or is not executable.
            SimulationError: The program could not describe itself.
        """
        program = self.locate({**self.defaults, **parameters})
        return describe(program) if self.describes_itself else None

    def check(self, parameters: Mapping[str, Any]) -> Command:
        """Check parameters, of which some may be distributions; see `command()`.

        Returns:
            The command that starts a simulation with these values, and with an example of each
            distribution.

        Raises:
            DefianceZooError: As in `command()`.
        """
        read, usual = read_distributions(parameters), examples(parameters)
        command = self.command(usual)
        for name, value in read.items():
            if isinstance(value, Distribution):
                for each in value.examples:
                    self.command({**usual, name: each})
                try:
                    value.require_drawable(self._declared(usual).get(name))
                except ParameterError as error:
                    raise ParameterError(f"{name}: {error}") from None
        return command

    def warn_of_units(self, parameters: Mapping[str, Any], names: Iterable[str]) -> None:
        """Warn of times and data rates without a unit, among the parameters with these names."""
        declared = self._declared(examples(parameters))
        for name in names:
            for each in possible_values(parameters[name]) if name in declared else ():
                if fault := declared[name].find_missing_unit(each):
                    warn_caller(fault, MissingUnitWarning)

    def draw(self, parameters: Mapping[str, Any], rng: RngState) -> dict[str, Any]:
        """Return a value for each parameter that is a distribution.

        Args:
            parameters: Checked parameters from `read_distributions()`.
            rng: Seed and run of the episode, which determine the values.
        """
        varied = {k: each for k, each in parameters.items() if isinstance(each, Distribution)}
        declared = self._declared(examples(parameters)) if varied else {}
        return {
            name: each.draw(random_stream(rng, name), declared.get(name))
            for name, each in varied.items()
        }

    def _declared(self, parameters: Mapping[str, Any]) -> Mapping[str, Parameter]:
        declaration = self.declaration(parameters)
        return declaration.parameters if declaration is not None else {}

    def digests(self, parameters: Mapping[str, Any] | None = None) -> dict[str, str]:
        """Return the digest of each program that exists, by path; see `program_digest()`.

        Args:
            parameters: Parameters, whose files are included.
        """
        names = [self.program, *(each for by in self.variants.values() for each in by.values())]
        paths = map(_find_path, names)
        programs = {str(path): program_digest(path) for path in paths if path.is_file()}
        values = itertools.chain(*map(possible_values, (parameters or {}).values()))
        return {**programs, **self._digests_of_modules(), **named_files(values)}

    @staticmethod
    def file_digests(parameters: Mapping[str, Any]) -> dict[str, str]:
        """Return a digest of the files that each parameter names, by the parameter's name."""
        named = {name: named_files(possible_values(each)) for name, each in parameters.items()}
        return {
            name: hashlib.sha256("".join(files.values()).encode()).hexdigest()
            for name, files in named.items()
            if files
        }

    def digest(self, parameters: Mapping[str, Any]) -> str:
        """Return the digest of the program for these parameters, and of the users' modules."""
        program = program_digest(self.locate({**self.defaults, **parameters}))
        parts = [program, *self._digests_of_modules().values()]
        return hashlib.sha256("".join(parts).encode()).hexdigest() if len(parts) > 1 else program

    def _digests_of_modules(self) -> dict[str, str]:
        found = ((Path(file), Path(folder)) for file, folder in self.modules.items())
        return {str(f): program_digest(f, folder) for f, folder in found if f.is_file()}

    def locate(self, parameters: Mapping[str, Any] | None = None) -> Path:
        """Return the path of the program for these parameters.

        Raises:
            ParameterError: The name of a Python file is not in UTF-8.
            ScenarioNotFound: The program is missing, or is not executable.
        """
        program = self.program
        for name, programs in self.variants.items():
            value = example((parameters or {}).get(name))
            if isinstance(value, Hashable):
                program = programs.get(value, program)
        path = _find_path(program)
        build = "build it, or name another one"
        if path != Path(program):
            build = "'make build' in a checkout of defiance-zoo builds it"
        if is_python(path) and not is_utf8(str(path)):
            raise ParameterError(
                f"scenario {self.name!r}: {str(path)!r} is not a name in UTF-8 here: rename the "
                "file, or set PYTHONUTF8=1"
            )
        if not path.is_file():
            remedy = "name another file" if is_python(path) else build
            raise ScenarioNotFound(f"scenario {self.name!r}: there is no program {path}; {remedy}")
        if not is_python(path) and not os.access(path, os.X_OK, effective_ids=True):
            raise ScenarioNotFound(f"scenario {self.name!r}: {path} is not executable")
        return path


def _find_path(program: str | os.PathLike[str]) -> Path:
    """Return the path of a program; a bare name is one of the package's programs."""
    path = Path(program)
    return NATIVE / "bin" / path if path.name == str(program) else path
