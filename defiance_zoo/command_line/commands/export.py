# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo export`: a trained policy as a file for scenario programs without Python."""

from __future__ import annotations

from pathlib import Path

import click

from defiance_zoo.command_line.commands.debug import alone
from defiance_zoo.command_line.options import trust_option
from defiance_zoo.command_line.parts import import_training
from defiance_zoo.command_line.progress import quiet_option, waiting
from defiance_zoo.environments import lookup


@click.command
@click.argument("checkpoint", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--agent", help="Agent whose policy is exported, if each agent has its own.")
@trust_option
@quiet_option
def command(checkpoint: Path, file: Path, agent: str | None, trust: bool) -> None:
    """Write the policy of a run's best checkpoint, or of the folder CHECKPOINT, to an ONNX FILE.

    FILE ends with .onnx. Scenario programs run it as --policy=FILE.
    """
    if file.suffix != ".onnx":
        raise click.UsageError(f"{file} does not end with .onnx")
    import_training()
    from defiance_zoo.bridge.system.whole_files import require_writable
    from defiance_zoo.experiments.training.checkpoints import find_checkpoint

    require_writable(file)
    with waiting(f"exporting {checkpoint}"):
        from defiance_zoo.bridge.system.extras import onnxruntime_library
        from defiance_zoo.experiments.training.export.exporting import export_policy

        found = find_checkpoint(checkpoint, trust=trust)
        agents = export_policy(found.config, found.trainer, file, agent, trust=trust)
    library = onnxruntime_library()
    without_python = alone(
        lookup(found.config.env).scenario,
        found.config.parameters,
        found.config.evaluation.seed,
        f"--policy={file}",
        DEFIANCE_ONNXRUNTIME=str(library),
    )
    click.echo(f"{file} decides for {', '.join(agents)}. To run it without Python:\n")
    click.echo(f"  {without_python.shell()}")
