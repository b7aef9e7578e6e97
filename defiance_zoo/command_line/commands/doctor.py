# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo doctor`: missing programs and libraries, and how to install them."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.bridge.system.reading import read_text
from defiance_zoo.command_line import output
from defiance_zoo.command_line.commands.cmake_dir import CMAKE_DIR
from defiance_zoo.command_line.commands.new import NS3
from defiance_zoo.command_line.options import json_option
from defiance_zoo.command_line.progress import quiet_option, waiting
from defiance_zoo.environments import lookup, registered
from defiance_zoo.errors import BrokenPlugin, DefianceZooError
from defiance_zoo.experiments.libraries import find_library, library_names
from defiance_zoo.experiments.workbench.signing_key import key_file, read_key

PYTHON = (3, 10)


@dataclass(frozen=True)
class Finding:
    """The result of a check."""

    what: str
    present: bool
    remedy: str


Check = Callable[[], Finding]


def python() -> Finding:
    """Look at the version of Python."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    wanted = ".".join(str(part) for part in PYTHON)
    fine = sys.version_info[:2] >= PYTHON
    return Finding(f"Python {version}", fine, f"install Python {wanted} or newer")


def modules(names: Sequence[str], extra: str, remedy: str | None = None) -> Finding:
    """Look whether modules can be found, without importing them."""
    lacking = [name for name in names if importlib.util.find_spec(name) is None]
    what = f"[{extra}]: {', '.join(lacking or names)}"
    return Finding(what, not lacking, remedy or install_command(extra))


def library(name: str) -> Finding:
    """Look for the programs and modules that a library needs to train."""
    try:
        found = find_library(name)
    except BrokenPlugin as error:
        return Finding(f"[{name}]", False, str(error))
    return modules((*TRAIN, *found.modules), name, found.install)


def environment(name: str) -> Finding:
    """Play a decision of an environment: the program runs, forks, and exchanges messages."""
    try:
        with contextlib.closing(lookup(name).raw_env()) as env:
            env.reset(seed=1)
        return Finding(f"{name} runs", True, "")
    except (DefianceZooError, OSError) as error:
        return Finding(f"{name} runs", False, str(error))


def shared_memory() -> Finding:
    """Look at the memory through which local links spin."""
    try:
        os.close(os.memfd_create("doctor"))
        present = os.access("/dev/shm", os.W_OK, effective_ids=True)
    except OSError:
        present = False
    remedy = "mount /dev/shm; in a container: --shm-size=1g, or --ipc=host"
    return Finding("shared memory (/dev/shm)", present, remedy)


def signing_key() -> Finding:
    """Look whether only this user can use the key with which this user's files are signed."""
    try:
        if key_file().exists():  # otherwise the first signature makes it
            read_key()
    except OSError as error:
        where = error.filename or key_file()
        return Finding(f"the key for signatures ({where})", False, error.strerror or str(error))
    return Finding("the key for signatures", True, "")


def program(names: Sequence[str], package: str) -> Finding:
    """Look for one of some programs on the PATH; the Debian package has the first."""
    found = next((name for name in names if shutil.which(name)), None)
    return Finding(found or names[0], found is not None, f"apt-get install {package}")


def header(name: str, package: str) -> Finding:
    """Look for a header as the C++ compiler does."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        return Finding(f"{name} (without a compiler)", False, "apt-get install g++")
    present = _compiles(compiler, f"#if !__has_include(<{name}>)\n#error\n#endif\n", "-E")
    return Finding(name, present, f"apt-get install {package}")


def compiler() -> Finding:
    """Look for a compiler that knows C++20."""
    name = os.environ.get("CXX", "c++")
    found = shutil.which(name)
    source = "#include <compare>\nint main() { return (1 <=> 1) == 0 ? 0 : 1; }\n"
    fine = found is not None and _compiles(found, source, "-std=c++20", "-fsyntax-only")
    return Finding(f"a C++20 compiler ({name})", fine, "apt-get install g++ (12 or newer)")


def _compiles(compiler: str, source: str, *options: str) -> bool:
    command = [compiler, *options, "-x", "c++", "-"]
    done = subprocess.run(command, input=source.encode(), capture_output=True, check=False)
    return done.returncode == 0


def ns3() -> Finding:
    """Look for ns-3's headers, in $NS3_DIR or the wheel, and for the options of its build."""
    remedy = f"pip install --no-deps {NS3}, or set NS3_DIR to the folder of ns3Config.cmake"
    if "NS3_DIR" in os.environ:
        folder = Path(os.environ["NS3_DIR"])
        present = (folder / "ns3Config.cmake").is_file()
        return Finding(f"ns-3 ({folder}){_build_of_ns3(folder)}", present, remedy)
    spec = importlib.util.find_spec("ns3")
    if spec is None:
        return Finding("ns-3's headers", False, remedy)
    folder = Path(next(iter(spec.submodule_search_locations or ()))) / "lib64" / "cmake" / "ns3"
    version = importlib.metadata.version("ns3")
    return Finding(f"ns-3's headers {version}{_build_of_ns3(folder)}", True, remedy)


def _build_of_ns3(folder: Path) -> str:
    """Describe the build of an ns-3 by its CMake files: its profile, and options that slow it."""
    try:
        text = read_text(folder / "ns3Targets.cmake")
    except (OSError, ValueError, DefianceZooError):
        return ""
    profile = re.search(r"NS3_BUILD_PROFILE_(\w+)", text)
    parts = {"NS3_LOG_ENABLE": "logs", "NS3_ASSERT_ENABLE": "asserts"}
    has = [name for definition, name in parts.items() if definition in text]
    lacks = [name for name in parts.values() if name not in has]
    options = [
        *([profile[1].lower()] if profile else []),
        *([f"with {' and '.join(has)}"] if has else []),
        *([f"without {' and '.join(lacks)}"] if lacks else []),
    ]
    return f": {', '.join(options)}"


def cmake_package() -> Finding:
    """Look for the headers and libraries of scenarios."""
    present = (CMAKE_DIR / "defianceConfig.cmake").is_file()
    return Finding("the library for C++", present, "in a checkout: make build")


TRAIN = ("matplotlib", "psutil", "pydantic", "scipy", "tensorboardX", "yaml")


def groups() -> dict[str, list[Check]]:
    """Return the checks by group of users; everybody needs the first group."""
    return {
        "Needed for everything": [
            python,
            *(functools.partial(environment, name) for name in registered()),
            shared_memory,
        ],
        "For training": [
            *(functools.partial(library, name) for name in library_names()),
            signing_key,
        ],
        **_OTHERS,
    }


_OTHERS: dict[str, list[Check]] = {
    "For studies": [
        functools.partial(modules, (*TRAIN, "jinja2", "pyarrow"), "study"),
    ],
    "For tuning": [
        functools.partial(modules, (*TRAIN, "jinja2", "optuna", "pyarrow"), "tune"),
    ],
    "For exporting policies": [
        functools.partial(modules, ("onnx", "onnxruntime", "onnxscript"), "onnx"),
    ],
    "For sending over real paths": [
        functools.partial(modules, ("aioquic", "onnxruntime"), "quic"),
    ],
    "For your own scenarios": [
        compiler,
        functools.partial(program, ("cmake",), "cmake"),
        ns3,
        cmake_package,
    ],
    "For debugging": [
        functools.partial(program, ("gdb",), "gdb"),
        functools.partial(program, ("valgrind",), "valgrind"),
    ],
    "For building this package from a checkout": [
        functools.partial(program, ("ninja",), "ninja-build"),
        functools.partial(program, ("protoc",), "protobuf-compiler"),
        functools.partial(header, "google/protobuf/message.h", "libprotobuf-dev"),
        functools.partial(header, "zmq.h", "libzmq3-dev"),
        functools.partial(header, "zmq.hpp", "cppzmq-dev"),
    ],
}


@click.command
@json_option
@quiet_option
def command(as_json: bool) -> None:
    """Report missing programs and libraries, and how to install them.

    The exit status is 1 if something is missing that every use needs.
    """
    with waiting("starting each environment, and looking for libraries"):
        found = {group: [check() for check in checks] for group, checks in groups().items()}
    needed = next(iter(found))
    healthy = all(finding.present for finding in found[needed])
    if as_json:
        listed = {group: [vars(finding) for finding in each] for group, each in found.items()}
        output.print_json({"healthy": healthy, "groups": listed})
    else:
        _print(found)
    if not healthy:
        click.get_current_context().exit(1)


def _print(found: dict[str, list[Finding]]) -> None:
    for group, findings in found.items():
        click.secho(group, bold=True)
        for each in findings:
            mark = click.style("ok     ", fg="green") if each.present else "missing"
            click.echo(f"  {mark} {each.what}")
            if not each.present:
                click.echo(f"          {each.remedy}")
