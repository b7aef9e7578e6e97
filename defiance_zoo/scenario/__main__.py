# SPDX-License-Identifier: GPL-2.0-only
"""The program of scenarios in Python: `python -m defiance_zoo.scenario FILE.py [--name=value]`.

Environments start this file by its path, so that it does not load the whole package, which takes
longer than an episode.
"""

import contextlib
import importlib.machinery
import os
import sys
import types
from collections.abc import Iterator

_OWN = ("DEFIANCE_", "NS_")
"""The beginnings of environment variables that the program reads."""


def main() -> None:
    """Load the file that the first argument names, and play an episode of its scenario."""
    if len(sys.argv) < 2:
        sys.exit("usage: python -m defiance_zoo.scenario FILE.py [--name=value ...]")
    path = os.path.abspath(sys.argv[1])  # noqa: PTH100 (pathlib takes as long as the rest)
    _offer_package()
    from defiance_zoo.bridge.system.single_process import ONE_THREAD

    os.environ.update(ONE_THREAD)
    if any(word.startswith("--policy=") for word in sys.argv):
        _offer_onnxruntime()
    if not path.endswith(".py"):
        sys.exit(f"{path} is not a Python file")
    if not os.path.isfile(path):  # noqa: PTH113
        sys.exit(f"there is no file {path}")
    name = os.path.basename(path).removesuffix(".py")  # noqa: PTH119
    if name in sys.stdlib_module_names:
        sys.exit(f"{path} would hide Python's module {name!r}: give the file another name")
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    _prepare(path)
    _offer_neighbours(os.path.dirname(path))  # noqa: PTH120
    from defiance_zoo.scenario import simulation

    own = {name: value for name, value in os.environ.items() if name.startswith(_OWN)}
    with _own_output():
        _load(path)
    for name, value in own.items():
        os.environ.setdefault(name, value)  # the scenario may have cleared its environment
    found = simulation.find_declared(path)
    if len(found) != 1:
        sys.exit(
            f"{path} declares {len(found)} simulations; a file must declare one: Simulation(name)"
        )
    found[0].main(sys.argv[2:])


def _prepare(path: str) -> None:
    """Turn this process into a simulation, before any code of the scenario runs."""
    from defiance_zoo.bridge.system import single_process
    from defiance_zoo.bridge.system.signals import show_stack_on_signal

    if "DEFIANCE_LIFELINE" in os.environ:
        single_process.die_with(int(os.environ["DEFIANCE_LIFELINE"]))
    show_stack_on_signal()
    single_process.be_single(path)


@contextlib.contextmanager
def _own_output() -> Iterator[None]:
    """Keep the output of the scenario out of the description on standard output.

    Afterwards the standard descriptors are open, even if the scenario closed them.
    """
    described = "--describe" in sys.argv[2:]
    if described:
        output = os.dup(1)
        os.dup2(2, 1)
    yield
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # the scenario has closed it, and another file would get its number
            os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    if described:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os.dup2(output, 1)


def _offer_neighbours(folder: str) -> None:
    """Import modules beside the scenario before installed ones, but after Python's."""
    from defiance_zoo.bridge.system.imports import compile_sources_of

    del sys.path[0]  # the folder of this file
    installed = ("site-packages", "dist-packages")
    first = (i for i, each in enumerate(sys.path) if each.endswith(installed))
    sys.path.insert(next(first, len(sys.path)), folder)
    compile_sources_of(folder)


def _offer_package() -> None:
    """Import parts of the package without the rest, which is imported on demand.

    The same holds for the zoo: a scenario of the zoo imports modules from its folder by name.
    """
    if "defiance_zoo" in sys.modules:
        return
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    _offer("defiance_zoo", folder)
    _offer("defiance_zoo.envs", os.path.join(folder, "envs"))  # noqa: PTH118


def _offer(full_name: str, folder: str) -> None:
    whole = os.path.join(folder, "__init__.py")  # noqa: PTH118
    package = types.ModuleType(full_name)
    package.__file__, package.__path__ = whole, [folder]
    package.__spec__ = importlib.machinery.ModuleSpec(full_name, None, is_package=True)

    def load(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        del package.__dict__["__getattr__"]
        source = importlib.machinery.SourceFileLoader(full_name, whole)
        source.exec_module(package)
        return getattr(package, name)

    package.__dict__["__getattr__"] = load
    sys.modules[full_name] = package


def _offer_onnxruntime() -> None:
    """Run policy files with the runtime that pip has installed, unless another one is set."""
    from defiance_zoo.bridge.system.extras import onnxruntime_library
    from defiance_zoo.errors import DependencyMissing

    with contextlib.suppress(DependencyMissing):
        os.environ.setdefault("DEFIANCE_ONNXRUNTIME", str(onnxruntime_library()))


def _load(path: str) -> None:
    from defiance_zoo.bridge.system.imports import import_file
    from defiance_zoo.bridge.system.single_process import end_process
    from defiance_zoo.scenario.open_files import close_files

    name = os.path.splitext(os.path.basename(path))[0]  # noqa: PTH119, PTH122
    try:
        import_file(name, path)
    except BaseException as error:
        _show(error, path)
        if isinstance(error, SystemExit):
            sys.stderr.write(f"{path} ends the process while it is loaded\n")
        sys.stderr.flush()
        close_files()
        end_process(1)  # without functions that it registered for the exit of Python


def _show(error: BaseException, path: str) -> None:
    """Print an exception from the scenario's first line on; a SyntaxError has no such line."""
    import traceback

    from defiance_zoo.errors import NotInScenario

    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != path:
        trace = trace.tb_next
    is_known = trace is not None or isinstance(error, SyntaxError)
    shown = trace if is_known else error.__traceback__
    limit = None
    if isinstance(error, NotInScenario):  # ends at the user's line, not in this package
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
        frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(shown)]
        own = [i for i, file in enumerate(frames) if not file.startswith(package)]
        limit = own[-1] + 1 if own else None
    traceback.print_exception(type(error), error, shown, limit=limit)


if __name__ == "__main__":
    main()
