from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from memd.cli import render
from memd.health import ProjectStatus, Status
from memd.model import Applied, Busy, Failed, NothingNew, Project, Usage, Waiting
from memd.onboard import Initialised
from memd.state.ledger import Health
from memd.sweep import Swept

SHOP = Project("/srv/shop", "shop")
ROW = ProjectStatus(
    root="/srv/shop",
    name="shop",
    how="init",
    sessions=3,
    backlog_bytes=12345,
    notes=1,
    last_distill="2026-11-30T06:11:27Z",
    last_summary="Chose sqlite",
    calls_today=2,
    usage_today=Usage(1200, 80, 0.5),
    problems=("last sync failed",),
)
IDLE = ProjectStatus("/srv/idle", "idle", "auto", 0, 0, 0, "", "", 0, Usage(), ())
STATUS = Status(
    version="1.2.3",
    curator="claude (headless)",
    calls_today=2,
    calls_limit=200,
    backend_error="",
    projects=(IDLE, ROW),
    excluded=("/srv/private",),
    ingestion=(("claude-code", Health(events=1200, noise=3, unknown=2, broken=1)),),
    problems=("ingestion  : 9720 bytes read since 2026-07-30T06:11:27, nothing usable extracted.",),
)

AT_A_GLANCE = """\
! ingestion  : 9720 bytes read since 2026-07-30T06:11:27, nothing usable extracted.

memd 1.2.3
curator      : claude (headless)
calls today  : 2 of 200
source       : claude-code: 1,200 records used, 3 passed as noise, 2 unknown, 1 broken
excluded     : /srv/private
projects     : 2

  project  last distill, UTC  waiting               today                          directory
! shop     2026-11-30 06:11   12,345 bytes, 1 note  2 calls, 1,280 tokens, 0.50 USD  /srv/shop
  idle     never              -                     -                              /srv/idle (auto)
"""


def squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_a_status_is_read_at_a_glance(capsys: pytest.CaptureFixture[str]) -> None:
    render.status(STATUS, as_json=False)
    assert squeezed(capsys.readouterr().out) == squeezed(AT_A_GLANCE)


def test_columns_stand_below_their_heads(capsys: pytest.CaptureFixture[str]) -> None:
    render.status(STATUS, as_json=False)
    head, *rows = capsys.readouterr().out.splitlines()[-3:]
    assert [row.index("/srv") for row in rows] == [head.index("directory")] * 2


def test_a_status_of_nothing_says_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    render.status(replace(STATUS, projects=(), problems=(), calls_limit=0), as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "memd 1.2.3"
    assert "calls today  : 2" in lines
    assert lines[-1] == "projects     : none; memd init makes one"


def test_the_keys_of_the_json_are_a_promise(capsys: pytest.CaptureFixture[str]) -> None:
    """Programs read them: a change here is a new `format`."""
    render.status(STATUS, as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert shape(document) == {
        "format": int,
        "version": str,
        "curator": str,
        "calls_today": int,
        "calls_limit": int,
        "backend_error": str,
        "problems": [str],
        "ingestion": {
            "claude-code": {
                "events": int,
                "noise": int,
                "unknown": int,
                "broken": int,
                "barren_bytes": int,
                "barren_since": str,
                "unknown_types": [],
            }
        },
        "projects": [
            {
                "root": str,
                "name": str,
                "how": str,
                "sessions": int,
                "backlog_bytes": int,
                "notes": int,
                "last_distill": str,
                "last_summary": str,
                "calls_today": int,
                "usage_today": {"input_tokens": int, "output_tokens": int, "cost_usd": float},
                "problems": [],
            }
        ],
        "excluded": [str],
    }
    assert document["format"] == 1


def test_the_json_without_a_configuration_has_some_of_the_same_keys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    render.status_without_config(("bad",), ("/srv/shop",), as_json=True)
    assert json.loads(capsys.readouterr().out) == {
        "format": 1,
        "problems": ["bad"],
        "projects": [{"root": "/srv/shop"}],
    }


def shape(value: Any) -> Any:
    """Types instead of values; of a list, that of its first item."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value[:1]]
    return type(value)


@pytest.mark.parametrize(
    ("result", "out", "err", "code"),
    [
        (Applied(("Chose sqlite",), pending=False), "shop: Chose sqlite\n", "", 0),
        (
            Applied(("a", "b"), pending=True, warnings=("one note is odd",)),
            "shop: a\nshop: b\nshop: more is waiting; the next sync or sweep goes on\n",
            "memd: /srv/shop: one note is odd\n",
            0,
        ),
        (NothingNew(), "shop: nothing new\n", "", 0),
        (NothingNew(("x is odd",)), "shop: nothing new\n", "memd: /srv/shop: x is odd\n", 0),
        (Busy(), "shop: another sync is at work; it was told to look again\n", "", 0),
        (Waiting("200 calls today"), "shop: waiting: 200 calls today\n", "", 0),
        (Failed("no claude", 3), "", "memd: /srv/shop: no claude\n", 3),
        (Failed("/srv/shop/.memory: gone", 1), "", "memd: /srv/shop/.memory: gone\n", 1),
    ],
)
def test_an_outcome_is_a_result_or_a_trouble(
    capsys: pytest.CaptureFixture[str], result: Any, out: str, err: str, code: int
) -> None:
    render.outcome(SHOP, result)
    assert capsys.readouterr() == (out, err)
    assert render.exit_code(result) == code


def test_a_sweep_tells_what_happened_and_not_what_did_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    quiet, odd = Project("/srv/quiet", "quiet"), Project("/srv/odd", "odd")
    outcomes = ((quiet, NothingNew()), (odd, NothingNew(("x",))), (SHOP, Failed("no claude", 3)))
    render.swept(Swept(outcomes, adopted=(SHOP,), gone=("/srv/gone",)))
    assert capsys.readouterr() == (
        "shop: taken in (/srv/shop)\n/srv/gone: gone, left alone\nodd: nothing new\n",
        "memd: /srv/odd: x\nmemd: /srv/shop: no claude\n",
    )


def test_what_init_did_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    render.initialised(Initialised("/srv/shop", "shop", False, ("AGENTS.md",), ("was tracked",)))
    assert capsys.readouterr() == (
        "now remembered: /srv/shop (shop)\n  wrote AGENTS.md\n",
        "memd: was tracked\n",
    )
