# SPDX-License-Identifier: GPL-2.0-only
"""Dependencies have one direction, and the wire's types stay in their layer."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from sizes import LIMITS, measure_rooms, measure_step, read_table

ROOT = Path(__file__).resolve().parent.parent
FLOORS = [
    {"errors"},
    {"bridge", "registration"},
    {"environments", "scenario"},
    {"wrappers", "envs"},
    {"experiments"},
    {"recording"},
    {"population", "protocols"},
    {"command_line"},
]
"""Floors with the package's rooms; a room may import the rooms of the floors below."""
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
WITHIN = {
    "bridge": ["system", "codec", "messages", "process", "transport", "simulation"],
    "experiments": [
        "workbench",
        "libraries",
        "evaluation",
        "real_paths",
        "learning",
        "training",
        "study",
        "tuning",
    ],
}
"""Rooms with ordered folders; each folder may import the folders before it."""
REMOVABLE = {"population", "protocols", "recording", "scenario"}
"""Rooms that only the command line, programs and the rooms in IMPORTERS import."""
IMPORTERS = {"recording": {"protocols"}}

SOURCES = [
    path
    for folder in ("defiance_zoo", "envs", "wrappers")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "_proto" not in path.parts and "_native" not in path.parts
]
# The symlinks defiance_zoo/envs and defiance_zoo/wrappers lead to the same files.
SOURCES = sorted({path.resolve() for path in SOURCES})


def room(path: Path) -> str:
    """Return the room to which a source file belongs."""
    parts = path.relative_to(ROOT).parts
    return Path(parts[1]).stem if parts[0] == "defiance_zoo" else parts[0]


def place(path: Path) -> str:
    """Return the room of a source file, with its folder in rooms that WITHIN divides."""
    mine, parts = room(path), path.relative_to(ROOT).parts
    return f"{mine}.{Path(parts[2]).stem}" if mine in WITHIN else mine


@functools.cache
def imports(path: Path) -> set[str]:
    """Return the modules that a source file imports, at the top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def test_the_top_of_the_package_has_all_rooms_and_no_others() -> None:
    assert len(FLOORS) <= 8
    files = [path.relative_to(ROOT).parts for path in SOURCES]
    rooms = {parts[1] for parts in files if parts[0] == "defiance_zoo" and len(parts) > 2}
    rooms |= {parts[0] for parts in files if parts[0] != "defiance_zoo"}
    assert rooms == LEVEL.keys() - {"errors", "registration"}
    assert len(rooms) <= 10


def test_python_imports_have_one_direction() -> None:
    for path in SOURCES:
        if room(path) not in ("__init__", "__main__"):
            check_directions(path)


def check_directions(path: Path) -> None:
    """Compare the imports of a file with the floors, and with the order inside its room."""
    mine = room(path)
    for module in imports(path):
        package, _, rest = module.partition(".")
        other, _, inner = rest.partition(".")
        if package != "defiance_zoo" or other not in LEVEL:
            continue
        if other != mine:
            assert LEVEL[other] < LEVEL[mine], f"{path} imports {module}"
        elif mine in WITHIN:
            order, own = WITHIN[mine], place(path).partition(".")[2]
            assert order.index(inner.split(".")[0]) <= order.index(own), f"{path} imports {module}"


@pytest.mark.parametrize("removed", sorted(REMOVABLE))
def test_only_the_command_line_imports_a_room_that_can_be_removed(removed: str) -> None:
    allowed = {removed, "command_line"} | IMPORTERS.get(removed, set())
    found = 0
    for path in SOURCES:
        for module in imports(path):
            if f"{module}.".startswith(f"defiance_zoo.{removed}."):
                found += 1
                assert room(path) in allowed or is_program(path), f"{path} imports {module}"
    assert found > 5


def is_program(path: Path) -> bool:
    """Return whether a file is a scenario in Python, which no module imports."""
    return path.name == "scenario.py" and not any(
        module_name(path) in imports(each) for each in SOURCES
    )


def test_one_workbench_runs_the_cells() -> None:
    """Comparisons need no study, and one module chooses workers on Ray."""
    for path in SOURCES:
        for module in imports(path) if room(path) == "protocols" else ():
            assert not f"{module}.".startswith("defiance_zoo.experiments.study."), path
    users = {path.name for path in SOURCES if "RayWorkers(" in path.read_text()}
    assert users == {"runner.py"}


def test_sockets_and_protobuf_stay_below_the_environments() -> None:
    for path in SOURCES:
        for module in imports(path):
            if module.split(".")[0] == "zmq":
                assert place(path) == "bridge.transport", f"{path} imports {module}"
            if module.split(".")[0] == "google" or "_proto" in module:
                assert room(path) == "bridge", f"{path} imports {module}"


def test_public_methods_have_docstrings_unless_they_override() -> None:
    """A method may have its docstring in a class with this method, or in a foreign base class."""
    classes = [
        (path, node)
        for path in SOURCES
        if "test" not in path.parts
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    ]
    own = {node.name for _, node in classes}
    methods = [
        (path, node, each)
        for path, node in classes
        for each in node.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    documented = {each.name for _, _, each in methods if ast.get_docstring(each)}
    for path, node, each in methods:
        bases = {ast.unparse(base).partition("[")[0] for base in node.bases}
        if not (each.name in documented or bases - own - {"ABC", "Protocol"}):
            hidden = node.name.startswith("_") or each.name.startswith("_")
            assert hidden, f"{path}: {node.name}.{each.name} has no docstring"


def module_name(path: Path) -> str:
    """Return the name under which a source file is imported."""
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


def test_no_module_imports_itself_indirectly() -> None:
    """Imports inside functions and for types count: they are dependencies of the design, too."""
    known = {module_name(path): path for path in SOURCES}
    graph = {
        name: imported_modules(path, known)
        for name, path in known.items()
        if path.name != "__init__.py"  # these collect names of other modules
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other: {error.args[1]}")


@pytest.mark.parametrize(
    ("library", "places"),
    [
        ("stable_baselines3", {"wrappers", "experiments.training", "envs"}),
        ("supersuit", {"wrappers"}),
        ("ray", {"wrappers", "experiments.workbench", "experiments.training", "population"}),
        ("torch", {"wrappers", "experiments.training", "envs"}),
        ("matplotlib", {"experiments", "protocols", "population"}),
        ("networkx", {"envs"}),
        ("optuna", {"experiments.tuning"}),
        ("aioquic", {"experiments.real_paths"}),
        ("minari", {"recording"}),
        ("pyarrow", {"recording", "experiments.workbench", "population"}),
        ("pydantic", {"experiments", "protocols", "population"}),
        ("scipy", {"envs", "experiments.workbench", "protocols", "population"}),
        ("tensorboardX", {"experiments.training"}),
        ("PIL", {"environments", "experiments.training"}),
        ("yaml", {"experiments.workbench"}),
        ("selenium", set()),
        ("jinja2", {"experiments.workbench"}),
        ("click", {"command_line"}),
        ("rich", {"command_line"}),
    ],
)
def test_imports_of_libraries_stay_in_their_rooms(library: str, places: set[str]) -> None:
    for path in SOURCES:
        if library in {module.split(".")[0] for module in imports(path)}:
            assert {room(path), place(path)} & places, f"{path} imports {library}"


CPP_MODEL: dict[str, dict[str, tuple[set[str], set[str]]]] = {
    "bridge": {
        "gym": (set(), set()),
        "parameter": (set(), set()),
        "codec": ({"gym", "parameter"}, set()),
        "link": (set(), {"parameter"}),
        "process": (set(), {"parameter", "link"}),
        "policy": ({"gym", "parameter"}, {"codec"}),
    },
    "network": {
        "socket": (set(), set()),
        "channel": ({"gym", "codec"}, {"socket"}),
        "queue": (set(), set()),
    },
    "recording": {"": ({"gym", "codec", "channel"}, {"parameter"})},
    "decision": {
        "": (
            {"gym", "channel"},
            {"parameter", "codec", "recording", "link", "process", "policy", "queue"},
        ),
    },
    "scenario": {
        "": (
            {"gym", "channel"},
            {"parameter", "codec", "recording", "link", "process", "decision"},
        ),
    },
    "applications": {
        "communication": ({"gym", "codec", "channel", "decision"}, {"recording"}),
        "inference": (set(), set()),
        "application": (
            {"gym", "codec", "socket", "channel", "decision", "communication"},
            {"parameter", "recording"},
        ),
        "collector": ({"gym"}, {"application"}),
        "agent": ({"gym", "decision", "communication", "inference"}, {"application"}),
    },
}
"""The folders of each room of cpp/model, with the folders from which they may include headers, and
those from which they may include private headers."""
CPP_OF_MODEL = {
    folder or room: (f"cpp/model/{room}/{folder}".rstrip("/"), *others)
    for room, folders in CPP_MODEL.items()
    for folder, others in folders.items()
}
CPP_DEPLOYMENT: dict[str, set[str]] = {
    "parameters": set(),
    "links": set(),
    "lte": set(),
    "access": {"parameters"},
    "radio": {"access"},
    "edge": {"parameters", "access"},
    "environment": {"parameters", "access"},
}
"""Each folder of cpp/deployment, with the folders from which it may include."""
CPP_SCRIPTING: dict[str, tuple[set[str], set[str]]] = {
    "values": (set(), set()),
    "gym": ({"values"}, set()),
    "traces": ({"values"}, set()),
    "applications": ({"values", "gym", "traces"}, {"application"}),
    "environment": ({"values"}, set()),
    "bindings": (
        {"values", "gym", "traces", "applications", "environment"},
        {"decision", "parameter", "process"},
    ),
    "wifi": ({"values", "traces"}, set()),
    "lte": ({"values"}, set()),
    "hosts": (set(), set()),
    "replicas": ({"values"}, set()),
}
"""Each folder of cpp/scripting, with the folders from which it may include, and the folders of
cpp/model from which it may include private headers."""
MODULE = {*CPP_OF_MODEL, "helper"}
CPP_FOLDERS: dict[str, tuple[str, set[str], set[str]]] = {
    **CPP_OF_MODEL,
    "helper": ("cpp/helper", {*CPP_OF_MODEL}, set()),
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
"""Each folder of C++, with the folders whose headers, and whose private headers, it may include."""
CPP_FOLDERS["scripting/replicas"][1].add("envs")  # it tests protocols with parts of partition


def cpp_sources(suffix: str) -> list[tuple[str, Path]]:
    """Return the files with a suffix in all of CPP_FOLDERS, each with the name of its folder."""
    return [
        (name, path)
        for name, (folder, _, _) in CPP_FOLDERS.items()
        for path in sorted((ROOT / folder).rglob(f"*{suffix}"))
    ]


def cpp_includes() -> list[tuple[str, Path, str, Path]]:
    """Return includes from other folders: folder, file, other folder, header."""
    home = {path.name: (name, path) for name, path in cpp_sources(".h")}
    pattern = re.compile(r'#include ["<](?:[\w./-]+/)?([\w-]+\.h)[">]')
    return [
        (name, path, *home[included])
        for name, path in cpp_sources(".h") + cpp_sources(".cc")
        for included in pattern.findall(path.read_text())
        if included in home and home[included][0] != name
    ]


def test_cpp_includes_have_one_direction() -> None:
    assert len(cpp_includes()) > 100
    for name, path, other, header in cpp_includes():
        _, public, private = CPP_FOLDERS[name]
        allowed = private if "private" in header.parts else public | private
        assert other in allowed, f"{path} includes {header.name} of {other}"


def test_cpp_folders_have_no_cyclic_dependency() -> None:
    listed = {
        "model": CPP_MODEL.keys(),
        **{
            f"model/{room}": folders.keys()
            for room, folders in CPP_MODEL.items()
            if "" not in folders
        },
        "deployment": CPP_DEPLOYMENT.keys(),
        "scripting": CPP_SCRIPTING.keys(),
    }
    for folder, names in listed.items():
        assert names == {path.name for path in (ROOT / "cpp" / folder).iterdir() if path.is_dir()}
        assert not [*(ROOT / "cpp" / folder).glob("*.h"), *(ROOT / "cpp" / folder).glob("*.cc")]
    tests = {
        str(path.parent.relative_to(ROOT / "cpp" / "test"))
        for path in (ROOT / "cpp" / "test").rglob("*-test-suite.cc")
    }
    folders = {folder.removeprefix("cpp/model/") for folder, *_ in CPP_OF_MODEL.values()}
    assert tests <= folders | {"helper"}
    allowed = {name: public | private for name, (_, public, private) in CPP_FOLDERS.items()}
    TopologicalSorter(allowed).prepare()


def test_cpp_rooms_have_no_cyclic_dependency() -> None:
    home = {folder or room: room for room, folders in CPP_MODEL.items() for folder in folders}
    rooms: dict[str, set[str]] = {room: set() for room in CPP_MODEL}
    for name, (_, public, private) in CPP_OF_MODEL.items():
        rooms[home[name]] |= {home[other] for other in public | private} - {home[name]}
    order = list(CPP_MODEL)
    for room, others in rooms.items():
        assert all(order.index(other) < order.index(room) for other in others), room


def test_each_cpp_header_has_a_unique_name() -> None:
    """They are installed into one folder, and private ones are included without a folder, too."""
    names = Counter(path.name for name, path in cpp_sources(".h") if name != "envs")
    assert [name for name, count in names.items() if count > 1] == []


def test_cpp_is_defined_in_the_folder_that_declares_it() -> None:
    """Otherwise code declared below and defined above would be called against the direction."""
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


def test_public_cpp_headers_include_neither_zeromq_nor_protobuf() -> None:
    folders = (ROOT / "cpp" / "model", ROOT / "cpp" / "helper")
    headers = [h for f in folders for h in f.rglob("*.h") if "private" not in h.parts]
    assert len(headers) > 30
    for header in headers:
        text = header.read_text()
        assert ".pb.h" not in text, header
        assert "zmq" not in text, header


def test_classes_of_cpp_tests_have_unique_names() -> None:
    """All suites are one program, in which two classes of one name would violate the ODR."""
    files = (ROOT / "cpp" / "test").rglob("*.cc")
    found = Counter(
        name
        for file in files
        for name in re.findall(r"^(?:class|struct) (\w+)", file.read_text(), re.M)
    )
    assert [name for name, count in found.items() if count > 1] == []


def test_no_room_grows() -> None:
    """`make count > tests/support/sizes.txt` writes the table; a commit that raises it says why."""
    limits = read_table(LIMITS.read_text())
    for name, (lines, files) in measure_rooms(ROOT).items():
        most_lines, most_files = limits.get(name, (0, 0))
        assert lines <= most_lines, f"{name} has {lines} lines"
        assert files <= most_files, f"{name} has {files} files"


def test_a_step_loads_and_calls_no_more_than_before() -> None:
    modules, calls, files = measure_step()
    assert modules <= 98
    assert calls <= 25
    assert files <= 8


def test_every_source_file_has_its_licence() -> None:
    suffixes = {".py", ".cc", ".h", ".proto"}
    for folder in ("defiance_zoo", "cpp", "proto", "envs", "wrappers", "examples", "tests"):
        for path in (ROOT / folder).rglob("*"):
            # `defiance-zoo new` writes from files such as apps.cc.in.
            suffix = Path(path.stem).suffix if path.suffix == ".in" else path.suffix
            if suffix in suffixes and not {"_proto", "_native"} & set(path.parts):
                head = path.read_text()[:200]
                assert "SPDX-License-Identifier: GPL-2.0-only" in head, path
