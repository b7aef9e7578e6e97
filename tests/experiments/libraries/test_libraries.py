# SPDX-License-Identifier: GPL-2.0-only
"""Libraries by entry points: available ones, and faulty distributions."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import defiance_zoo
from defiance_zoo.command_line.commands import doctor as doctor_checks
from defiance_zoo.errors import BrokenPlugin, DependencyMissing, ParameterError
from defiance_zoo.experiments.libraries import GROUP, OPTIONS, find_library, library_names
from defiance_zoo.experiments.libraries.library import own_libraries
from defiance_zoo.experiments.training import RunConfig, create_trainer
from defiance_zoo.experiments.training.provenance import packages
from defiance_zoo.experiments.training.run_config_file import check_names

FINE = """
from defiance_zoo.experiments.libraries import Library
LIBRARY = Library(trainer={trainer!r}, algorithms=("PPO",), install="pip install it")
"""
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install distributions of one module each for this test."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    installed = []

    def install_one(
        distribution: str, text: str = FINE.format(trainer="no:No"), library: str = "other"
    ) -> None:
        module = distribution.replace("-", "_")
        installed.append(module)
        (tmp_path / f"{module}.py").write_text(text)
        facts = tmp_path / f"{module}-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        )
        (facts / "entry_points.txt").write_text(f"[{GROUP}]\n{library} = {module}:LIBRARY\n")
        importlib.invalidate_caches()
        # Python looks for distributions in the folders of its module path, and caches them by path.
        monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / distribution)])

    yield install_one
    for module in installed:
        sys.modules.pop(module, None)


def run(library: str, **more: object) -> RunConfig:
    return RunConfig.model_validate({"env": "cart_pole_v0", "library": library, **more})


def test_built_in_libraries_need_no_metadata() -> None:
    assert {"benchmarl", "rllib", "sb3"} <= set(library_names())
    assert len(list(own_libraries())) == 3
    for name in ("benchmarl", "rllib", "sb3"):
        assert set(find_library(name).options) <= set(OPTIONS)
    assert set(OPTIONS) <= set(RunConfig.model_fields)


def test_an_unknown_library_is_refused_with_the_nearest_and_all_names() -> None:
    with pytest.raises(ParameterError, match=r"'sb4'.* did you mean 'sb3'\? There are .*rllib"):
        find_library("sb4")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 / 0", "ZeroDivisionError"),
        ("nothing = 1", "AttributeError"),
        ("LIBRARY = 'PPO'", "broken_one:LIBRARY is a str, not a Library"),
    ],
)
def test_a_broken_description_is_reported_with_its_distribution(
    install: Install, text: str, words: str
) -> None:
    install("broken-one", text)
    with pytest.raises(BrokenPlugin, match=f"'other' of the installed .* 'broken-one'.*{words}"):
        check_names(run("other"))
    check_names(run("sb3"))
    with pytest.raises(ParameterError, match="library='rllib' can have it"):
        check_names(run("sb3", runners=2))
    finding = doctor_checks.library("other")
    assert not finding.present
    assert "'broken-one'" in finding.remedy


@pytest.mark.parametrize(
    ("trainer", "words"),
    [
        ("fine_one:Trainer", "importing its trainer: AttributeError"),
        ("fine_one.more:Trainer", "No module named 'fine_one.more'.* is to have its trainer"),
        (
            "json:JSONDecoder",
            "json:JSONDecoder is not a subclass of .*experiments.training.Trainer",
        ),
    ],
)
def test_a_broken_trainer_is_reported_with_its_distribution(
    install: Install, trainer: str, words: str
) -> None:
    install("fine-one", FINE.format(trainer=trainer))
    with pytest.raises(BrokenPlugin, match=f"'fine-one' cannot be used: {words}"):
        create_trainer(run("other"))


def test_a_missing_requirement_of_a_trainer_is_reported_with_the_remedy(
    install: Install, tmp_path: Path
) -> None:
    (tmp_path / "needy.py").write_text("import no_such_module\n")
    install("fine-one", FINE.format(trainer="needy:Trainer"))
    with pytest.raises(
        DependencyMissing, match="'no_such_module' is not installed: pip install it"
    ):
        create_trainer(run("other"))


def test_two_libraries_of_one_name_are_refused(install: Install) -> None:
    install("one")
    install("two")
    with pytest.raises(BrokenPlugin, match=r"'other' .* 'one' and 'two': uninstall"):
        check_names(run("other"))
    install("three", library="sb3")
    with pytest.raises(BrokenPlugin, match=r"'sb3' .* 'defiance-zoo' and 'three'"):
        check_names(run("sb3"))
    check_names(run("rllib"))


def test_an_error_in_hyperparameters_is_reported_as_the_distributions_fault(
    install: Install,
) -> None:
    install(
        "one",
        "from defiance_zoo.experiments.libraries import Library\n"
        "LIBRARY = Library(trainer='a:B', algorithms=('PPO',), hyperparameters=lambda name: 1 / 0)",
    )
    with pytest.raises(BrokenPlugin, match="'one' cannot be used: ZeroDivisionError"):
        check_names(run("other"))


@pytest.mark.parametrize(
    ("library", "option", "words"),
    [
        ("sb3", {"policies": "individual"}, "share; library='benchmarl' and library='rllib' can"),
        ("sb3", {"runners": 2}, "simulations="),
        ("sb3", {"ray_address": "auto"}, "one process"),
        ("rllib", {"max_agents": 3}, "as they join; library='benchmarl' and library='sb3' can"),
        ("rllib", {"normalize": True}, "connectors for it; library='sb3' can have it"),
        ("benchmarl", {"normalize": True}, "features='Symlog' scales .*; library='sb3' can"),
        ("benchmarl", {"runners": 2}, "simulations="),
        ("benchmarl", {"teacher": {"policy": "pole"}}, "library='sb3' can have it"),
    ],
)
def test_unsupported_options_are_refused(
    library: str, option: dict[str, object], words: str
) -> None:
    algorithm = next(iter(find_library(library).algorithms))
    with pytest.raises(ParameterError, match=words):
        check_names(run(library, algorithm=algorithm, **option))


def test_benchmarls_algorithms_and_hyperparameters_are_checked_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        ParameterError, match="no algorithm of benchmarl 'PPO'; did you mean 'IPPO'"
    ):
        check_names(run("benchmarl"))
    for name, text in {
        "__init__.py": "raise ImportError",
        "algorithms/ippo.py": "@dataclass\nclass IppoConfig(Config):\n    lmbda: float = MISSING\n",
        "experiment/experiment.py": "@dataclass\nclass ExperimentConfig:\n    lr: float = MISSING\n"
        "    share_policy_params: bool = MISSING\n    loggers: list = MISSING\n"
        "    on_policy_minibatch_size: int = MISSING\n    off_policy_memory_size: int = MISSING\n",
    }.items():
        path = tmp_path / "benchmarl" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    fine = {"lmbda": 1, "lr": 1, "on_policy_minibatch_size": 1, "model": {}, "critic_model": {}}
    check_names(run("benchmarl", algorithm="IPPO", hyperparameters=fine))
    for name, words in {
        "lambda": "did you mean 'lmbda'",
        "share_policy_params": "the run sets it",
        "loggers": "no hyperparameter of IPPO 'loggers'",
        "off_policy_memory_size": "no hyperparameter of IPPO",
    }.items():
        with pytest.raises(ParameterError, match=words):
            check_names(run("benchmarl", algorithm="IPPO", hyperparameters={name: 1}))


@pytest.mark.skipif(find_spec("benchmarl") is not None, reason="BenchMARL is installed")
def test_a_run_without_benchmarl_names_the_command_that_installs_it() -> None:
    words = r"'benchmarl' is not installed: pip install 'defiance-zoo\[benchmarl\]'"
    with pytest.raises(DependencyMissing, match=words):
        create_trainer(run("benchmarl", algorithm="QMIX"))


def test_versions_include_the_packages_that_each_library_names(install: Install) -> None:
    text = FINE.format(trainer="a:B").replace("install=", "packages=('click',), install=")
    install("one", text)
    assert "click" not in packages("sb3")
    assert "click" in packages("other")
    assert packages() == packages("sb3") == packages("rllib")
    assert {"stable-baselines3", "ray", "torch", "numpy"} <= packages().keys()


def test_descriptions_import_no_slow_module() -> None:
    program = (
        "import sys\n"
        "from defiance_zoo.experiments.libraries import find_library, library_names\n"
        "for library in map(find_library, library_names()):\n"
        "    assert library.hyperparameters('PPO') or library.modules[0] == 'benchmarl'\n"
        "print(sorted({'torch', 'ray', 'stable_baselines3', 'pydantic'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_no_module_depends_on_the_name_of_a_library() -> None:
    root = Path(defiance_zoo.__file__).parent
    for folder in ("command_line", "experiments", "population", "protocols"):
        files = [path for path in (root / folder).rglob("*.py") if "libraries" not in path.parts]
        assert files
        for path in files:
            for line in path.read_text().splitlines():
                if any(f'"{name}"' in line for name in ("benchmarl", "rllib", "sb3")):
                    # The name of the extra to install, if the module is missing.
                    extra = "import_training = " in line or "import_optional(" in line
                    assert "LibraryName = Field(default=" in line or extra, path
