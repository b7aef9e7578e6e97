# SPDX-License-Identifier: GPL-2.0-only
"""Files that a scenario in Python leaves open are complete however its episode ends."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recording_support import frames
from scenario_files import play_file

import defiance_zoo
from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.environments import SimulationAECEnv
from defiance_zoo.errors import ParameterError, ScenarioError

FILE = Path(__file__).with_name("programs") / "open_files.py"
SPEC = EnvironmentSpec("open_files_v0", Scenario.python("open_files", FILE))
TEXTS = ("text.txt", "bytes.bin", "rows.csv", "log.txt", "finalised.txt", "generator.txt")


NUMBERED = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("numbered", duration="200ms")


@sim.episode
def build(p):
    nodes = sc.nodes(2, internet=True)
    link = sc.point_to_point(*nodes)
    sc.traffic(*nodes, rate="2Mbps")
    sc.pcap("trace", link)
    agent = sc.Agent(nodes[0], sc.Box(0, 9, (1,)), sc.Discrete(2), StepInterval="50ms")
    agent.observe(lambda: [sc.simulation_number()])
    agent.on_action(lambda action: None)
    agent.info(dict)
"""


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(folder: Path) -> dict[str, list[str]]:
    """Return the lines of each file."""
    with zipfile.ZipFile(folder / "archive.zip") as archive:
        contents = {
            "archive.zip": archive.read("member.txt"),
            "text.gz": gzip.decompress((folder / "text.gz").read_bytes()),
            "text.bz2": bz2.decompress((folder / "text.bz2").read_bytes()),
            "text.xz": lzma.decompress((folder / "text.xz").read_bytes()),
            **{name: (folder / name).read_bytes() for name in TEXTS},
        }
    return {name: content.decode().splitlines() for name, content in contents.items()}


def expect(folder: str, observations: int) -> None:
    """Check that each file has all lines of an episode, and that none is left behind."""
    lines = ["built", *["observed"] * observations]
    last = {"finalised.txt": ["last"], "generator.txt": ["last"]}
    found = written(Path(folder))
    assert found == {name: [*lines, *last.get(name, ())] for name in found}
    assert not list(Path(folder).glob("temporary*"))


def play(env: SimulationAECEnv, steps: int = 9, **options: Any) -> None:
    """Play some steps of a new episode, or all."""
    env.reset(seed=1, options=options)
    for _ in range(steps):
        if env.agents:
            over = env.terminations["agent_0"] or env.truncations["agent_0"]
            env.step(None if over else 0)


def test_files_are_complete_however_an_episode_ends() -> None:
    """The files are read while the next episode runs."""
    env = SPEC.raw_env()
    for name in ("whole", "agent", "reset", "build", "refuse", "error", "closed"):
        Path(name).mkdir()
    play(env, folder="whole")
    play(env, folder="agent", end="agent")
    expect("whole", 5)
    play(env, 1, folder="reset")
    expect("agent", 3)
    for end, observations in (("build", 0), ("refuse", 0), ("error", 3)):
        with pytest.raises((ScenarioError, ParameterError), match="as asked for"):
            play(env, folder=end, end=end)
        expect(end, observations)
    expect("reset", 2)
    play(env, 2, folder="closed")
    env.close()
    expect("closed", 3)


@pytest.mark.parametrize("arguments", [{"launch": "spawn"}, {"max_cycles": 5}])
def test_files_are_complete_after_other_starts_and_ends(arguments: dict[str, Any]) -> None:
    env = SPEC.raw_env(**arguments)
    play(env)
    env.close()
    expect(".", 5)


def test_files_are_complete_without_python() -> None:
    play_file(FILE, "--policy=random")
    expect(".", 5)


def test_buffers_from_before_a_fork_are_written_once() -> None:
    """The module and the trial episode, from which each episode is forked, fill buffers."""
    env = SPEC.raw_env()
    Path("shared.txt").unlink(missing_ok=True)  # of the process that describes the parameters
    for _ in range(3):
        play(env)
    env.close()
    assert Path("shared.txt").read_text() == "loaded built built built built "


def test_a_file_of_two_simulations_is_refused() -> None:
    """Also beside a snapshot of an earlier episode, which holds the files, and not in sequence."""
    env, other = SPEC.raw_env(), SPEC.raw_env(timeout=20)
    play(env, 1)
    point = env.snapshot()
    play(env, 1)
    with pytest.raises(ScenarioError, match=r"writes the same file, .*sc\.simulation_number\(\)"):
        play(other)
    env.restore(point)
    env.step(0)
    env.close()
    play(other)
    other.close()
    expect(".", 5)


def test_simulations_of_a_vector_have_their_own_names(tmp_path: Path) -> None:
    file = tmp_path / "numbered.py"
    file.write_text(NUMBERED)
    vector = defiance_zoo.make_vec(str(file), 3)
    assert vector.reset(seed=1)[0].ravel().tolist() == [1, 2, 3]
    vector.step(np.zeros(3, np.int64))
    vector.close()
    names = {f"trace-{number}-{node}-1.pcap" for number in (1, 2, 3) for node in (0, 1)}
    assert {path.name for path in Path().glob("*.pcap")} == names
    for name in names:  # reading fails unless frames are whole
        assert len(list(frames(Path(name)))) > 5
    single = defiance_zoo.make(str(file))
    single.reset(seed=1)
    single.close()
    assert len([*Path().glob("*.pcap")]) == len(names) + 2


def test_a_full_disk_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    Path("rows.csv").symlink_to("/dev/full")
    env = SPEC.raw_env(output="show")
    play(env)
    env.close()
    assert "a file of the scenario is incomplete: [Errno 28]" in capfd.readouterr().err
    Path("rows.csv").unlink()
    Path("rows.csv").write_bytes(Path("bytes.bin").read_bytes())
    expect(".", 5)
