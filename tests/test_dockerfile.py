# SPDX-License-Identifier: GPL-2.0-only
"""The files and images named in tools/Dockerfile exist; `make lint` checks the rest."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "tools" / "Dockerfile"


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the file, each with its arguments."""
    lines = [line for line in FILE.read_text().splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", "")
    return [(name, rest) for name, _, rest in map(split, joined.splitlines()) if name]


def split(line: str) -> tuple[str, str, str]:
    return line.strip().partition(" ")


def given(name: str) -> list[str]:
    return [rest for each, rest in instructions() if each == name]


def test_images_are_pinned() -> None:
    assert given("FROM")
    for image in given("FROM"):
        assert re.match(r"[\w/.-]+:\d+\.\d+[\w.-]*( AS \w+)?$", image), image


def test_copied_files_exist() -> None:
    stages = [image.partition(" AS ")[2] for image in given("FROM")]
    ignored = (FILE.parent / "Dockerfile.dockerignore").read_text().splitlines()
    assert given("COPY")
    for words in map(shlex.split, given("COPY")):
        sources = [word for word in words[:-1] if not word.startswith("--")]
        if words[0].startswith("--from="):
            assert words[0].removeprefix("--from=") in stages, words
            continue
        for source in sources:
            assert (ROOT / source).exists(), source
            assert source not in ignored, source


@pytest.mark.parametrize("script", given("RUN"))
def test_commands_name_existing_targets_and_files(script: str) -> None:
    subprocess.run(["sh", "-n", "-c", script], check=True)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for called in re.findall(r"(?:^|&& *)make ([a-z -]+)", script):
        assert set(called.split()) <= targets, called
    for tool in re.findall(r"\btools/\S+", script):
        assert os.access(ROOT / tool, os.X_OK), tool
    for requirement in re.findall(r"--constraint (\S+)", script):
        assert (ROOT / requirement).is_file(), requirement


def test_the_command_runs_an_example() -> None:
    (command,) = given("CMD")
    (example,) = re.findall(r"examples/\w+\.py", command)
    assert (ROOT / example).is_file()
