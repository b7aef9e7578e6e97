# SPDX-License-Identifier: GPL-2.0-only
"""Build of defiance-zoo: protoc for the wire contract, CMake for the ns-3 side.

pyproject.toml has the package's name and its requirements.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Command, Distribution, find_packages, setup
from setuptools.command.build import build
from setuptools.errors import ExecError

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools"))

import prerequisites  # noqa: E402  (lives in tools/, which no installed package may shadow)

BUILD_DIR = ROOT / "build" / "native"
GENERATED = ("_proto", "_native")
REPOSITORY = ""
"""The address of the sources; as long as it is empty, the metadata has no links."""


def description() -> str:
    """Return README without what a package index cannot show: pictures, and links to files."""
    text = re.sub(r"!\[[^]]*]\([^)]*\)\n*", "", (ROOT / "README.md").read_text())
    to = rf"[\1]({REPOSITORY}/blob/main/\2)" if REPOSITORY else r"\1"
    return re.sub(r"\[([^]]+)]\((?!https?:)([^)]*)\)", to, text)


def require_tools() -> None:
    """Refuse a build with missing requirements, which the message lists."""
    missing = prerequisites.missing(prerequisites.BUILD)
    if importlib.util.find_spec("nanobind") is None:
        raise ExecError(
            f"nanobind was not found for the building Python ({sys.executable}):\n"
            "  pip install nanobind"
        )
    if missing:
        names = "".join(f"\n  {need.what}" for need in missing)
        packages = " ".join(need.package for need in missing)
        raise ExecError(
            f"building defiance-zoo needs programs that are missing on this machine:{names}\n"
            f"On Debian and Ubuntu: apt-get install {packages}"
        )


def find_ns3() -> Path:
    """Return the folder of ns3Config.cmake: $NS3_DIR, or the one inside the `ns3` wheel."""
    if "NS3_DIR" in os.environ:
        folder = Path(os.environ["NS3_DIR"])
    else:
        spec = importlib.util.find_spec("ns3")
        locations = spec.submodule_search_locations if spec else None
        folder = Path(next(iter(locations or ["ns3"]))) / "lib64" / "cmake" / "ns3"
    if not (folder / "ns3Config.cmake").is_file():
        raise ExecError(
            f"ns-3 was not found ({folder}/ns3Config.cmake does not exist).\n"
            f"Install it for the building Python ({sys.executable}):\n"
            "  pip install --no-deps ns3==3.44.post0\n"
            "and build with pip's --no-build-isolation; or set NS3_DIR to ns3Config.cmake's folder."
        )
    return folder


def generate_proto(target: Path) -> None:
    """Generate the Python modules of proto/, with stubs, as packages below `target`."""
    sources = sorted((ROOT / "proto").rglob("*.proto"))
    names = [source.relative_to(ROOT / "proto") for source in sources]
    modules = [target / name.with_name(f"{name.stem}_pb2.py") for name in names]
    newest = max(source.stat().st_mtime for source in sources)
    if all(module.exists() and module.stat().st_mtime >= newest for module in modules):
        return
    target.mkdir(parents=True, exist_ok=True)
    run("protoc", f"-I{ROOT / 'proto'}", f"--python_out={target}", f"--pyi_out={target}", *names)
    for folder in {target, *(parent for module in modules for parent in module.parents)}:
        if folder.is_relative_to(target):
            (folder / "__init__.py").touch()


def build_programs(prefix: Path, *, bundle: bool) -> None:
    """Build library and scenarios, and install them below `prefix`.

    Args:
        prefix: Folder for bin/, lib/ and include/, which contains nothing else afterwards.
        bundle: Whether to install the ns-3 libraries too, so that the result works on other
            machines.
    """
    settings = {
        "CMAKE_CXX_COMPILER_LAUNCHER": shutil.which("ccache") or "",
        "CMAKE_INSTALL_MESSAGE": "LAZY",
        "DEFIANCE_BUNDLE_NS3": "ON" if bundle else "OFF",
        "DEFIANCE_ENVIRONMENTS": os.environ.get("DEFIANCE_ENVIRONMENTS", ""),
        "Python3_EXECUTABLE": sys.executable,
        "ns3_DIR": find_ns3(),
    }
    options = ["-G", "Ninja", "--log-level=WARNING", *(f"-D{k}={v}" for k, v in settings.items())]
    options += shlex.split(os.environ.get("CMAKE_ARGS", ""))
    run("cmake", "-S", ROOT, "-B", BUILD_DIR, *options)
    run("cmake", "--build", BUILD_DIR, "--target", "defiance-package")
    strip = ["--strip"] if bundle else []
    run("cmake", "--install", BUILD_DIR, "--prefix", prefix, *strip)
    remove_leftovers(prefix)


def remove_leftovers(prefix: Path) -> None:
    """Delete what an earlier build installed and this one did not."""
    installed = set((BUILD_DIR / "install_manifest.txt").read_text().splitlines())
    for path in prefix.rglob("*"):
        if not path.is_dir() and str(path) not in installed:
            path.unlink()


def run(*command: str | Path) -> None:
    """Run a tool; after a failure, the build ends below the tool's output."""
    try:
        subprocess.run([str(word) for word in command], check=True)
    except subprocess.CalledProcessError as error:
        raise ExecError(f"{command[0]} ended with status {error.returncode}") from error


class BuildNative(Command):
    """Generate the protobuf modules; build and install the library and the scenario programs."""

    description = "generate the protobuf modules; build library and scenarios with CMake"
    user_options = [("inplace", "i", "install into the source tree, as an editable install does")]
    boolean_options = ["inplace"]

    def initialize_options(self) -> None:
        self.build_lib: str | None = None
        self.editable_mode = False
        self.inplace = False

    def finalize_options(self) -> None:
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def run(self) -> None:
        if os.environ.get("DEFIANCE_BUILD_NATIVE") == "0":
            return  # `make` builds it at the same time, in place
        require_tools()
        generate_proto(self._package / "_proto")
        build_programs(self._package / "_native", bundle=not self._stays)

    def get_source_files(self) -> list[str]:
        files = [ROOT / "CMakeLists.txt", ROOT / "tools" / "prerequisites.py"]
        for folder in ("cpp", "envs", "proto"):
            files += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
        return [str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts]

    def get_outputs(self) -> list[str]:
        return [str(self._built / path) for path in self._generated()]

    def get_output_mapping(self) -> dict[str, str]:
        if not self._stays:
            return {}
        return {str(self._built / path): str(self._package / path) for path in self._generated()}

    @property
    def _stays(self) -> bool:
        """Whether the result is used where it was built."""
        return self.editable_mode or self.inplace

    @property
    def _built(self) -> Path:
        """The package's folder in setuptools' build tree."""
        assert self.build_lib is not None
        return Path(self.build_lib).absolute() / "defiance_zoo"

    @property
    def _package(self) -> Path:
        """The package's folder that this build fills."""
        return ROOT / "defiance_zoo" if self._stays else self._built

    def _generated(self) -> list[Path]:
        files = [path for name in GENERATED for path in (self._package / name).rglob("*")]
        return [path.relative_to(self._package) for path in files if path.is_file()]


class Build(build):
    """setuptools' build, with the native part."""

    sub_commands = [*build.sub_commands, ("build_native", None)]


class NativeDistribution(Distribution):
    """The package goes to platlib, as its programs are for one kind of machine."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    project_urls={
        name: f"{REPOSITORY}{path}"
        for name, path in (("Source", ""), ("Documentation", "/blob/main/docs/index.md"))
        if REPOSITORY
    },
    packages=find_packages(include=["defiance_zoo", "defiance_zoo.*"]),
    distclass=NativeDistribution,
    cmdclass={"build": Build, "build_native": BuildNative},
)
