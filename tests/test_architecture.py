# SPDX-License-Identifier: GPL-2.0-only
"""Dependencies go one way, and the wire's types stay where they belong."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = [
    "errors",
    "events",
    "moved",
    "spelling",
    "system",
    "scenario",
    "codec",
    "messages",
    "process",
    "transport",
    "simulation",
    "recording",
    "environments",
    "learning",
    "wrappers",
    "evaluation",
    "libraries",
    "training",
    "viewing",
    "study",
    "exploration",
    "population",
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
        if module.split(".")[0] == "zmq":
            assert layer(path) == "transport", f"{path} imports {module}"
        if module.split(".")[0] == "google" or "_proto" in module:
            allowed = ("codec", "messages", "process", "simulation")
            assert layer(path) in allowed, f"{path} imports {module}"


def module_name(path: Path) -> str:
    """Return what a source file is imported as."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    names = parts if parts[0] == "defiance_zoo" else ("defiance_zoo", *parts)
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def imported_modules(path: Path, known: Mapping[str, Path]) -> set[str]:
    """Return the modules of this project that a source file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in known else node.module)
    return {name for name in found if name in known and known[name] != path}


def test_no_module_imports_itself_by_a_detour() -> None:
    """Imports inside functions and for types count: what they say of the design is the same."""
    known = {module_name(path): path for path in SOURCES}
    graph = {
        name: imported_modules(path, known)
        for name, path in known.items()
        if path.name != "__init__.py"  # those gather what others offer
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other: {error.args[1]}")


@pytest.mark.parametrize(
    ("library", "layers"),
    [
        ("stable_baselines3", {"wrappers", "training"}),
        ("supersuit", {"wrappers"}),
        ("ray", {"wrappers", "training", "study", "population"}),
        ("torch", {"wrappers", "training"}),
        ("matplotlib", {"training", "study", "exploration", "population"}),
        ("networkx", {"envs"}),
        ("minari", {"recording"}),
        ("pyarrow", {"recording", "study", "population", "viewing"}),
        ("pydantic", {"training", "study", "exploration", "population"}),
        ("scipy", {"training", "exploration", "population"}),
        ("tensorboardX", {"training"}),
        ("yaml", {"training"}),
        ("selenium", set()),
        ("click", {"command_line"}),
        ("rich", {"command_line"}),
    ],
)
def test_libraries_stay_where_they_belong(library: str, layers: set[str]) -> None:
    for path in SOURCES:
        if library in {module.split(".")[0] for module in imports(path)}:
            assert layer(path) in layers, f"{path} imports {library}"


CPP_MODEL: dict[str, tuple[set[str], set[str]]] = {
    "gym": (set(), set()),
    "parameter": (set(), set()),
    "codec": ({"gym", "parameter"}, set()),
    "socket": (set(), set()),
    "channel": ({"gym", "codec"}, {"socket"}),
    "recording": ({"gym", "codec", "channel"}, {"parameter"}),
    "link": (set(), {"parameter"}),
    "process": (set(), {"parameter", "link"}),
    "policy": ({"gym", "parameter"}, {"codec"}),
    "decision": (
        {"gym", "channel"},
        {"parameter", "codec", "recording", "link", "process", "policy"},
    ),
    "scenario": (
        {"gym", "channel"},
        {"parameter", "codec", "recording", "link", "process", "decision"},
    ),
    "communication": ({"gym", "codec", "channel", "decision"}, {"recording"}),
    "inference": (set(), set()),
    "application": (
        {"gym", "codec", "socket", "channel", "decision", "communication"},
        {"parameter", "recording"},
    ),
    "collector": ({"gym"}, {"application"}),
    "agent": ({"gym", "decision", "communication", "inference"}, {"application"}),
}
"""Each folder of cpp/model, and from which others it may include; from the latter private headers,
too."""
CPP_DEPLOYMENT: dict[str, set[str]] = {
    "parameters": set(),
    "access": {"parameters"},
    "radio": {"access"},
    "edge": {"parameters", "access"},
    "environment": {"parameters", "access"},
}
"""Each folder of cpp/deployment, and from which others it may include."""
CPP_SCRIPTING: dict[str, tuple[set[str], set[str]]] = {
    "values": (set(), set()),
    "gym": ({"values"}, set()),
    "traces": ({"values"}, set()),
    "applications": ({"values", "gym", "traces"}, {"application"}),
    "environment": ({"values"}, set()),
    "bindings": ({"values", "gym", "traces", "applications", "environment"}, {"process"}),
    "wifi": ({"values", "traces"}, set()),
}
"""Each folder of cpp/scripting, from which others it may include, and from which of cpp/model
private headers, too."""
MODULE = {*CPP_MODEL, "helper"}
CPP_FOLDERS: dict[str, tuple[str, set[str], set[str]]] = {
    **{name: (f"cpp/model/{name}", *others) for name, others in CPP_MODEL.items()},
    "helper": ("cpp/helper", {*CPP_MODEL}, set()),
    **{
        f"scripting/{name}": (
            f"cpp/scripting/{name}",
            {*MODULE, *CPP_DEPLOYMENT, *(f"scripting/{other}" for other in others)},
            private,
        )
        for name, (others, private) in CPP_SCRIPTING.items()
    },
    **{
        name: (f"cpp/deployment/{name}", MODULE | others, set())
        for name, others in CPP_DEPLOYMENT.items()
    },
    "envs": ("envs", {*MODULE, *CPP_DEPLOYMENT}, set()),
}
"""Each folder of C++, from which others it may include, and from which private headers, too."""


def cpp_sources(suffix: str) -> list[tuple[str, Path]]:
    """Return the files of a suffix in all of CPP_FOLDERS, each with the name of its folder."""
    return [
        (name, path)
        for name, (folder, _, _) in CPP_FOLDERS.items()
        for path in sorted((ROOT / folder).rglob(f"*{suffix}"))
    ]


def cpp_includes() -> list[tuple[str, Path, str, Path]]:
    """Return what files include from other folders: folder, file, other folder, header."""
    home = {path.name: (name, path) for name, path in cpp_sources(".h")}
    pattern = re.compile(r'#include ["<](?:[\w./-]+/)?([\w-]+\.h)[">]')
    return [
        (name, path, *home[included])
        for name, path in cpp_sources(".h") + cpp_sources(".cc")
        for included in pattern.findall(path.read_text())
        if included in home and home[included][0] != name
    ]


def test_cpp_includes_go_one_way() -> None:
    assert len(cpp_includes()) > 100
    for name, path, other, header in cpp_includes():
        _, public, private = CPP_FOLDERS[name]
        allowed = private if "private" in header.parts else public | private
        assert other in allowed, f"{path} includes {header.name} of {other}"


def test_cpp_folders_have_no_circle() -> None:
    listed = {
        "model": CPP_MODEL.keys(),
        "deployment": CPP_DEPLOYMENT.keys(),
        "scripting": CPP_SCRIPTING.keys(),
    }
    for folder, names in listed.items():
        assert names == {path.name for path in (ROOT / "cpp" / folder).iterdir() if path.is_dir()}
        assert not [*(ROOT / "cpp" / folder).glob("*.h"), *(ROOT / "cpp" / folder).glob("*.cc")]
    tests = {path.name for path in (ROOT / "cpp" / "test").iterdir() if path.is_dir()}
    assert tests <= {*CPP_MODEL, "helper", "support"}
    allowed = {name: public | private for name, (_, public, private) in CPP_FOLDERS.items()}
    TopologicalSorter(allowed).prepare()


def test_each_cpp_header_has_a_name_of_its_own() -> None:
    """They are installed into one folder, and private ones are found without a folder, too."""
    names = Counter(path.name for name, path in cpp_sources(".h") if name != "envs")
    assert [name for name, count in names.items() if count > 1] == []


def test_cpp_is_defined_in_the_folder_that_declares_it() -> None:
    """Else what is declared below and defined above would be called against the direction."""
    declared: dict[str, set[str]] = {}
    for name, path in cpp_sources(".h"):
        text = path.read_text()
        found = re.findall(r"^(?:class|struct) (\w+)[^;{]*\{", text, re.M)
        found += re.findall(
            r"^(?![#/ ]|using|friend|typedef)[\w:<>&*, ]*?(\w+)\([^;{]*;", text, re.M
        )
        for each in found:
            declared.setdefault(each, set()).add(name)
    defined = 0
    for name, path in cpp_sources(".cc"):
        text = re.sub(
            r"^namespace\n\{.*?^\} // namespace\n", "", path.read_text(), flags=re.M | re.S
        )
        for owner in re.findall(r"^(\w+)(?:::~?\w+)*\([^;]*?\)[^;()]*\{", text, re.M):
            if owner in declared:
                defined += 1
                assert name in declared[owner], f"{path} defines {owner} of {declared[owner]}"
    assert defined > 500


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
    files = (ROOT / "cpp" / "test").rglob("*.cc")
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
