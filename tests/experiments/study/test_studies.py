# SPDX-License-Identifier: GPL-2.0-only
"""Studies from their file to their report, with real simulations and real failures."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from colours import READABLE, prefer, read_texts
from conftest import ROOT
from studies import SMALL, read, read_csv, run, tables, write

from benchmarks.publishing.headless import measure_on_phone, open_browser
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study import plots, read_study, run_study
from defiance_zoo.experiments.workbench.estimates import Estimate
from defiance_zoo.recording import find_episodes, read_episode


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The small study, run without interruption."""
    out = tmp_path_factory.mktemp("studies") / "small"
    status, events = run(SMALL, out, "--workers", 2)
    return {"out": out, "status": status, "events": events}


@pytest.mark.long
def test_each_cell_and_each_episode_is_a_row(uninterrupted: dict[str, Any]) -> None:
    assert uninterrupted["status"] == 0
    cells = read_csv(uninterrupted["out"] / "cells.csv")
    episodes = read_csv(uninterrupted["out"] / "episodes.csv")
    assert len(episodes) == 2 * len(cells) > 50
    axes = ("policy", "placement", "carts", "transport", "delay", "loss")
    assert len({tuple(row[axis] for axis in axes) for row in cells}) == len(cells)
    for row in cells:
        mine = [e for e in episodes if all(e[axis] == row[axis] for axis in axes)]
        assert [episode["seed"] for episode in mine] == ["1000", "1001"]
        estimate = Estimate.of([float(episode["return"]) for episode in mine])
        found = [float(row[f"return{end}"]) for end in ("", "_low", "_high")]
        assert found == pytest.approx([estimate.mean, estimate.low, estimate.high], rel=1e-5)
        assert float(row["delay_s"]) == {"0ms": 0.0, "50ms": 0.05}[row["delay"]]
        assert row["error"] == ""
    reported = [event["cell"] for event in uninterrupted["events"] if event["event"] == "cell"]
    assert len(reported) == len(cells)


@pytest.mark.essential
def test_a_policy_may_have_its_own_arguments(tmp_path: Path) -> None:
    policies = {
        "usual": {"baseline": "random"},
        "slow": {"baseline": "random", "parameters": {"action_delay": "40ms", "duration": "100ms"}},
    }
    study = read(tmp_path, policies=policies, grid={"delay": ["0ms", "50ms"]}, exclude=[])
    run_study(study, tmp_path / "out", workers=1)
    lengths: dict[str, set[float]] = {"usual": set(), "slow": set()}
    for row in read_csv(tmp_path / "out" / "episodes.csv"):
        lengths[row["policy"]].add(float(row["length_s"]))
    assert max(lengths["slow"]) <= 0.1 < min(lengths["usual"])


def test_episodes_of_cells_are_recorded(tmp_path: Path) -> None:
    study = read(tmp_path, record=True, grid={"delay": ["0ms", "30ms"]})
    run_study(study, tmp_path / "out", workers=2)
    episodes = [read_episode(each) for each in find_episodes(tmp_path / "out" / "episodes")]
    assert len(episodes) == 8
    rows = read_csv(tmp_path / "out" / "episodes.csv")
    for policy in ("feedback", "chance"):
        own = [each for each in episodes if each.path.name.startswith(f"{policy}-")]
        for delay in ("0ms", "30ms"):
            here = [each for each in own if each.header.parameters["delay"] == delay]
            assert [each.header.seed for each in here] == [1000, 1001]
            told = [r for r in rows if (r["policy"], r["delay"]) == (policy, delay)]
            returns = [each.of_agent("agent_0").rewards.sum() for each in here]
            assert returns == [float(each["return"]) for each in told]
    with pytest.raises(ParameterError, match="record needs cells on this machine"):
        read(tmp_path, record=True, ray_address="auto")


@pytest.mark.long
def test_results_depend_on_deployments_and_policies(uninterrupted: dict[str, Any]) -> None:
    cells = read_csv(uninterrupted["out"] / "cells.csv")
    feedback = [row for row in cells if row["policy"] == "state feedback"]
    for row in feedback:
        per_cart = float(row["return_per_unit"])
        share = float(row["carts"]) if row["placement"] == "central" else 1.0
        assert float(row["return"]) == pytest.approx(share * per_cart)
        if (row["delay"], row["loss"], row["transport"]) == ("0ms", "0", "udp"):
            assert per_cart == 50.0
        if row["placement"] != "local":
            # A message has more than 64 and less than 128 bytes on a wire of 10 Mbit/s.
            least = float(row["delay_s"]) + 64 * 8 / 10e6
            assert float(row["observation_mean_latency_s"]) > least
        undelivered = float(row["observation_undelivered"])
        assert (0.05 < undelivered < 0.45) if row["loss"] == "0.2" else undelivered < 0.2


@pytest.mark.long
def test_parquet_and_csv_have_equal_contents(uninterrupted: dict[str, Any]) -> None:
    rows = read_csv(uninterrupted["out"] / "episodes.csv")
    typed = pq.read_table(uninterrupted["out"] / "episodes.parquet").to_pylist()
    assert len(typed) == len(rows)
    for one, other in zip(typed, rows, strict=True):
        texts = {k: v for k, v in one.items() if isinstance(v, str)}
        assert texts == {name: other[name] for name in texts}
        numbers = {k: v for k, v in one.items() if isinstance(v, int | float)}
        assert numbers == {name: float(other[name]) for name in numbers}
        assert all(other[name] == "" for name in set(one) - {*texts, *numbers})
    assert isinstance(typed[0]["carts"], int)
    assert isinstance(typed[0]["loss"], float)
    assert isinstance(typed[0]["return"], float)


@pytest.mark.long
def test_the_report_is_a_single_self_contained_file(uninterrupted: dict[str, Any]) -> None:
    page = (uninterrupted["out"] / "report.html").read_text()
    assert not re.findall(r'(?:src|href)="(?!data:)|url\(|<script|<link', page)
    pictures = sorted((uninterrupted["out"] / "plots").glob("*.svg"))
    assert len(pictures) == page.count("<img ") >= 5
    assert {path.stem for path in (uninterrupted["out"] / "plots").glob("*.png")} == {
        path.stem for path in pictures
    }
    for fact in ("What was run", "ns-3 3.44", "512 decisions", "seeds 1000 to 1001", "n_steps: 32"):
        assert fact in page
    assert re.search(r"memory \d+\.\d GiB", page)
    for line in SMALL.read_text().splitlines():
        assert line in page


@pytest.mark.long
def test_the_report_is_legible_in_dark_mode_and_on_a_phone(uninterrupted: dict[str, Any]) -> None:
    with open_browser() as browser:
        browser.get((uninterrupted["out"] / "report.html").as_uri())
        for scheme, brightness in (("light", 1.0), ("dark", 0.01)):
            prefer(browser, scheme)  # type: ignore[arg-type]
            found, contrasts = read_texts(browser)
            assert found == pytest.approx(brightness, abs=0.02)
            assert {each: at for each, at in contrasts.items() if at < READABLE} == {}
        assert measure_on_phone(browser, uninterrupted["out"] / "report.html") <= 420
        label = "return document.querySelector('td').getBoundingClientRect().height"
        assert browser.execute_script(label) < 50  # "Environment" is not broken


@pytest.mark.long
def test_the_title_of_a_file_lacks_its_folder(tmp_path: Path) -> None:
    scenario = str(ROOT / "examples" / "queue_rate.py")
    policies = {"slow": {"baseline": "constant"}}
    parameters = {"duration": "1s"}
    file = write(tmp_path, env=scenario, policies=policies, parameters=parameters, grid={})
    assert run(file, tmp_path / "out")[0] == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert f"<h1>{file.stem}: a study in queue_rate</h1>" in page


@pytest.mark.long
def test_finished_cells_are_not_run_again(uninterrupted: dict[str, Any]) -> None:
    before = tables(uninterrupted["out"])
    events: list[dict[str, Any]] = []
    run_study(read_study(SMALL), uninterrupted["out"], report=events.append)
    assert [event["event"] for event in events] == ["planned", "finished"]
    assert tables(uninterrupted["out"]) == before


@pytest.mark.long
def test_cells_of_an_older_description_are_not_in_the_table(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_study(read(tmp_path), out, workers=0)
    first = (out / "cells.csv").read_bytes()
    files = set((out / "cells").iterdir())
    assert len(files) == 8
    plots = {each.name for each in (out / "plots").iterdir()}
    (out / "plots" / "00-mine").mkdir()  # not a plot
    run_study(read(tmp_path, grid={"transport": ["udp"], "delay": ["0ms"]}), out, workers=0)
    left = {each.name for each in (out / "plots").iterdir()} - {"00-mine"}
    assert left < plots
    assert {row["transport"] for row in read_csv(out / "cells.csv")} == {"udp"}
    assert set((out / "cells").iterdir()) == files
    run_study(read(tmp_path), out, workers=0)
    assert (out / "cells.csv").read_bytes() == first


def test_a_study_in_another_environment_is_refused(uninterrupted: dict[str, Any]) -> None:
    out, study = uninterrupted["out"], read_study(ROOT / "benchmarks/studies/handover_v0_a3.yaml")
    before = {each: each.stat().st_mtime_ns for each in out.rglob("*")}
    with pytest.raises(ParameterError, match="holds a study in cart_pole_v0: choose another"):
        run_study(study, out)
    assert {each: each.stat().st_mtime_ns for each in out.rglob("*")} == before


def test_a_study_in_use_is_refused(tmp_path: Path) -> None:
    from defiance_zoo.experiments.study.cells import StudyFolder

    folder = StudyFolder(tmp_path / "out")
    with pytest.raises(ParameterError, match="is in use"):
        StudyFolder(tmp_path / "out")
    folder.close()
    StudyFolder(tmp_path / "out").close()


@pytest.mark.long
def test_only_the_requested_plots_are_drawn(tmp_path: Path) -> None:
    asked = [
        {"x": "delay", "lines": "transport", "panels": "policy", "question": "How late?"},
        {"x": "transport", "y": "bytes_per_s", "where": {"delay": "30ms"}},
        {"x": "bytes_per_s", "y": "return", "panels": "delay", "where": {"transport": "udp"}},
    ]
    file = write(tmp_path, plots=asked)
    run_study(read_study(file), tmp_path / "out", workers=1)
    assert sorted(path.name for path in (tmp_path / "out" / "plots").glob("*.svg")) == [
        "01-return_per_unit-delay.svg",
        "02-bytes_per_s-transport.svg",
        "03-return-bytes_per_s.svg",
    ]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<h2>How late?</h2>" in page
    assert "Sent (bytes/s) over Transport; delay: 30ms" in page
    rows = read_csv(tmp_path / "out" / "cells.csv")
    place = {"policy": "feedback", "transport": "udp", "delay": "30ms"}
    (mean,) = (
        float(row["bytes_per_s"]) for row in rows if all(row[k] == v for k, v in place.items())
    )
    assert f">{mean:.4g} (" in page
    assert "<th>policy</th><th>bytes_per_s</th><th>return</th>" in page  # a point for each policy


@pytest.mark.long
def test_a_study_of_equal_episodes_has_its_plots_and_its_report(tmp_path: Path) -> None:
    """Rounding of equal latencies used to give error bars of negative length."""
    study = read(
        tmp_path,
        parameters={},
        policies={"feedback": {"baseline": "state_feedback"}},
        grid={"delay": ["0ms", "10ms"]},
        episodes=12,
    )
    events: list[dict[str, Any]] = []
    run_study(study, tmp_path / "out", workers=1, report=events.append)
    assert "not_drawn" not in {event["event"] for event in events}
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("<img") == len(list((tmp_path / "out" / "plots").glob("*.svg"))) > 0


@pytest.mark.long
def test_a_failed_training_keeps_the_report_and_the_tables(tmp_path: Path) -> None:
    """The run began but saved no checkpoint: MaskablePPO has no mask."""
    policies = {
        "feedback": {"baseline": "state_feedback"},
        "masked": {"train": {"algorithm": "MaskablePPO", "steps": 64}},
    }
    study = read(tmp_path, policies=policies, grid={"delay": ["0ms"]})
    assert run_study(study, tmp_path / "out", workers=1).failed == 1
    assert len(read_csv(tmp_path / "out" / "cells.csv")) == 2
    page = (tmp_path / "out" / "report.html").read_text()
    assert "its training failed" in page
    assert "MaskablePPO needs an 'action_mask'" in html.unescape(page)


def test_a_failed_plot_keeps_the_report_and_the_tables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_arguments: Any) -> Any:
        raise ValueError("no <room>")

    study = read(tmp_path)
    run_study(study, tmp_path / "out", workers=1)
    whole = tables(tmp_path / "out")
    monkeypatch.setattr(plots._Plot, "draw", fail)
    events: list[dict[str, Any]] = []
    run_study(study, tmp_path / "out", workers=1, report=events.append)
    after = tables(tmp_path / "out")
    page = after.pop("report.html").decode()
    assert after.items() < whole.items()
    undrawn = [event for event in events if event["event"] == "not_drawn"]
    assert undrawn[0] == {
        "event": "not_drawn",
        "picture": "01-return_per_unit-delay",
        "error": "ValueError",
        "message": "no <room>",
    }
    assert "01-return_per_unit-delay was not drawn: ValueError: no &lt;room&gt;" in page
    assert page.count("was not drawn") == len(undrawn) > 1
    assert page.count("<th>delay=30ms</th>") == whole["report.html"].decode().count(
        "<th>delay=30ms</th>"
    )
    assert {path.suffix for path in (tmp_path / "out" / "plots").iterdir()} == {".md"}


@pytest.mark.thorough
def test_a_ray_cluster_gives_the_same_results(local_ray: None, tmp_path: Path) -> None:
    run_study(read(tmp_path), tmp_path / "here", workers=1)
    # Tests share a cluster to which this process is already connected.
    run_study(read(tmp_path, ray_address="auto"), tmp_path / "there")
    for name in ("cells.csv", "episodes.csv", "episodes.parquet"):
        here, there = (tmp_path / where / name for where in ("here", "there"))
        assert here.read_bytes() == there.read_bytes()


@pytest.mark.long
def test_studies_of_a_trained_run_train_nothing(
    uninterrupted: dict[str, Any], tmp_path: Path
) -> None:
    known = {row["policy"]: row for row in read_csv(uninterrupted["out"] / "cells.csv")}
    assert {"PPO", "PPO, trained there"} < set(known)
    trainings = uninterrupted["out"] / "trainings"
    (run,) = (
        path
        for path in trainings.iterdir()
        if yaml.safe_load((path / "config.yaml").read_text())["steps"] == 512
    )
    study = read(
        tmp_path,
        parameters={"duration": "1s"},
        policies={"PPO": {"run": str(run)}},
        grid={"placement": ["remote", "central"], "carts": [2], "transport": ["udp"]},
    )
    events: list[dict[str, Any]] = []
    run_study(study, tmp_path / "out", workers=1, report=events.append)
    assert events[0]["trainings"] == 0
    place = ("placement", "carts", "transport")
    here = {
        tuple(r[k] for k in place): r["return"] for r in read_csv(tmp_path / "out" / "cells.csv")
    }
    there = {
        tuple(row[k] for k in place): row["return"]
        for row in read_csv(uninterrupted["out"] / "cells.csv")
        if (row["policy"], row["delay"], row["loss"]) == ("PPO", "0ms", "0")
    }
    assert len(here) == 2
    assert here.items() <= there.items()


def test_cells_in_which_no_agent_could_decide_are_named(tmp_path: Path) -> None:
    file = write(tmp_path, grid={"delay": ["1ms", "10s"]}, plots=[])
    run_study(read_study(file), tmp_path / "out", workers=1)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<h2>In 2 cells no agent ever decided</h2>" in page
    assert page.count("delay=10s</td>") == 2


@pytest.mark.long
def test_named_deployments_and_policies_with_options_are_cells(tmp_path: Path) -> None:
    """The policy is `lookahead`."""
    file = write(
        tmp_path,
        parameters={"duration": "120ms", "transport": "udp"},
        policies={"ahead": {"baseline": "lookahead", "options": {"horizon": 2}}},
        grid={"carts": [1, 2]},
        deployments={"near": {}, "far": {"delay": "10ms", "loss": 0.1}},
        measure="bytes",
        episodes=1,
    )
    run_study(read_study(file), tmp_path / "out", workers=1)
    rows = read_csv(tmp_path / "out" / "cells.csv")
    assert [(row["deployment"], row["carts"]) for row in rows] == [
        ("near", "1"),
        ("near", "2"),
        ("far", "1"),
        ("far", "2"),
    ]
    assert all(row["error"] == "" for row in rows)
    latency = {(r["deployment"], r["carts"]): r["observation_mean_latency_s"] for r in rows}
    assert float(latency["far", "1"]) > 0.01 > float(latency["near", "1"])
