"""Everything that goes wrong in practice, looked at once, each thing with its remedy.

Changes nothing and makes no call that costs.
"""

from __future__ import annotations

from collections.abc import Iterator

from memd import survey as surveys
from memd.doctor import client, privacy, timer
from memd.doctor.base import Finding
from memd.health import Status
from memd.runtime import Runtime


def examine(rt: Runtime, report: Status) -> Iterator[Finding]:
    """All findings; `report` is the status of the same moment."""
    curator = client.curator(rt)
    yield curator
    # Asking the backend says more than the status could.
    problems = [line for line in report.problems if not (curator.is_wrong and curator.text in line)]
    yield from (Finding("status", problem, is_wrong=True) for problem in problems)
    if not problems:
        yield Finding("status", "configuration, state, sources and projects are in order")
    yield from client.hooks(rt)
    yield client.expiring(rt, surveys.take(rt, rt.projects()))
    yield from timer.findings(rt)
    yield from privacy.findings(rt)
