# SPDX-License-Identifier: GPL-2.0-only
"""Small runs of the benchmarks, and the processing of their results."""

from __future__ import annotations

import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import ROOT, resources, simulations
from programs import Program

from benchmarks.__main__ import BENCHMARKS
from benchmarks.learning import baselines
from benchmarks.learning import curves as learning
from benchmarks.measuring.command import Part, measure_parts
from benchmarks.measuring.processes import cpu_s
from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.result_files import RESULTS, load, save
from benchmarks.measuring.situations import CORE_EACH, CORES, ONE_CORE, UNPINNED
from benchmarks.measuring.timing import Effort, Results, median_of
from benchmarks.networks import environments
from benchmarks.publishing import plots, tables
from benchmarks.robustness import kills, soak
from benchmarks.speed import drivers, resets
from defiance_zoo.experiments.training.evaluation import TRAINED
from defiance_zoo.scenario.hosts.keeper_client import find_lack

PAGES = [
    ROOT / "docs" / f"{page}.md"
    for page in (
        "explanation/performance",
        "networks/policy-outside",
        "networks/real-programs",
        "reference/measurements",
        "training/learning",
        "training/populations-results",
        "protocols/exploration-results",
    )
]
# Quick runs have one number of simulations, and one core does not allow situations of two. The
# reference of a comparison is not compared with itself.
INCOMPLETE = {
    "bugs",
    "rare_bugs",
    "learners",
    "deep_bugs",
    "healed_bugs",
    "exploration",
    "simulations",
    "trainers",
    "shares",
    "driven",
    "drivers",
    "driving",
} | ({"links"} if len(CORES) == 1 else set())
CARDS = [
    ROOT / "envs" / folder / "card.md"
    for folder in (
        "cart_pole",
        "edge_cart_pole",
        "packet_routing",
        "partition",
        "tcp_congestion",
        "wifi_contention",
        "wifi_rate_control",
    )
] + sorted((ROOT / "envs").glob("*/results.md"))


def run(*arguments: str | Path) -> str:
    """Run a module in the root of the repository and return its output."""
    command = [sys.executable, "-m", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Quick results of every benchmark."""
    folder = tmp_path_factory.mktemp("results")
    run("benchmarks", "--quick", f"--out={folder}")
    return folder


@pytest.fixture(scope="module")
def soaked(results: Path) -> subprocess.CompletedProcess[str]:
    """A short soak test, with its results next to the others."""
    sizes = ["--resets=20", "--snapshots=20", f"--out={results}"]
    command = [sys.executable, "-m", "benchmarks.robustness.soak", *sizes]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)


@pytest.fixture(scope="module")
def trained(results: Path) -> None:
    """Short trainings, with their results next to the others."""
    run("benchmarks.learning.training", "--quick", f"--out={results}")
    run("benchmarks.learning.runners", "--quick", f"--out={results}")
    quick = ["--quick", "--only=sb3_ppo", "--only=rllib_ppo_shared"]
    run("benchmarks.learning.baselines", *quick, f"--out={results}")
    run("benchmarks.learning.federation", "--quick", f"--out={results}")
    run("benchmarks.zoo.wifi_gate", "--quick", f"--out={results}")
    run("benchmarks.zoo.wifi_slots", "--quick", f"--out={results}")


@pytest.fixture(scope="module")
def compared(results: Path) -> None:
    """Networks with known policies, with their results next to the others."""
    run("benchmarks.zoo.rate_control", "--quick", f"--out={results}")
    run("benchmarks.zoo.routing", "--quick", f"--out={results}")
    if not find_lack():
        run("benchmarks.networks.real_paths", "--quick", "--only=1 Mb/s, 60 ms", f"--out={results}")
        run("benchmarks.networks.linux_tcp", "--quick", f"--out={results}")


@pytest.fixture(scope="module")
def explored(results: Path) -> None:
    """Short tests of protocols, with their results next to the others."""
    run("benchmarks.zoo.partition", "--quick", f"--out={results}")
    quick = ["--quick", "--only=small", f"--folder={results / 'exploration'}", f"--out={results}"]
    run("benchmarks.zoo.exploration", *quick)
    quick_bugs = [f"--folder={results / 'bugs'}", f"--out={results}"]
    run("benchmarks.zoo.bugs", "--quick", *quick_bugs)
    run("benchmarks.zoo.bugs", "--quick", "--healed", *quick_bugs)
    run("benchmarks.zoo.rare_bugs", "--quick", *quick_bugs)
    run("benchmarks.zoo.learners", "--quick", *quick_bugs)
    run("benchmarks.zoo.deep_bugs", "--quick", *quick_bugs)


@pytest.fixture(scope="module")
def grown(results: Path) -> None:
    """Small populations, with their results next to the others."""
    run("benchmarks.learning.populations", "--quick", f"--out={results}")
    run("benchmarks.learning.population_flows", "--quick", f"--out={results}")


@pytest.mark.benchmark
@pytest.mark.timeout(600)  # the first test waits until everything has been measured
@pytest.mark.parametrize("name", BENCHMARKS)
def test_each_benchmark_measures_positive_figures(results: Path, name: str) -> None:
    document = json.loads((results / f"{name}.json").read_text())
    assert document["command"] == "make bench"
    assert document["machine"]["cores"] == os.cpu_count()
    assert document["results"] == median_of(document["repetitions"])
    for case, figures in document["results"].items():
        for figure, value in figures.items():
            assert value > 0 or figure.endswith("_share"), (case, figure)


@pytest.mark.benchmark
@pytest.mark.timeout(600)
def test_a_soak_evaluates_its_samples(
    results: Path, soaked: subprocess.CompletedProcess[str]
) -> None:
    document = json.loads((results / "soak.json").read_text())
    assert {what: len(samples) for what, samples in document["samples"].items()} == {
        "resets": 20,
        "snapshots": 20,
    }
    flat = {what: soak.is_flat(samples) for what, samples in document["samples"].items()}
    assert {what: judged["flat"] for what, judged in document["results"].items()} == flat
    assert soaked.returncode == (0 if all(flat.values()) else 1)


@pytest.mark.benchmark
@pytest.mark.timeout(600)  # the fixture plays the policies, and trains one of them
@pytest.mark.usefixtures("compared")
def test_known_best_policies_have_no_regret_and_no_loss(results: Path) -> None:
    rates = json.loads((results / "rate_control.json").read_text())["results"]
    regrets = [each["regret_mbps"] for case, each in rates.items() if case.endswith(", Ideal")]
    assert regrets
    assert set(regrets) == {0}
    routed = json.loads((results / "routing.json").read_text())["results"]
    light = [each for case, each in routed.items() if case.endswith("300, shortest paths")]
    assert light
    assert {each["lost_percent"] for each in light} == {0}


@pytest.mark.benchmark
@pytest.mark.timeout(600)  # the fixture tests all protocols
@pytest.mark.usefixtures("explored")
def test_correct_protocols_have_no_violation(results: Path) -> None:
    clean = json.loads((results / "partition.json").read_text())["results"]
    assert {each["violations"] for each in clean.values()} == {0}
    assert {each["healed_violations"] for each in clean.values()} == {0}
    for name in ("bugs", "rare_bugs", "healed_bugs"):
        found = json.loads((results / f"{name}.json").read_text())["results"]
        assert {each["found"] for case, each in found.items() if "correct" in case} == {0}


@pytest.mark.benchmark
@pytest.mark.timeout(600)  # the fixture trains the populations
@pytest.mark.usefixtures("grown")
def test_the_payoffs_of_channel_rps_settings_are_cyclic(results: Path) -> None:
    earned = json.loads((results / "populations.json").read_text())["results"]
    circle = [
        [earned[f"setting {row}"][f"against_{column}"] for column in range(3)] for row in range(3)
    ]
    assert circle == [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]


@pytest.mark.benchmark
@pytest.mark.timeout(600)  # the fixture trains, and RLlib's trainings start slowly
@pytest.mark.usefixtures("soaked", "trained", "compared", "explored", "grown")
def test_each_table_contains_all_its_figures(results: Path) -> None:
    for name, table in tables.TABLES.items():
        # perf, valgrind and permissions for hosts are not everywhere; their results are stored.
        kept = {"profile", "instructions"} | ({"real_paths"} if find_lack() else set())
        text = tables.table(name, RESULTS if table.benchmark in kept else results)
        assert text is not None
        head, _, *rows = text.splitlines()
        assert rows or (name == "two" and len(CORES) == 1), name
        # A link that spins has no lower bound.
        lacks = [row for row in rows if "| - " in row and "spin" not in row]
        assert not lacks or name in INCOMPLETE, (name, lacks)
        assert len({line.count("|") for line in (head, *rows)}) == 1


@pytest.mark.benchmark
@pytest.mark.timeout(600)  # the fixture trains, and RLlib's trainings start slowly
@pytest.mark.usefixtures("soaked", "trained", "compared", "explored", "grown")
def test_each_plot_is_drawn_from_stored_results_only(results: Path, tmp_path: Path) -> None:
    run("benchmarks.publishing.plots", f"--results={results}", f"--out={tmp_path}")
    drawn = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(drawn) == {f"{name}.png" for name in plots.PLOTS}
    run("benchmarks.publishing.plots", f"--results={results}", f"--out={tmp_path}")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == drawn


@pytest.mark.benchmark
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("trained")
def test_trainings_have_a_table_and_learning_curves_for_each_environment(
    results: Path, tmp_path: Path
) -> None:
    rows = (tables.table("baselines of cart_pole_v0", results) or "").splitlines()
    assert [row for row in rows if row.startswith("| sb3_ppo, trained |")]
    run("benchmarks.learning.curves", f"--results={results}", f"--out={tmp_path}")
    (drawn,) = tmp_path.iterdir()
    assert drawn.name == "cart_pole_v0-learning.svg"
    first = drawn.read_bytes()
    assert b"<svg" in first
    run("benchmarks.learning.curves", f"--results={results}", f"--out={tmp_path}")
    assert drawn.read_bytes() == first


def test_a_failing_part_keeps_the_results_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: Effort) -> Iterator[Results]:
        yield {"b, first": {"per_s": 2.0}}
        raise ValueError("on its way")

    old = {"a, old": {"per_s": 0.0}, "b, old": {"per_s": 0.0}, "c, old": {"per_s": 0.0}}
    save("three_parts", "make three-parts", old, tmp_path)
    parts = {
        "b": Part(failing, "b, .*"),
        "a": Part(lambda _: [{"a, new": {"per_s": 1.0}}], "a, .*"),
        "c": Part(lambda _: [{"c, new": {"per_s": 3.0}}], "c, .*"),
    }
    monkeypatch.setattr(sys, "argv", ["it", "--only=b", "--only=a", f"--out={tmp_path}"])
    with pytest.raises(SystemExit, match="failed: b"):
        measure_parts("Measure.", "three_parts", parts)
    document = json.loads((tmp_path / "three_parts.json").read_text())
    assert document["command"] == "make three-parts"
    assert set(document["results"]) == {"a, new", "b, old", "b, first", "c, old"}


def test_results_of_trainings_added_meanwhile_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"added, trained": {"mean_return": 1.0}, "deleted, trained": {"mean_return": 2.0}}
    save("cart_pole_v0", "make baselines", known, tmp_path / "baselines")
    (tmp_path / "added.yaml").touch()
    monkeypatch.setattr(baselines, "FOLDER", tmp_path)
    baselines.keep("baselines", "sb3_ppo", {"sb3_ppo, trained": {"mean_return": 3.0}}, tmp_path)
    kept = load("cart_pole_v0", tmp_path / "baselines")["results"]
    assert set(kept) == {"added, trained", "sb3_ppo, trained"}


def test_each_training_belongs_to_an_environment_of_the_zoo() -> None:
    zoo = {each["name"] for each in json.loads(run("defiance_zoo", "list", "--json"))}
    assert {baselines.environment(name) for name in baselines.RUNS} <= zoo


@pytest.mark.parametrize("name", baselines.RUNS)
def test_each_training_is_in_a_table_of_baselines(name: str) -> None:
    """`make baselines` trains all runs, for nothing if no table has them."""
    rows = load(baselines.environment(name), RESULTS / "baselines")["results"]
    assert f"{name}, {TRAINED}" in rows


def test_a_learning_curve_is_drawn_from_stored_results_only(tmp_path: Path) -> None:
    curve = {"steps": [0.0, 9.0], "mean": [1.0, 4.0], "low": [1.0, 3.0], "high": [1.0, 5.0]}
    known = {"metric": "return/mean", "runs": 3}
    for name in ("a", "b"):
        picture = tmp_path / f"{name}.svg"
        levels = {"mine": {"random": 2.0}}
        learning.draw({"mine": {**known, **curve}}, picture, "zoo_v0", levels)
    drawn = (tmp_path / "a.svg").read_text()
    assert drawn == (tmp_path / "b.svg").read_text()
    for text in ("zoo_v0: mine", "random", "mine, 3 seeds"):
        assert f"<!-- {text} -->" in drawn


@pytest.mark.parametrize(("metric", "axes"), [("return/mean", 2), ("info/agent_0/window", 1)])
def test_the_returns_of_each_run_have_separate_axes(tmp_path: Path, metric: str, axes: int) -> None:
    known = {"metric": metric, "runs": 3, "steps": [0.0, 9.0]}
    curve = {**known, "mean": [1.0, 4.0], "low": [1.0, 3.0], "high": [1.0, 5.0]}
    learning.draw({"mine": curve, "yours": curve}, tmp_path / "a.svg", "zoo_v0", {})
    assert (tmp_path / "a.svg").read_text().count('<g id="axes_') == axes


def test_further_metrics_have_separate_pictures() -> None:
    returns, windows = {"metric": "return/mean"}, {"metric": "info/agent_0/window"}
    curves = {"a": returns, "a, info/agent_0/window": windows, "b": returns}
    assert learning.pictures(curves) == {
        "learning": {"a": returns, "b": returns},
        "window": {"a": windows},
    }


def test_drivers_play_simulations_that_wait() -> None:
    """Two simulations of 20 ms: at most 100 steps a second."""
    driver = drivers.vector(2, {"duration": "3600s", "wait": 0.02})
    try:
        figures = drivers.play(driver, 0.5)
    finally:
        driver.close()
    assert 0 < figures["steps_per_s"] <= 100
    assert figures["python_cpu_us"] < 20_000


def test_the_docs_show_the_stored_results() -> None:
    pages = "".join(page.read_text() for page in (*PAGES, *CARDS))
    assert set(re.findall(r"<!-- table: (\w+) -->", pages)) == set(tables.TABLES)
    assert tables.fill(pages, RESULTS) == pages
    links = re.findall(r"\]\([./docs]*(plots/.*?png)\)", pages)
    assert {Path(link).stem for link in links} == set(plots.PLOTS)


def test_a_table_without_results_is_not_changed(tmp_path: Path) -> None:
    page = "before\n<!-- table: soak -->\nold\n<!-- end of table -->\nafter\n"
    assert tables.fill(page, tmp_path) == page
    (tmp_path / "soak.json").write_text('{"results": {"resets": {"count": 20000, "flat": true}}}')
    filled = tables.fill(page, tmp_path)
    assert "old" not in filled
    assert "| resets | 20,000 |" in filled
    assert filled.startswith("before\n")
    assert filled.endswith("after\n")


def test_columns_of_cases_have_their_intervals(tmp_path: Path) -> None:
    figures = {"delay_ms": 40.0, "delay_ms_low": 39.5, "delay_ms_high": 41.25}
    results = {"300, shortest paths": figures, "300, Q-routing": {"delay_ms": 50.0}}
    (tmp_path / "routing.json").write_text(json.dumps({"results": results}))
    rows = (tables.table("routing_load", tmp_path) or "").splitlines()
    assert rows[-1] == "| 300 | 40 (39.5 to 41.2) | 50 |"


def test_a_reset_is_compared_with_a_fork_and_with_building(monkeypatch: pytest.MonkeyPatch) -> None:
    one = {"cart_pole_v0": resets.SUBJECTS["cart_pole_v0"]}
    monkeypatch.setattr(resets, "SUBJECTS", one)
    found = resets.measure(Effort(quick=True))
    forked = [figures for case, figures in found.items() if ", forked, " in case]
    assert len(forked) == 2
    for figures in forked:
        floor = figures["floor_fork_ms"] + figures["build_ms"]
        assert figures["build_ms"] > 0
        assert figures["to_floor"] == pytest.approx(figures["median_ms"] / floor)


def test_every_environment_is_measured() -> None:
    zoo = json.loads(run("defiance_zoo", "list", "--json"))  # tests register others
    names = {each["name"] for each in zoo}
    versions = {name for name in names if f"{name[:-1]}{int(name[-1]) - 1}" in names}
    versions.add("channel_sharing_v0")  # runs the program of channel_access_v0
    plants = {name for name in names if name.startswith("networked_")}  # they run their own steps
    assert set(environments.SUBJECTS) == names - versions - plants  # versions run the same program


STOPPED = """
import time
from benchmarks.measuring.builtin_policy import BuiltInRun
from defiance_zoo.environments import lookup
print(BuiltInRun(lookup("cart_pole_v0"), {}, ()).pid, flush=True)
time.sleep(60)
"""


def test_a_stopped_program_ends_with_its_benchmark() -> None:
    with Program([sys.executable, "-c", STOPPED], stdout=subprocess.PIPE, cwd=ROOT) as benchmark:
        assert benchmark.stdout is not None
        ended = os.pidfd_open(int(benchmark.stdout.readline()))
        poller = select.poll()
        poller.register(ended, select.POLLIN)
        assert not poller.poll(0)
        benchmark.kill()
        assert poller.poll(10_000)
        os.close(ended)


@pytest.mark.timeout(150)  # two processes import the package
def test_a_terminated_benchmark_of_healing_ends_all_its_processes() -> None:
    command = [sys.executable, "-m", "benchmarks.robustness.healing", "--only=raft", "--workers=1"]
    with Program(command, cwd=ROOT) as benchmark:
        process = psutil.Process(benchmark.pid)
        deadline = time.monotonic() + 100
        started: list[psutil.Process] = []
        while not any(each.name() == "partition" for each in started):
            assert time.monotonic() < deadline
            time.sleep(0.1)
            started = process.children(recursive=True)
        benchmark.terminate()
        assert benchmark.wait(20) == 128 + signal.SIGTERM
        assert not psutil.wait_procs(started, 20)[1]


def test_the_median_of_each_figure_is_taken() -> None:
    runs = [{"case": {"a_us": a, "b_us": b}} for a, b in ((1.0, 30.0), (2.0, 10.0), (9.0, 20.0))]
    assert median_of(runs) == {"case": {"a_us": 2.0, "b_us": 20.0}}


def test_a_killed_process_leaves_nothing_behind_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = kills.soak("gymnasium", "local", 3, random.Random(1))
    assert result["kills"] == 3
    assert kills.is_sound(result)
    assert not kills.is_sound({**result, "untyped errors": 1})
    assert not kills.is_sound({**result, "processes": 1})


def samples(**changed: Any) -> list[soak.Sample]:
    flat = dict.fromkeys((*soak.COUNTS, *soak.MEMORY), 10.0)
    return [
        {**flat, "done": i, **{name: change(i) for name, change in changed.items()}}
        for i in range(100)
    ]


@pytest.mark.parametrize(
    ("changed", "flat"),
    [
        ({}, True),
        ({"python_rss_mb": lambda i: 50 + min(i, 10)}, True),  # during the warm-up
        ({"python_rss_mb": lambda i: 50 + i / 50}, False),
        ({"server_rss_mb": lambda i: 50 + i / 50}, False),
        ({"descriptors": lambda i: 20 + i % 2}, True),
        ({"descriptors": lambda i: 20 + i // 60}, False),
        ({"processes": lambda i: 1 + (i == 99)}, False),
    ],
)
def test_a_soak_is_flat_if_nothing_grows(changed: dict[str, Any], flat: bool) -> None:
    assert soak.is_flat(samples(**changed)) is flat


@pytest.mark.parametrize("situation", [*UNPINNED[1:2], *ONE_CORE[1:2], *CORE_EACH[1:2]])
def test_situations_pin_both_processes(situation: Any) -> None:
    before = resources()
    with situation.placed():
        env = EXCHANGE.raw_env(**situation.arguments)
        env.reset(seed=1)
        situation.settle()
        (simulation,) = simulations()
        mine, its = os.sched_getaffinity(0), os.sched_getaffinity(simulation.pid)
        env.close()
    expected = {
        "unpinned": (CORES, CORES),
        "one core": ({min(CORES)}, {min(CORES)}),
        "a core each": ({min(CORES)}, {max(CORES)}),
    }
    assert (mine, its) == expected[situation.placement]
    assert os.sched_getaffinity(0) == CORES
    assert resources() == before


def test_cpu_time_is_the_time_of_the_process() -> None:
    env = EXCHANGE.raw_env()
    env.reset(seed=1)
    (simulation,) = simulations()
    began, before = time.perf_counter(), cpu_s(simulation)
    for _ in range(200):
        env.step(0)
    used, elapsed = cpu_s(simulation) - before, time.perf_counter() - began
    env.close()
    assert 0 < used < elapsed * len(CORES)
