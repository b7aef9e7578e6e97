# SPDX-License-Identifier: GPL-2.0-only
"""The contents of a study's figures: lines, bands, colours, labels."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.figure import Figure

from benchmarks.learning.study import STUDIES, redraw
from defiance_zoo.bridge.simulation import Parameter, ParameterType
from defiance_zoo.experiments.study import PlotConfig, StudyConfig, plots
from defiance_zoo.experiments.study.series import Axis, group_seeds, merge_seeds
from defiance_zoo.experiments.workbench.estimates import Estimate
from defiance_zoo.experiments.workbench.events import ignore
from defiance_zoo.experiments.workbench.figure_files import line_colors
from defiance_zoo.experiments.workbench.wording import axis_label

TIME = Parameter("delay", ParameterType.TIME, "", "0ms")
STATIONS = (5, 15, 30)


@dataclass(frozen=True)
class PlayedCell:
    """A cell with the values of its episodes."""

    place: Mapping[str, Any]
    values: Sequence[float]

    def estimate(self, _measure: str) -> Estimate | None:
        return Estimate.of(list(self.values)) if self.values else None


def cells(values: Mapping[str, Sequence[Sequence[float]]]) -> list[PlayedCell]:
    """Return cells from the episodes of each policy at each number of stations."""
    return [
        PlayedCell({"policy": name, "stations": stations}, episodes)
        for name, each in values.items()
        for stations, episodes in zip(STATIONS, each, strict=False)
    ]


def draw(results: Sequence[PlayedCell], plot: PlotConfig, *grid: Axis, **config: Any) -> Figure:
    """Return the figure of a plot."""
    policies = list(dict.fromkeys(each.place["policy"] for each in results))
    described = {name: {"baseline": "random"} for name in policies}
    study = StudyConfig.model_validate({"env": "x", "policies": described, **config})
    axes = {each.name: each for each in (Axis("policy", policies, None), *grid)}
    return plots._Plot(study, plot, axes, results).draw()


def draw_stations(
    values: Mapping[str, Sequence[Sequence[float]]], **config: Any
) -> tuple[Any, list[str]]:
    """Return the axes and the legend's texts of a figure over the number of stations."""
    plot = PlotConfig(x="stations", y="throughput_mbps")
    figure = draw(cells(values), plot, Axis("stations", STATIONS, None), **config)
    (part,) = figure.axes
    return part, texts(figure)


def texts(figure: Figure) -> list[str]:
    (legend,) = figure.legends
    return [legend.get_title().get_text(), *(each.get_text() for each in legend.get_texts())]


def bands(part: Any) -> list[list[float]]:
    """Return the numbers of stations at which each band is visible."""
    shapes = [each for each in part.collections if isinstance(each, FillBetweenPolyCollection)]
    return [
        sorted({x for path in each.get_paths() for x, _ in path.vertices} & set(STATIONS))
        for each in shapes
    ]


SEEDS = {
    "SAC, seed 1": [[42.0], [41.0], [40.0]],
    "SAC, seed 2": [[43.0], [42.0], [41.0]],
    "SAC, seed 3": [[44.0], [43.0], [42.0]],
    "best window": [[42.0, 42.5], [41.5, 42.0], [41.0, 41.5]],
    "standard": [[42.0], [39.0], [36.0]],
}


def test_the_seeds_of_a_policy_are_one_line_with_a_band() -> None:
    part, legend = draw_stations(SEEDS)
    assert len(part.lines) == 3
    assert list(part.lines[0].get_ydata()) == [43.0, 42.0, 41.0]
    assert bands(part) == [[5, 15, 30], [5, 15, 30], []]
    assert legend == [
        "Policy (bands: 95 % intervals of the mean)",
        "SAC (3 seeds)",
        "best window (2 episodes)",
        "standard (1 episode, no interval)",
    ]


def test_the_legend_of_long_names_is_as_wide_as_the_figure() -> None:
    plot = PlotConfig(x="stations", y="throughput_mbps")
    names = [f"a policy with quite a long name, number {number}" for number in range(5)]
    values = {name: [[1.0, 2.0]] * 3 for name in names}
    figure = draw(cells(values), plot, Axis("stations", STATIONS, None))
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert legend.get_window_extent().width <= figure.bbox.width


def test_a_single_seed_keeps_its_name_and_has_the_interval_of_its_episodes() -> None:
    part, legend = draw_stations({"SAC, seed 4": [[1.0, 2.0], [2.0, 3.0], [1.0, 3.0]]})
    assert len(part.lines) == 1
    assert bands(part) == [[5, 15, 30]]
    assert legend[1:] == ["SAC, seed 4 (2 episodes)"]


def test_seeds_without_some_cells_leave_a_gap_in_the_band() -> None:
    part, legend = draw_stations(
        {"SAC, seed 1": [[1.0], [2.0], [4.0]], "SAC, seed 2": [[2.0], [], []]}
    )
    (line,) = part.lines
    assert list(line.get_xdata()) == [5, 15, 30]
    assert list(line.get_ydata()) == [1.5, 2.0, 4.0]
    assert bands(part) == [[]] or bands(part) == [[5]]
    assert legend[1:] == ["SAC (1 to 2 seeds)"]


def test_a_policy_may_lack_some_deployments() -> None:
    part, legend = draw_stations({"SAC": [[1.0, 2.0]], "PPO": [[], [], []], "CUBIC": [[3.0]] * 3})
    assert [list(line.get_xdata()) for line in part.lines] == [[5], [5, 15, 30]]
    assert legend[0] == "Policy (bands: 95 % intervals of the mean)"
    assert len(legend) == 3


def test_axes_have_names_and_units() -> None:
    part, _ = draw_stations(SEEDS)
    assert (part.get_xlabel(), part.get_ylabel()) == ("Stations", "Throughput (Mb/s)")
    named = {"stations": "Number of stations", "throughput_mbps": "Goodput (Mb/s)"}
    part, _ = draw_stations(SEEDS, labels=named)
    assert [part.get_xlabel(), part.get_ylabel()] == list(named.values())


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("throughput_mbps", "Throughput (Mb/s)"),
        ("round_trip_time_ms", "Round trip time (ms)"),
        ("observation_mean_latency_s", "Observation mean latency (s)"),
        ("bytes_per_s", "Sent (bytes/s)"),
        ("action_bytes_per_s", "Action (bytes/s)"),
        ("received_bytes", "Received (bytes)"),
        ("return_per_unit", "Mean return"),
        ("stations", "Stations"),
    ],
)
def test_a_column_has_a_label(name: str, label: str) -> None:
    assert axis_label(name) == label


@pytest.mark.parametrize(
    ("values", "label", "ticks"),
    [
        (["0ms", "10ms", "50ms"], "Delay (ms)", ["0", "10", "50"]),
        (["0ms", "1s"], "Delay", ["0ms", "1s"]),
        ([0, 0.5], "Delay (s)", ["0", "0.5"]),
    ],
)
def test_labels_of_times_have_their_unit(values: list[Any], label: str, ticks: list[str]) -> None:
    results = [PlayedCell({"policy": "a", "delay": each}, [1.0, 2.0]) for each in values]
    plot = PlotConfig(x="delay", y="return")
    (part,) = draw(results, plot, Axis("delay", values, TIME)).axes
    assert part.get_xlabel() == label
    assert [each.get_text() for each in part.get_xticklabels()] == ticks


def test_points_of_named_deployments_are_not_connected() -> None:
    named = ["near", "far"]
    results = [
        PlayedCell({"policy": policy, "deployment": where}, [1.0, 2.0])
        for policy in ("a", "b")
        for where in named
    ]
    figure = draw(results, PlotConfig(x="deployment", y="return"), Axis("deployment", named, None))
    first, second = (each.lines[0] for each in figure.axes[0].containers)
    assert {first.get_linestyle(), second.get_linestyle()} == {"None"}
    assert not set(first.get_xdata()) & set(second.get_xdata())
    assert texts(figure)[0] == "Policy (bars: 95 % intervals of the mean)"


def test_seeds_are_combined_into_one_point_of_two_measures() -> None:
    plot = PlotConfig(x="round_trip_time_ms", y="throughput_mbps", panels="deployment")
    results = [
        PlayedCell({"policy": f"PPO, seed {seed}", "deployment": where}, [seed, seed + 1.0])
        for seed in (1, 2, 3)
        for where in ("near", "far")
    ]
    figure = draw(results, plot, Axis("deployment", ["near", "far"], None))
    assert [each.get_title() for each in figure.axes] == ["near", "far"]
    for part in figure.axes:
        ((point, *_),) = part.containers
        assert list(point.get_xdata()) == [2.5]
    assert texts(figure)[1:] == ["PPO (3 seeds)"]


@pytest.mark.parametrize("count", [1, 7, 8, 40, 100])
def test_no_two_lines_have_the_same_colour(count: int) -> None:
    assert len(set(line_colors(count))) == count
    part, _ = draw_stations({f"policy {number}": [[1.0]] * 3 for number in range(count)})
    assert len({each.get_color() for each in part.lines}) == count


def test_only_names_that_differ_in_their_seed_belong_to_one_policy() -> None:
    assert group_seeds(["A, seed 1", "B", "A, seed 2", "C, seed 7", "D, seedling 1"]) == {
        "A": ["A, seed 1", "A, seed 2"],
        "B": ["B"],
        "C, seed 7": ["C, seed 7"],
        "D, seedling 1": ["D, seedling 1"],
    }
    apart = ["A", "A, seed 1", "A, seed 2"]
    assert group_seeds(apart) == {name: [name] for name in apart}


def test_the_interval_is_over_the_means_of_seeds() -> None:
    results = cells({"A, seed 1": [[1.0, 3.0]], "A, seed 2": [[5.0, 7.0]]})
    axes = {"policy": Axis("policy", ["A, seed 1", "A, seed 2"], None)}
    merged_axes, merged = merge_seeds(axes, results)
    assert merged_axes["policy"].values == ["A"]
    (only,) = merged
    assert only.place == {"policy": "A", "stations": 5}
    assert only.estimate("return") == Estimate.of([2.0, 6.0])


def test_the_table_of_a_plot_has_a_row_for_each_seed(tmp_path: Path) -> None:
    described = {name: {"baseline": "random"} for name in SEEDS}
    study = StudyConfig.model_validate(
        {"env": "x", "policies": described, "plots": [{"x": "stations", "y": "throughput_mbps"}]}
    )
    axes = {
        "policy": Axis("policy", list(SEEDS), None),
        "stations": Axis("stations", STATIONS, None),
    }
    (drawn,) = plots.draw_plots(study, axes, cells(SEEDS), tmp_path, ignore)
    assert isinstance(drawn.svg, bytes)
    table = (tmp_path / "01-throughput_mbps-stations.md").read_text()
    assert [line.split(" | ")[0] for line in table.splitlines()[2:]] == [f"| {n}" for n in SEEDS]
    assert (tmp_path / "01-throughput_mbps-stations.png").exists()


def test_a_stored_study_is_drawn_again_from_its_table(tmp_path: Path) -> None:
    name = "wifi_contention_v0_stations"
    committed = tmp_path / name
    shutil.copytree(ROOT / "docs" / "studies" / name, committed)
    before = {each.name: each.read_bytes() for each in committed.iterdir()}
    for each in committed.glob("*.png"):
        each.unlink()
    redraw(STUDIES[name], committed)
    after = {each.name: each.read_bytes() for each in committed.iterdir()}
    assert after.keys() == before.keys()
    assert {each for each in after if after[each] != before[each]} <= {
        each
        for each in after
        if each.endswith(".png")  # of another release of matplotlib
    }
