#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Programs and libraries that a build and its checks need, and their Debian packages.

As a program, `prerequisites.py build|all`: print the Debian packages that are missing, on one line.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from sysconfig import get_path


def has_program(*names: str) -> bool:
    """Return whether one of these programs is on the PATH."""
    return any(shutil.which(name) for name in names)


def has_header(name: str) -> bool:
    """Return whether the C++ compiler finds this header."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        return False
    source = f"#if !__has_include(<{name}>)\n#error\n#endif\n"
    command = [compiler, "-E", "-x", "c++", "-"]
    return not subprocess.run(command, input=source.encode(), capture_output=True).returncode


def has_library(name: str) -> bool:
    """Return whether the loader finds this shared library, even if only at program start."""
    try:
        ctypes.CDLL(name)
    except OSError as error:
        return "cannot open shared object file" not in str(error)
    return True


@dataclass(frozen=True)
class Need:
    """A program or library, its Debian package, and a check of its presence."""

    what: str
    package: str
    present: Callable[[], bool]


BUILD = (
    Need("a C++20 compiler (c++)", "g++", lambda: has_program(os.environ.get("CXX", "c++"))),
    Need("cmake", "cmake", lambda: has_program("cmake")),
    Need("ninja", "ninja-build", lambda: has_program("ninja")),
    Need("protoc", "protobuf-compiler", lambda: has_program("protoc")),
    Need(
        "google/protobuf/message.h",
        "libprotobuf-dev",
        lambda: has_header("google/protobuf/message.h"),
    ),
    Need("Python.h", "python3-dev", lambda: Path(get_path("include"), "Python.h").is_file()),
    Need("zmq.h", "libzmq3-dev", lambda: has_header("zmq.h")),
    Need("zmq.hpp", "cppzmq-dev", lambda: has_header("zmq.hpp")),
)

# For the Makefile, in addition to the needs of a build.
SET_UP = (
    Need("jemalloc", "libjemalloc2", lambda: has_library("libjemalloc.so.2")),
    Need("raft.h", "libraft-dev", lambda: has_header("raft.h")),
    Need("ccache", "ccache", lambda: has_program("ccache")),
    Need("git", "git", lambda: has_program("git")),
    Need("Python's ensurepip", "python3-venv", lambda: bool(importlib.util.find_spec("ensurepip"))),
)

# For linters.
LINT = (
    Need("clang-format", "clang-format", lambda: has_program("clang-format")),
    Need("doxygen", "doxygen", lambda: has_program("doxygen")),
)


# For tests and pictures of pages.
BROWSER = (
    Need("chromium", "chromium", lambda: has_program("chromium")),
    Need("chromedriver", "chromium-driver", lambda: has_program("chromedriver")),
)

# For tests of real programs in simulated networks.
HOSTS = (
    Need("ip", "iproute2", lambda: has_program("ip")),
    Need("ping", "iputils-ping", lambda: has_program("ping")),
    Need("iperf3", "iperf3", lambda: has_program("iperf3")),
    Need("curl", "curl", lambda: has_program("curl")),
    Need("etcd", "etcd-server", lambda: has_program("etcd")),
)


def missing(needs: Iterable[Need]) -> list[Need]:
    """Return the needs that this machine lacks."""
    return [need for need in needs if not need.present()]


if __name__ == "__main__":
    needs = {
        "build": (*BUILD, *SET_UP),
        "all": (*BUILD, *SET_UP, *LINT, *BROWSER, *HOSTS),
    }[sys.argv[1]]
    print(*(need.package for need in missing(needs)))
