# SPDX-License-Identifier: GPL-2.0-only
"""Files that somebody else may have written: refused files, and the modules that read them."""

from __future__ import annotations

import ast
import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import defiance_zoo
from defiance_zoo.bridge.system.reading import list_files, parse_json, read_bytes, unzip
from defiance_zoo.bridge.system.whole_files import append
from defiance_zoo.errors import NotWritten, ParameterError
from defiance_zoo.experiments.workbench.descriptions import read_yaml
from defiance_zoo.protocols.explorers.registry import make_explorer

ROOT = Path(defiance_zoo.__file__).parents[1]

_READING = {
    "from_checkpoint", "fromfile", "genfromtxt", "load_from_zip_file", "load_replay_buffer",
    "loadtxt", "memmap", "read_bytes", "read_gml", "read_graphml", "read_parquet", "read_text",
    "restore_from_path", "unpack_archive", "decompress", "ZipFile",
}  # fmt: skip
_OF_MODULES = {("pickle", "loads"), ("pickle", "load"), ("torch", "load"), ("np", "load"),
               ("json", "load"), ("gzip", "open"), ("yaml", "load")}  # fmt: skip
_ELSEWHERE = {
    "command_line/new_project/existing_program.py": "sources of the user, and headers of ns-3",
    "command_line/new_project/project.py": "templates of this package",
    "experiments/libraries/library.py": "the code of an installed library",
    "experiments/libraries/rllib.py": "the code of an installed library",
    "scenario/code_uses.py": "code of the scenario, which runs in this process",
    "scenario/replicas/companion.py": "a pipe from a program that it has started",
    "experiments/workbench/keys.py": "programs and code that are run anyway",
    "bridge/system/imports.py": "facts of installed distributions",
    "bridge/system/resources.py": "limits of the control group",
    "bridge/system/signals.py": "/proc",
    "scenario/hosts/keeper_client.py": "/proc",
    "experiments/training/provenance.py": "the program that is run anyway, and /proc",
    "recording/viewing/episode_report.py": "assets of this package",
    "experiments/training/sb3/policy.py": "what this process has just pickled",
}
"""Modules that read trusted files only, and the kinds of these files."""


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (os.mkfifo, "it is not a regular file"),
        (Path.mkdir, "Is a directory"),
        (lambda path: path.symlink_to("/dev/zero"), "it is not a regular file"),
        (lambda path: path.symlink_to(path), "Too many levels of symbolic links"),
        (lambda path: None, "No such file"),
        (lambda path: path.touch() or os.truncate(path, 2**40), "the maximum is"),
    ],
)
def test_anything_but_a_small_regular_file_is_refused_without_waiting(
    make: Callable[[Path], object], why: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    make(path)
    with pytest.raises(OSError, match=why):
        read_bytes(path)


def test_folders_are_listed_in_order_with_regular_files_only(tmp_path: Path) -> None:
    for name in ("a-b", "a/b", "a/c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [name for name, _ in list_files(tmp_path)] == ["a/b", "a/c", "a-b"]
    (tmp_path / "a" / "pipe").symlink_to("/dev/null")
    with pytest.raises(OSError, match="not a regular file"):
        list(list_files(tmp_path))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" * 100_000, "nested more than 100 deep"),
        ("[" * 101 + "]" * 101, "nested more than 100 deep"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "'c' is repeated"),
        ("[NaN]", "not a finite number"),
        ("[-Infinity]", "not a finite number"),
        ("[1e999]", "not a finite number"),
        ("9" * 21, "21 digits"),
        (str(2**64), "more than 64 bits"),
        (str(-(2**63) - 1), "more than 64 bits"),
        ('["\\ud800"]', "surrogates not allowed"),
        ("[" + "[]," * 10_000_000 + "[]]", "more than .* bytes of memory"),
        ("", "Expecting value"),
    ],
)
def test_json_that_is_ambiguous_or_too_large_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_json(text)


def test_json_written_by_this_package_is_read() -> None:
    value = {"a": [1, -(2**63), 2**64 - 1, 0.1, 1e308, True, None, "é\U0001f600"], "b": {"": []}}
    assert parse_json(json.dumps(value)) == value
    assert parse_json("[" * 100 + "]" * 100)


def test_compressed_files_are_decompressed_within_limits() -> None:
    packed = gzip.compress(b"x" * 1000)
    assert unzip(packed, 1000) == b"x" * 1000
    wrong = {
        packed: "more than 999",
        packed[:-1]: "end is missing",
        packed + b"x": "after its end",
    }
    for content, why in wrong.items():
        with pytest.raises(ValueError, match=why):
            unzip(content, 999 if content is packed else 1000)
    with pytest.raises(ValueError, match="not compressed"):
        unzip(b"x" * 100)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: " + "[" * 5000, "nested more than 50 deep"),
        ("a: &a [*a]", "an alias is inside its anchor"),
        (
            "a0: &a0 [x, x, x, x, x, x, x, x]\n"
            + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]\n" for n in range(1, 9)),
            "more than 60,000 values",
        ),
        ("a: 2001-01-01", "put it in quotes"),
        ("a: 2001-99-99", "is not YAML"),
        ("a: !!bool x", "is not YAML"),
        ("a: " + "9" * 5000, "is not YAML"),
        ("? [1]\n: 2", "a collection cannot be a key"),
        ("x" * 600_000, "the maximum is"),
    ],
)
def test_yaml_with_other_than_plain_data_is_refused(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(text)
    with pytest.raises(ParameterError, match=why):
        read_yaml(path)


def test_yaml_with_aliases_and_merged_keys_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_text("a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  x: 3\nc: *a\n")
    assert read_yaml(path) == {"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 2}, "c": {"x": 1, "y": 2}}


def test_states_of_explorers_are_loaded_completely_or_not_at_all(tmp_path: Path) -> None:
    explorer, path = make_explorer("bonus_max", 1, {}), tmp_path / "state.gz"
    before = explorer.get_state()
    other = make_explorer("bonus_max", 2, {})
    for part, value in (("values", {"s": {"a": "x"}}), ("visits", {"s": {"a": -1}}), ("random", 1)):
        state = json.dumps({**other.get_state(), part: value}).encode()
        path.write_bytes(gzip.compress(state))
        with pytest.raises(ParameterError, match="is not a state of bonus_max"):
            explorer.load(path)
        assert explorer.get_state() == before
    path.write_bytes(gzip.compress(state)[:-9])
    with pytest.raises(ParameterError, match="is not a state of an explorer"):
        explorer.load(path)
    explorer.load(_saved(other, path))
    assert explorer.get_state() == other.get_state()


def _saved(explorer: object, path: Path) -> Path:
    explorer.save(path)  # type: ignore[attr-defined]
    return path


def test_appending_to_anything_but_a_regular_file_is_refused(tmp_path: Path) -> None:
    append(tmp_path / "file", "a\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for name in ("pipe", "link"):
        with pytest.raises(NotWritten, match="cannot be written"):
            append(tmp_path / name, "c")


def test_every_module_reads_foreign_files_through_one_module() -> None:
    found = set()
    for folder in ("defiance_zoo", "envs", "wrappers"):
        for path in (ROOT / folder).rglob("*.py"):
            if path.resolve() == path and path.parts[-2] != "v1":
                name = str(path.relative_to(ROOT)).removeprefix("defiance_zoo/")
                tree = ast.parse(path.read_text(encoding="utf-8"))
                if any(_reads(node) for node in ast.walk(tree)):
                    found.add(name)
    at_home = {
        "experiments/workbench/origin.py",
        "experiments/workbench/descriptions.py",
        "bridge/system/reading.py",
    }
    assert found - at_home == set(_ELSEWHERE)


def _reads(node: ast.AST) -> bool:
    """Return whether code reads a file without `reading` and `origin`."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):  # code calls functions of `reading` by their names
        return node.func.id in ("open", "ZipFile", "load_from_zip_file") and not _is_opened(node)
    if not isinstance(node.func, ast.Attribute) or _is_opened(node):
        return False
    of = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
    return node.func.attr in _READING - {"read_graphml"} or (of, node.func.attr) in _OF_MODULES


def _is_opened(node: ast.Call) -> bool:
    """Return whether the read file is in a private copy with a checked origin."""
    return any(
        isinstance(each, ast.Call) and getattr(each.func, "id", "") == "opened"
        for each in node.args
    )
