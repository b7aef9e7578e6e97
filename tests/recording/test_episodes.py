# SPDX-License-Identifier: GPL-2.0-only
"""Folders of episodes are read as written, and damaged ones are refused."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from episode_files import AGENTS, ROUNDS, SPACES, TOPOLOGY, header, rounds, write_episode

from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.envs import cart_pole_v0
from defiance_zoo.errors import (
    ClosedEnvironment,
    InvalidRecording,
    OtherVersion,
    RecordingNotWritten,
    SimulationCrashed,
)
from defiance_zoo.recording import Record, episode_log, find_episodes, read_episode, read_recording
from defiance_zoo.recording.episode_log import EpisodeLog, Past, Writings
from defiance_zoo.recording.files import loading, steps, writing
from defiance_zoo.recording.files.loading import whole_lines
from defiance_zoo.recording.recording import Outcome


def test_the_whole_written_episode_is_read(tmp_path: Path) -> None:
    episode = read_episode(write_episode(tmp_path / "one"))
    assert episode.agents == tuple(AGENTS)
    car, tower = map(episode.of_agent, AGENTS)
    played = rounds()
    assert np.array_equal(car.rounds, np.arange(ROUNDS + 1))
    assert np.array_equal(car.times_ns, np.arange(ROUNDS + 1) * 10_000_000)
    told = [each for round_ in played for each in (*round_.asked, *round_.ended)]
    expected = [each.observation for each in told if each.agent == "car"]
    assert car.observations.dtype == np.float32
    assert np.array_equal(car.observations, expected)
    assert np.array_equal(car.actions, np.arange(ROUNDS) % 3)
    assert car.acted.tolist() == [True] * ROUNDS + [False]
    assert (car.rewards.sum(), tower.rewards.sum()) == (ROUNDS + 5.0, -0.5 * ROUNDS / 2)
    assert (car.terminated.nonzero()[0], tower.truncated.nonzero()[0]) == (ROUNDS, ROUNDS // 2)
    assert tower.observed.tolist() == [True] * (ROUNDS // 2) + [False]
    assert tower.observations["queue"].tolist() == [n % 9 for n in range(1, ROUNDS, 2)]
    assert tower.observations["rate"].shape == (ROUNDS // 2, 1, 2)
    assert np.array_equal(tower.actions[:, 0], np.cos(np.arange(1, ROUNDS, 2) / 5))
    assert json.loads(car.infos[3])["speed"] == 3


def test_files_of_the_simulation_are_read_up_to_the_last_whole_line(tmp_path: Path) -> None:
    episode = read_episode(write_episode(tmp_path / "one"))
    assert episode.topology == TOPOLOGY
    assert len(episode.messages) == ROUNDS
    assert episode.messages["outcome"].to_pylist().count("in flight") == 2
    received = episode.messages["received_ns"].to_pylist()
    assert received[:4] == [2_500_000, 12_500_000, 22_500_000, None]
    assert episode.positions["x"].to_numpy()[-1] == 49
    assert episode.links["queue_bytes"].to_pylist()[:6] == [0, 100, 200, 300, 400, 0]
    assert episode.moves.to_pylist() == [
        {"time_ns": 200_000_000, "application": "agent_0", "node": 2}
    ]
    assert episode.events["text"].to_pylist()[1] == "from <b>tower</b>, to\nrouter"
    assert episode.communication is not None
    assert episode.communication["sim_time_ns"] == 400_000_000


def test_an_episode_may_lack_the_simulations_files(tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "one")
    for each in (*folder.glob("*.csv"), folder / "topology.json", folder / "communication.json"):
        each.unlink()
    episode = read_episode(folder)
    assert (episode.topology, episode.communication) == (None, None)
    for table in (episode.messages, episode.links, episode.positions, episode.events):
        assert len(table) == 0
    assert episode.messages.column_names[0] == "sent_ns"


def test_a_folder_is_read_as_a_recording(tmp_path: Path) -> None:
    recording = read_recording(write_episode(tmp_path / "one"))
    assert len(recording.rounds) == ROUNDS + 1
    assert recording.decisions[1]["car"] == 1
    (action,) = recording.decisions[1]["<b>tower</b>"]
    assert action == np.cos(1 / 5)
    told = recording.rounds[3].asked["<b>tower</b>"]
    assert told.observation["queue"] == 3
    assert np.array_equal(told.observation["rate"], np.full((1, 2), 3 / ROUNDS, np.float32))
    ended = recording.rounds[-1].ended
    assert [ended[a].terminated for a in AGENTS] == [True, False]
    assert ended["<b>tower</b>"].observation is None


def test_a_running_episode_is_read_up_to_its_last_part(tmp_path: Path) -> None:
    episode = read_episode(write_episode(tmp_path / "one", parts=3))
    assert episode.header.outcome == "playing"
    assert episode.of_agent("car").rounds.tolist() == list(range(15))
    assert len(episode.recording().rounds) == 15
    (tmp_path / "one" / "steps" / "000002.parquet").unlink()
    with pytest.raises(InvalidRecording, match="is damaged: round 10 comes after 4"):
        read_episode(tmp_path / "one")


def test_a_topology_may_be_incomplete_while_an_episode_runs(tmp_path: Path) -> None:
    for name, parts in (("played", 1), ("over", 0)):
        folder = write_episode(tmp_path / name, parts=parts)
        (folder / "topology.json").write_text('{"format": 1,')
    assert read_episode(tmp_path / "played").topology is None
    with pytest.raises(InvalidRecording, match=r"topology\.json is damaged"):
        read_episode(tmp_path / "over")


def test_a_folder_without_steps_is_an_episode_that_has_not_begun(tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "one", parts=1)
    (folder / "steps" / "000001.parquet").unlink()
    assert len(read_episode(folder).steps) == 0
    (folder / "steps").rmdir()
    assert len(read_episode(folder).of_agent("car").actions) == 0


def _change_header(key: str, value: object) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        path = folder / "episode.json"
        plain = json.loads(path.read_text())
        assert plain[key] != value
        path.write_text(json.dumps({**plain, key: value}))

    return change


def _change_steps(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        path = folder / "steps.parquet"
        pq.write_table(change(pq.read_table(path)), path)

    return write


def _without(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def _write(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def _cut(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:-40])


def _set(table: pa.Table, name: str, values: list[object]) -> pa.Table:
    column = pa.array(values, table.schema.field(name).type)
    return table.set_column(table.column_names.index(name), name, column)


@pytest.mark.parametrize(
    ("damage", "error", "message"),
    [
        (_without("episode.json"), InvalidRecording, "is not a recorded episode: it has no"),
        (_without("steps.parquet"), InvalidRecording, "is damaged: steps.parquet is missing"),
        (_cut("steps.parquet"), InvalidRecording, "steps.parquet is damaged: "),
        (_cut("episode.json"), InvalidRecording, "episode.json is damaged, or not a recording"),
        (_write("episode.json", b"{}"), InvalidRecording, "not a recording: it has no 'recording'"),
        (_write("steps.parquet", b""), InvalidRecording, "steps.parquet is damaged: "),
        (_change_header("recording", 1), OtherVersion, "version 1 of the format, but this .* 2"),
        (_change_header("outcome", "well"), InvalidRecording, "outcome='well' is not one of"),
        (_change_header("rounds", 99), InvalidRecording, "41 rounds, but 99 were played"),
        (_change_header("columns", {}), InvalidRecording, "columns has no .*, which agents use"),
        (_change_header("columns", {"action": 3}), InvalidRecording, "columns.action is not a"),
        (_change_header("agents", {"car": {}}), InvalidRecording, "no agents.car.observation"),
        (_change_header("agents", {}), InvalidRecording, r"no agents \['<b>tower</b>', 'car'\]"),
        (_change_steps(lambda t: t.slice(3)), InvalidRecording, "round 2 comes after nothing"),
        (_change_steps(lambda t: t.drop_columns("info")), InvalidRecording, "it has no column in"),
        (_change_steps(lambda t: _set(t, "reward", [None] * len(t))), InvalidRecording,
         "column reward has rows without a value"),
        (_change_steps(lambda t: t.append_column("more", t["reward"])), InvalidRecording,
         "it has a column more, which is not in the header"),
        (_change_steps(lambda t: t.drop_columns("action").append_column("action", t["reward"])),
         InvalidRecording, "column action holds double, not int64"),
        (_change_steps(lambda t: t.set_column(2, "agent", pa.array([b"\xff"] * len(t)).view("utf8"))
                       ), InvalidRecording, "steps.parquet is damaged: 'utf-8' codec can't decode"),
        (_write("messages.csv", b"time,x\n1,2\n"), InvalidRecording, "messages.csv has columns"),
        (_write("positions.csv", b"time_ns,node,x,y,z\na,1,1,1,1\n"), InvalidRecording,
         "positions.csv is damaged: "),
        (_write("moves.csv", b"time_ns,\xffpplication,node\n1,a,2\n"), InvalidRecording,
         "moves.csv is damaged: "),
        (_without("messages.csv"), InvalidRecording, "is damaged: messages.csv is missing"),
        (_write("events.csv", b""), InvalidRecording, "events.csv is damaged: it is empty"),
        (_cut("links.csv"), InvalidRecording, r"links.csv is damaged: line \d+ is incomplete"),
        (_write("topology.json", b'{"format": 2}'), InvalidRecording, "json is damaged: format=2"),
        (_write("topology.json", b'{"format": 1, "nodes": [3]}'), InvalidRecording, "3 in nodes"),
        (_write("communication.json", b"["), InvalidRecording, "communication.json is damaged"),
    ],
)  # fmt: skip
def test_damaged_episodes_are_refused(
    damage: Callable[[Path], object], error: type[Exception], message: str, tmp_path: Path
) -> None:
    folder = write_episode(tmp_path / "one")
    damage(folder)
    with pytest.raises(error, match=message):
        read_episode(folder)


@pytest.mark.parametrize("parts", [0, 2])
def test_a_flipped_bit_is_noticed(parts: int, tmp_path: Path) -> None:
    """In values, the checksum of a page fails, although its compressed data can be unpacked."""
    folder = write_episode(tmp_path / "one", parts=parts)
    (path, *_) = sorted(folder.rglob("*.parquet"))
    content, told = path.read_bytes(), read_episode(folder).steps
    group, noticed = pq.read_metadata(path).row_group(0), 0
    columns = [group.column(number) for number in range(group.num_columns)]
    for place in range(4, sum(each.total_compressed_size for each in columns), 17):
        flipped = bytearray(content)
        flipped[place] ^= 1
        path.write_bytes(flipped)
        try:
            found = read_episode(folder).steps
        except InvalidRecording:
            noticed += 1
        else:
            assert found == told  # the bit was in unused data, such as statistics
    assert noticed > 20


@pytest.mark.timeout(30)
def test_an_unclosed_quotation_mark_takes_no_longer_than_reading() -> None:
    whole, rest = b'1,"a\nb",\n', b'2,"c\n' + b"3,,\n" * 400_000
    assert whole_lines(whole + rest) == whole
    assert whole_lines(rest) == b""
    assert whole_lines(whole + b'2,"c""d",\n3,"e\nf') == whole + b'2,"c""d",\n'


def test_an_unclosed_text_is_damage_if_the_simulation_came_to_its_end(tmp_path: Path) -> None:
    """If the simulation was or may have been killed, text after the quotation mark is left out."""
    outcomes: list[Outcome] = ["playing", "failed", "unfinished", "ended"]
    for outcome in outcomes:
        folder = write_episode(tmp_path / outcome, outcome=outcome)
        lines = (folder / "messages.csv").read_bytes()
        (folder / "messages.csv").write_bytes(lines.replace(b"\n200000000,", b'\n200000000,"'))
        if outcome == "ended":
            with pytest.raises(InvalidRecording, match=r"messages\.csv is .* mark after line 21"):
                read_episode(folder)
        else:
            assert len(read_episode(folder).messages) == 20


def test_infos_must_be_json_objects(tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "one")
    for info, message in (
        ("{", "an info is not JSON"),
        ("[]", "an info is not an object"),
    ):
        _change_steps(lambda t, info=info: _set(t, "info", [info] * len(t)))(folder)
        with pytest.raises(InvalidRecording, match=message):
            read_recording(folder)


def open_log(path: Path, **arguments: Any) -> EpisodeLog:
    """Return a log of a new episode, in a new folder."""
    folder = writing.EpisodeFolder(path)
    folder.path.mkdir()
    agents: Any = {
        name: SimpleNamespace(
            observation_space=SPACES[columns.observation], action_space=SPACES[columns.action]
        )
        for name, columns in AGENTS.items()
    }
    begun = header(outcome="playing", rounds=None, end_ns=None, agents={}, columns={})
    record = Record(path.parent, **arguments)
    return EpisodeLog(record, agents, folder, Past(begun, (), 0, (), Writings(folder)))


POOLS: list[pa.MemoryPool] = []
"""Pools of `own_pool`, which outlive the memory taken from them."""


@contextlib.contextmanager
def own_pool() -> Iterator[pa.MemoryPool]:
    """Let pyarrow use a memory pool that no other code uses."""
    usual = pa.default_memory_pool()
    POOLS.append(pa.proxy_memory_pool(usual))
    pa.set_memory_pool(POOLS[-1])
    try:
        yield POOLS[-1]
    finally:
        pa.set_memory_pool(usual)


def test_written_steps_are_not_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Except for a later decision to keep or restore the episode; the files are the same."""
    monkeypatch.setattr(episode_log, "_PART_S", -1.0)
    monkeypatch.setattr(steps, "_GROUP_BYTES", 1)
    grown, files = {}, {}
    for name in ("alone", "judged", "returned"):
        arguments = {"keep": lambda recording: len(recording.decisions) == ROUNDS}
        log = open_log(tmp_path / name, **(arguments if name == "judged" else {}))
        with own_pool() as pool:
            for number, each in enumerate(rounds()):
                log.take(each)
                log.answered()
                if name == "returned" and number == ROUNDS // 2:
                    past = log.past()
                    log.take(rounds()[0])
                    log.answered()
                    log.go_back(past)
                    log.answered()
                if number == ROUNDS - 1:
                    grown[name] = pool.bytes_allocated()
        assert len(read_episode(log.folder.path).of_agent("car").rewards) == ROUNDS
        assert log.finish("ended", "", None)
        files[name] = pq.read_table(log.folder.path / "steps.parquet")
        del log
    assert grown["alone"] == 0 < min(grown["judged"], grown["returned"])
    assert files["alone"] == files["judged"] == files["returned"]
    assert pq.ParquetFile(tmp_path / "alone" / "steps.parquet").num_row_groups > ROUNDS / 2


def test_an_episode_can_be_read_at_any_time_while_it_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = open_log(tmp_path / "one")
    folder = log.folder
    for each in rounds():
        log.take(each)
    found = []

    def write_and_read(path: Path, content: Any) -> None:
        write_whole(path, content)
        found.append(read_episode(folder.path))

    monkeypatch.setattr(writing, "write_whole", write_and_read)
    assert log.finish("ended", "", None)
    assert [each.header.outcome for each in found] == ["playing", "playing", "ended"]
    assert [len(each.steps) for each in found[1:]] == [len(found[-1].steps)] * 2


def fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, content: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writing, "write_whole", refuse)


def test_a_failed_write_is_reported_and_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episode_log, "_PART_S", -1.0)
    log = open_log(tmp_path / "one")
    for number, each in enumerate(rounds()):
        log.take(each)
        if number == 3:
            with monkeypatch.context() as full:
                fill_the_disk(full)
                with pytest.raises(RecordingNotWritten, match=r"one cannot be .*: No space left"):
                    log.answered()
            assert len(read_episode(log.folder.path).of_agent("car").rewards) == 3
        log.answered()
    assert log.finish("ended", "", None)
    assert len(read_episode(log.folder.path).of_agent("car").rewards) == ROUNDS + 1


def test_a_full_disk_hides_no_failure_and_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The simulation's own error is raised, and `close()` closes the rest."""
    for close in (False, True):
        env = cart_pole_v0.parallel_env(record=tmp_path / str(close), link="local")
        env.reset(seed=1)
        env.step({"agent_0": 0})
        _, process = env._episodes.launcher.require().conversation
        assert process is not None
        with monkeypatch.context() as full:
            fill_the_disk(full)
            if not close:
                signal.pidfd_send_signal(process.exit_fd, signal.SIGKILL)
                with pytest.raises(SimulationCrashed, match="SIGKILL"):
                    env.step({"agent_0": 0})
            else:
                with pytest.raises(RecordingNotWritten, match="No space left"):
                    env.close()
        env.close()
        (folder,) = (tmp_path / str(close)).iterdir()
        assert read_episode(folder).header.outcome == "playing"
        with pytest.raises(ClosedEnvironment):
            env.reset()


def test_an_agent_may_join_while_an_episode_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_episode(tmp_path / "one", parts=1)
    now = loading.read_header(folder)
    headers = iter([dataclasses.replace(now, agents={}, columns={})])
    monkeypatch.setattr(loading, "read_header", lambda _: next(headers, now))
    assert read_episode(folder).agents == tuple(AGENTS)


def test_episodes_are_found_in_a_folder(tmp_path: Path) -> None:
    two = [write_episode(tmp_path / "all" / name) for name in ("a-000001", "a-000002")]
    (tmp_path / "all" / ".a-000003").mkdir()
    assert find_episodes(tmp_path / "all", two[0]) == [*two, two[0]]
    with pytest.raises(
        InvalidRecording, match="is not a recorded episode, and contains no episode"
    ):
        find_episodes(tmp_path)
    with pytest.raises(InvalidRecording, match=r"but contains episodes, such as .*all/a-000001$"):
        read_episode(tmp_path / "all")
    with pytest.raises(InvalidRecording, match="there is no such folder"):
        read_episode(tmp_path / "missing")
