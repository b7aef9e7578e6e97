# SPDX-License-Identifier: GPL-2.0-only
"""A scenario in Python: its parameters, and the function that builds an episode."""

from __future__ import annotations

import atexit
import faulthandler
import gc
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from defiance_zoo.bridge.system.single_process import be_single
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.errors import NotInFile
from defiance_zoo.scenario import modules, network, seeding, tracing, wiring
from defiance_zoo.scenario.deployment import Deployment, hooks_of, load_accesses
from defiance_zoo.scenario.native import core, load_used
from defiance_zoo.scenario.open_files import ImportedFiles, close_files, flush_files

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = __file__.rpartition("/scenario/")[0] + "/"
_SNAKE_CASE = re.compile(r"[a-z][a-z0-9_]*")
_UNEXPECTED = re.compile(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'")
RESERVED = {"endpoint", "token", "rounds", "policy", "action", "describe"}
"""Names of arguments that every program takes, `help` included; parameters cannot have them."""
_TYPES = (bool, int, float, str, core.Time, core.DataRate)

declared: list[Simulation] = []
"""The simulations of this process, in the order of declaration."""


def find_declared(file: str) -> list[Simulation]:
    """Return the simulations that a file declares; if it declares none, those of its imports."""
    return [each for each in declared if each._file == file] or declared


class Refusal(Exception):
    """The parameters contradict each other; see `refuse`."""


def refuse(message: str) -> NoReturn:
    """Report that parameters contradict each other; the environment raises `ParameterError`.

    Args:
        message: The fault and the remedy.

    Raises:
        Refusal: Always.
    """
    raise Refusal(message)


class Parameters:
    """The values of an episode's parameters, as attributes."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        """Hold values by name."""
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        near = near_word(name, self.__dict__)
        raise AttributeError(f"the scenario has no parameter {name!r}{near}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__:
            raise AttributeError(f"the parameter {name!r} cannot be set: environments set it")
        self.__dict__[name] = value  # a scenario may pass on what it has made


class Simulation:
    """A scenario; a file has one.

    Attributes:
        name: The name.
    """

    def __init__(self, name: str, duration: Any = "10s", *, realtime: bool = False) -> None:
        """Declare a scenario.

        Args:
            name: The name.
            duration: Length of an episode, unless the parameter `duration` is set; None: until the
                agents have ended, which the shared deployment does not support.
            realtime: Whether the simulation runs in real time, which hosts with real programs need
                (see `host`): a second of simulated time takes a second, and real time passes while
                agents decide. The episode fails when an event is later than the parameter
                `max_lag`, by default 100 ms.
        """
        self.name = name
        self._duration, self._realtime = duration, realtime
        self._parameters: dict[str, dict[str, Any]] = {}
        self._build: Callable[[Any], Any] | None = None
        self._devices: type[Deployment] | None = None
        self._deployed: Deployment | None = None
        self._file = wiring.find_module_file()
        declared.append(self)

    @property
    def is_realtime(self) -> bool:
        """Whether the simulation runs in real time."""
        return self._realtime

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the declared parameters."""
        return tuple(self._parameters)

    @property
    def folder(self) -> str:
        """The folder of the file that declares the scenario."""
        return os.path.dirname(os.path.abspath(self._file))  # noqa: PTH100, PTH120 (fast to import)

    def parameter(
        self,
        name: str,
        default: Any,
        *,
        range: tuple[Any, Any] | None = None,
        choices: Sequence[str] = (),
        per_agent: bool = False,
        help: str = "",
    ) -> None:
        """Declare a parameter of the environment, and an option `--name=value` of the program.

        Args:
            name: Name in lower_snake_case.
            default: A bool, int, float, str, `Time` or `DataRate`, which is the parameter's type.
            range: Minimum and maximum; not for bool and str.
            choices: Allowed values; only for str.
            per_agent: Whether agents may have different values; the value is then a function of an
                agent's name. Needs a range or choices.
            help: Meaning of the parameter.

        Raises:
            ValueError: The name is taken or invalid, the default is not allowed, or bounds of an
                int are not whole numbers.
            TypeError: The default has another type, or a type without ranges or choices.
        """
        taken = {*RESERVED, *self._parameters, "help"}
        if not _SNAKE_CASE.fullmatch(name) or name in taken:
            raise ValueError(
                f"{name!r} cannot be the name of a parameter: it is not lower_snake_case, or taken"
            )
        if not isinstance(default, _TYPES):
            raise TypeError(f"parameter {name!r} cannot be {default!r}: no parameter has this type")
        type_ = type(default)
        if range is not None:
            if type_ in (bool, str):
                raise TypeError(f"parameter {name!r} is a {type_.__name__}, which has no range")
            convert: Callable[[Any], Any] = type_
            if type_ is int and any(each % 1 for each in range):
                raise ValueError(f"parameter {name!r} is an int: {range} are not whole numbers")
            low, high = (convert(each) for each in range)
            if not low <= default <= high:
                raise ValueError(f"parameter {name!r} is {default!r}, but must be from {range}")
            range = (low, high)
        if choices and type_ is not str:
            raise TypeError(f"parameter {name!r} is a {type_.__name__}, which has no choices")
        if choices and default not in choices:
            raise ValueError(f"parameter {name!r} is {default!r}, but must be one of {choices}")
        if per_agent and range is None and not choices:
            raise ValueError(f"parameter {name!r} is per agent, and needs a range or choices")
        self._parameters[name] = {
            "help": help,
            "value": default,
            "range": range,
            "choices": list(choices),
            "per_agent": per_agent,
        }

    def episode(self, build: F) -> F:
        """Decorate the function that builds an episode; it takes the parameters.

        The function is also called once, with the defaults, before the first episode, so that ns-3
        is prepared only once.

        Raises:
            TypeError: The function does not take the parameters.
            ValueError: The scenario has another function or a deployment.
        """
        wiring.require_parameters(build, "episode", "p")
        self._require_undefined()
        self._build = build
        return build

    def deployment(self, devices: type[Deployment]) -> type[Deployment]:
        """Decorate the class of the scenario's part of the shared deployment.

        The class replaces `episode`; the parameters of the deployment are added.

        Raises:
            TypeError: The class is not derived from `Deployment`.
            ValueError: The scenario has another deployment or a function with `episode`.
        """
        given: Any = devices
        if not (isinstance(given, type) and issubclass(given, Deployment)):
            raise TypeError(f"a deployment is a class derived from sc.Deployment, not {devices!r}")
        self._require_undefined()
        self._devices = devices
        return devices

    def _require_undefined(self) -> None:
        if self._build is not None or self._devices is not None:
            raise ValueError(
                f"scenario {self.name!r} needs one function with @sim.episode or one class with "
                "@sim.deployment, not several"
            )

    def main(self, arguments: Sequence[str] | None = None) -> NoReturn:
        """Play an episode as the scenario's program, and end the process.

        Args:
            arguments: Arguments of the command line; by default the process's arguments.

        Raises:
            NotInFile: The scenario is defined in a notebook or at a prompt.
        """
        _require_file(self.name, self._file)
        _be_a_simulation(self.name)
        run = self._declared()
        files = ImportedFiles()

        def can_be_copied() -> bool:
            load_used()
            return files.are_unchanged()

        core.set_hooks(can_be_copied, _complete)
        flush_files()
        run.parse([self.name, *(sys.argv[1:] if arguments is None else arguments)])
        seeding.reseed()
        core.end_process(self._play(run, run.values()))
        raise AssertionError("unreachable")

    def _declared(self) -> Any:
        """Return the run of this process, whose parameters are declared."""
        run = core.Simulation(self.name)
        if self._devices is None and self._duration is not None:
            about = "Simulated time of an episode."
            self._declare_time("duration", core.Time(self._duration), core.Time(0), about)
        if self._realtime:
            about = "Maximum lag of an event behind real time; the episode fails beyond it."
            self._declare_time("max_lag", core.Time("100ms"), core.Time("1ms"), about)
        self._declare_parameters(run)
        if self._devices is not None:
            accesses = list(self._devices.accesses)
            load_accesses(accesses)
            hooks = [_refusing(run, hook) for hook in hooks_of(self._current)]
            interval = self._devices.interval
            duration = _checked_duration(self._duration, interval)
            run.deploy(self.name, self._devices.device, interval, accesses, hooks, duration)
        if self._devices is None and not self._realtime:  # hosts belong to an episode
            run.add_warm_up(lambda: self._warm_up(Parameters(run.values())))
        run.add_warm_up(freeze)
        return run

    def _declare_parameters(self, run: Any) -> None:
        for name, parameter in self._parameters.items():
            run.declare(name, **parameter)

    def _declare_time(self, name: str, value: Any, least: Any, about: str) -> None:
        if name not in self._parameters:
            self.parameter(name, value, range=(least, core.Time("86400s")), help=about)

    def _current(self) -> Deployment:
        assert self._deployed is not None  # episodes call its methods
        return self._deployed

    def _play(self, run: Any, values: dict[str, Any]) -> int:
        """Play an episode, and return the exit status."""
        if self._realtime:
            core.use_real_time(values["max_lag"])
        if self._devices is not None:
            return self._play_deployed(run, self._devices, values)
        self._build_episode(run, Parameters(values))
        return int(run.run(values.get("duration")))

    def _play_deployed(self, run: Any, devices: type[Deployment], values: dict[str, Any]) -> int:
        try:
            network.begin()
            make = _refusing(run, devices)
            self._deployed = make(Parameters({**values, **run.placement()}))
        except BaseException as error:
            _fail(error)
        return int(run.run_deployed())

    def _warm_up(self, parameters: Parameters) -> None:
        """Build a trial episode; errors in it are reported when an episode is played."""
        tracing.Trial.is_built = True
        try:
            self._call_build(parameters)
        except BaseException:
            pass  # also for sys.exit(): no episode runs that it could end
        finally:
            tracing.Trial.is_built = False
            modules.restore_defaults()

    def _build_episode(self, run: Any, parameters: Parameters) -> None:
        try:
            warnings = _refusing(run, self._call_build)(parameters)
        except wiring.DeadWiring as error:
            core.fail(f"\n{error}")
        except BaseException as error:
            _fail(error)
        for each in warnings:
            core.warn(each)

    def _call_build(self, parameters: Parameters) -> list[str]:
        """Build an episode, and return warnings about it."""
        if self._build is None:
            raise ValueError(f"scenario {self.name!r} has no function with @sim.episode")
        network.begin()
        wiring.begin(vars(parameters).get("duration"))
        try:
            self._build(parameters)
            core.configure()
            # Scenarios of the package are tested, and the check does not read their code.
            return [] if self._file.startswith(_PACKAGE) else wiring.check()
        finally:
            wiring.end()


def _checked_duration(duration: Any, interval: Any) -> Any:
    """Return the default of a deployment's `duration`, which is a `Time`."""
    least, most = max(core.Time(interval), core.Time("1ns")), core.Time("86400s")
    if duration is None or not least <= core.Time(duration) <= most:
        raise ValueError(
            f"duration={duration!r}: a scenario with @sim.deployment needs a default from "
            f"{least} to {most}"
        )
    return core.Time(duration)


def _require_file(name: str, file: str) -> None:
    """Refuse to run in a notebook or an interactive interpreter, whose process would end."""
    if any("\ud800" <= each <= "\udfff" for each in file):  # a byte that is not UTF-8
        raise NotInFile(f"{file!r} is not a name in UTF-8 here: rename it, or set PYTHONUTF8=1")
    main = sys.modules["__main__"]
    if "ipykernel" in sys.modules or not (hasattr(main, "__file__") or main.__spec__):
        raise NotInFile(
            f"scenario {name!r} runs in a separate process, which needs a file: in a notebook "
            f"begin the cell with %%writefile {name}.py, and make the environment in another cell: "
            f"defiance_zoo.make('{name}.py')"
        )


def _be_a_simulation(name: str) -> None:
    """Prepare this process: print without buffering, and end as a C++ program does."""
    be_single(name)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(write_through=True)  # copies would print buffered text again
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    seeding.follow_the_seed()


def _refusing(run: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that checks the parameters before the first round."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Refusal as refusal:
            run.refuse(str(refusal))

    return call


def freeze() -> None:
    """Prepare for forks: exclude objects from garbage collection, which would copy their memory."""
    gc.collect()
    flush_files()
    gc.freeze()


def _fail(error: BaseException) -> NoReturn:
    """End the episode with an exception, printed from the scenario's first line on."""
    import traceback  # few episodes need it

    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace)
    lines[-1] = f"{lines[-1].rstrip()}{_find_keyword(error)}\n"
    if isinstance(error, SystemExit):
        lines.append("A scenario cannot end its process: sc.stop() ends an episode\n")
    if type(error).__name__ == "BdbQuit":
        lines.append("breakpoint() needs a terminal: run 'defiance-zoo debug FILE.py'\n")
    core.fail("\nAt 0 s of simulated time:\n" + "".join(lines))
    raise AssertionError("unreachable")


def _find_keyword(error: BaseException) -> str:
    """Return a hint at the argument of this package's function that an error is about."""
    found = _UNEXPECTED.fullmatch(str(error)) if isinstance(error, TypeError) else None
    function = found and vars(sys.modules["defiance_zoo.scenario"]).get(found[1])
    code = getattr(function, "__code__", None)
    if found is None or code is None:
        return ""
    return near_word(found[2], code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _complete() -> None:
    """Do the work that Python does at its end, except for the release of objects."""
    gc.disable()  # see `close_files()`
    atexit._run_exitfuncs()
    close_files()
