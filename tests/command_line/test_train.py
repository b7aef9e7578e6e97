# SPDX-License-Identifier: GPL-2.0-only
"""`train`, `resume` and `eval`: a run from its description to its evaluation, with SB3 and ns-3."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import pty
import re
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
from command_calls import call, call_for_json, small, start
from event_files import read_values, scalars

from defiance_zoo.experiments.training.checkpoints import read_status
from defiance_zoo.experiments.training.metrics import read_metrics
from defiance_zoo.recording import read_episode

torch.set_num_threads(1)

CONFIG = """\
env: cart_pole_v0
parameters: {transport: udp, duration: 1s}
hyperparameters: {n_steps: 64, batch_size: 64, n_epochs: 1}
steps: 1e9
simulations: 2
evaluation: {episodes: 3}
"""


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A run that SIGTERM interrupted during training."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "run.yaml").write_text(CONFIG)
    run = folder / "run"
    flags = ("-p", "delay=1ms", "--seed", 3, "--out", run, "--json")
    with start("train", folder / "run.yaml", *flags) as process:
        assert process.stdout is not None
        lines = []
        while not lines or json.loads(lines[-1])["event"] != "iteration":
            lines.append(process.stdout.readline())
        children = psutil.Process(process.pid).children(recursive=True)
        second = call("resume", run)
        process.send_signal(signal.SIGTERM)
        lines += process.stdout.readlines()
    return {
        "run": run,
        "status": process.returncode,
        "events": [json.loads(line) for line in lines],
        "children": children,
        "meanwhile": second,
    }


@pytest.fixture(scope="module")
def resumed(interrupted: dict[str, Any]) -> dict[str, Any]:
    """The same run, resumed until a little later."""
    run = interrupted["run"]
    before = (run / "metrics.csv").read_text()
    until = interrupted["events"][-1]["steps"] + 300
    events = call_for_json("resume", run, "--until", until)
    return {"run": run, "before": before, "until": until, "events": events}


@pytest.mark.long
def test_sigterm_saves_a_checkpoint_and_leaves_no_process_running(
    interrupted: dict[str, Any],
) -> None:
    assert interrupted["status"] == 128 + signal.SIGTERM
    *_, checkpoint, last = interrupted["events"]
    assert last["event"] == "interrupted"
    assert (checkpoint["event"], checkpoint["steps"]) == ("checkpoint", last["steps"])
    status = read_status(interrupted["run"])
    assert (status["state"], status["steps"]) == ("interrupted", last["steps"])
    assert len(interrupted["children"]) >= 2  # fork server and simulations
    assert psutil.wait_procs(interrupted["children"], timeout=10)[1] == []


@pytest.mark.long
def test_a_run_in_use_is_refused(interrupted: dict[str, Any]) -> None:
    status, printed, errors = interrupted["meanwhile"]
    assert (status, printed) == (2, "")
    assert "is in use" in errors


def test_events_report_progress(interrupted: dict[str, Any]) -> None:
    first, *others = interrupted["events"]
    assert (first["event"], first["steps"], first["until"]) == ("started", 0, 10**9)
    iterations = [each for each in others if each["event"] == "iteration"]
    assert iterations[0]["steps"] % 128 == 0  # whole rollouts of both simulations
    for each in iterations:
        assert each["steps_per_second"] > 0
        assert each["remaining_s"] > 0


def test_the_folder_of_a_run_describes_it(interrupted: dict[str, Any]) -> None:
    run = interrupted["run"]
    config = (run / "config.yaml").read_text()
    assert "delay: 1ms" in config
    assert "seed: 3" in config
    assert "algorithm: PPO" in config  # a default
    said = json.loads((run / "versions.json").read_text())
    assert said["scenario"]["parameters"]["delay"] == "1ms"
    assert said["scenario"]["parameters"]["loss"] == "0"
    assert said["scenario"]["ns3"].startswith("3.")
    assert {"defiance-zoo", "stable-baselines3", "torch"} <= set(said["packages"])
    assert "/" not in "".join(map(str, said["machine"].values()))
    assert (run / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((run / "tensorboard").iterdir())
    assert (run / "checkpoints" / "last" / "config.yaml").read_text() == config
    noted = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    assert [each["event"] for each in noted][-1] != "iteration"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]+\+00:00", each["time"]) for each in noted)


@pytest.mark.essential
def test_a_resumed_run_continues_at_its_checkpoint(resumed: dict[str, Any]) -> None:
    text = (resumed["run"] / "metrics.csv").read_text()
    assert text.startswith(resumed["before"])
    steps = [row["steps"] or 0 for row in read_metrics(resumed["run"] / "metrics.csv")]
    assert all(earlier < later for earlier, later in itertools.pairwise(steps))
    assert steps[-2] < resumed["until"] <= steps[-1]
    assert resumed["events"][-1]["event"] == "finished"


def test_an_interruption_does_not_change_the_result(
    resumed: dict[str, Any], tmp_path: Path
) -> None:
    description = resumed["run"].parent / "run.yaml"
    flags = ("-p", "delay=1ms", "--seed", 3, "--steps", resumed["until"], "--out", tmp_path / "run")
    assert call("train", description, *flags, "--quiet") == (0, "", "")

    def learned(run: Path) -> Any:
        """Return how the policy plays at the end; its returns depend on how it last sampled."""
        last = read_metrics(run / "metrics.csv")[-1]
        found = call_for_json("eval", run / "checkpoints" / "last", "--no-baselines")
        return last["steps"], last["episodes"], last["return/mean"], found["policies"]

    assert learned(tmp_path / "run") == learned(resumed["run"])


def test_a_policy_of_one_cart_is_evaluated_in_the_central_agent_of_many(
    resumed: dict[str, Any],
) -> None:
    flags = ("-p", "placement=central", "-p", "carts=2", "--episodes", 2)
    found = call_for_json("eval", resumed["run"], *flags)
    for policy in ("trained", "random"):
        assert list(found["policies"][policy]["agents"]) == ["agent_0"]
    assert found["policies"]["trained"]["mean"] > found["policies"]["random"]["mean"] > 20
    status, _, errors = call("eval", resumed["run"], "-p", "link=tcp")
    assert status == 2
    assert "link='tcp'" in errors


def test_a_run_ends_with_an_evaluation(resumed: dict[str, Any]) -> None:
    found = json.loads((resumed["run"] / "evaluation.json").read_text())
    assert (found["episodes"], found["seed"]) == (3, 1000)
    assert set(found["policies"]) == {"trained", "random", "pole", "state_feedback"}
    assert found["policies"]["pole"]["returns"] == [50.0] * 3  # all samples of one second
    reported = [each for each in resumed["events"] if each["event"] == "evaluated"]
    assert [each["policy"] for each in reported] == list(found["policies"])


def test_a_run_that_reached_its_steps_is_not_resumed(resumed: dict[str, Any]) -> None:
    status, _, errors = call("resume", resumed["run"])
    assert status == 2
    assert "choose a later stop with --until" in errors


def test_eval_is_the_same_in_any_process(resumed: dict[str, Any]) -> None:
    known = json.loads((resumed["run"] / "evaluation.json").read_text())
    assert call_for_json("eval", resumed["run"]) == known


def test_eval_with_other_parameters_and_seeds(resumed: dict[str, Any], tmp_path: Path) -> None:
    last, out = resumed["run"] / "checkpoints" / "last", tmp_path / "found.json"
    arguments = ("eval", last, "-p", "duration=500ms", "--episodes", 2, "--seed", 5)
    found = call_for_json(*arguments, "--out", out)
    assert found == json.loads(out.read_text())
    assert found["parameters"] == {"transport": "udp", "delay": "1ms", "duration": "500ms"}
    assert found["checkpoint"]["parameters"]["duration"] == "1s"
    assert found["policies"]["pole"]["returns"] == [25.0] * 2
    status, printed, _ = call(*arguments)
    assert status == 0
    assert "(trained with others)" in printed
    assert re.search(r"^pole +25\.0 +25\.0 to 25\.0 +25\.0 +25\.0$", printed, re.MULTILINE)


def test_eval_refuses_parameters_unknown_to_the_scenario(resumed: dict[str, Any]) -> None:
    status, printed, errors = call("eval", resumed["run"], "-p", "durtion=1s")
    assert (status, printed) == (2, "")
    assert "did you mean 'duration'" in errors


def test_quiet_prints_nothing_and_a_run_is_overwritten_only_on_request(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert call(*small(out, "--quiet")) == (0, "", "")
    status, printed, errors = call(*small(out, "--quiet"))
    assert (status, printed) == (2, "")
    assert "holds a run" in errors
    assert call(*small(out, "--quiet", "--overwrite", "--seed", 9)) == (0, "", "")
    assert "seed: 9" in (out / "config.yaml").read_text()
    assert len(read_metrics(out / "metrics.csv")) == 1


def test_periodic_evaluations_determine_the_best_checkpoint(tmp_path: Path) -> None:
    flags = ("--steps", 768, "--evaluate-every", 256, "--evaluation-episodes", 2)
    flags += ("--record-evaluations",)
    events = call_for_json(*small(tmp_path / "run", *flags, n_steps=256))
    rows = read_metrics(tmp_path / "run" / "metrics.csv")
    means = [row["evaluation/return/mean"] or 0.0 for row in rows]
    assert len(means) == 3
    best = rows[means.index(max(means))]["steps"]
    found = json.loads((tmp_path / "run" / "evaluation.json").read_text())
    assert found["checkpoint"]["steps"] == best
    assert [each["steps"] for each in events if each.get("best")][-1] == best
    # The episodes of the choice are not those of the report: one policy, different returns.
    chosen = call_for_json("eval", tmp_path / "run", "--seed", 1_001_000)
    assert chosen["policies"]["trained"]["mean"] == max(means)
    assert found["seed"] == 1000
    # The first episode of each evaluation is recorded for viewing.
    recorded = sorted((tmp_path / "run" / "episodes").iterdir())
    assert [read_episode(each).header.seed for each in recorded] == [1_001_000] * 3
    assert read_status(tmp_path / "run") == {"state": "finished", "steps": 768, "until": 768}
    require_shown_in_tensorboard(tmp_path / "run", found)


def require_shown_in_tensorboard(run: Path, evaluation: dict[str, Any]) -> None:
    """Require a run's description, the recorded episodes, and the levels of the baselines."""
    board = run / "tensorboard"
    values = list(read_values(board))
    (text,) = (value.tensor.string_val[0] for _, value in values if value.tag.startswith("desc"))
    assert [line[4:] for line in text.decode().splitlines()] == (
        (run / "config.yaml").read_text().splitlines()
    )
    films = {step: value.image for step, value in values if value.tag == "evaluation"}
    assert [*films] == [256, 512, 768]
    assert all(film.encoded_image_string.startswith(b"GIF89a") for film in films.values())
    levels = {each.name: scalars(each) for each in board.iterdir() if each.is_dir()}
    assert levels.keys() == evaluation["policies"].keys() - {"trained"}
    for policy, shown in levels.items():
        mean = pytest.approx(evaluation["policies"][policy]["mean"])
        names = ("return/mean", "evaluation/return/mean")
        assert shown == {(name, step): mean for name in names for step in (0, 768)}


def test_progress_lines_are_printed_for_people(tmp_path: Path) -> None:
    status, printed, _ = call(*small(tmp_path / "run"))
    assert status == 0
    assert re.search(r"training in .*: 0 of 32 decisions\n32/32 decisions .*/s .* left\n", printed)
    assert re.search(r"\npole: mean return 10\.0\n.*\nfinished: ", printed)


@pytest.mark.long
def test_a_progress_bar_is_shown_at_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with start(*small(tmp_path / "run"), stdout=theirs) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # no process writes to the terminal now
            while part := os.read(ours, 4096):
                shown += part
    os.close(ours)
    assert process.returncode == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"━ 32/32 decisions +return .*/s +0:00:00 left", text)
    assert "pole: mean return 10.0" in text


@pytest.mark.long
def test_signals_are_acknowledged_at_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with start(*small(tmp_path / "run", "--json", n_steps=32 * 10**6), stderr=theirs) as process:
        os.close(theirs)
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["event"] == "started"
        played: set[int] = set()
        while len(played) < 50:  # each episode has a process, and the rollout has most of them
            played |= {each.pid for each in psutil.Process(process.pid).children(recursive=True)}
        for words in (b"Ctrl-C again ends without saving", b"stopped by Ctrl-C"):
            process.send_signal(signal.SIGINT)
            shown = b""
            while words not in shown:
                shown += os.read(ours, 4096)
    os.close(ours)
    assert process.returncode == 128 + signal.SIGINT


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "'env' is missing"),
        (["no.yaml"], "no.yaml cannot be read"),
        (["--env", "cart_pol_v0"], "did you mean 'cart_pole_v0'"),
        (["--env", "cart_pole_v0", "-p", "dely=1ms"], "did you mean 'delay'"),
        (["--env", "cart_pole_v0", "--library", "sb4"], "did you mean 'sb3'"),
        (["--env", "cart_pole_v0", "--steps", "0"], "steps=0"),
        (["--env", "cart_pole_v0", "--hyper", "n_stps=64"], "did you mean 'n_steps'"),
        (["--env", "cart_pole_v0", "--algorithm", "PPQ"], "did you mean 'PPO'"),
        (["--env", "cart_pole_v0", "--stps", "5"], "--steps"),
        (["--env", "cart_pole_v0", "--steps", "1e-4"], "not a valid"),
        (["cart_pol_v0"], "no file cart_pol_v0, and no environment 'cart_pol_v0'; did you mean"),
        (["cart_pole_v0", "-p", "dely=1ms"], "did you mean 'delay'"),
        (["--env=cart_pole_v0", "--library=rllib", "--hyper=gama=1"], "did you mean 'gamma'"),
        (["--env=cart_pole_v0", "--library=rllib", "--algorithm=IMPLA"], "did you mean 'IMPALA'"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    status, printed, errors = call("train", *arguments, "--out", tmp_path / "run")
    assert (status, printed) == (2, "")
    assert message in errors
    assert not (tmp_path / "run").exists()


def test_a_foreign_folder_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    status, _, errors = call(*small(tmp_path, "--overwrite"))
    assert status == 2
    assert "is not empty, and not a run" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.long
def test_a_second_signal_aborts_the_run(tmp_path: Path) -> None:
    with start(*small(tmp_path / "run", "--json", n_steps=32 * 10**6)) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["event"] == "started"
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
    assert process.returncode in (128 + signal.SIGTERM, 128 + signal.SIGINT)  # the second signal
    assert psutil.wait_procs(children, timeout=10)[1] == []
    status, _, errors = call("eval", tmp_path / "run")
    assert status == 2
    assert "a run without checkpoints" in errors


def test_baselines_play_at_the_end_unless_the_run_leaves_them_out(tmp_path: Path) -> None:
    flags = ["--steps", 64, "--hyper", "n_steps=64", "-p", "duration=200ms"]
    flags += ["--evaluation-episodes", 1, "--quiet"]
    played = {}
    for name, more in (("with", []), ("without", ["--no-baselines"])):
        folder = tmp_path / name
        assert call("train", "cart_pole_v0", *flags, *more, "--out", folder)[0] == 0
        played[name] = json.loads((folder / "evaluation.json").read_text())["policies"]
    assert list(played["without"]) == ["trained"]
    assert played["with"].keys() > {"trained", "random", "pole"}
    assert played["with"]["trained"] == played["without"]["trained"]
    status, _, _ = call("resume", tmp_path / "without", "--until", 128, "--quiet")
    assert status == 0
    resumed = json.loads((tmp_path / "without" / "evaluation.json").read_text())
    assert list(resumed["policies"]) == ["trained"]
