# SPDX-License-Identifier: GPL-2.0-only
"""The configuration of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.bridge.system.spelling import known_words, near_word
from defiance_zoo.environments.registry import absolute_name
from defiance_zoo.experiments.evaluation import NamedPolicy
from defiance_zoo.experiments.libraries.library import require_installed


def _whole(value: Any) -> Any:
    """Convert a whole float, such as 1e5, to an int."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _installed(library: str) -> str:
    require_installed(library)
    return library


Count = Annotated[PositiveInt, BeforeValidator(_whole)]
Seed = Annotated[NonNegativeInt, BeforeValidator(_whole)]
LibraryName = Annotated[str, AfterValidator(_installed)]


Rollouts = Literal["through-python", "in-simulation-batched"]
"""The place of rollouts; see docs/training/sb3.md."""


class Description(BaseModel):
    """A description from a file, flags or Python; it has known keys and values of the right types.

    NumPy numbers and texts become Python values.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, values: Any) -> Any:
        return plain_value(values)

    @model_validator(mode="wrap")
    @classmethod
    def _suggest(cls, values: Any, build: ModelWrapValidatorHandler[Any]) -> Any:
        """Add the nearest key to the errors of unknown keys."""
        try:
            return build(values)
        except ValidationError as error:
            found = [cls._with_hint(each) for each in error.errors(include_url=False)]
            raise ValidationError.from_exception_data(cls.__name__, found) from None

    @classmethod
    def _with_hint(cls, error: ErrorDetails) -> InitErrorDetails:
        kind: str | PydanticCustomError = error["type"]
        context = error.get("ctx", {})
        if kind == "extra_forbidden":
            known = sorted(cls.model_fields)
            key = str(error["loc"][-1])
            hint = near_word(key, known) or known_words(key, known)
            hint = context.get("hint", hint)  # or that of an inner model
            kind = PydanticCustomError(kind, "Unknown key{hint}", {"hint": hint})
        return InitErrorDetails(type=kind, loc=error["loc"], input=error["input"], ctx=context)

    @field_validator("env", check_fields=False)
    @classmethod
    def _absolute(cls, env: str) -> str:
        """Make the path of a scenario's file absolute."""
        return absolute_name(env)


class Evaluation(Description):
    """The evaluations of policies during a run and at its end."""

    every: Count | None = Field(default=None, description="decisions between two evaluations")
    episodes: Count = Field(default=20, description="episodes of an evaluation")
    seed: Seed = Field(default=1000, description="episode i is played with seed + i")
    baselines: bool = Field(
        default=True, description="whether baselines play beside the policy at the run's end"
    )

    @property
    def seed_of_choice(self) -> int:
        """Seed of the first episode that selects the best checkpoint.

        These episodes differ from the reported ones, because the best of several returns is biased.
        """
        return self.seed + 1_000_000


class Teacher(Description):
    """The policy that a run's policy imitates before it learns from rewards."""

    policy: str = Field(description="a policy that plays without training, such as lookahead")
    options: dict[str, Any] = Field(
        default_factory=dict, description="options of that policy, such as horizon"
    )
    method: Literal["bc", "dagger"] = Field(
        default="bc",
        description="label only the teacher's decisions (bc), or later also the learner's (dagger)",
    )
    labels: Count = Field(default=1000, description="labelled decisions, in all rounds")
    rounds: Count | None = Field(
        default=None, description="rounds of dagger, including the teacher's round; by default 5"
    )
    episodes: Count = Field(default=10, description="least number of labelled episodes in a round")
    driver: str | None = Field(
        default=None,
        description="policy of the first round instead of the teacher, such as random",
    )
    seed: Seed = Field(default=2_000_000, description="seed of the first episode with labels")
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        default=0.1,
        description="of targets, in standard deviations of action values; 0: the best action",
    )
    epochs: Count = Field(default=200, description="passes over the labels in each round")
    learning_rate: PositiveFloat = Field(default=1e-3, description="of the imitation")
    fit_values: bool = Field(
        default=True, description="also fit the value network to the returns of the last round"
    )
    folder: str | None = Field(
        default=None, description="folder of the labels; by default in the folder of the run"
    )
    workers: NonNegativeInt | None = Field(
        default=None,
        description="processes that label; 0: the trainer; by default one a core",
    )

    @property
    def round_count(self) -> int:
        """The number of rounds."""
        return 1 if self.method == "bc" else self.rounds or 5

    @property
    def named(self) -> NamedPolicy:
        """The policy with its options."""
        return NamedPolicy(self.policy, self.options)

    @field_validator("folder")
    @classmethod
    def _absolute_folder(cls, folder: str | None) -> str | None:
        """Make the path of the folder absolute."""
        return None if folder is None else str(Path(folder).absolute())


class Residual(Description):
    """The hand-written policy as which a run's policy starts, and which it learns to correct."""

    policy: str = Field(description="a hand-written policy of the environment")
    options: dict[str, Any] = Field(default_factory=dict, description="options of that policy")
    confidence: Annotated[float, Field(gt=0.5, lt=1)] = Field(
        default=0.9, description="first probability of its choice, for discrete actions"
    )
    scale: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.1, description="unit of corrections and noise, in halves of a box's range"
    )

    @property
    def named(self) -> NamedPolicy:
        """The policy with its options."""
        return NamedPolicy(self.policy, self.options)


class RunConfig(Description):
    """A run, as described by a YAML file or flags."""

    env: str = Field(description="a registered environment, such as cart_pole_v0")
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="arguments of the environment, as for make()"
    )
    library: LibraryName = Field(default="sb3", description="what trains")
    algorithm: str = Field(default="PPO", description="PPO, A2C, DQN, SAC, APPO, IMPALA, ...")
    policies: Literal["shared", "individual"] | dict[str, str] = Field(
        default="shared",
        description="one policy for all agents, one for each, or policies by agent pattern",
    )
    hyperparameters: dict[str, Any] = Field(
        default_factory=dict,
        description="hyperparameters of the algorithm; classes as module:Class or file.py:Class",
    )
    normalize: bool = Field(
        default=False,
        description="scale observations and rewards by their running statistics",
    )
    features: str | None = Field(
        default=None,
        description="FrameStack, Symlog, Summary, module:Class or file.py:Class",
    )
    feature_options: dict[str, Any] = Field(
        default_factory=dict, description="arguments of the class of features"
    )
    rollouts: Rollouts = Field(
        default="through-python",
        description="the place of decisions during rollouts: in Python, or in the simulation",
    )
    max_agents: Count | None = Field(
        default=None,
        description="rows for agents in each simulation; by default those of the first episode",
    )
    seed: Seed = Field(default=1, description="seed of weights, exploration and simulations")
    teacher: Teacher | None = Field(default=None, description="see Teacher")
    residual: Residual | None = Field(
        default=None, description="a hand-written policy to correct, or its name; see Residual"
    )
    steps: Annotated[NonNegativeInt, BeforeValidator(_whole)] = Field(
        default=100_000,
        description="decisions of all agents until the run stops; 0: imitation only",
    )
    simulations: Count = Field(default=1, description="simulations side by side, in each process")
    runners: NonNegativeInt = Field(default=0, description="processes that sample; 0: the trainer")
    threads: Count = Field(
        default=1, description="threads of PyTorch; small networks are fastest with one"
    )
    ray_address: str | None = Field(default=None, description="an existing Ray cluster")
    checkpoint_every: Count | None = Field(
        default=None, description="decisions between two checkpoints; by default a tenth of steps"
    )
    evaluation: Evaluation = Field(default_factory=Evaluation, description="see Evaluation")

    @property
    def method(self) -> str:
        """The method of the training, such as `imitation of pole, PPO (sb3)`."""
        base = f"residual of {self.residual.policy}, " if self.residual else ""
        taught = f"imitation of {self.teacher.policy}, " if self.teacher else ""
        return f"{base}{taught}{self.algorithm} ({self.library})"

    @property
    def evaluate_every(self) -> int | None:
        """The number of decisions between two evaluations; residuals are always evaluated."""
        usual = None if self.residual is None else max(1, self.steps // 10)
        return self.evaluation.every or usual

    @property
    def flattened(self) -> bool:
        """Whether policies observe features, which residuals always do."""
        return self.features is not None or self.residual is not None

    @field_validator("residual", mode="before")
    @classmethod
    def _by_name(cls, residual: Any) -> Any:
        """Accept the name of a policy."""
        return {"policy": residual} if isinstance(residual, str) else residual

    @field_validator("steps")
    @classmethod
    def _some(cls, steps: int, info: ValidationInfo) -> int:
        """Refuse a run with neither steps nor a teacher."""
        if not steps and info.data.get("teacher") is None:
            raise ValueError("a run without a teacher needs at least 1 step")
        return steps

    @field_validator("features")
    @classmethod
    def _absolute_file(cls, features: str | None) -> str | None:
        """Make the path of a feature file absolute."""
        return None if features is None else _absolute_place(features)

    @field_validator("hyperparameters")
    @classmethod
    def _absolute_files(cls, hyperparameters: dict[str, Any]) -> dict[str, Any]:
        """Make the paths of files with classes absolute."""
        return {name: _absolute_places(value) for name, value in hyperparameters.items()}


def _absolute_place(place: str) -> str:
    """Make the path in `file.py:Name` absolute; other texts stay unchanged."""
    file, sign, name = place.rpartition(":")
    return f"{absolute_name(file)}{sign}{name}" if file else place


def _absolute_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _absolute_places(each) for name, each in value.items()}
    return _absolute_place(value) if isinstance(value, str) and ".py:" in value else value
