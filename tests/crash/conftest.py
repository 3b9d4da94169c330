"""One seed for all workers, and the figures of all tests in one place."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

FIGURES = ("injected stops", "git stops", "power-loss cuts", "power-loss disks", "random kills")


def pytest_configure() -> None:
    # Workers are started later and inherit it.
    os.environ.setdefault("CRASH_SEED", str(random.SystemRandom().randrange(10**6)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for name, number in report.user_properties:
                    counts[name] += number
    terminalreporter.section("crash proof")
    for name in (*FIGURES, "violations"):
        terminalreporter.write_line(f"{name}: {counts[name]}")
    terminalreporter.write_line(f"seed: CRASH_SEED={os.environ['CRASH_SEED']}")
