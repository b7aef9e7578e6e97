# SPDX-License-Identifier: GPL-2.0-only
"""Tables of the results for the docs.

    python -m benchmarks.publishing.tables [--results FOLDER] [PAGE ...]

Without a page, tables are printed. With pages, each table between `<!-- table: NAME -->` and `<!--
end of table -->` is rewritten; tables of benchmarks without results are unchanged. Long tables are
in docs/reference/measurements.md, and excerpts in docs/explanation/performance.md.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measuring.result_files import RESULTS, load
from benchmarks.measuring.timing import Figures, Results
from benchmarks.networks.real_paths import SENDERS
from benchmarks.publishing.headings import HEADINGS
from benchmarks.speed import instructions
from defiance_zoo.envs.wifi_contention.bianchi import WINDOWS
from defiance_zoo.experiments.study.leaderboard.document import markdown
from defiance_zoo.experiments.workbench.table_files import markdown_table


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes:
        benchmark: Name of the benchmark.
        cases: Pattern of a row's cases; its group is the row's name.
        columns: Figures or, with `figure`, the texts before or after the group in cases.
        figure: The only figure; columns are then cases.
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
                for end in ("low", "high"):
                    if f"{self.figure}_{end}" in figures:
                        row[f"{match['column']}_{end}"] = figures[f"{self.figure}_{end}"]
            else:
                row.update(figures)
        return rows

    def markdown(self, results: Results) -> str:
        """Return the table."""
        headings = [HEADINGS.get(column, column) for column in self.columns]
        rows = []
        for name, figures in self.rows(results).items():
            rows.append([name, *(self._cell(figures, column) for column in self.columns)])
        return markdown_table(["", *headings], rows)

    def _cell(self, figures: Figures, column: str) -> str:
        """Return a figure as text, with its confidence interval, if any."""
        figure = self.figure or column
        value = written(figures.get(column), figure)
        low, high = (figures.get(f"{column}_{end}") for end in ("low", "high"))
        if low is None or high is None:
            return value
        return f"{value} ({written(low, figure)} to {written(high, figure)})"


def written(value: float | None, figure: str) -> str:
    """Return a figure as text: three digits, all digits before the point, or one if nearly 0."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if figure.endswith("_share"):
        return f"{value:.0%}".replace("%", " %")
    if float(value).is_integer() or abs(value) >= 100:
        return f"{value:,.0f}"
    if 0 < abs(value) < 0.005:
        return f"{value:.1g}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


ALL = "(?P<row>.*)"
TIMES = ("median_us", "p99_us", "per_s", "floor_us", "to_floor")
RATIOS = ("ratio_with_python", "simulated_s_per_s")
COSTS = ("ratio_with_python", "ratio_of_cpu", "python_share", "simulated_s_per_s")
SIMULATIONS = ("1 simulation", "2 simulations", "4 simulations", "8 simulations")
NUMBER = "(?P<column>[0-9]+ (simulation|agent)s?)"
MANY = ("8 simulations", "32 simulations", "128 simulations", "256 simulations")
DRIVEN = "(?P<row>.* ms), (?P<column>[0-9]+ simulations)"
EXCERPTS = {
    "decision": Table(
        "environments",
        f"{ALL}, local, one core",
        ("median_us", "floor_built_in_policy_us", "ratio_with_python"),
    ),
    "links": Table(
        "exchange",
        "4 floats, (?P<row>zmq|local|spin), (?P<column>.*)",
        ("unpinned", "one core", "a core each"),
        figure="median_us",
    ),
    "together": Table(
        "agents",
        f"(?P<row>sequential, .*|simultaneous, .*), {NUMBER}, local, one core",
        ("1 agent", "10 agents", "100 agents"),
        figure="agent_steps_per_s",
    ),
    "simulations": Table(
        "vectors",
        f"(?P<row>`vector_env.*|Gymnasium.*), {NUMBER}, local",
        SIMULATIONS,
        figure="steps_per_s",
    ),
    "reset": Table(
        "resets",
        "(?P<row>.*), (?P<column>first|spawned|forked), local",
        ("first", "spawned", "forked"),
        figure="median_ms",
    ),
    "trainers": Table(
        "training",
        f"even costs, {ALL}, {NUMBER}",
        SIMULATIONS,
        figure="steps_per_s",
    ),
    "shares": Table(
        "training",
        f"even costs, {ALL}, {NUMBER}",
        SIMULATIONS,
        figure="ns3_share",
    ),
    "zoo_vectors": Table(
        "zoo_vectors", ALL, ("vector_us", "sync_us", "sync_to_vector", "async_us", "simulation_us")
    ),
    "subsets": Table("subsets", ALL, ("all_cpu_us", "half_cpu_us", "half_to_all")),
    "driven": Table("drivers", DRIVEN, MANY, figure="of_ideal_share"),
    "bottleneck": Table("traffic", "(?P<row>(?!two).*), one core", ("decision_ms", *COSTS)),
}
"""Tables of docs/explanation/performance.md."""

TABLES = {
    **EXCERPTS,
    "plants": Table("plants", ALL, ("cpu_us", "to_plain")),
    "real_paths": Table(
        "real_paths",
        ALL,
        (
            "measured_mbps",
            "simulated_mbps",
            "mbps_gap",
            "measured_rtt_ms",
            "simulated_rtt_ms",
            "rtt_gap",
            "measured_lost",
            "simulated_lost",
        ),
    ),
    "real_paths_delays": Table(
        "real_paths",
        rf"(?P<row>.*, ({'|'.join(SENDERS)}))",
        (
            "lag_ms",
            "late_ms",
            "added_ms",
            *(f"jitter_{ms}_{what}" for ms in (8, 16) for what in ("mbps", "rtt_ms")),
        ),
    ),
    "hosts_lag": Table(
        "linux_tcp",
        r"(?P<row>.*, four hosts)",
        ("both_mbps", "lag_median_ms", "lag_p99_ms", "lag_max_ms"),
    ),
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
    "scripting": Table(
        "scripting",
        "(?P<row>.*), Python",
        ("first_ms", "median_ms", "reset_ratio", "per_s", "speed_ratio"),
    ),
    "recording": Table(
        "recording",
        "(?P<row>.*)",
        ("plain_us", "noted_us", "noted_share", "recorded_us", "recorded_share"),
    ),
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
    "profile": Table("profile", "(?P<row>(simulation|Python), .*)", ("step_share", "step_us")),
    "interpreter": Table(
        "profile", "(?P<row>.*_v[0-9]+)", ("first_ms", "step_us", "interpreter_share")
    ),
    "instructions": Table("instructions", ALL, instructions.ROWS),
    "allocators": Table(
        "allocators",
        f"(?!.*simulations of ){ALL}",
        ("system_cpu_s", "jemalloc_ratio", "glibc_ratio"),
    ),
    "allocated": Table(
        "allocators",
        "(?P<row>.*simulations of .*)",
        ("system_mb", "jemalloc_mb", "memory_ratio"),
    ),
    "agents": Table("agents", ALL, ("agent_steps_per_s", "floor_agent_steps_per_s", "round_us")),
    "growing_agents": Table("growth", "(?P<row>.*(AEC|parallel))", ("python_us", "simulation_us")),
    "growing_bytes": Table("growth", "(?P<row>.* MB)", ("python_ns", "simulation_ns", "floor_ns")),
    "growing_nodes": Table(
        "growth", "(?P<row>.* nodes, .*)", ("cpu_s", "floor_nodes_s", "node_us")
    ),
    "resets": Table(
        "resets", ALL, ("median_ms", "p99_ms", "floor_fork_ms", "floor_exec_ms", "load_ms")
    ),
    "built": Table(
        "resets",
        "(?P<row>.*), forked, local",
        ("median_ms", "floor_fork_ms", "build_ms", "to_floor"),
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
    "drivers": Table("drivers", DRIVEN, MANY, figure="steps_per_s"),
    "driving": Table("drivers", DRIVEN, MANY, figure="python_cpu_us"),
    "runners": Table("runners", ALL, ("steps_per_s", "ideal_per_s", "of_ideal_share")),
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
        "traffic",
        "(?P<row>(?!two).*)",
        ("decision_ms", "floor_built_in_policy_ms", *COSTS),
    ),
    "two": Table(
        "traffic", "two on two cores, against one: (?P<row>.*)", ("speed_up", "floor_speed_up")
    ),
    "training": Table("training", ALL, ("steps_per_s", "ns3_share")),
    **{
        name: Table(
            "wifi_gate",
            "(?P<row>[0-9]+ stations), (?P<column>.*)",
            ("standard", *(f"window {slots}" for slots in WINDOWS)),
            figure=figure,
        )
        for name, figure in (
            ("contention", "mbps"),
            ("contention_model", "model_mbps"),
            ("contention_deviation", "deviation_percent"),
        )
    },
    "contention_slots": Table(
        "wifi_slots",
        "(?P<row>[0-9]+ stations.*), (?P<column>window .*)",
        ("window 16", "window 32", "window 64", "window 128"),
        figure="mbps",
    ),
    **{
        f"rate_{scenario}": Table(
            "rate_control", f"{scenario}, (?P<row>.*)", ("mbps", "regret_mbps")
        )
        for scenario in ("still", "fading", "moving", "interfering")
    },
    "rate_speed": Table(
        "rate_control",
        "(?P<row>a policy file)",
        ("through_python_per_s", "inside_per_s", "alone_per_s", "episode_speed_up"),
    ),
    **{
        name: Table(
            "routing",
            "(?P<row>[0-9]+), (?P<column>.*)",
            ("shortest paths", "Q-routing"),
            figure=figure,
        )
        for name, figure in (
            ("routing_load", "delay_ms"),
            ("routing_delivered", "delivered_percent"),
            ("routing_loss", "lost_percent"),
        )
    },
    "routing_geant": Table(
        "routing", "GEANT, (?P<row>.*)", ("delay_ms", "delivered_percent", "lost_percent", "hops")
    ),
    "routing_beside": Table(
        "routing",
        "GEANT, (?P<row>(?!.*shortest paths).*)",
        ("more_delay_percent", "more_delivered_percent", "more_lost_percent"),
    ),
    **{
        f"linux_{mbps}": Table(
            "linux_tcp",
            f"{mbps} Mb/s, [0-9]+ ms, (?P<row>.*, (Linux|ns-3))",
            ("mbps", "rtt_ms", "retransmissions", "late_retransmissions", "jain"),
        )
        for mbps in (3, 10, 50)
    },
    "policies_inside": Table(
        "rollouts", "(?P<row>100 routers, .*)", ("per_s", "speed_up", "program_share")
    ),
    "rollouts": Table("rollouts", "rollouts, (?P<row>.*)", ("per_s", "speed_up")),
    "partition": Table(
        "partition",
        ALL,
        (
            "steps",
            "violations",
            "masks",
            "wrong_masks",
            "faultless_episodes",
            "committed",
            "pairs",
            "different",
            "minutes_of_10000_episodes",
        ),
    ),
    "partition_healed": Table(
        "partition",
        ALL,
        ("healed_steps", "healed_episodes", "healed_violations", "healed_warnings"),
    ),
    "partition_speed": Table(
        "partition",
        ALL,
        ("per_s", "hashes_per_s", "with_resets_per_s", "keep_per_s", "floor_keep_per_s"),
    ),
    "exploration": Table(
        "exploration",
        ALL,
        ("cells", "steps", "found", "mean", "std", "low", "high", "ratio", "p", "effect"),
    ),
    **{
        name: Table(name, ALL, ("cells", "found", "median_episode", "shortest", "steps_played"))
        for name in ("bugs", "rare_bugs", "healed_bugs", "learners")
    },
    "deep_bugs": Table(
        "deep_bugs",
        "(?P<row>.*)",
        ("cells", "found", "median_step", "median_cpu_s", "steps_played", "cpu_s_played"),
    ),
    "equilibria": Table(
        "populations",
        "(?P<row>(?!.*repeated).*, seed [0-9]+)",
        ("generations", "nash_conv", "mixture_apart", "value", "known_value"),
    ),
    "repeated": Table(
        "populations",
        "(?P<row>.*repeated, seed [0-9]+)",
        ("generations", "response_gain", "value", "known_value"),
    ),
    "generations": Table(
        "populations",
        "(?P<row>.*), a generation",
        ("generation_s", "train_share", "play_share", "solve_share", "cells", "memory_mb"),
    ),
    "growth": Table(
        "populations", "memory, (?P<row>.*)", ("after_5", "after_10", "after_15", "after_20")
    ),
    "circle": Table(
        "populations", "(?P<row>setting [0-9])", ("against_0", "against_1", "against_2")
    ),
    "flows": Table(
        "population_flows",
        "(?P<row>(?!.*beside).*)",
        ("payoff", "gain", "jain", "used_share", "round_trip_ms"),
    ),
    "beside": Table(
        "population_flows",
        "(?P<row>.*beside.*)",
        ("payoff", "jain", "used_share", "round_trip_ms"),
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


BASELINES = Table(
    "baselines", ALL, ("mean_return", "ci95", "seed_1", "seed_2", "seed_3", "wall_time_s")
)
STUDIES = Path(__file__).parents[2] / "docs" / "studies"
"""The results of `make study`, with a table beside each plot:
`<!-- table: 01-return-delay of my_study -->`."""

PER_ENVIRONMENT: dict[str, Callable[[dict[str, Any]], str]] = {
    "baselines": lambda document: BASELINES.markdown(document["results"]),
    "leaderboard": markdown,
}
"""Tables for each environment: `<!-- table: baselines of cart_pole_v0 -->`."""


def table(name: str, results: Path) -> str | None:
    """Return a table, or None if its benchmark has no results."""
    kind, _, env = name.partition(" of ")
    if env and kind not in PER_ENVIRONMENT:
        published = STUDIES / env / f"{kind}.md"
        return published.read_text().rstrip("\n") if published.exists() else None
    if env:
        there = (results / kind / f"{env}.json").exists()
        return PER_ENVIRONMENT[kind](load(env, results / kind)) if there else None
    spec = TABLES[name]
    if not (results / f"{spec.benchmark}.json").exists():
        return None
    return spec.markdown(load(spec.benchmark, results)["results"])


_PLACE = (
    r"(?P<begin><!-- table: (?P<name>[\w-]+(?: of \w+)?) -->)\n.*?(?P<end><!-- end of table -->)"
)


def fill(page: str, results: Path) -> str:
    """Return a page with rewritten tables."""

    def rewrite(match: re.Match[str]) -> str:
        text = table(match["name"], results)
        return match[0] if text is None else f"{match['begin']}\n{text}\n{match['end']}"

    return re.sub(_PLACE, rewrite, page, flags=re.DOTALL)


def main() -> None:
    """Print the tables, or write them into a page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", type=Path, nargs="*", metavar="PAGE")
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    for page in arguments.pages:
        page.write_text(fill(page.read_text(), arguments.results))
    if arguments.pages:
        return
    for name in TABLES:
        print(f"{name}\n\n{table(name, arguments.results) or 'not measured'}\n")


if __name__ == "__main__":
    main()
