# SPDX-License-Identifier: GPL-2.0-only
"""The module as contrib/defiance, and the targets that ns-3 makes of it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

CPP = Path(__file__).resolve().parent.parent / "cpp"
PRIVATE = sorted(path for path in (CPP / "model").rglob("private") if path.is_dir())

# The state after ns-3's build_lib(): variables that name the module's targets.
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(contrib LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CURRENT_SOURCE_DIR "@CPP@")
set(DEFIANCE_ROOT "@CPP@/..")
set(NS3_VER 3.99)
file(WRITE "${CMAKE_BINARY_DIR}/empty.cc" "")
add_library(protobuf::libprotobuf INTERFACE IMPORTED)
add_library(zeromq INTERFACE)
add_library(defiance-proto STATIC "${CMAKE_BINARY_DIR}/empty.cc")
@TARGETS@
include("@CPP@/cmake/DefianceContrib.cmake")
"""

OBJECTS = """
set(libdefiance libdefiance)
set(libdefiance-obj libdefiance-obj)
set(testdefiance libdefiance-test)
add_library(libdefiance-obj OBJECT "${CMAKE_BINARY_DIR}/empty.cc")
add_library(libdefiance SHARED $<TARGET_OBJECTS:libdefiance-obj>)
add_library(libdefiance-test SHARED "${CMAKE_BINARY_DIR}/empty.cc")
"""

# An object library is named, but not made.
DIRECT = """
set(libdefiance defiance)
set(libdefiance-obj defiance-obj)
set(testdefiance defiance-test)
add_library(defiance SHARED "${CMAKE_BINARY_DIR}/empty.cc")
add_library(defiance-test SHARED "${CMAKE_BINARY_DIR}/empty.cc")
"""

WITHOUT_TESTS = """
set(libdefiance defiance)
set(libdefiance-obj defiance-obj)
add_library(defiance SHARED "${CMAKE_BINARY_DIR}/empty.cc")
"""

# CMake keeps the variable if ns-3 was configured with tests before.
NO_LONGER_TESTS = WITHOUT_TESTS + "set(testdefiance defiance-test)"


@pytest.mark.parametrize(
    ("targets", "compiled", "tests"),
    [
        (OBJECTS, "libdefiance-obj", "libdefiance-test"),
        (DIRECT, "defiance", "defiance-test"),
        (WITHOUT_TESTS, "defiance", None),
        (NO_LONGER_TESTS, "defiance", None),
    ],
)
def test_all_names_of_targets_in_ns3_versions_are_supported(
    tmp_path: Path, targets: str, compiled: str, tests: str | None
) -> None:
    project = PROJECT.replace("@TARGETS@", targets).replace("@CPP@", str(CPP))
    (tmp_path / "CMakeLists.txt").write_text(project)
    configure = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja"]
    done = subprocess.run(configure, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    commands = [
        each["command"]
        for each in json.loads((tmp_path / "build" / "compile_commands.json").read_text())
    ]
    flags = {re.findall(r"-o CMakeFiles/(\S+)\.dir/", command)[0]: command for command in commands}
    assert len(PRIVATE) > 5
    assert flags.keys() - {"defiance-proto"} == {compiled, tests} - {None}
    for target in flags.keys() - {"defiance-proto"}:
        for private in PRIVATE:
            assert f"-I{private}" in flags[target]
        assert (f"-I{CPP}/test/support" in flags[target]) == (target == tests)
        assert "DEFIANCE_NS3_VERSION=" in flags[target]
        assert ("DEFIANCE_GOLDEN_DIR=" in flags[target]) == (target == tests)


def test_a_source_that_includes_a_header_only_through_assertions_is_refused(
    tmp_path: Path,
) -> None:
    """`make lint` compiles each source like ns-3's release profile, where headers include less."""
    texts = {
        "complete.cc": "#include <cstring>\n",
        "assertions.cc": "#ifdef NS3_ASSERT_ENABLE\n#include <cstring>\n#endif\n",
    }
    commands = []
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}int Length() {{ return std::strlen(__FILE__); }}\n")
        command = f"c++ -DNS3_ASSERT_ENABLE -o {name}.o -c {name}"
        commands.append({"directory": str(tmp_path), "file": name, "command": command})
    (tmp_path / "compile_commands.json").write_text(json.dumps(commands))
    tool = CPP.parent / "tools" / "check_includes"
    done = subprocess.run(
        [tool, tmp_path, tmp_path], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "assertions.cc:\n" in done.stderr
    assert "complete.cc:\n" not in done.stderr
    assert "1 of 2 sources do not compile by themselves" in done.stderr
