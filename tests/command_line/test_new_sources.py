# SPDX-License-Identifier: GPL-2.0-only
"""Source files that `new --from` accepts: any text, byte by byte, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command_calls import call

SOURCE = """\
#include "ns3/core-module.h"
#include "ns3/opengym-module.h"
// café
int main() { return 0; }"""


@pytest.mark.parametrize(
    "content",
    [
        SOURCE.encode("latin-1"),
        SOURCE.encode("utf-8-sig"),
        SOURCE.replace("\n", "\r\n").encode(),
        SOURCE.encode() + b"\n",
    ],
    ids=["latin-1", "byte-order-mark", "crlf", "utf-8"],
)
def test_a_program_is_copied_byte_by_byte(content: bytes, tmp_path: Path) -> None:
    program = tmp_path / "mine.cc"
    program.write_bytes(content)
    status, _, errors = call("new", "my_scenario", "--into", tmp_path / "new", "--from", program)
    assert (status, errors) == (0, "")
    assert (tmp_path / "new" / "scenario" / "mine.cc").read_bytes() == content


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (SOURCE.encode("utf-16"), "is not text in UTF-8 or Latin-1"),
        (b"\x7fELF\0\0", "is not text in UTF-8 or Latin-1"),
        (b"", "one file has to have main"),
        (b" " * (16 * 1024 * 1024 + 1), "the maximum is 16,777,216"),
    ],
)
def test_a_file_that_is_no_program_is_refused(content: bytes, problem: str, tmp_path: Path) -> None:
    program = tmp_path / "mine.cc"
    program.write_bytes(content)
    status, _, errors = call("new", "my_scenario", "--into", tmp_path / "new", "--from", program)
    assert (status, problem in errors) == (2, True)
    assert not (tmp_path / "new").exists()


def test_a_named_pipe_is_refused_as_a_source(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mine.cc")
    into = ("--into", tmp_path / "new")
    status, _, errors = call("new", "my_scenario", *into, "--from", tmp_path / "mine.cc")
    assert (status, "is not a regular file" in errors) == (2, True)
