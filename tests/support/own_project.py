# SPDX-License-Identifier: GPL-2.0-only
"""A user's CMake project, built from the installed package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path


def build_project(folder: Path, source: Path, project: str, flags: str, **settings: str) -> Path:
    """Build a scenario outside this tree; return the folder with the binaries.

    Args:
        folder: An empty folder; compiled files are equal in each, so that ccache has them.
        source: Source file of the program.
        project: Contents of `CMakeLists.txt`.
        flags: Flags of the compiler.
        settings: Further settings of CMake.
    """
    shutil.copy(source, folder)
    (folder / "CMakeLists.txt").write_text(project)
    cmake_dir = subprocess.run(
        [sys.executable, "-m", "defiance_zoo", "cmake-dir"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.strip()
    settings = {
        "CMAKE_CXX_FLAGS": flags,
        "CMAKE_CXX_COMPILER_LAUNCHER": shutil.which("ccache") or "",
        "Python3_EXECUTABLE": sys.executable,
        "defiance_DIR": cmake_dir,
        **settings,
    }
    options = [f"-D{name}={value}" for name, value in settings.items()]
    variables = {**os.environ, "CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
    for command in (["cmake", "-S", ".", "-B", "build", *options], ["cmake", "--build", "build"]):
        subprocess.run(command, cwd=folder, env=variables, check=True)
    return folder / "build"
