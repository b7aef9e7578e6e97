# SPDX-License-Identifier: GPL-2.0-only
"""MLflow and W&B store the metrics of a run with the program of docs/training/clients.md."""

from __future__ import annotations

from pathlib import Path

import mlflow
import pytest
from client_page import run_program

from defiance_zoo.experiments.training.metrics import read_metrics


def test_both_trackers_store_the_metrics_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    run_program("MLflow and W&B", replaced={'"transport": "udp"': '"duration": "400ms"'})
    rows = read_metrics(tmp_path / "runs/tracked/metrics.csv")
    assert len(rows) >= 2
    (run,) = mlflow.search_runs(search_all_experiments=True, output_format="list")
    assert run.data.params["env"] == "cart_pole_v0"
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "return/mean")
    told = [(each.step, each.value) for each in history]
    assert told == [(row["steps"], row["return/mean"]) for row in rows]
    (stored,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    offline = stored.read_bytes()
    for row in rows:
        assert f"{row['return/mean']}".encode() in offline
