# SPDX-License-Identifier: GPL-2.0-only
"""Tables of the results, so that nobody types a figure.

    python -m benchmarks.tables [--results FOLDER] [PAGE]

Without a page they are printed. In a page of the docs, each stands between `<!-- table: NAME -->`
and `<!-- end of table -->`, and is written anew; one whose benchmark has no results stays as it is.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import RESULTS, load
from benchmarks.timing import Figures, Results

HEADINGS = {
    "action_max_us": "longest, µs",
    "action_us": "action, µs",
    "10Mbps_s": "s at 10 Mb/s",
    "10kbps_s": "s at 10 kb/s",
    "250kbps_s": "s at 250 kb/s",
    "50kbps_s": "s at 50 kb/s",
    "agent_steps_per_s": "agent-steps a second",
    "branch_ms": "`branch()`, ms",
    "bytes": "bytes",
    "ci95": "±",
    "cores_busy": "cores busy",
    "count": "how many",
    "crash_noticed_max_ms": "longest, ms",
    "decision_ms": "a decision, ms",
    "defiance_zoo_share": "this package",
    "descriptors": "descriptors",
    "first_decision_ms": "first decision, ms",
    "flat": "flat",
    "floor_agent_steps_per_s": "floor",
    "floor_built_in_policy_ms": "floor: without Python, ms",
    "floor_built_in_policy_us": "floor: without Python, µs",
    "floor_exec_ms": "floor: bare process, ms",
    "floor_fork_ms": "floor: bare fork, ms",
    "floor_steps_per_s": "bare round trips, one at a time",
    "floor_us": "floor, µs",
    "gymnasium_share": "Gymnasium",
    "highest": "highest",
    "load_ms": "loading ns-3, ms",
    "lowest": "lowest",
    "made_share": "moves made",
    "mean_return": "return",
    "median_ms": "median, ms",
    "median_us": "median, µs",
    "observation_max_us": "longest, µs",
    "observation_us": "observation, µs",
    "other_share": "Python's own",
    "p99_ms": "99th percentile, ms",
    "p99_us": "99th percentile, µs",
    "ns3_share": "ns-3, of all cores' time",
    "per_s": "a second",
    "pettingzoo_share": "PettingZoo",
    "processes": "processes",
    "product_and_step_ms": "product and step, ms",
    "product_ms": "product, ms",
    "pss_later_mb": "PSS later, MB",
    "pss_mb": "PSS, MB",
    "python_cpu_us": "CPU of Python, µs",
    "python_rss_mb": "Python, MB",
    "ratio_with_python": "ratio: with Python to without",
    "restore_ms": "`restore()`, ms",
    "restore_p99_ms": "99th percentile, ms",
    "return": "return",
    "rounds": "rounds",
    "round_us": "a round, µs",
    "seed_1": "seed 1",
    "seed_2": "seed 2",
    "seed_3": "seed 3",
    "server_rss_mb": "fork server, MB",
    "simulated_s_per_s": "simulated seconds a second",
    "simulation_cpu_us": "CPU of the simulation, µs",
    "slowdown": "slowdown",
    "slowest_to_fastest": "slowest to fastest",
    "snapshot_ms": "`snapshot()`, ms",
    "snapshot_p99_ms": "99th percentile, ms",
    "speed_up": "speed-up",
    "step_share": "of a step",
    "step_us": "µs",
    "steps_per_s": "steps a second",
    "threads": "threads",
    "to_floor": "times the floor",
    "uss_later_mb": "USS later, MB",
    "uss_mb": "USS, MB",
    "waiting_share": "waiting",
    "wall_time_s": "wall time, s",
    "wall_us": "wall time, µs",
}


@dataclass(frozen=True)
class Table:
    """Some results as rows and columns.

    Attributes:
        benchmark: Whose results.
        cases: Pattern of the cases that make a row; its group is the name of the row.
        columns: Figures; or, with `figure`, what stands before or after the group in the case.
        figure: The only one; then columns are cases.
    """

    benchmark: str
    cases: str
    columns: tuple[str, ...]
    figure: str = ""

    def rows(self, results: Results) -> dict[str, Figures]:
        """Return the figures by row and column."""
        rows: dict[str, Figures] = {}
        for case, figures in results.items():
            match = re.fullmatch(self.cases, case)
            if match is None:
                continue
            row = rows.setdefault(match["row"], {})
            if self.figure:
                row[match["column"]] = figures[self.figure]
            else:
                row.update(figures)
        return rows

    def markdown(self, results: Results) -> str:
        """Return the table."""
        headings = [HEADINGS.get(column, column) for column in self.columns]
        lines = [["", *headings], ["---"] * (1 + len(headings))]
        for name, figures in self.rows(results).items():
            lines.append([name, *(written(figures.get(each), each) for each in self.columns)])
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def written(value: float | None, column: str) -> str:
    """Return a figure as it is read: three digits, or all before the point."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if column.endswith("_share"):
        return f"{value:.0%}".replace("%", " %")
    if float(value).is_integer() or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


ALL = "(?P<row>.*)"
TIMES = ("median_us", "p99_us", "per_s", "floor_us", "to_floor")
RATIOS = ("ratio_with_python", "simulated_s_per_s")
TABLES = {
    "access": Table(
        "access",
        ALL,
        (
            "observation_us",
            "observation_max_us",
            "action_us",
            "action_max_us",
            "first_decision_ms",
            "return",
        ),
    ),
    "moving": Table(
        "moving",
        "(?P<row>.*), (?P<column>[0-9]+ ms)",
        ("0 ms", "5 ms", "10 ms", "15 ms", "20 ms", "30 ms"),
        figure="return",
    ),
    "moves": Table("moving", "(?P<row>.*bps)", ("return", "lowest", "highest", "made_share")),
    "exchange": Table("exchange", f"4 floats, {ALL}", TIMES),
    "observations": Table(
        "exchange",
        "(?P<column>[0-9,]+ floats|Dict|Tuple|Within a call), (?P<row>.*)",
        ("4 floats", "1,000 floats", "Dict", "Tuple", "Within a call"),
        figure="median_us",
    ),
    "layers": Table(
        "layers",
        ALL,
        (
            "median_us",
            "p99_us",
            "pettingzoo_share",
            "gymnasium_share",
            "defiance_zoo_share",
            "other_share",
            "waiting_share",
        ),
    ),
    "cpu": Table(
        "cpu_time",
        f"steps, {ALL}",
        ("python_cpu_us", "simulation_cpu_us", "wall_us", "cores_busy"),
    ),
    "thinking": Table("cpu_time", f"5 ms of thinking, {ALL}", ("simulation_cpu_us",)),
    "product": Table(
        "cpu_time",
        f"two-thread matrix product, {ALL}",
        ("product_ms", "product_and_step_ms", "slowdown"),
    ),
    "profile": Table("profile", ALL, ("step_share", "step_us")),
    "agents": Table("agents", ALL, ("agent_steps_per_s", "floor_agent_steps_per_s", "round_us")),
    "resets": Table(
        "resets", ALL, ("median_ms", "p99_ms", "floor_fork_ms", "floor_exec_ms", "load_ms")
    ),
    "snapshots": Table(
        "snapshots",
        ALL,
        (
            "snapshot_ms",
            "snapshot_p99_ms",
            "restore_ms",
            "restore_p99_ms",
            "branch_ms",
            "floor_fork_ms",
        ),
    ),
    "memory": Table("snapshots", ALL, ("uss_mb", "pss_mb", "uss_later_mb", "pss_later_mb")),
    "vectors": Table("vectors", "(?P<row>(?!`send).*)", ("steps_per_s", "floor_steps_per_s")),
    "ready": Table(
        "vectors",
        "(?P<row>`send.*)",
        ("steps_per_s", "floor_steps_per_s", "slowest_to_fastest"),
    ),
    "environments": Table(
        "environments",
        "(?P<row>(?!.*killed).*)",
        ("median_us", "p99_us", "per_s", "floor_built_in_policy_us", *RATIOS),
    ),
    "crashes": Table(
        "environments",
        "(?P<row>.*), killed, (?P<column>.*)",
        ("zmq", "local"),
        figure="crash_noticed_max_ms",
    ),
    "traffic": Table(
        "traffic", "(?P<row>(?!two).*)", ("decision_ms", "floor_built_in_policy_ms", *RATIOS)
    ),
    "two": Table("traffic", "(?P<row>two .*)", ("speed_up",)),
    "training": Table("training", ALL, ("steps_per_s", "ns3_share")),
    "baselines": Table(
        "baselines",
        ALL,
        ("mean_return", "ci95", "seed_1", "seed_2", "seed_3", "wall_time_s"),
    ),
    "federation": Table("federation", "(?P<row>never|every.*)", ("mean_return", "ci95", "rounds")),
    "updates": Table(
        "federation",
        "update, (?P<row>.*)",
        ("bytes", "10kbps_s", "50kbps_s", "250kbps_s", "10Mbps_s"),
    ),
    "soak": Table(
        "soak",
        ALL,
        (
            "count",
            "python_rss_mb",
            "server_rss_mb",
            "descriptors",
            "threads",
            "processes",
            "flat",
        ),
    ),
}


def table(name: str, results: Path) -> str | None:
    """Return a table, or None if its benchmark has no results."""
    spec = TABLES[name]
    if not (results / f"{spec.benchmark}.json").exists():
        return None
    return spec.markdown(load(spec.benchmark, results)["results"])


def fill(page: str, results: Path) -> str:
    """Return a page with its tables written anew."""

    def rewrite(match: re.Match[str]) -> str:
        text = table(match["name"], results)
        return match[0] if text is None else f"{match['begin']}\n{text}\n{match['end']}"

    return re.sub(
        r"(?P<begin><!-- table: (?P<name>\w+) -->)\n.*?(?P<end><!-- end of table -->)",
        rewrite,
        page,
        flags=re.DOTALL,
    )


def main() -> None:
    """Print the tables, or write them into a page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("page", type=Path, nargs="?")
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    if arguments.page is not None:
        arguments.page.write_text(fill(arguments.page.read_text(), arguments.results))
        return
    for name in TABLES:
        print(f"{name}\n\n{table(name, arguments.results) or 'not measured'}\n")


if __name__ == "__main__":
    main()
