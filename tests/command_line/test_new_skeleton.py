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


def changes(before: str, after: str) -> list[str]:
    """Return the lines of a program that its copy lacks."""
    kept = set(after.splitlines())
    return [line.strip() for line in before.splitlines() if line not in kept]


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
    assert "describes_itself" not in (tmp_path / "new" / "mine" / "mine_v0.py").read_text()


def test_all_other_lines_of_the_program_are_kept(tmp_path: Path) -> None:
    _, output, _ = new(tmp_path, PLAIN)
    assert changes(PLAIN, copied(tmp_path)) == [
        "CommandLine cmd(__FILE__);",
        'cmd.AddValue("nPackets", "Packets that are sent", nPackets);',
        "Simulator::Run();",
    ]
    line = PLAIN[: PLAIN.index("    Simulator::Run();")].count("\n") + 1
    assert f"sim.cc:{line}: agents decide here" in output
    assert 'CommandLine becomes RlSimulation, and parameters are "n_packets", "delay"' in output


@pytest.mark.parametrize(
    ("old", "new_text", "said"),
    [
        ("    Simulator::Stop(stop);\n", "", r"Simulator::Stop\(Seconds\(10\)\) is added"),
        ("uint32_t nPackets", "Mode nPackets", "CommandLine stays: sim.cc:26 .*kind of value"),
        ('"nPackets"', '"seed"', "CommandLine stays: .*'seed'"),
        ('"nPackets"', '"policy"', "CommandLine stays: sim.cc:26 .*name"),
        ("cmd.Parse", 'cmd.Usage("It sends.");\n    cmd.Parse', "CommandLine stays: sim.cc:28"),
        ("NodeContainer n", "RngSeedManager::SetSeed(3);\n    NodeContainer n", "sim.cc:30.*seed"),
    ],
)
def test_the_printed_hints_name_what_is_left_to_the_user(
    old: str, new_text: str, said: str, tmp_path: Path
) -> None:
    assert old in PLAIN
    status, output, errors = new(tmp_path, PLAIN.replace(old, new_text))
    assert (status, errors) == (0, "")
    assert re.search(said, output)
    module = (tmp_path / "new" / "mine" / "mine_v0.py").read_text()
    assert ("describes_itself=False" in module) == ("stays" in said)
    assert ("CommandLine cmd" in copied(tmp_path)) == ("stays" in said)


def test_comments_and_strings_are_not_taken_for_code(tmp_path: Path) -> None:
    """Comments, strings and raw strings may name anything."""
    decoys = (
        "// Simulator::Run();\n/* for (;;) {\n Simulator::Run(); */\n"
        'const char* const A = "Simulator::Run(); {";\n'
        'const char* const B = R"x(Simulator::Run(); " })x";\n'
        "const char C = '{';\n#define RUN Simulator::Run()\n"
    )
    text = PLAIN.replace("using namespace ns3;\n", f"using namespace ns3;\n{decoys}")
    status, _, errors = new(tmp_path, text, "--style", "env")
    assert (status, errors) == (0, "")
    assert decoys in copied(tmp_path)
    assert re.search(r"// namespace\n\n/\*\* The program\. \*/\nint\nmain\(", copied(tmp_path))


def test_a_program_without_using_gets_qualified_names(tmp_path: Path) -> None:
    text = PLAIN.replace("using namespace ns3;\n", "").replace("Simulator::", "ns3::Simulator::")
    text = text.replace("CommandLine cmd", "ns3::CommandLine cmd")
    text = text.replace("{\n    uint32_t", "{\n    using namespace ns3;\n    uint32_t")
    assert new(tmp_path, text, "--style", "env")[0] == 0
    assert copied(tmp_path).count("using namespace ns3;") == 3
    assert 'ns3::RlSimulation cmd("mine");' in copied(tmp_path)
    assert "ns3::Simulator::Run" not in copied(tmp_path)


RUN = "    Simulator::Run();\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (PLAIN.replace(RUN, ""), "no agent in sim.cc, and no statement Simulator::Run"),
        (PLAIN.replace(RUN, RUN + RUN), "sim.cc:44, sim.cc:45 call Simulator::Run.. several times"),
        (PLAIN.replace(RUN, f"    for (int i = 0; i < 3; ++i)\n{RUN}"), "sim.cc:45 .* in a loop"),
        (
            PLAIN.replace(RUN, f"    while (true)\n    {{ if (x) {{\n{RUN} }} }}"),
            "sim.cc:46 .* in a loop",
        ),
    ],
)
def test_a_program_without_a_unique_place_is_refused(text: str, why: str, tmp_path: Path) -> None:
    status, _, errors = new(tmp_path, text)
    assert status == 2
    assert re.search(why, " ".join(errors.split()))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        ("Play();", None),
        ("Play();\n    Play();", "sim.cc:50, sim.cc:51 call Play.., which runs"),
        ("while (true)\n    {\n        Play();\n    }", "sim.cc:52 calls Play.* in a loop"),
    ],
)
def test_a_function_that_runs_the_simulator_is_called_once(
    calls: str, why: str | None, tmp_path: Path
) -> None:
    function = f"void\nPlay()\n{{\n{RUN}}}\n\n"
    text = PLAIN.replace(RUN, f"    {calls}\n").replace("/** The", f"{function}/** The")
    status, _, errors = new(tmp_path, text, "--style", "env")
    assert status == (2 if why else 0)
    if why:
        assert re.search(why, " ".join(errors.split()))
    else:
        assert re.search(r"// namespace\n\nvoid\nPlay\(\)\n{\n    {", copied(tmp_path))


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
