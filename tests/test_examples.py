# SPDX-License-Identifier: GPL-2.0-only
"""Every example runs with small settings."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = {
    "queue_rate.py": ["--duration=0.5"],
    "sb3_ppo_cart_pole.py": ["--total-steps=256", "--n-envs=2", "--evaluation-episodes=2"],
    "sb3_shared_policy.py": ["--total-steps=512", "--n-envs=2", "--evaluation-episodes=1"],
    "torch_agent_iter.py": ["--updates=2", "--decisions=60"],
    "federated_averaging.py": [
        "--carts=2",
        "--duration=4",
        "--period=0.5",
        "--evaluate-every=2",
    ],
    "monte_carlo_planner.py": ["--episodes=1", "--duration=200ms", "--candidates=4"],
    "resume_and_evaluate.py": ["--steps=128", "--until=256", "--rollout=32", "--episodes=1"],
    "rllib_appo_many_carts.py": [
        "--env-runners=1",
        "--iterations=1",
        "--rounds=200",
        "--batch-size=100",
    ],
    "rllib_ape_x.py": ["--env-runners=1", "--iterations=2", "--steps=100"],
    "channel_access.py": ["--steps=256"],
    "jamming_self_play.py": ["--slots=500"],
    "wifi_windows.py": ["--stations=2", "--steps=200", "--seconds=0.1"],
    "tcp_throughput_and_delay.py": ["--duration=4", "--seeds=1"],
    "cell_power_baselines.py": ["--duration=0.5", "--seeds=1"],
    "handover_baselines.py": ["--duration=1", "--seeds=1"],
    "rllib_ppo_two_carts.py": ["--iterations=1", "--batch-size=200", "--evaluation-episodes=1"],
}


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a Python program, in the root of the repository by default; return its output."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "120"},
    )
    return done.stdout


def test_each_example_has_a_test() -> None:
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == set(EXAMPLES)


def test_example_queue_rate_runs() -> None:
    name = "queue_rate.py"
    assert re.match(r"agent_0: \d+ decisions", run(ROOT / "examples" / name, *EXAMPLES[name]))


@pytest.mark.long
@pytest.mark.timeout(300)
def test_example_sb3_ppo_cart_pole_runs(tmp_path: Path) -> None:
    name = "sb3_ppo_cart_pole.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name], "--seed=3", f"--out={tmp_path}")
    assert re.search(r"PPO, trained.*\n.*random.*\n.*push where the pole falls.*500", printed)
    assert {path.name for path in tmp_path.iterdir()} == {
        "checkpoint.zip",
        "config.json",
        "evaluation.json",
        "learning_curve.png",
    }
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["config"]["seed"] == 3
    assert config["config"]["transport"] == "udp"
    assert "torch" in config["versions"]


@pytest.mark.long
def test_example_resume_and_evaluate_runs(tmp_path: Path) -> None:
    name = "resume_and_evaluate.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name], f"--out={tmp_path / 'run'}")
    assert re.search(r"saved at 128 decisions\n(.*\n)*saved at 256 decisions\n", printed)
    assert re.search(r"delay .* trained .* random .* pole .* state_feedback", printed)
    assert re.search(r"0ms .* 500\.0 .* 500\.0 ", printed)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_example_sb3_shared_policy_runs(tmp_path: Path) -> None:
    name = "sb3_shared_policy.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name], f"--out={tmp_path}")
    assert re.search(r"PPO, shared.*\n.*random", printed)
    returns = json.loads((tmp_path / "evaluation.json").read_text())["returns"]
    assert np.shape(returns["PPO, shared"]) == (1, 3)
    assert (tmp_path / "checkpoint.zip").exists()


@pytest.mark.long
@pytest.mark.timeout(300)
def test_example_torch_agent_iter_runs(tmp_path: Path) -> None:
    name = "torch_agent_iter.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name], f"--out={tmp_path}")
    assert re.search(r"update +2  return of an agent +\d", printed)
    curve = json.loads((tmp_path / "learning_curve.json").read_text())["returns"]
    assert len(curve) == 2
    assert min(curve) > 5
    assert (tmp_path / "policy.pt").exists()


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_example_rllib_ppo_two_carts_runs(tmp_path: Path) -> None:
    name = "rllib_ppo_two_carts.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name], f"--out={tmp_path}")
    assert re.search(r"shared .*\n.*individual ", printed)
    assert (tmp_path / "shared" / "rllib_checkpoint.json").exists()
    assert (tmp_path / "individual" / "rllib_checkpoint.json").exists()


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_example_rllib_appo_many_carts_runs(tmp_path: Path) -> None:
    name = "rllib_appo_many_carts.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name], f"--out={tmp_path}")
    (rounds,) = re.findall(r"rounds .*?(\d+)\.00", printed)
    assert int(rounds) >= 200
    assert re.search(r"simulations lost .* 0\.00", printed)
    assert (tmp_path / "checkpoint" / "rllib_checkpoint.json").exists()


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_example_rllib_ape_x_runs() -> None:
    name = "rllib_ape_x.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name])
    assert re.findall(r"^(\d): return [\d.]+$", printed, re.MULTILINE) == ["0", "1"]
    ladder = runpy.run_path(str(ROOT / "examples" / name))["epsilon_of"]
    assert [ladder(i, 3) for i in (1, 2, 3)] == pytest.approx([0.4, 0.4**4.5, 0.4**8])
    assert ladder(1, 1) == pytest.approx(0.4)


@pytest.mark.long
def test_example_federated_averaging_runs(tmp_path: Path) -> None:
    """18,932 bytes take 0.678 s over TCP at 250 kb/s, each way: two rounds in 4 s."""
    name = "federated_averaging.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name], f"--out={tmp_path}")
    assert re.search(r"2 s  return .* rounds +1\n +4 s  return .* rounds +2\n", printed)
    curve = json.loads((tmp_path / "learning_curve.json").read_text())
    assert curve["seconds"] == [2.0, 4.0]
    assert min(curve["return"]) > 5
    assert {path.name for path in tmp_path.glob("*.pt")} == {"agent_0.pt", "agent_1.pt"}


def test_example_monte_carlo_planner_runs() -> None:
    name = "monte_carlo_planner.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name], "--horizon=5", "--seed=7")
    # No pole falls in 200 ms, and the last of the ten samples are still in flight at the end.
    assert re.search(r"\n +7 +8 +8 ", printed)


def test_example_jamming_self_play_runs() -> None:
    name = "jamming_self_play.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name])
    assert len(re.findall(r"│ \d +│ \d+\.\d\d", printed)) == 3
    (reached, value) = re.findall(r"(\d+\.\d\d) Mb/s", printed)
    assert float(value) == pytest.approx(18.08, abs=0.01)
    assert abs(float(reached) - float(value)) < 4


@pytest.mark.long
def test_example_channel_access_runs() -> None:
    name = "channel_access.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name])
    assert len(re.findall(r"received: \d+%", printed)) == 2
    assert len(re.findall(r"\|.*\| *0\+?\|", printed)) > 0


def test_example_tcp_throughput_and_delay_runs() -> None:
    name = "tcp_throughput_and_delay.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name])
    rows = re.findall(r"│ (.*?) +│ (.*?) +│ (.*?) +│ (.*?) +│", printed)
    assert len(rows) == 7
    rates = [float(row[1]) for row in rows]
    assert 2 < min(rates) < max(rates) < 10
    assert all(40 < float(row[2]) < 90 for row in rows)


def test_example_cell_power_baselines_runs() -> None:
    name = "cell_power_baselines.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name])
    rows = [tuple(map(float, row)) for row in re.findall(r"}: ([-.0-9]+), ([-.0-9]+)\n", printed)]
    assert len(rows) == 5
    assert all(-5 < worth < 1 and 0 < throughput < 4 for worth, throughput in rows)


def test_example_handover_baselines_runs() -> None:
    name = "handover_baselines.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name])
    rows = re.findall(r": ([-.0-9]+), (\d+), (\d+)\n", printed)
    assert len(rows) == 5
    assert rows[0][1] == "0"
    assert all(0.3 < float(worth) <= 1 for worth, _, _ in rows)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["tutorials/first-environment", "recording/snapshots", "training/rllib"]
)
def test_the_program_in_a_page_runs(name: str) -> None:
    page = (ROOT / "docs" / f"{name}.md").read_text()
    run("-c", "".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))


@pytest.mark.thorough
def test_the_programs_in_the_page_about_sb3_run() -> None:
    page = (ROOT / "docs" / "training" / "sb3.md").read_text()
    run("-W", "error", "-c", "".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))


@pytest.mark.thorough
def test_the_tutorial_of_wifi_trains_and_compares(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorials" / "tutorial-wifi.md").read_text()
    training, study = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "run.yaml").write_text(
        training.replace("10_000", "600").replace("2s", "100ms").replace("20, 40", "10")
    )
    (tmp_path / "study.yaml").write_text(
        study.replace("2s", "100ms")
        .replace("15, 30, 50", "8")
        .replace("episodes: 2", "episodes: 1")
    )
    for words in re.findall(r"^defiance-zoo (train .*|study .*)$", page, re.MULTILINE):
        run("-m", "defiance_zoo", *words.split(), cwd=tmp_path)
    (table,) = (tmp_path / "runs" / "stations" / "plots").glob("*.md")
    rows = re.findall(r"^\| (.+?) \| ([\d.]+).* \| ([\d.]+)", table.read_text(), re.MULTILINE)
    assert [row[0] for row in rows] == ["SAC", "look-up table", "802.11 standard"]
    assert all(10 < float(mbps) < 50 for row in rows for mbps in row[1:])


def test_the_readmes_program_runs() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    run("-c", program)


@pytest.mark.thorough
def test_example_wifi_windows_runs() -> None:
    name = "wifi_windows.py"
    printed = run(ROOT / "examples" / name, *EXAMPLES[name])
    rates = {what: float(mbps) for what, mbps in re.findall(r"\n +(.+?) +(\d+\.\d\d)", printed)}
    assert rates["16 slots"] > 2 * rates["1024 slots"]  # two stations seldom collide
    assert 0 < rates["PPO, 200 decisions"] < 50
