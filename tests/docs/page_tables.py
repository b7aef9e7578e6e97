# SPDX-License-Identifier: GPL-2.0-only
"""The tests' changes to the commands of pages: smaller numbers, and the files of a reader.

`test_commands_run.py` refuses an entry whose text no page shows any more.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from conftest import PROGRAMS, ROOT

from defiance_zoo.bridge.system.extras import onnxruntime_library

NOT_RUN = {
    "make ": "CI runs the targets, or a machine runs them for hours; they build in the checkout",
    "pip install ": "installs unpublished packages, or those of .venv; tools/check_wheel.py does",
    "python3 -m venv": "would need the wheel installed: tools/check_wheel.py does both",
    ". ~/zoo/bin/activate": "activates that environment",
    "cd ~/zoo": "its folder",
    "docker ": "tests have no Docker: tests/test_dockerfile.py compares the file with the tree",
    "defiance-zoo train video_streaming_v0 --traces": "needs a published set of traces; "
    "tests/command_line/test_environments.py uses small files",
    "defiance-zoo eval runs/mine --traces": "likewise",
    "defiance-zoo eval --leaderboard runs/mine --traces": "likewise; see test_leaderboard.py",
    "cmake --build build/native": "builds this checkout: `make test` does",
    "ctest ": "runs all suites of this checkout: `make test` does",
    "cmake --build build -j$(nproc)": "compiles for minutes; own_project.py builds the same in "
    "tests/envs/partition/test_partition_own_protocol.py",
    "ln -s /path/to/defiance-zoo/cpp": "in a tree of ns-3: tests/test_contrib.py creates one",
    "./ns3 ": "in a tree of ns-3, by hand: see docs/explanation/dependencies.md",
    "./test.py ": "in a tree of ns-3, by hand: see docs/explanation/dependencies.md",
}
"""Beginnings of commands that no test runs, and why."""


class Smaller(NamedTuple):
    """A replacement in the commands or the files that a page shows.

    Attributes:
        old: The text of the page.
        new: The text that the test runs.
        why: The reason, in one phrase.
    """

    old: str
    new: str
    why: str


LEARNS = "learns for minutes"
PLAYS = "plays for minutes"
THERE = "the path in this checkout"
GDB = "gdb is not a dependency: the test runs its program"
ONE_ITERATION = "--steps 64 --hyper n_steps=32 --hyper batch_size=32 --evaluation-episodes 1"
SHORT_EPISODE = "-p duration=100ms --episodes 1"
SMALL_RUN = f"defiance-zoo train cart_pole_v0 {ONE_ITERATION} --simulations 2 --quiet"
SMALL_GAME = (
    f"defiance-zoo train jamming_v0 -p opponent=agent -p duration=8ms {ONE_ITERATION} --quiet"
)
ONNXRUNTIME = onnxruntime_library()

REPLACED: Mapping[str, tuple[Smaller, ...]] = {
    "CONTRIBUTING.md": (Smaller("defiance-<name>", "defiance-agent-application", "one of them"),),
    "docs/tutorials/demo.md": (
        Smaller("200000", "256 --n-envs 2 --evaluation-episodes 2", LEARNS),
    ),
    "docs/networks/networked.md": (
        Smaller("20000 --evaluation-episodes 5", "256 --evaluation-episodes 1", LEARNS),
        Smaller("episodes: 3", "episodes: 1", PLAYS),
    ),
    "docs/protocols/exploration.md": (
        Smaller("seeds: 10", "seeds: 1", PLAYS),
        Smaller("steps: 200000", "steps: 200", PLAYS),
    ),
    "docs/training/export.md": (
        Smaller("--out runs/balance", f"{ONE_ITERATION} --out runs/balance", LEARNS),
        Smaller(".../libonnxruntime.so.1.31.1", str(ONNXRUNTIME), THERE),
        Smaller(".../cart_pole", f"{ROOT}/defiance_zoo/_native/bin/cart_pole", THERE),
    ),
    "docs/training/imitation.md": (
        Smaller("delay: 20ms", "delay: 20ms, duration: 300ms", PLAYS),
        Smaller("{horizon: 15}, labels: 1000", "{horizon: 4}, workers: 0, labels: 15", PLAYS),
        Smaller("{n_steps: 256}", "{n_steps: 32, batch_size: 32}", LEARNS),
        Smaller("simulations: 8", "simulations: 2", LEARNS),
        Smaller("steps: 5e4", "steps: 64", LEARNS),
        Smaller("{every: 5000}", "{every: 64, episodes: 1}", PLAYS),
        Smaller(
            "--teacher lookahead --steps 0",
            "--teacher random -p duration=300ms --evaluation-episodes 1 --steps 0",
            PLAYS,
        ),
    ),
    "docs/training/residual.md": (
        Smaller("delay: 20ms", "delay: 20ms, duration: 300ms", PLAYS),
        Smaller("{n_steps: 256}", "{n_steps: 32, batch_size: 32}", LEARNS),
        Smaller("simulations: 8", "simulations: 2", LEARNS),
        Smaller("steps: 1e5", "steps: 64", LEARNS),
        Smaller("{every: 10000}", "{every: 64, episodes: 2}", PLAYS),
    ),
    "docs/tutorials/python-scenarios.md": (
        Smaller("--steps 5000", "--steps 256 --evaluation-episodes 2", LEARNS),
        Smaller("-p duration=2s --episodes 1", "-p duration=100ms --episodes 1", PLAYS),
    ),
    "docs/tutorials/first-environment.md": (
        Smaller("--simulations 8 --steps 1e5", f"--simulations 2 {ONE_ITERATION}", LEARNS),
    ),
    "docs/reference/leaderboard.md": (
        Smaller("--leaderboard", "--leaderboard --episodes 1", PLAYS),
    ),
    "docs/tutorials/new-scenario.md": (Smaller("gdb --args ", "", GDB),),
    "docs/protocols/own-protocol.md": (
        Smaller("seeds: 3", "seeds: 1", PLAYS),
        Smaller("steps: 2000", "steps: 200", PLAYS),
    ),
    "docs/training/populations.md": (
        Smaller("library: rllib", "library: sb3", "starts faster; tests/population/ has both"),
        Smaller("{lr: 5.0e-3, gamma: 0.0}", "{n_steps: 16, batch_size: 16}", LEARNS),
        Smaller("duration: 200ms", "duration: 8ms", PLAYS),
        Smaller("steps: 8000", "steps: 16", LEARNS),
        Smaller("generations: 8", "generations: 1", LEARNS),
        Smaller("episodes: 4", "episodes: 1", PLAYS),
        Smaller("--generations 12", "--generations 2", LEARNS),
        Smaller("population train", "population train --workers 0", "starts no processes"),
        Smaller("population resume", "population resume --workers 0", "starts no processes"),
        Smaller("population compare", "population compare --workers 0 --episodes 1", PLAYS),
    ),
    "docs/networks/scenarios.md": (
        Smaller("gdb --args ", "", GDB),
        Smaller("my-scenario.cc", "callables.cc", "a scenario of the tests"),
        Smaller("MyAgentApp", "AgentApplication", "an existing component"),
        Smaller("MODULES point-to-point", "MODULES point-to-point applications", "its modules"),
    ),
    "docs/training/studies.md": (
        Smaller("duration: 10s", "duration: 200ms", PLAYS),
        Smaller("[local, remote, central]", "[local, remote]", PLAYS),
        Smaller("carts: [1, 8]", "carts: [1]", PLAYS),
        Smaller("episodes: 10", "episodes: 1", PLAYS),
    ),
    "docs/training/training.md": (
        Smaller("n_steps: 256", "n_steps: 32, batch_size: 32", LEARNS),
        Smaller("simulations: 8", "simulations: 2", LEARNS),
        Smaller("steps: 1e5", "steps: 64", LEARNS),
        Smaller("{every: 20000}", "{every: 64, episodes: 1}", PLAYS),
        Smaller("n_steps=128", "n_steps=32", LEARNS),
        Smaller("--until 300000", "--until 1088", LEARNS),
        Smaller("--episodes 100", "--episodes 2", PLAYS),
        Smaller("horizon=15 --episodes 3", "horizon=3 --episodes 1", PLAYS),
    ),
    "docs/training/features.md": (
        Smaller("n_steps: 256", "n_steps: 32, batch_size: 32", LEARNS),
        Smaller("simulations: 8", "simulations: 2", LEARNS),
        Smaller("steps: 1e5", "steps: 64", LEARNS),
        Smaller("--out runs/trend", f"{ONE_ITERATION} --out runs/trend", LEARNS),
    ),
    "docs/training/tuning.md": (
        Smaller("n_steps: 256", "n_steps: 32, batch_size: 32", LEARNS),
        Smaller("simulations: 8", "simulations: 2", LEARNS),
        Smaller("steps: 1e5", "steps: 64", LEARNS),
        Smaller("{every: 1e4, episodes: 20}", "{every: 64, episodes: 1}", PLAYS),
        Smaller("--trials 30", "--trials 2", LEARNS),
    ),
    "docs/tutorials/beat-the-board.md": (
        Smaller("duration: 10s", "duration: 1s", PLAYS),
        Smaller("n_steps: 128", "n_steps: 16", LEARNS),
        Smaller("batch_size: 256", "batch_size: 32", LEARNS),
        Smaller("simulations: 8", "simulations: 2", LEARNS),
        Smaller("steps: 20_000", "steps: 32", LEARNS),
        Smaller("{every: 5_000, episodes: 10}", "{every: 32, episodes: 1}", PLAYS),
        Smaller("700000 --episodes 3", "700000 -p duration=1s --episodes 1", PLAYS),
        Smaller("--out mine.json", "--out mine.json --episodes 1", PLAYS),
    ),
    "docs/tutorials/tutorial-wifi.md": (
        Smaller("stations=30 -p duration=1s", "stations=3 -p duration=100ms", PLAYS),
        Smaller("{choice: [5, 10, 20, 40]}", "{choice: [2, 3]}", LEARNS),
        Smaller("[5, 15, 30, 50]", "[2, 3]", PLAYS),
        Smaller("duration: 2s", "duration: 100ms", PLAYS),
        Smaller("simulations: 8", "simulations: 2", LEARNS),
        Smaller("steps: 10_000", "steps: 32", LEARNS),
        Smaller("learning_starts: 400", "learning_starts: 16", LEARNS),
        Smaller("batch_size: 256", "batch_size: 16", LEARNS),
        Smaller("episodes: 2", "episodes: 1", PLAYS),
    ),
    "docs/networks/real-programs.md": (
        Smaller("--episodes 1", "--episodes 1 -p duration=500ms -p max_lag=5s", PLAYS),
    ),
    "docs/protocols/real-servers.md": (
        Smaller("--episodes 5", "--episodes 1 -p duration=4s -p max_lag=20s", PLAYS),
    ),
    "docs/networks/policy-outside.md": (
        Smaller("--seconds 20", "--seconds 1 --max-lag 30s", PLAYS),
        Smaller("simulations: 8", "simulations: 2", LEARNS),
        Smaller("steps: 20_000", "steps: 32", LEARNS),
        Smaller("n_steps: 128, batch_size: 256", "n_steps: 16, batch_size: 32", LEARNS),
        Smaller("{every: 10_000, episodes: 5}", "{every: 32, episodes: 1}", PLAYS),
    ),
    "envs/multi_access/card.md": (Smaller("--episodes 500", "--episodes 1", PLAYS),),
}
"""Replacements in commands of a page, and in files that it shows."""

FILES: Mapping[str, Mapping[str, tuple[str, int]]] = {
    "docs/protocols/exploration.md": {
        "mine.yaml": ("yaml", 0),
        "swarm.yaml": ("yaml", 1),
        "reads.yaml": ("yaml", 2),
    },
    "docs/protocols/own-protocol.md": {
        "primary-backup.cc": ("cpp", 0),
        "CMakeLists.txt": ("cmake", 0),
        "primary_backup.py": ("python", 0),
        "mine.yaml": ("yaml", 0),
    },
    "docs/protocols/python-protocol.md": {"primary_backup.py": ("python", 0)},
    "docs/protocols/real-servers.md": {
        "etcd_client.py": ("python", 0),
        "my_etcd.py": ("python", 1),
    },
    "docs/protocols/asyncio.md": {
        "key_value.py": ("python", 0),
        "key_value_replicas.py": ("python", 1),
    },
    "docs/protocols/library.md": {"store_0_3_15.py": ("python", 0)},
    "docs/training/populations.md": {"jamming.yaml": ("yaml", 0)},
    "docs/tutorials/python-scenarios.md": {"queue_rate.py": ("python", 0)},
    "docs/networks/scenarios.md": {"CMakeLists.txt": ("cmake", 0)},
    "docs/networks/networked.md": {"tank.py": ("python", 1), "tank.yaml": ("yaml", 0)},
    "docs/networks/policy-outside.md": {"flow.yaml": ("yaml", 0)},
    "docs/networks/real-programs.md": {"ping_delay.py": ("python", 0)},
    "docs/training/studies.md": {"study.yaml": ("yaml", 0)},
    "docs/training/features.md": {"stacked.yaml": ("yaml", 0), "trend.py": ("python", 0)},
    "docs/training/imitation.md": {"imitation.yaml": ("yaml", 0)},
    "docs/training/residual.md": {"residual.yaml": ("yaml", 0)},
    "docs/training/training.md": {"run.yaml": ("yaml", 0)},
    "docs/training/tuning.md": {"tuning.yaml": ("yaml", 0)},
    "docs/tutorials/beat-the-board.md": {"first.yaml": ("yaml", 0), "second.yaml": ("yaml", 1)},
    "docs/tutorials/contribute-an-environment.md": {
        f"change_{number}.diff": ("diff", number) for number in range(5)
    },
    "docs/tutorials/tutorial-wifi.md": {"run.yaml": ("yaml", 0), "study.yaml": ("yaml", 1)},
}
"""Files that a page has its reader write: the block of a language, counted from 0."""

GIVEN: Mapping[str, Mapping[str, str]] = {
    "CONTRIBUTING.md": {"build/native/cpp/test": f"ln -s {ROOT}/build build"},
    "docs/protocols/partition-testing.md": {
        "defiance-zoo partition recheck": f"cp {ROOT}/examples/protocols/primary_backup.py .\n"
        "defiance-zoo partition record found --env primary_backup.py --episodes 20 "
        "--keep violations --stop-on violation\n"
        "sed -i 's/self.silence.id. <= TIMEOUT/True/' primary_backup.py",
    },
    "docs/protocols/python-protocol.md": {  # the change of the protocol
        "defiance-zoo partition recheck": (
            "sed -i 's/self.silence.id. <= TIMEOUT/True/' primary_backup.py"
        ),
    },
    "docs/tutorials/demo.md": {
        ".venv/bin/python": f"ln -s {sys.prefix} .venv; ln -s {ROOT}/examples ."
    },
    "docs/recording/episode-reports.md": {
        "defiance-zoo report episodes/": "defiance-zoo random cart_pole_v0 --record episodes",
        "defiance-zoo report trained/": "cp -r episodes trained; cp -r episodes baseline",
    },
    "docs/reference/leaderboard.md": {
        "defiance-zoo eval --leaderboard runs/mine": f"{SMALL_RUN} --out runs/mine\n"
        "for seed in 1 2 3; do cp -r runs/mine runs/mine_$seed; done",
    },
    "docs/tutorials/contribute-an-environment.md": {
        "defiance-zoo new bus_rate": f"python {ROOT}/tests/support/scratch_checkout.py .\n"
        "export PYTHONPATH=$PWD",
        "python -m pytest tests/envs/bus_rate": "cat change_*.diff | patch -p1",
    },
    "docs/tutorials/new-scenario.md": {
        # Projects other than the one above.
        "defiance-zoo new my_scenario --from sim.cc --style": "mkdir ../plain && cd ../plain\n"
        f"cp {ROOT}/tests/scenarios/plain-link.cc sim.cc",
        "defiance-zoo new my_scenario --from sim.cc --from": "mkdir ../other && cd ../other\n"
        f"cp {ROOT}/tests/scenarios/gym-style.cc sim.cc\n"
        "echo '#include \"mygym.h\"' > mygym.cc; touch mygym.h",
    },
    "docs/protocols/own-protocol.md": {
        "export PYTHONPATH": f"ln -s {PROGRAMS}/primary_backup build/",
    },
    "docs/protocols/asyncio.md": {
        "defiance-zoo partition record found_locks": (
            f"cp {ROOT}/examples/protocols/lock_service.py ."
        ),
    },
    "docs/protocols/library.md": {
        "defiance-zoo partition record": f"cp {ROOT}/examples/protocols/pysyncobj_store.py .\n"
        "python -m pip install -q --no-deps --target pysyncobj-0.3.15 pysyncobj==0.3.15",
        "defiance-zoo partition record found_swarm": f"ln -s {ROOT}/tests tests",
    },
    "docs/training/populations.md": {
        "defiance-zoo population compare runs/sac_1": f"{SMALL_GAME} --out runs/sac_1\n"
        "for run in sac_2 ppo_1 self_play_1 self_play_2; do cp -r runs/sac_1 runs/$run; done",
    },
    "docs/tutorials/python-scenarios.md": {"python -m defiance_zoo.scenario": "cd .."},
    "docs/networks/scenarios.md": {
        "cmake -S . -B build": f"cp {ROOT}/tests/scenarios/{{callables.cc,queue-network.h}} .",
        "build/my_scenario --delay=5ms --policy=trained.onnx": f"""
            export DEFIANCE_ONNXRUNTIME={ONNXRUNTIME}
            PYTHONPATH={ROOT}/tests/support python -c '
import pathlib, policy_files
policy_files.write_policy(pathlib.Path("trained.onnx"), [1, -1])'
        """,
    },
    "docs/training/studies.md": {
        "defiance-zoo study study.yaml --dry-run": f"{SMALL_RUN} --out runs/delayed\n"
        "cp runs/delayed/config.yaml run.yaml",
    },
    "docs/training/training.md": {
        "defiance-zoo eval runs/of-somebody": "cp -r runs/delayed runs/of-somebody",
        # After one iteration a signal comes, before the planned stop.
        "defiance-zoo resume runs/delayed": "serve '\"iteration\"' 130 defiance-zoo train run.yaml "
        "--steps 1024 --out runs/delayed --overwrite --json",
    },
}
"""Commands that prepare a reader's files before the first command with this beginning."""

SERVES: Mapping[str, tuple[str, int]] = {
    "defiance-zoo debug ": ("Waiting for the simulation", 130),
}
"""Commands that run until Ctrl-C: their output when they serve, and their status then."""

AMID: Mapping[str, str] = {
    "defiance-zoo cmake-dir": "",
    "defiance-zoo eval cell_power_v0 --policy constant -o constant.power=25": SHORT_EPISODE,
    "defiance-zoo eval wifi_contention_v0 --policy fixed -o fixed.window=64": SHORT_EPISODE,
}
"""Whole commands within sentences, with smaller numbers; only options of others are checked."""

TRAINS = {
    "docs/networks/policy-outside.md",
    "docs/tutorials/demo.md",
    "docs/training/export.md",
    "docs/training/features.md",
    "docs/training/imitation.md",
    "docs/training/residual.md",
    "docs/tutorials/first-environment.md",
    "docs/training/training.md",
    "docs/training/tuning.md",
}
"""Pages that load a training library repeatedly."""

COMPARES = {
    "docs/protocols/library.md",
    "docs/tutorials/contribute-an-environment.md",
    "docs/tutorials/beat-the-board.md",
    "docs/reference/leaderboard.md",
    "docs/training/populations.md",
    "docs/training/studies.md",
    "docs/tutorials/tutorial-wifi.md",
}
"""Pages that compare policies or explorers, or play a whole leaderboard."""

BUILDS = {
    "docs/tutorials/new-scenario.md",
    "docs/protocols/own-protocol.md",
    "docs/networks/scenarios.md",
}
"""Pages with commands that compile."""


def variables(folder: Path) -> dict[str, str]:
    """Return the environment variables of a user of this package who works in a folder."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": str(ROOT),
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
        "OMP_NUM_THREADS": "1",
        "MINARI_DATASETS_PATH": str(folder / "minari"),
        # Compiled files are the same in each folder.
        **({"CMAKE_CXX_COMPILER_LAUNCHER": "ccache"} if shutil.which("ccache") else {}),
        "CCACHE_BASEDIR": str(folder.resolve()),
        "CCACHE_NOHASHDIR": "1",
    }


HOSTS = {
    "docs/networks/policy-outside.md",
    "docs/networks/real-programs.md",
    "docs/protocols/real-servers.md",
}
"""Pages whose commands need the permissions of hosts with real programs."""
