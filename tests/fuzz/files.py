# SPDX-License-Identifier: GPL-2.0-only
"""Feed every reader of files with mutated files, for `run.py`: errors of this package pass.

`python tests/fuzz/files.py <seconds> <seed> [<inputs>]` prints the number of inputs. No input may
take more than 10 s, or more than 1 GB in addition to the libraries, or run code of a file.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from file_corpus import write_corpus
from file_mutator import FileMutator, bombs
from gymnasium.spaces import Box, Discrete

from defiance_zoo.bridge.system.capacity_traces import read_capacity_trace
from defiance_zoo.envs.packet_routing.graph_files import read_graph_file
from defiance_zoo.errors import DefianceZooError, ParameterError
from defiance_zoo.experiments.evaluation import FilePolicy
from defiance_zoo.experiments.study.cells import Episodes
from defiance_zoo.experiments.study.configuration import read_study
from defiance_zoo.experiments.study.leaderboard.document import markdown, read_any
from defiance_zoo.experiments.training.checkpoints import find_checkpoint
from defiance_zoo.experiments.training.metrics import read_metrics
from defiance_zoo.experiments.training.run_config_file import build_config
from defiance_zoo.experiments.training.teacher.labels import LabelCell, read_lesson
from defiance_zoo.experiments.training.trainer import load_policy
from defiance_zoo.experiments.tuning import build_tuning
from defiance_zoo.experiments.tuning.trials import Trials
from defiance_zoo.experiments.workbench.descriptions import read_yaml
from defiance_zoo.experiments.workbench.results_folder import read_record
from defiance_zoo.population.feasibility import read_population_file
from defiance_zoo.population.games.game import Seats
from defiance_zoo.population.members import Player, PolicyRecord, PolicyStore
from defiance_zoo.population.payoff_table import PayoffTable, read_table
from defiance_zoo.population.running.generations import describe_population
from defiance_zoo.population.running.state import PopulationFolder, read_cells, read_generations
from defiance_zoo.protocols.chart.story import read_story
from defiance_zoo.protocols.comparison.configuration import read_comparison
from defiance_zoo.protocols.comparison.exploration import Explored
from defiance_zoo.protocols.explorers.registry import EXPLORERS, make_explorer
from defiance_zoo.protocols.histories import check_history, read_history
from defiance_zoo.recording import read_episode, read_recording
from defiance_zoo.recording.viewing.report_data import report_data

MOST_BYTES, MOST_S = 10**9, 10.0
"""Limits for an input: growth of the process's memory, and CPU time."""
HANGS_S = 100
_QUICK = (
    "capacity_trace",
    "cell",
    "explored",
    "graph_json",
    "graphml",
    "leaderboard",
    "metrics",
    "payoffs",
    "policy",
)
_MUTATIONS = {**dict.fromkeys(_QUICK, 10), "policy": 10}
"""Mutations for each file that is replaced as a whole; other files have one."""


@dataclass(frozen=True)
class KnownCell:
    """A cell whose file is called `cell.json`."""

    key: str = "cell"
    place: Mapping[str, Any] = None  # type: ignore[assignment]


def _episode(folder: Path) -> None:
    episode = read_episode(folder)
    report_data(episode, "fuzzed")
    for agent in episode.agents:
        episode.of_agent(agent)
    episode.recording()


def _recording(folder: Path) -> None:
    recording = read_recording(folder / "single.json")
    read_story(recording)
    with contextlib.suppress(KeyError):  # without histories
        check_history(read_history(info for _, _, info in recording.infos()), initial=0)


def _checkpoint(folder: Path) -> None:
    found = find_checkpoint(folder)
    load_policy(found.config, found.trainer)


def _explorer(folder: Path) -> None:
    for name in EXPLORERS:
        path = folder / f"{name}.gz"
        if path.is_symlink() or path.exists():
            explorer = make_explorer(name, 0, {})
            explorer.load(path)
            explorer.get_state()


def _population(folder: Path) -> None:
    describe_population(folder)
    table = PayoffTable(Seats(("agent_0", "agent_1"), ("player", "player")))
    read_cells(folder, table)
    with contextlib.closing(PopulationFolder(folder)) as held:
        held.read_pending(1)
    store = PolicyStore(folder / "policies")
    for generation in read_generations(folder)[-1:]:
        for records in generation["populations"].values():
            for each in records:
                Player.of(PolicyRecord(**each), store)


def _policy(folder: Path) -> None:
    digest = next(iter(PolicyStore(folder)), "")
    record = PolicyRecord("a", "player", digest=digest or "00", facts={"library": "sb3"})
    player = Player.of(record, PolicyStore(folder))
    player.packed()


LABELLED = Box(-1, 1, (1,)), Discrete(2)
"""The spaces of the agents in the folder `labels`."""


def _tuning(folder: Path) -> None:
    Trials(folder, build_tuning(read_yaml(folder / "tuning.yaml"))).all()


def _trace(folder: Path) -> None:
    try:
        read_capacity_trace(folder / "graph.trace")
    except (OSError, ValueError) as error:
        raise ParameterError(str(error)) from error


READERS: Mapping[str, Callable[[Path], object]] = {
    "episode": _episode,
    "recording": _recording,
    "checkpoint": _checkpoint,
    "explorer": _explorer,
    "population": _population,
    "policy": _policy,
    "policy_file": lambda folder: FilePolicy(folder / "policy.onnx"),
    "run": lambda folder: build_config(read_yaml(folder / "run.yaml")),
    "tuning": _tuning,
    "study": lambda folder: read_study(folder / "study.yaml"),
    "population_file": lambda folder: read_population_file(folder / "population.yaml"),
    "comparison": lambda folder: read_comparison(folder / "comparison.yaml"),
    "leaderboard": lambda folder: markdown(read_any(folder / "board.json")),
    "cell": lambda folder: read_record(folder, KnownCell(), Episodes),
    "labels": lambda folder: read_lesson(folder, LabelCell("cell", 0, 1), LABELLED),
    "explored": lambda folder: read_record(folder, KnownCell(), Explored),
    "metrics": lambda folder: read_metrics(folder / "metrics.csv"),
    "payoffs": lambda folder: read_table(folder / "payoffs.json"),
    "gml": lambda folder: read_graph_file(str(folder / "graph.gml")),
    "graphml": lambda folder: read_graph_file(str(folder / "graph.graphml")),
    "graph_json": lambda folder: read_graph_file(str(folder / "graph.json")),
    "capacity_trace": _trace,
}
"""Readers of a copy of a corpus folder, by its name."""


class Planted:
    """A pickle that writes a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self._path, "w")


class Fuzzer:
    """A reader of a folder that is read repeatedly with changed files."""

    def __init__(self, corpus: Path, work: Path, seed: int) -> None:
        self._corpus, self._work = corpus, work
        self._random = random.Random(seed)
        self._evidence = work / "code was run"
        self._paths = {
            name: sorted(path for path in (corpus / name).rglob("*") if path.is_file())
            for name in READERS
        }
        contents = [path.read_bytes() for paths in self._paths.values() for path in paths]
        self._mutator = FileMutator(seed, [each for each in contents if len(each) < 2**18])
        self._process = psutil.Process()
        self._begun = self._process.memory_info().rss
        self.count, self.why = 0, ""
        self.refused = dict.fromkeys(READERS, 0)
        self.seconds = dict.fromkeys(READERS, 0.0)
        self.counts = dict.fromkeys(READERS, 0)
        self.slowest = self.largest = 0.0

    def read(self, name: str, change: Callable[[Path], str]) -> None:
        """Read a copy of a folder with a change; fail if the reader fails."""
        folder = self._work / name
        if not folder.exists():
            shutil.copytree(self._corpus / name, folder, symlinks=True)
        what = change(folder)
        begun = time.process_time()
        signal.alarm(HANGS_S)
        try:
            READERS[name](folder)
        except DefianceZooError as error:
            self.refused[name] += 1
            self.why = str(error)
        except BaseException:
            raise Fault(f"{name}, {what}: {traceback.format_exc()}") from None
        finally:
            signal.alarm(0)
        took = time.process_time() - begun
        grown = self._process.memory_info().rss - self._begun
        self.count += 1
        self.counts[name] += 1
        self.seconds[name] += took
        if self.counts[name] == 1:
            return  # memory of imports does not count
        self.slowest, self.largest = max(self.slowest, took), max(self.largest, grown)
        if took > MOST_S or grown > MOST_BYTES:
            raise Fault(f"{name}, {what}: {took:.1f} s, {grown:,} bytes")
        if self._evidence.exists():
            raise Fault(f"{name}, {what}: code of the file was run")

    def restore(self, name: str, place: Path) -> None:
        """Restore a file of a folder."""
        path = self._work / name / place
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        path.unlink(missing_ok=True)
        shutil.copyfile(self._corpus / name / place, path)

    def mutate(self, name: str) -> None:
        """Read a folder with a mutated file."""
        path = self._random.choice(self._paths[name]).relative_to(self._corpus / name)

        def change(folder: Path) -> str:
            content = self._mutator.next((folder / path).read_bytes())
            (folder / path).write_bytes(content)
            return f"{path} = {content[:2000]!r}"

        self.read(name, change)
        self.restore(name, path)

    def replace(self) -> Iterator[None]:
        """Read each folder with each file replaced: special, large, planted, or from elsewhere."""
        paths = [(name, path) for name, several in self._paths.items() for path in several]
        self._random.shuffle(paths)
        for name, path in paths:
            place = path.relative_to(self._corpus / name)
            for what, make in self._replacements([other for _, other in paths]):

                def change(folder: Path, place=place, what=what, make=make) -> str:  # type: ignore[no-untyped-def]
                    (folder / place).unlink()
                    make(folder / place)
                    return f"{place} is {what}"

                self.read(name, change)
                self.restore(name, place)
                yield

    def _replacements(self, others: list[Path]) -> Iterator[tuple[str, Callable[[Path], object]]]:
        yield "a named pipe", os.mkfifo
        yield "a folder", Path.mkdir
        yield "a device", lambda path: path.symlink_to("/dev/zero")
        yield "a link to nothing", lambda path: path.symlink_to("nothing")
        yield "a link to itself", lambda path: path.symlink_to(path.name)
        yield "missing", lambda path: None
        yield "sparse", lambda path: os.truncate(_touch(path), 2**36)
        planted = pickle.dumps(Planted(self._evidence))
        yield "a pickle", lambda path: path.write_bytes(planted)
        for what, content in bombs().items():
            yield what, lambda path, content=content: path.write_bytes(content)  # type: ignore[misc]
        for other in self._random.sample(others, min(5, len(others))):
            yield f"as {other}", lambda path, other=other: shutil.copyfile(other, path)  # type: ignore[misc]


class Fault(Exception):
    """A reader neither returned a value nor raised an error of this package."""


def _touch(path: Path) -> Path:
    path.touch()
    return path


def _hang(*_: Any) -> None:
    raise TimeoutError(f"nothing came of it in {HANGS_S} s")


def main() -> None:
    signal.signal(signal.SIGALRM, _hang)
    seconds, seed = float(sys.argv[1]), int(sys.argv[2])
    most = int(sys.argv[3]) if len(sys.argv) > 3 else sys.maxsize
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_STATE_HOME"] = str(Path(place, "state"))
        tempfile.tempdir = place
        corpus, work = Path(place, "corpus"), Path(place, "work")
        work.mkdir()
        write_corpus(corpus)
        fuzzer = Fuzzer(corpus, work, seed)
        for name in READERS:
            fuzzer.read(name, lambda _folder: "as it was written")
            assert not fuzzer.refused[name], f"{name} is refused as it was written: {fuzzer.why}"
        end = time.monotonic() + seconds
        replaced = fuzzer.replace()
        while time.monotonic() < end and fuzzer.count < most:
            for name in READERS:
                for _ in range(_MUTATIONS.get(name, 1)):
                    fuzzer.mutate(name)
            next(replaced, None)
        for name, count in fuzzer.counts.items():
            refused, took = fuzzer.refused[name], fuzzer.seconds[name] / count * 1e3
            print(f"{name}: {refused} of {count} refused, {took:.1f} ms each", file=sys.stderr)
        print(
            f"{fuzzer.count} of files, each in {fuzzer.slowest:.2f} s and "
            f"{fuzzer.largest / 1e6:,.0f} MB at most,"
        )


if __name__ == "__main__":
    main()
