# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo doctor`: missing programs and libraries, and how to install them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_calls import call, call_for_json

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.command_line.commands import doctor as doctor_checks
from defiance_zoo.environments import registered
from defiance_zoo.registration import ENTRIES


def test_doctor_passes_on_a_machine_that_runs_these_tests() -> None:
    report = call_for_json("doctor")
    assert report["healthy"]
    needed, *_ = report["groups"].values()
    ran = [each["what"] for each in needed if "runs" in each["what"]]
    assert {"cart_pole_v0 runs", "edge_cart_pole_v0 runs"} <= set(ran)
    assert ran == [f"{name} runs" for name in registered()]  # other tests may have registered some


def test_a_missing_program_is_reported_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = EnvironmentSpec("cart_pole_v0", Scenario("cart_pole_v0", tmp_path / "cart_pole"))
    monkeypatch.setitem(ENTRIES, "cart_pole_v0", spec)
    status, printed, _ = call("doctor")
    assert status == 1
    assert re.search(r"missing cart_pole_v0 runs\n +.*there is no program .*build it", printed)


def test_a_missing_optional_part_is_reported_and_does_not_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("NS3_DIR", "/nowhere")
    status, printed, _ = call("doctor")
    assert status == 0
    assert re.search(r"^  ok +Python 3\.", printed, re.MULTILINE)
    for what, remedy in {
        "a C++20 compiler (c++)": "apt-get install g++",
        "cmake": "apt-get install cmake",
        "ns-3 (/nowhere)": "pip install --no-deps ns3",
        "gdb": "apt-get install gdb",
        "protoc": "apt-get install protobuf-compiler",
    }.items():
        assert re.search(rf"missing {re.escape(what)}\n +{re.escape(remedy)}", printed), what


def test_extras_are_checked_by_their_modules() -> None:
    found = doctor_checks.modules(("json", "no_such_module"), "sb3")
    assert found == doctor_checks.Finding("[sb3]: no_such_module", False, install_command("sb3"))
    assert doctor_checks.modules(("json",), "sb3").present


def test_remedies_name_the_packages_of_an_extra() -> None:
    """The remedy works where no package index has this package."""
    assert install_command("graphs") == "pip install 'defiance-zoo[graphs]' (that is networkx)"
    study = install_command("study")  # an extra that consists of other extras
    assert "pyarrow" in study
    assert "matplotlib" in study
    assert "defiance-zoo," not in study


def test_the_build_profile_of_ns3_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logs and asserts cost time in every event."""
    monkeypatch.delenv("NS3_DIR", raising=False)
    assert doctor_checks.ns3().what.endswith(": release, with logs and asserts")  # the wheel's
    monkeypatch.setenv("NS3_DIR", str(tmp_path))
    assert doctor_checks.ns3().what == f"ns-3 ({tmp_path})"
    definitions = 'INTERFACE_COMPILE_DEFINITIONS "__LINUX__;NS3_BUILD_PROFILE_OPTIMIZED"'
    (tmp_path / "ns3Targets.cmake").write_text(definitions)
    assert doctor_checks.ns3().what == f"ns-3 ({tmp_path}): optimized, without logs and asserts"


@pytest.mark.parametrize(("name", "present"), [("vector", True), ("no/such.h", False)])
def test_headers_are_searched_like_the_compiler_does(name: str, present: bool) -> None:
    assert doctor_checks.header(name, "g++").present is present
