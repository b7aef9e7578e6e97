# SPDX-License-Identifier: GPL-2.0-only
"""The server of a run's page: its requests, its state and its end."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import TRIAL
from episode_files import write_episode
from made_runs import made_run, watch_beside

from defiance_zoo.environments import SimulationParallelEnv
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.status import Status, read_status
from defiance_zoo.recording.viewing.watching import watch, watching
from defiance_zoo.recording.viewing.watching.recorded import WatchedEpisodes
from defiance_zoo.recording.viewing.watching.run_view import RunView, curves_of
from defiance_zoo.recording.viewing.watching.server import WatchServer
from defiance_zoo.recording.viewing.watching.simulations import count_simulations


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WatchServer]:
    made = WatchServer(0, RunView(made_run(tmp_path / "run", rows=3)).answers())
    thread = threading.Thread(target=made.serve_forever, args=(0.05,))
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def ask(
    server: WatchServer, path: str = "", method: str = "GET", **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    """Request a path behind the token; headers may replace the valid ones."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.putrequest(method, f"/{server.guard.token}/{path}", skip_host="Host" in sent)
    for name, value in sent.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read()
    connection.close()
    return found


def test_the_page_and_the_state_are_served(server: WatchServer) -> None:
    status, headers, page = ask(server)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"connect-src 'self'" in page
    status, headers, state = ask(server, "state.json")
    assert status == 200
    assert dict(json.loads(state)["numbers"])["decisions"] == 30
    assert headers["Cache-Control"] == "no-store"
    assert not [name for name in headers if name.lower().startswith("access-control")]
    assert ask(server, method="HEAD")[2] == b""


@pytest.mark.long
def test_idle_connections_do_not_block_the_server(server: WatchServer) -> None:
    here = ("127.0.0.1", server.server_port)
    idle = [socket.create_connection(here, timeout=20) for _ in range(40)]
    assert [ask(server, "state.json")[0] for _ in range(3)] == [200] * 3
    for each in idle:
        each.close()


def test_special_files_of_a_run_do_not_stop_its_page(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run", rows=3)
    for name in ("metrics.csv", "status.json", "events.jsonl", "episodes/e-000001/episode.json"):
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).unlink(missing_ok=True)
        os.mkfifo(run / name)
    view = RunView(run)
    assert dict(view.state()["numbers"])["decisions"] is None
    assert "not a regular file" in view._episodes.read("e-000001")["trouble"]  # type: ignore[index]


def test_requests_with_a_foreign_host_or_origin_are_refused(server: WatchServer) -> None:
    here = f"127.0.0.1:{server.server_port}"
    assert ask(server, Host=f"localhost:{server.server_port}")[0] == 200
    for host in (f"rebound.example:{server.server_port}", "127.0.0.1", "127.0.0.1:1", ""):
        assert ask(server, Host=host)[0] == 421
    assert ask(server, Origin=f"http://{here}")[0] == 200
    for origin in (
        "null",
        "https://elsewhere.example",
        f"http://{here}.example",
        f"https://{here}",
    ):
        assert ask(server, Origin=origin)[0] == 403
    assert ask(server, origin="https://elsewhere.example")[0] == 403
    for site, status in {
        "same-origin": 200,
        "none": 200,
        "same-site": 403,
        "cross-site": 403,
    }.items():
        assert ask(server, "state.json", Sec_Fetch_Site=site)[0] == status


@pytest.mark.parametrize("path", ["/", "/state.json", "/wrong/state.json", "/favicon.ico"])
def test_requests_without_the_token_are_refused(server: WatchServer, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request("GET", path)
    assert connection.getresponse().status == 404
    connection.close()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_requests_that_change_something_are_refused(server: WatchServer, method: str) -> None:
    status, headers, _ = ask(server, "state.json", method)
    assert status == 501
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("name", ["..", "../config.yaml", "/etc", "", "run", "%2e%2e"])
def test_only_recorded_episodes_are_served(server: WatchServer, name: str) -> None:
    assert ask(server, f"episode.json?name={name}")[0] == 404


def test_an_error_in_an_answer_is_reported_and_printed_once(
    server: WatchServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_self: Any, path: str) -> None:
        raise RuntimeError(f"no {path} today")

    def not_finite(_self: RunView) -> dict[str, float]:
        return {"speed": float("inf")}

    monkeypatch.setattr(RunView, "state", not_finite)
    assert [ask(server, "state.json")[0] for _ in range(3)] == [500] * 3
    monkeypatch.setattr(WatchedEpisodes, "read", fail)
    for _ in range(3):
        status, headers, body = ask(server, "episode.json?name=one")
        assert (status, headers["Connection"]) == (500, "close")
        assert b"today" not in body
    printed = capsys.readouterr().err
    assert printed.count("RuntimeError: no one today") == 1
    assert printed.count("ValueError: ") == 1
    assert ask(server)[0] == 200


def test_invalid_paths_are_refused(server: WatchServer, capsys: pytest.CaptureFixture[str]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.putrequest("GET", "http://[x/", skip_host=True)
    connection.putheader("Host", f"127.0.0.1:{server.server_port}")
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()
    assert capsys.readouterr().err == ""


def test_a_port_in_use_is_refused(server: WatchServer) -> None:
    with pytest.raises(ParameterError, match=str(server.server_port)):
        WatchServer(server.server_port, {})


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    def wait() -> None:
        pytest.fail("there is nothing to wait for")

    (tmp_path / "study").mkdir()
    for name in (".lock", "study.yaml"):
        (tmp_path / "study" / name).touch()
    for folder in (tmp_path, tmp_path / "study"):
        with pytest.raises(ParameterError, match=r"config\.yaml"):
            watch(folder, port=0, stay=False, announce=lambda *_: None, waiting=wait)


@pytest.mark.parametrize("is_there", [True, False])
def test_the_server_waits_for_a_run_that_is_starting(is_there: bool, tmp_path: Path) -> None:
    """The run's folder is created and locked some seconds before its state is written."""
    run = tmp_path / "runs" / "one"
    lock = run / ".lock"
    if is_there:
        run.mkdir(parents=True)
        lock.touch()
    told: list[Any] = []
    waits, announced = threading.Event(), threading.Event()

    def announce(url: str, under_way: bool) -> None:
        told.append((url, under_way))
        announced.set()

    arguments = {"port": 0, "stay": False, "announce": announce, "waiting": waits.set}
    thread = threading.Thread(target=watch, args=(run,), kwargs=arguments)
    thread.start()
    assert waits.wait(20)
    made_run(tmp_path / "made", rows=1)
    run.mkdir(parents=True, exist_ok=True)
    lock.touch()
    (tmp_path / "made" / "config.yaml").rename(run / "config.yaml")
    assert not announced.wait(0.3)  # its state is not published yet
    status = Status(run)
    status.write("training", steps=0, until=1000)
    assert announced.wait(20)
    ((url, under_way),) = told
    assert under_way
    address, token = url.removeprefix("http://").split("/")[:2]
    assert dict(_told(address, token, "state.json")["numbers"])["state"] == "training"
    status.write("finished", steps=1000, until=1000)
    while not _told(address, token, "end.json")["closing"]:
        pass
    thread.join(20)
    assert not thread.is_alive()


def test_a_run_that_does_not_begin_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_FOLDER_S", 0.0)
    monkeypatch.setattr(watching, "_BEGUN_S", 0.0)
    waited: list[str] = []
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / ".lock").touch()
    for name in ("killed", "never"):
        with pytest.raises(ParameterError, match=rf"{name} is not a run: it has no config\.yaml"):
            watch(
                tmp_path / name,
                port=0,
                stay=False,
                announce=lambda *_: None,
                waiting=lambda name=name: waited.append(name),
            )
    assert waited == ["killed", "never"]


def test_the_server_ends_with_the_run_and_reports_it(tmp_path: Path) -> None:
    """The last episode may be requested after the last state, and is read in its final version."""
    run = made_run(tmp_path / "run", rows=3)
    folder = write_episode(run / "episodes" / "last", parts=1)
    status = Status(run)
    status.write("training", steps=30, until=1000)
    url, thread = watch_beside(run)
    address, token = url.removeprefix("http://").split("/")[:2]
    states = [_told(address, token, "state.json")]
    first = _told(address, token, "episode.json?name=last")
    shutil.rmtree(folder)
    write_episode(folder)
    status.write("finished", steps=1000, until=1000)
    while not states[-1]["closing"]:
        states.append(_told(address, token, "state.json"))
    last = _told(address, token, "episode.json?name=last")
    assert dict(first["facts"])["outcome"] == "playing"
    assert dict(last["facts"])["outcome"] == "ended"
    assert [each["name"] for each in states[-1]["episodes"]] == ["last"]
    assert states[-1]["episodes"] != states[0]["episodes"]
    assert thread.is_alive()
    assert _told(address, token, "end.json") == {"closing": True}
    thread.join(20)
    assert not thread.is_alive()
    assert dict(states[0]["numbers"])["state"] == "training"
    assert dict(states[-1]["numbers"])["state"] == "finished"
    with pytest.raises(ConnectionRefusedError):
        _told(address, token, "state.json")


def _told(address: str, token: str, name: str) -> Any:
    connection = http.client.HTTPConnection(address, timeout=20)
    try:
        connection.request("GET", f"/{token}/{name}")
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def test_a_run_reports_its_state_until_its_process_ends(tmp_path: Path) -> None:
    assert read_status(tmp_path) is None
    Status(tmp_path).write("evaluating", steps=5)
    told = read_status(tmp_path)
    assert told is not None
    assert (told.state, told.facts) == ("evaluating", {"steps": 5})
    assert told.pid is not None
    gone = read_status(made_run(tmp_path / "gone", rows=1))
    assert gone is not None
    assert (gone.state, gone.pid) == ("killed", None)
    (tmp_path / "status.json").write_text("[]")
    assert read_status(tmp_path) is None


def test_counters_are_written_once_a_second_and_states_immediately(tmp_path: Path) -> None:
    status = Status(tmp_path)
    for steps in range(5):
        status.write("training", steps=steps)
    first = read_status(tmp_path)
    status.write("finished", steps=5)
    last = read_status(tmp_path)
    assert first is not None
    assert last is not None
    assert (first.facts["steps"], last.facts["steps"]) == (0, 5)


def test_simulations_are_counted_by_their_processes() -> None:
    assert count_simulations(os.getpid()) == 0
    assert count_simulations(2**22 + 1) == 0
    environments = [SimulationParallelEnv(TRIAL, launch=kind) for kind in ("fork", "spawn")]
    try:
        for count, env in enumerate(environments, 1):
            env.reset(seed=1)
            assert count_simulations(os.getpid()) == count
    finally:
        for env in environments:
            env.close()
    assert count_simulations(os.getpid()) == 0


def test_long_curves_are_thinned_and_keep_their_last_row() -> None:
    rows = [{"steps": float(i), "loss/a": None if i == 0 else float(i)} for i in range(5001)]
    found = curves_of(rows)
    assert [each["name"] for each in found["curves"]] == ["loss/a"]
    assert found["steps"]["type"] == "i2"
    assert len(found["steps"]["base64"]) == pytest.approx(2000 * 2 * 4 / 3, abs=4)
