# SPDX-License-Identifier: GPL-2.0-only
"""`new --from` with a plain ns-3 program: the places where an agent is inserted."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from command_calls import call
from conftest import ROOT

from defiance_zoo.command_line.new_project.existing_program import STYLES

PLAIN = (ROOT / "tests" / "scenarios" / "plain-link.cc").read_text()
WORDS = {
    "applications": "CallableAgentApplication",
    "direct": "NotifyCurrentState",
    "env": "public OpenGymEnv",
}


def new(folder: Path, content: str | bytes, *arguments: str) -> tuple[int, str, str]:
    """Write a project around a program; return status, standard output and standard error."""
    program = folder / "sim.cc"
    program.write_bytes(content if isinstance(content, bytes) else content.encode())
    return call("new", "mine", "--into", folder / "new", "--from", program, *arguments)


def copied(folder: Path) -> str:
    """Return the program of the project."""
    return (folder / "new" / "scenario" / "sim.cc").read_text()


@pytest.mark.parametrize("style", STYLES)
def test_a_plain_program_gets_an_agent_of_the_style(style: str, tmp_path: Path) -> None:
    status, _, errors = new(tmp_path, PLAIN, "--style", style, "--agents", "3")
    assert (status, errors) == (0, "")
    text = copied(tmp_path)
    assert [each for each in WORDS.values() if each in text] == [WORDS[style]]
    todos = "".join(line for line in text.splitlines() if "TODO" in line).lower()
    assert all(word in todos for word in ("observation", "reward", "action", "task is done"))
    assert "rlNumber < 3" in text
    assert text.index("NotifySimulationEnd") < text.index("Simulator::Destroy")
    assert "describes_itself=False" in (tmp_path / "new" / "mine" / "mine_v0.py").read_text()


def test_all_other_lines_of_the_program_are_kept(tmp_path: Path) -> None:
    _, output, _ = new(tmp_path, PLAIN)
    kept = set(copied(tmp_path).splitlines())
    assert [each for each in PLAIN.splitlines() if each not in kept] == ["    Simulator::Run();"]
    line = PLAIN[: PLAIN.index("    Simulator::Run();")].count("\n") + 1
    assert f"sim.cc:{line}: agents decide here" in output


def test_a_program_without_an_end_gets_one(tmp_path: Path) -> None:
    _, output, _ = new(tmp_path, PLAIN.replace("    Simulator::Stop(stop);\n", ""))
    assert "Simulator::Stop(Seconds(10)) is added" in output
    assert "Simulator::Stop(Seconds(10)); // TODO" in copied(tmp_path)


def test_a_program_without_using_gets_qualified_names(tmp_path: Path) -> None:
    text = PLAIN.replace("using namespace ns3;\n", "").replace("Simulator::", "ns3::Simulator::")
    text = text.replace("{\n    uint32_t", "{\n    using namespace ns3;\n    uint32_t")
    assert new(tmp_path, text, "--style", "env")[0] == 0
    assert copied(tmp_path).count("using namespace ns3;") == 3
    assert "ns3::Simulator::Run" not in copied(tmp_path)


RUN = "    Simulator::Run();\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (PLAIN.replace(RUN, ""), "no agent in sim.cc, and no lines Simulator::Run"),
        (PLAIN.replace(RUN, f"    // {RUN}"), "no agent in sim.cc, and no lines Simulator::Run"),
        (PLAIN.replace(RUN, RUN + RUN), "2 lines Simulator::Run.*keep one such line"),
    ],
)
def test_a_program_without_a_unique_place_is_refused(text: str, why: str, tmp_path: Path) -> None:
    status, _, errors = new(tmp_path, text)
    assert status == 2
    assert re.search(why, " ".join(errors.split()))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("encoding", "newline"),
    [("latin-1", "\n"), ("utf-8-sig", "\n"), ("utf-8", "\r\n")],
    ids=["latin-1", "byte-order-mark", "crlf"],
)
def test_the_copy_keeps_its_encoding(encoding: str, newline: str, tmp_path: Path) -> None:
    text = PLAIN.replace("The program.", "Die Größe.").replace("\n", newline)
    assert new(tmp_path, text.encode(encoding))[0] == 0
    content = (tmp_path / "new" / "scenario" / "sim.cc").read_bytes()
    assert "Die Größe." in content.decode(encoding)
    assert "rlAgents" in content.decode(encoding)
    assert (b"\r" in content) == ("\r" in newline)
    assert content.count(b"\n") == content.count(newline.encode())


@pytest.mark.parametrize("style", STYLES)
def test_a_copy_of_a_program_in_style_is_in_style(style: str, tmp_path: Path) -> None:
    new(tmp_path, PLAIN, "--style", style)
    style_of_includes = "--sort-includes=false"  # the agent's headers come first
    given = [f"--style=file:{ROOT / '.clang-format'}", style_of_includes, "--dry-run", "-Werror"]
    subprocess.run(["clang-format", *given, tmp_path / "new" / "scenario" / "sim.cc"], check=True)
