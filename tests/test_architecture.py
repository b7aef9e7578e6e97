# SPDX-License-Identifier: GPL-2.0-only
"""Dependencies go one way, and the wire's types stay where they belong."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = [
    "errors",
    "events",
    "moved",
    "codec",
    "simulation",
    "environments",
    "learning",
    "wrappers",
    "evaluation",
    "libraries",
    "training",
    "study",
    "testing",
    "command_line",
    "__main__",
]
"""Each may import those before it. `envs` stands beside `wrappers`."""
LEVEL = {name: level for level, name in enumerate(LAYERS)} | {"envs": LAYERS.index("wrappers")}

SOURCES = [
    path
    for folder in ("defiance_zoo", "envs", "wrappers")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "_proto" not in path.parts and "_native" not in path.parts
]
# The symlinks defiance_zoo/envs and defiance_zoo/wrappers lead to the same files.
SOURCES = sorted({path.resolve() for path in SOURCES})


def layer(path: Path) -> str:
    """Return the layer that a source file belongs to."""
    parts = path.relative_to(ROOT).parts
    return Path(parts[1]).stem if parts[0] == "defiance_zoo" else parts[0]


@functools.cache
def imports(path: Path) -> set[str]:
    """Return the modules that a source file imports, at the top or inside."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    mine = layer(path)
    if mine == "__init__":
        return
    for module in imports(path):
        package, _, rest = module.partition(".")
        other = rest.split(".")[0]
        if package == "defiance_zoo" and other in LEVEL and other != mine:
            assert LEVEL[other] < LEVEL[mine], f"{path} imports {module}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_sockets_and_protobuf_stay_below_the_environments(path: Path) -> None:
    for module in imports(path):
        if module.split(".")[0] in ("zmq", "google") or "_proto" in module:
            assert layer(path) in ("codec", "simulation"), f"{path} imports {module}"


@pytest.mark.parametrize(
    ("library", "layers"),
    [
        ("stable_baselines3", {"wrappers", "training"}),
        ("supersuit", {"wrappers"}),
        ("ray", {"wrappers", "training", "study"}),
        ("torch", {"wrappers", "training"}),
        ("matplotlib", {"training", "study"}),
        ("pyarrow", {"study"}),
        ("pydantic", {"training", "study"}),
        ("scipy", {"training"}),
        ("tensorboardX", {"training"}),
        ("yaml", {"training"}),
        ("click", {"command_line"}),
        ("rich", {"command_line"}),
    ],
)
def test_libraries_stay_where_they_belong(library: str, layers: set[str]) -> None:
    for path in SOURCES:
        if library in {module.split(".")[0] for module in imports(path)}:
            assert layer(path) in layers, f"{path} imports {library}"


CPP_FOLDERS = {
    "gym": ("cpp/model/gym", set()),
    "channel": ("cpp/model/channel", {"gym"}),
    "bridge": ("cpp/model/bridge", {"gym"}),
    "application": ("cpp/model/application", {"gym", "channel", "bridge"}),
    "helper": ("cpp/helper", {"gym", "channel", "bridge", "application"}),
    "deployment": ("cpp/deployment", {"gym", "channel", "bridge", "application", "helper"}),
    "envs": ("envs", {"gym", "channel", "bridge", "application", "helper", "deployment"}),
}
"""Each folder of C++, and from which others it may include; headers called private from none."""


def test_cpp_includes_go_one_way() -> None:
    sources = {
        name: [path for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cc")]
        for name, (folder, _) in CPP_FOLDERS.items()
    }
    home = {
        path.name: (name, "private" in path.parts)
        for name, paths in sources.items()
        for path in paths
        if path.suffix == ".h"
    }
    assert all(sources.values())
    for name, paths in sources.items():
        for path in paths:
            for included in re.findall(r'#include ["<](?:ns3/)?([\w-]+\.h)[">]', path.read_text()):
                other, private = home.get(included, (name, False))
                if other != name:
                    assert other in CPP_FOLDERS[name][1], f"{path} includes {included}"
                    assert not private, f"{path} includes {included}"


def test_public_cpp_headers_know_neither_zeromq_nor_protobuf() -> None:
    folders = (ROOT / "cpp" / "model", ROOT / "cpp" / "helper")
    headers = [h for f in folders for h in f.rglob("*.h") if "private" not in h.parts]
    assert len(headers) > 30
    for header in headers:
        text = header.read_text()
        assert ".pb.h" not in text, header
        assert "zmq" not in text, header


def test_classes_of_the_suites_have_names_of_their_own() -> None:
    """All suites are one program, where two classes of one name would be taken for each other."""
    files = (ROOT / "cpp" / "test").glob("*.cc")
    found = Counter(
        name
        for file in files
        for name in re.findall(r"^(?:class|struct) (\w+)", file.read_text(), re.M)
    )
    assert [name for name, count in found.items() if count > 1] == []


def test_every_source_file_says_its_licence() -> None:
    suffixes = {".py", ".cc", ".h", ".proto"}
    for folder in ("defiance_zoo", "cpp", "proto", "envs", "wrappers", "examples", "tests"):
        for path in (ROOT / folder).rglob("*"):
            # What `defiance-zoo new` writes is in files such as apps.cc.in.
            suffix = Path(path.stem).suffix if path.suffix == ".in" else path.suffix
            if suffix in suffixes and not {"_proto", "_native"} & set(path.parts):
                head = path.read_text()[:200]
                assert "SPDX-License-Identifier: GPL-2.0-only" in head, path
