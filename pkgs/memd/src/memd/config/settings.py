"""The settings people write: types, bounds, defaults, what each one is for.

The one place of the configuration that imports pydantic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from memd.config import values

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Document: TypeAlias = dict[str, Any]
"""Settings in the shape of the file: a JSON object, any part of it missing."""


Text = Annotated[str, AfterValidator(values.text)]
Pattern = Annotated[str, AfterValidator(values.text), AfterValidator(values.pattern)]
Word = Annotated[str, AfterValidator(values.word), Field(json_schema_extra={"minLength": 1})]
Place = Annotated[
    str, AfterValidator(values.place), Field(json_schema_extra={"pattern": values.PLACE})
]
Name = Annotated[
    str, AfterValidator(values.name), Field(json_schema_extra={"maxLength": values.LONGEST_NAME})
]
Size = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]

_STRICT = ConfigDict(strict=True, extra="forbid")


def _budget(file: str, chars: int) -> Any:
    return Field(default=chars, alias=file, description=f"The most characters `{file}` may hold.")


class Budgets(BaseModel):
    model_config = _STRICT

    state: Count = _budget("state.md", 10_000)
    decisions: Count = _budget("decisions.md", 12_000)
    todo: Count = _budget("todo.md", 10_000)
    mistakes: Count = _budget("mistakes.md", 22_000)


class ProjectSettings(BaseModel):
    model_config = _STRICT

    name: Name = Field(
        default="", description="What memd calls the project. Empty: the name of its directory."
    )
    extra_sources: list[Word] = Field(
        default=[],
        description=(
            "Globs of further files to learn from, plain text or JSON Lines: absolute, "
            "below `~/`, or relative to the project."
        ),
    )


class Settings(BaseSettings):
    """What memd can be told; every key may be left out."""

    # Without case_sensitive pydantic-settings 2.16 takes SWEEP_JOBS for sweep_jobs.
    model_config = SettingsConfigDict(
        strict=True, extra="forbid", case_sensitive=True, protected_namespaces=()
    )

    claude_bin: Word = Field(
        default="claude",
        description="The `claude` program: a name to look up on PATH, or a path.",
    )
    curator_cmd: list[Text] = Field(
        default=[],
        description=(
            "Another curator than `claude`: a program with its arguments. It gets the prompt "
            "on stdin; `{model}` becomes the name of the model. Empty: headless `claude`."
        ),
    )
    claude_dir: Place = Field(
        default="~/.claude",
        description=(
            "Where Claude Code keeps its sessions. Left out: `$CLAUDE_CONFIG_DIR` "
            "where that is set."
        ),
    )
    antigravity_dir: Place = Field(
        default="~/.gemini/antigravity-cli",
        description="Where the Antigravity CLI keeps its conversations.",
    )
    model_small: Word = Field(default="sonnet", description="The model for everyday digests.")
    model_large: Word = Field(
        default="sonnet", description="The model for digests longer than `escalate_chars`."
    )
    escalate_chars: Size = Field(
        default=15_000, description="Digests of more characters than this go to `model_large`."
    )
    digest_cap_chars: Count = Field(
        default=60_000,
        description=(
            "How many characters the curator is shown at once. More than that is "
            "distilled in several passes."
        ),
    )
    quiet_seconds: int = Field(
        default=600,
        ge=0,
        le=31_536_000,
        description=(
            "A sweep waits until a session has not been written to for this many seconds. "
            "0: it waits for none."
        ),
    )
    sweep_jobs: Count = Field(
        default=4, description="How many projects a sweep works on at a time."
    )
    auto_scaffold: bool = Field(
        default=True,
        description=(
            "Start remembering a git repository when a session works in it. "
            "If false, only after `memd init`."
        ),
    )
    git_commit: bool = Field(
        default=True, description="Keep the history of each memory in a git repository of its own."
    )
    budgets: Budgets = Field(
        default=Budgets(),
        description=("How large each memory file may get; what is over moves to the archive."),
    )
    REDACT_EXTRA_PATTERNS: list[Pattern] = Field(
        default=[],
        description=(
            "Regular expressions (Python's) for secrets that the built-in rules do not know. "
            "What matches is never sent or stored."
        ),
    )
    exclude: list[Place] = Field(
        default=[], description="Directories memd stays out of, with all that is below them."
    )
    projects: dict[Annotated[str, AfterValidator(values.place)], ProjectSettings] = Field(
        default={},
        description="Projects to remember, by directory, without `memd init`.",
        json_schema_extra={"propertyNames": {"pattern": values.PLACE}},
    )
    global_root: Place = Field(
        default="~", description="Directory whose `.memory` holds what concerns all projects."
    )
    global_brief_chars: int = Field(
        default=800,
        description=(
            "The most characters of global memory in a brief. "
            "0: only where it is; negative: not a word."
        ),
    )
    brief_chars: Size = Field(
        default=2_500, description="The most characters of a project's memory in a brief."
    )
    brief_decisions_days: int = Field(
        default=30,
        ge=0,
        le=36_500,
        description="How many days back a decision counts as recent in a brief.",
    )
    curator_timeout_seconds: int = Field(
        default=600,
        ge=1,
        le=86_400,
        description="How many seconds one call of the curator may take.",
    )
    max_passes: Count = Field(
        default=4, description="How many passes one run makes over a large backlog; the rest waits."
    )
    max_distills_per_day: Size = Field(
        default=200, description="Curator calls a day, all projects together. 0: no limit."
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a document."""

    key: tuple[str | int, ...]
    value: object
    expected: str = ""
    """What should stand there; "" where the schema says it."""
    is_unknown: bool = False
    """Nothing is known by that key."""


def settle(*layers: Document) -> Settings:
    """The settings that follow from layers of them, the most important first.

    Objects merge key by key, anything else replaces. Raises ValidationError.
    """

    class Layered(Settings):
        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_ignored: Any, **_sources: Any
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return tuple(InitSettingsSource(settings_cls, dict(layer)) for layer in layers)

    return Layered()


def merged(*layers: Document) -> Document:
    """`settle`, complete and in the shape of the file."""
    return settle(*layers).model_dump(by_alias=True)


def faults(document: Document) -> tuple[Fault, ...]:
    """Everything that is wrong with a document, unknown keys included."""
    try:
        settle(document)
    except ValidationError as error:
        return tuple(_fault(detail) for detail in error.errors(include_url=False))
    return ()


def known_keys() -> tuple[str, ...]:
    """The keys of the file, in the order in which they are documented."""
    return tuple(Settings.model_fields)


def is_text(key: str) -> bool:
    """Whether the value of a top-level key is a string."""
    return Settings.model_fields[key].annotation is str


def _fault(detail: ErrorDetails) -> Fault:
    kind, place = detail["type"], detail["loc"]
    if kind == "extra_forbidden":
        return Fault(place, detail["input"], is_unknown=True)
    # pydantic marks an error of a key, rather than of its value, in this way.
    key = place[:-1] if place[-1:] == ("[key]",) else place
    expected = ""
    if kind == "value_error":
        expected = str(detail["ctx"]["error"])
    elif kind == "string_unicode":
        expected = "valid Unicode text"
    return Fault(key, detail["input"], expected)
