"""Turn what a backend printed into a reply of the agreed shape.

No message of this module quotes the answer: it may hold what must not reach a log.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from memd.errors import BackendError, UnusableReply
from memd.model import DECISIONS, STATE, TODO, ArchiveEntry, CuratorReply, Reply, Usage
from memd.redact import Redactor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ERROR_CHARS: Final = 300
"""How much of a backend's own error text is shown."""

# --- JSON in text -----------------------------------------------------------------


class _Unlined(str):
    """Text whose JSON errors carry no line number: counting lines for each of very many
    errors takes quadratic time."""

    __slots__ = ()

    def count(self, *_: object) -> int:
        return 0

    def rfind(self, *_: object) -> int:
        return 0


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise UnusableReply("the answer repeats a key within one JSON object")
    return made


_OPENING = re.compile(r'\{(?=\s*["}])|\[')
# Numbers become floats: Python refuses to convert long digit strings to int.
_DECODER = json.JSONDecoder(strict=False, parse_int=float, object_pairs_hook=_object)


def _values(text: str) -> Iterator[Any]:
    """The JSON objects and lists in `text`, outermost only, in order and in linear time.

    Reading goes on where a broken value broke, so that nothing inside one is taken for
    an answer. Raises UnusableReply for values nested too deeply to read.
    """
    text = _Unlined(text)
    at = 0
    while opening := _OPENING.search(text, at):
        try:
            value, at = _DECODER.raw_decode(text, opening.start())
        except json.JSONDecodeError as error:  # noqa: PERF203 - one try per value
            at = max(error.pos, opening.end())
        except RecursionError:
            raise UnusableReply("the answer is JSON nested too deeply") from None
        else:
            yield value


# --- envelopes --------------------------------------------------------------------


def unwrap(stdout: str, redactor: Redactor | None = None) -> CuratorReply:
    """What the model said, with what the call cost.

    Knows the result envelope of `claude -p --output-format json` (an object, the last one
    of a list of events, or either after other output); anything else is the answer itself.
    Raises as `raise_error` does, and UnusableReply when there is no answer.
    """
    envelope = _opened(stdout, redactor or Redactor())
    text = envelope["result"] if envelope else stdout
    if not text.strip():
        raise UnusableReply("the curator answered with nothing")
    return CuratorReply(text, _usage(envelope))


def raise_error(stdout: str, redactor: Redactor) -> None:
    """Raise what an envelope in `stdout` reports instead of an answer, if it does.

    UnusableReply when the prompt was too long: the backend lives, and less of the same
    text may do. BackendError for everything else; `redactor` sees its text first.
    """
    _opened(stdout, redactor)


def _opened(stdout: str, redactor: Redactor) -> Mapping[str, Any]:
    """The envelope when it holds an answer, empty when there is no envelope."""
    envelope = _envelope(stdout)
    if not envelope or _has_answer(envelope):
        return envelope
    said = _error_text(envelope)
    if "prompt is too long" in said.lower():
        raise UnusableReply("the prompt is too long for the model: lower digest_cap_chars")
    status = _status(envelope, said)
    where = f"HTTP {status}: " if status else ""
    shown = where + error_line(said, redactor)
    # A 401 passes when another session has just renewed the login.
    lasting = 400 <= status < 500 and status not in (401, 408, 429)
    raise BackendError(
        f"the curator reports an error: {shown}",
        passing=not lasting and "not logged in" not in said.lower(),
    )


def error_line(said: str, redactor: Redactor) -> str:
    """What a backend says of its failure, fit for a message: redacted, short, on one line."""
    return " ".join(_CONTROL.sub("", redactor.excerpt(said, ERROR_CHARS)).split())


def _has_answer(envelope: Mapping[str, Any]) -> bool:
    failed = envelope.get("is_error") or str(envelope.get("subtype")).startswith("error")
    return not failed and isinstance(envelope.get("result"), str)


def _envelope(stdout: str) -> Mapping[str, Any]:
    """The last result event; empty when there is none."""
    found: Mapping[str, Any] = {}
    for value in _values(stdout):
        for event in value if isinstance(value, list) else [value]:
            if isinstance(event, dict) and event.get("type") == "result":
                found = event
    return found


def _error_text(envelope: Mapping[str, Any]) -> str:
    errors = envelope.get("errors")
    said = [envelope.get("result"), *(errors if isinstance(errors, list) else ())]
    texts = [text for text in said if isinstance(text, str) and text.strip()]
    return "; ".join(texts) or f"no answer ({envelope.get('subtype')})"


def _status(envelope: Mapping[str, Any], said: str) -> int:
    """The HTTP status; versions without a field for it write it into the text. 0: none."""
    written = re.search(r"API Error\D{0,40}([45]\d\d)\b", said)
    return int(_number(envelope, "api_error_status")) or int(written[1] if written else 0)


def _usage(envelope: Mapping[str, Any]) -> Usage:
    usage = envelope.get("usage")
    tokens = usage if isinstance(usage, dict) else {}
    read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Usage(
        input_tokens=int(sum(_number(tokens, name) for name in read)),
        output_tokens=int(_number(tokens, "output_tokens")),
        cost_usd=_number(envelope, "total_cost_usd"),
    )


def _number(record: Mapping[str, Any], name: str) -> float:
    value = record.get(name)
    if isinstance(value, float) and math.isfinite(value) and value >= 0:
        return value
    return 0.0


# --- the agreed shape -------------------------------------------------------------

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _clean(value: object) -> object:
    """Strings without lone surrogates, carriage returns or control characters."""
    if not isinstance(value, str):
        return value
    whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _CONTROL.sub("", whole.replace("\r\n", "\n").replace("\r", "\n"))


_Text = Annotated[str, BeforeValidator(_clean)]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, hide_input_in_errors=True)


class _Entry(_Shape):
    source: _Text
    content: _Text


class _Answer(_Shape):
    """Unknown keys are passed over: models like to add their thoughts."""

    summary: Annotated[_Text, Field(pattern=r"\S")]
    state_body: _Text | None = None
    decisions_body: _Text | None = None
    todo_body: _Text | None = None
    mistakes_new_entries: list[_Text] | None = None
    archive_entries: list[_Entry] | None = None


def parse(text: str) -> Reply:
    """The one JSON object with a `summary` in `text`, which may have fences or prose around.

    Raises UnusableReply, and nothing else, for any other text.
    """
    candidates = [v for v in _values(text) if isinstance(v, dict) and "summary" in v]
    if len(candidates) != 1:
        raise UnusableReply(
            f"the answer ({len(text)} characters) holds {len(candidates)} JSON objects "
            "with a summary, not one"
        )
    answer = _checked(candidates[0])
    bodies = {
        STATE: answer.state_body,
        DECISIONS: answer.decisions_body,
        TODO: answer.todo_body,
    }
    return Reply(
        summary=answer.summary.strip(),
        bodies={name: body for name, body in bodies.items() if body is not None},
        mistakes=tuple(answer.mistakes_new_entries or ()),
        archive=tuple(ArchiveEntry(e.source, e.content) for e in answer.archive_entries or ()),
    )


def _checked(candidate: dict[str, Any]) -> _Answer:
    try:
        answer = _Answer.model_validate(candidate)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc']))}: {fault['type']}"
            for fault in error.errors(include_url=False, include_input=False, include_context=False)
        ]
        shown = ", ".join(faults[:3])
        raise UnusableReply(f"the answer has not the agreed shape ({shown})") from None
    if len(candidate) > 1 and len(answer.model_fields_set) == 1:
        raise UnusableReply("the answer has none of the agreed keys beside its summary")
    return answer
